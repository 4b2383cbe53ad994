"""One answer of the model, whole: streamed out, tried again when empty, continued when it was cut off.

Whatever ends the stream early, the text that was already shown stays in the turn. Every call is a row of
the ledger.
"""

import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace

from desktop.agent.arguments import may_be_call, written_call
from desktop.agent.thinking import Thinking, split
from desktop.agent.turn import Turn
from desktop.agent.written import Parameters, Written
from desktop.agent.written import split as split_calls
from desktop.bus.bus import Bus
from desktop.bus.events import ReasoningDelta, TextDelta
from desktop.paths import temporary
from desktop.providers.base import (
    AnswerTooLong,
    Completion,
    Provider,
    ProviderError,
    Request,
    ToolCall,
    Usage,
)
from desktop.providers.one_off import call_of, enter
from desktop.text import _
from desktop.usage import UsageLedger

_EMPTY_RETRIES = 2
_CONTINUATIONS = 4
_GO_ON = "Your answer was cut off. Go on exactly where it ended, without repeating anything."


class Asking:
    """Asks a provider for one step of a turn."""

    def __init__(
        self, usage: UsageLedger, bus: Bus, clock: Callable[[], float] = time.monotonic, *, cause: str = ""
    ) -> None:
        """`cause`: what the ledger calls the calls; empty for turns and those of subagents."""
        self._usage, self._bus, self._clock, self._cause = usage, bus, clock, cause

    async def ask(
        self, turn: Turn, provider: Provider, request: Request, *, small_model: bool = False
    ) -> Completion:
        """The model's next step; the last call is still to be accounted for by who takes it.

        `small_model`: a call written as text counts. Raises ProviderError.
        """
        empty = 0
        while True:
            completion = await self.call(turn, provider, request, small_model=small_model)
            if completion.text.strip() or completion.tool_calls:
                break
            await self.account(turn, completion.usage, "ok")
            if completion.finish == "length":
                raise _used_up(request, thought=bool(completion.reasoning))
            empty += 1
            if empty > _EMPTY_RETRIES:
                return replace(completion, text=_nothing_said(completion))
        parts = [completion]
        while parts[-1].finish == "length" and not parts[-1].tool_calls and len(parts) <= _CONTINUATIONS:
            await self.account(turn, parts[-1].usage, "ok")
            so_far = "".join(part.text for part in parts)
            more = await self.call(turn, provider, _continued(request, so_far), small_model=False)
            if not more.text.strip():
                break
            parts.append(more)
        if len(parts) == 1:
            return completion
        whole = "".join(part.text for part in parts)
        return replace(parts[-1], text=whole, reasoning=completion.reasoning, tool_calls=())

    async def call(
        self, turn: Turn, provider: Provider, request: Request, *, small_model: bool
    ) -> Completion:
        """One call of the model, and no more. Raises ProviderError."""
        turn.request, turn.asked = request, self._clock()
        try:
            completion = await self._stream(turn, provider, request, small_model=small_model)
        except ProviderError as error:
            await self.account(turn, error.usage, type(error).__name__)
            raise
        if completion.answered is not None:  # another model was asked instead
            turn.request = replace(request, endpoint=completion.answered)
        return completion

    async def _stream(
        self, turn: Turn, provider: Provider, request: Request, *, small_model: bool
    ) -> Completion:
        completion, out = (
            Completion(),
            _Out(turn, self._bus, _parameters(request), small_model=small_model),
        )
        async with aclosing(provider.stream(request)) as stream:
            async for item in stream:
                if isinstance(item, Completion):
                    completion = item
                else:
                    out.reasoning(item.reasoning)
                    out.text(item.text)
        text, thought = split(completion.text)
        text, calls = split_calls(text, _parameters(request))
        completion = replace(completion, text=text, reasoning=completion.reasoning + thought)
        if calls and not completion.tool_calls:
            completion = replace(completion, tool_calls=calls, finish="tool_calls")
        if small_model and not completion.tool_calls:
            completion = _with_written_call(completion, request)
        if not completion.tool_calls:
            out.end()
        return completion

    async def account(self, turn: Turn, usage: Usage | None, outcome: str) -> None:
        """Enter the call that is under way in the ledger, once; nothing if there is none."""
        request, turn.request = turn.request, None
        if request is None:
            return
        call = call_of(
            request.endpoint,
            Completion(usage=usage),
            cause=self._cause or turn.inbound.cause or ("subagent" if turn.inbound.parent else "turn"),
            session="" if temporary(turn.home) else turn.home,
            turn=turn.id,
            outcome=outcome,
            seconds=self._clock() - turn.asked,
        )
        await enter(self._usage, call)


