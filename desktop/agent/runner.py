"""One question to the model: stream the answer out, then write it down.

The answer is in the session log before TurnFinished is published. Whatever ends the stream early, the
text that was already shown is kept, marked as stopped or failed in a field of its own.
"""

import logging
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from desktop.bus.bus import Bus
from desktop.bus.events import ReasoningDelta, TextDelta, TurnFinished
from desktop.errors import StorageError
from desktop.providers.base import BadRequest, Completion, Message, Provider, ProviderError, Request, Usage
from desktop.session.log import Session
from desktop.tasks import see_through
from desktop.text import _
from desktop.usage import Call, UsageLedger

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Turn:
    """One message of the person on its way to an answer."""

    id: str
    session: Session
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    request: Request | None = None
    closed: bool = False
    """Its end is in the log, or could not be written there."""

    def record(self, **marks: object) -> Message:
        """The assistant's message as far as it came, with our own marks under underscored names."""
        message: Message = {"role": "assistant", "content": "".join(self.text), "_turn": self.id}
        if self.reasoning:
            message["reasoning_content"] = "".join(self.reasoning)
        return message | {f"_{name}": value for name, value in marks.items()}


class Runner:
    """Asks a provider and keeps what it says."""

    def __init__(self, usage: UsageLedger, bus: Bus, clock: Callable[[], float] = time.monotonic) -> None:
        self._usage, self._bus, self._clock = usage, bus, clock

    async def run(self, turn: Turn, provider: Provider, request: Request) -> None:
        """Answer one turn. Raises ProviderError or StorageError after keeping what there was."""
        turn.request = request
        try:
            completion = await self._stream(turn, provider, request)
        except ProviderError as error:
            await self._account(turn, None, type(error).__name__)
            raise
        await see_through(self._keep(turn, completion), name=f"keep:{turn.id}")

    async def _keep(self, turn: Turn, completion: Completion) -> None:
        """Once the answer is whole a stop comes too late: it is stored and told, once."""
        record = turn.record()
        if completion.thinking_blocks:
            record["thinking_blocks"] = list(completion.thinking_blocks)
        await turn.session.append(record)
        turn.closed = True
        await self._account(turn, completion.usage, "ok")
        self._bus.publish(TurnFinished(turn.session.key, turn.id, completion.text))

    async def _stream(self, turn: Turn, provider: Provider, request: Request) -> Completion:
        completion = Completion()
        async with aclosing(provider.stream(request)) as stream:
            async for item in stream:
                if isinstance(item, Completion):
                    completion = item
                    continue
                if item.reasoning:
                    turn.reasoning.append(item.reasoning)
                    self._bus.publish(ReasoningDelta(turn.session.key, turn.id, item.reasoning))
                if item.text:
                    turn.text.append(item.text)
                    self._bus.publish(TextDelta(turn.session.key, turn.id, item.text))
        if not completion.text.strip():
            raise BadRequest(
                _("{model} sent an empty answer.").format(model=request.endpoint.model),
                _("Ask again, or choose another model."),
            )
        turn.text[:] = [completion.text]
        turn.reasoning[:] = [completion.reasoning] if completion.reasoning else []
        return completion

    async def stopped(self, turn: Turn) -> None:
        """Close a turn that was cancelled, keeping what was shown of it. Raises StorageError."""
        turn.closed = True
        await turn.session.append(turn.record(stopped=True))
        await self._account(turn, None, "stopped")
        self._bus.publish(TurnFinished(turn.session.key, turn.id, "".join(turn.text), stopped=True))

    async def _account(self, turn: Turn, usage: Usage | None, outcome: str) -> None:
        if turn.request is None:
            return
        endpoint = turn.request.endpoint
        spent = usage or Usage()
        call = Call(
            provider=endpoint.provider,
            model=endpoint.model,
            session=turn.session.key,
            turn=turn.id,
            outcome=outcome,
            seconds=self._clock() - turn.started,
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            cached_tokens=spent.cached_tokens,
            cache_write_tokens=spent.cache_write_tokens,
            reasoning_tokens=spent.reasoning_tokens,
            cost=spent.cost,
        )
        try:
            await self._usage.record(call)
        except StorageError as error:
            _log.warning("the call could not be entered in the ledger: %s", error)
