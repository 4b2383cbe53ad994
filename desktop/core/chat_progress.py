"""What chats see of a turn under way: its words as they come, and a line for each tool where wanted."""

from collections.abc import Callable
from dataclasses import dataclass

from desktop.bus.bus import Bus
from desktop.bus.events import TextDelta, ToolStarted, TurnJoined, TurnSpoke
from desktop.channels.live import Live
from desktop.channels.receipts import Receipts
from desktop.config.schema import Config
from desktop.tasks import spawn


@dataclass(frozen=True, slots=True)
class ChatProgress:
    """For the loop only."""

    live: Live
    receipts: Receipts
    config: Callable[[], Config]

    def follow(self, bus: Bus) -> None:
        """Show what the bus tells of, from now on."""
        bus.on(TextDelta, lambda event: self.live.add(event.turn, event.text))
        bus.on(ToolStarted, self._works)
        bus.on(TurnSpoke, lambda event: self.live.spoke(event.turn, last=True))
        bus.on(TurnJoined, self._joined)

    def _joined(self, event: TurnJoined) -> None:
        self.live.joined(event.turn, event.into)
        self.receipts.joined(event.turn, event.into)

    def _works(self, event: ToolStarted) -> None:
        self.live.spoke(event.turn, last=False)
        spawn(self._step(event), name="chats:step")

    async def _step(self, event: ToolStarted) -> None:
        settings = self.config().channels
        gist = f"{event.tool}: {event.gist}" if event.gist else event.tool
        longest = settings.tool_hint_max_length
        hint = f"🔧 `{gist if len(gist) <= longest else gist[: longest - 1] + '…'}`"
        await self.live.step(
            event.turn, progress=settings.send_progress, hint=hint if settings.send_tool_hints else ""
        )