class _Out:
    """Tells of a stream: thinking apart from the answer, nothing of what may still become a call."""

    def __init__(self, turn: Turn, bus: Bus, parameters: Parameters, *, small_model: bool) -> None:
        """`parameters`: of the tools that the model may call. `small_model`: the answer may be a call."""
        self._turn, self._bus, self._names = turn, bus, parameters
        self._holding = small_model and bool(parameters)
        self._thinking, self._written, self._held = Thinking(), Written(parameters), ""

    def text(self, text: str) -> None:
        if text:
            said, thought = self._thinking.feed(text)
            self.reasoning(thought)
            self._say(self._written.feed(said))

    def reasoning(self, text: str) -> None:
        if text:
            self._turn.reasoning.append(text)
            self._bus.publish(ReasoningDelta(self._turn.key, self._turn.id, text))

    def end(self) -> None:
        said, thought = self._thinking.end()
        self.reasoning(thought)
        said = self._written.feed(said) + self._written.end()[0]
        self._holding = False
        self._say(said)

    def _say(self, text: str) -> None:
        text = self._held + text
        self._held = text if self._holding and may_be_call(text, self._names) else ""
        if text and not self._held:
            self._holding = False
            self._turn.text.append(text)
            self._bus.publish(TextDelta(self._turn.key, self._turn.id, text))


def _with_written_call(completion: Completion, request: Request) -> Completion:
    """The answer of a small model that wrote its call as text, as the call."""
    call = written_call(completion.text, _names(request))
    if call is None:
        return completion
    name, arguments = call
    return replace(completion, text="", tool_calls=(ToolCall("", name, arguments),), finish="tool_calls")


def _nothing_said(completion: Completion) -> str:
    if completion.reasoning:
        return _(
            "The model only reasoned and gave no answer, three times in a row. Try a lower reasoning level."
        )
    return _("The model gave no answer, three times in a row.")


def _used_up(request: Request, *, thought: bool) -> AnswerTooLong:
    if thought:
        return AnswerTooLong(
            _("The model used all {n} tokens of the answer for reasoning.").format(n=request.max_tokens),
            _("Choose a lower reasoning level, or allow longer answers in Settings, under Agent."),
        )
    return AnswerTooLong(
        _("The model used all {n} tokens of the answer before it wrote anything.").format(
            n=request.max_tokens
        ),
        _("Ask for less at a time, or allow longer answers in Settings, under Agent."),
    )


def _parameters(request: Request) -> Parameters:
    """By tool that the model was told of, what it takes."""
    functions = [tool["function"] for tool in request.tools]
    return {str(one["name"]): (one.get("parameters") or {}).get("properties") or {} for one in functions}


def _names(request: Request) -> frozenset[str]:
    """The tools that the model was told of; it may call one also when it may not."""
    return frozenset(str(tool["function"]["name"]) for tool in request.tools)


def _continued(request: Request, so_far: str) -> Request:
    """The request that goes on with an answer; not kept for the conversation, whose log will have one."""
    more = [{"role": "assistant", "content": so_far}, {"role": "user", "content": _GO_ON}]
    return replace(request, messages=[*request.messages, *more], tools=(), conversation="")
