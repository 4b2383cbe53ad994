"""The commands of a conversation, and what each acts on. Loaded with the first that is typed."""

from typing import TYPE_CHECKING

from desktop.core.subjects import memory
from desktop.tasks import in_thread

if TYPE_CHECKING:
    from desktop.agent.loop import Reply
    from desktop.agent.turn import Inbound
    from desktop.api.replies import Replies
    from desktop.core.parts import Parts
    from desktop.session.log import Session


class Commands:
    """Answers them."""

    def __init__(self, parts: "Parts") -> None:
        self._parts = parts
        self._replies: Replies | None = None

    async def answer(self, inbound: "Inbound") -> "Reply":
        """Do what one says; what goes wrong is said in the reply."""
        if self._replies is None:
            self._replies = await in_thread(self._make)
        return await self._replies.answer(inbound)

    def _make(self) -> "Replies":
        from desktop.api import memory_commands
        from desktop.api.replies import Parts, Replies
        from desktop.providers.trial import Trials

        core, subject = self._parts, memory(self._parts)
        trials = Trials(core.models, core.usage, core.lessons, lambda: core.store.config)
        parts = Parts(
            core.sessions,
            core.loop,
            core.subagents,
            core.inbox,
            core.memory.consolidator,
            core.models,
            core.choices,
            core.skills,
            core.workspace,
            lambda: core.store.config,
            core.halt,
            core.statuses,
            trials.all_models,
        )

        async def dream(_session: "Session", _rest: str) -> "Reply":
            return await memory_commands.dream(subject)

        async def log(_session: "Session", rest: str) -> "Reply":
            return await memory_commands.log(subject, rest)

        async def restore(_session: "Session", rest: str) -> "Reply":
            return await memory_commands.restore(subject, rest)

        return Replies(parts, {"dream": dream, "dream-log": log, "dream-restore": restore})
