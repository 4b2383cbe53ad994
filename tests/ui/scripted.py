"""An api whose calls a test answers: a table of replies by "subject.method"."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from desktop.api.client import Api, Call
from desktop.bus.bus import Bus
from desktop.errors import AppError
from desktop.ui.actions import Reach

type Reply = Callable[..., Any]


class Scripted:
    """Answers with what a function of the table returns; a call that is not in it fails the test."""

    def __init__(self, **replies: Reply) -> None:
        """`replies`: by "subject_method", with one underscore for the dot."""
        self.replies: dict[str, Reply] = {
            name.replace("_", ".", 1): reply for name, reply in replies.items()
        }
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.api, self.bus = Api(self), Bus()

    async def result(self, call: Call) -> Any:
        return self._reply(call)

    async def events(self, call: Call) -> AsyncIterator[Any]:
        reply = self._reply(call)
        if isinstance(reply, AsyncIterator):
            async for event in reply:
                yield event
        else:
            for event in reply:
                yield event

    async def show(self, session: str) -> None:
        raise AssertionError(f"{session} was to be shown")

    async def reach(self) -> Sequence[Reach]:
        return ()

    def _reply(self, call: Call) -> Any:
        self.calls.append((call.verb, dict(call.named)))
        assert call.verb in self.replies, call.verb
        reply = self.replies[call.verb](*call.positional, **call.named)
        if isinstance(reply, AppError):
            raise reply
        return reply
