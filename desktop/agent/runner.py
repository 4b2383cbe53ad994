"""The loop of a turn: ask the model, carry out what it calls, ask again, until it answers.

All that is said or done is in the session log before the next step is taken. A turn that was begun before
the program ended goes on from what the log holds: no call is made twice.
"""

import uuid
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from desktop.agent.asking import Asking
from desktop.agent.call import Done
from desktop.agent.context import Context
from desktop.agent.executor import ToolExecutor
from desktop.agent.history_window import fitted
from desktop.agent.refused_pictures import Sight
from desktop.agent.small_model import Want, shown, wanted
from desktop.agent.turn import ParkedAnswer, Turn
from desktop.agent.view import view_of
from desktop.bus.bus import Bus
from desktop.bus.events import TurnFinished, TurnJoined, TurnStarted
from desktop.memory.tokens import Meter, family
from desktop.providers.base import (
    BadRequest,
    Completion,
    ContextTooLong,
    Endpoint,
    Message,
    Request,
    ToolCall,
)
from desktop.providers.healing import FOR_NOW, sentence
from desktop.providers.pictures import broken
from desktop.providers.ready import Ready
from desktop.session.log import Session
from desktop.session.model import message_tokens, text_tokens
from desktop.tasks import in_thread, see_through
from desktop.text import _, mark
from desktop.tools.base import Effect
from desktop.tools.toolset import Toolset

_MARGIN_TOKENS = 200
_REPEATS = 3
_EARLIER_SHARE = 16
"""The part of the window that notes on the earlier part of the same conversation may take."""
_SMALL_MODEL_STEP_TOKENS = 600
"""What a small model may write in a step of a task: one that went astray writes until it is stopped."""
_BROKEN = mark("Left out because the file is damaged: {names}. Everything else was sent.")
_FOREIGN = mark("Left out because this computer can’t read HEIC images: {names}. Send it as JPEG or PNG.")
_REFUSED = mark(
    "Left out because {provider} does not accept this image: {names}. Everything else was sent."
)
_OUT_OF_STEPS = (
    "[You have used all steps that one answer may take. Do not call tools. Tell the person what was done, "
    "what is missing, and how they can have you go on.]"
)
_IN_CIRCLES = (
    "[The same call gave the same result three times running, so it was broken off. Do not call tools. "
    "Tell the person what you tried and what stands in the way.]"
)


type Plainly = Callable[[str], Awaitable[ToolCall | str]]
"""What the person's words ask for where no model is needed to tell: the call for it, or what the person is
to be asked first, as a sentence; "" where that needs a model."""


class Memory(Protocol):
    """What keeps conversations within the windows of models."""

    async def make_room(
        self, session: Session, ready: Ready, fixed: int, turn: str, *, force: bool = False
    ) -> bool:
        """Shorten what a model sees of a conversation where it does not fit beside `fixed` tokens, or by
        `force`; whether that was done."""

    async def earlier(self, session: Session, tokens: int) -> list[Message]:
        """The notes on the part of a conversation that is no longer sent, as far as the system prompt has
        them not: marked text was in it."""

    def after(self, session: Session, ready: Ready, fixed: int) -> None:
        """A turn has ended."""


class Runner:
    """Runs turns."""

    def __init__(
        self,
        asking: Asking,
        executor: ToolExecutor,
        context: Context,
        bus: Bus,
        memory: Memory | None = None,
        meter: Meter | None = None,
        plainly: Plainly | None = None,
    ) -> None:
        """Without a `memory` what no longer fits is only left out. `plainly`: see there."""
        self._asking, self._executor, self._context, self._bus = asking, executor, context, bus
        self._plainly = plainly
        self._memory, self._meter = memory, meter or Meter()
        self._sight = Sight()

    async def run(self, turn: Turn, ready: Ready, toolset: Toolset, steps: int) -> None:
        """Answer one turn, in so many rounds of tools at the most. Raises ProviderError, StorageError."""
        want = Want(True)
        if ready.small_model and not turn.inbound.late:
            want = wanted(turn.inbound.text, files=bool(turn.inbound.files))
            toolset = toolset if want.tools else Toolset({}, small_model=True)
        turn.prompt = await self._prompt(ready)
        fixed = _fixed(turn.prompt, toolset)
        if self._memory and await self._memory.make_room(turn.session, ready, fixed, turn.id):
            turn.prompt = await self._prompt(ready)
        if ready.endpoint.rules.pictures and turn.inbound.pictures:
            wrong, foreign = await in_thread(broken, turn.inbound.pictures)
            self._tell(turn, ready.endpoint, wrong, _BROKEN)
            self._tell(turn, ready.endpoint, foreign, _FOREIGN)
        if self._memory:
            turn.earlier = await self._memory.earlier(turn.session, ready.window // _EARLIER_SHARE)
        await self._rounds(turn, ready, toolset, steps, want)
        if self._memory:
            self._memory.after(turn.session, ready, fixed)

    async def _rounds(self, turn: Turn, ready: Ready, toolset: Toolset, steps: int, want: Want) -> None:
        late = turn.inbound.late
        known = [*turn.earlier, *turn.session.history(ready.window)]
        turn.view = view_of(known, turn.session.metadata)  # until it asks
        if late and not any(record.get("role") == "assistant" for record in turn.session.of_turn(turn.id)):
            call = ToolCall("", late.tool, late.arguments)
            await self._act(turn, toolset, Completion(tool_calls=(call,)), late)
        if ready.small_model and want.must_call and await self._done_plainly(turn, toolset):
            return
        repeats, last, worked, must_call = 0, "", "", want.must_call
        for _step in range(steps):
            completion = await self._ask(turn, ready, toolset, callable_=not worked, must_call=must_call)
            if worked and (completion.tool_calls or _echoes(completion.text, toolset)):
                # a small model that has no words for what it did
                completion = replace(completion, text=_told_done(worked).text, tool_calls=())
            if not completion.tool_calls:
                await see_through(self._keep(turn, completion), name=f"keep:{turn.id}")
                return
            done = await self._act(turn, toolset, completion)
            worked = ", ".join(one.gist for one in done if one.outcome == "ok") if ready.small_model else ""
            if ready.small_model and (told := _account(done, want)):
                await see_through(self._keep(turn, told), name=f"keep:{turn.id}")
                return
            must_call = want.after(done[0].call.name) if done and must_call else ()
            for one in done:
                same = f"{one.call.name}\0{one.call.arguments}\0{one.text}"
                repeats, last = (repeats + 1 if same == last else 1), same
                if repeats >= _REPEATS:
                    await self._conclude(turn, ready, toolset, _IN_CIRCLES)
                    return
            self._join(turn)
        await self._conclude(turn, ready, toolset, _OUT_OF_STEPS)

    async def _done_plainly(self, turn: Turn, toolset: Toolset) -> bool:
        """Do what the words ask for without the model, where they leave no doubt; whether that was done."""
        made = await self._plainly(turn.inbound.text) if self._plainly else ""
        if not made:
            return False
        answer: Completion | None = Completion(text=str(made))
        if isinstance(made, ToolCall):
            answer = _account(await self._act(turn, toolset, Completion(tool_calls=(made,))), Want(True))
        if answer is not None:
            await see_through(self._keep(turn, answer), name=f"keep:{turn.id}")
        return answer is not None

    async def _ask(
        self,
        turn: Turn,
        ready: Ready,
        toolset: Toolset,
        *,
        callable_: bool,
        note: str = "",
        must_call: tuple[str, ...] = (),
    ) -> Completion:
        """One step of the model; what does not fit is summed up or left out, and half of it where even that
        is too long."""
        share, tried = 1.0, False
        request = replace(
            await self._request(turn, ready, toolset, share, note), callable=callable_, must_call=must_call
        )
        tries: Iterator[Request] | None = None
        while True:
            try:
                completion = await self._asking.ask(
                    turn, ready.provider, request, small_model=ready.small_model
                )
            except ContextTooLong:
                if share < 1.0:
                    raise
                share = 1.0 if not tried and await self._shorten(turn, ready, toolset) else 0.5
                tried = True
                request = replace(
                    await self._request(turn, ready, toolset, share, note),
                    callable=callable_,
                    must_call=must_call,
                )
            except BadRequest as error:
                if tries is None:
                    refusal, tries = error, self._sight.tries(request, error)
                following = next(tries, None)
                if following is None:
                    raise refusal from None
                request = following
            else:
                self._tell_left_out(turn, request, self._sight.answered(request))
                if FOR_NOW in completion.learned:
                    self._say(turn, request.endpoint, sentence(FOR_NOW))
                if completion.usage and not (completion.answered or family(ready.endpoint.model)):
                    last = turn.request or request  # of an answer in pieces, that for the last of them
                    more = sum(map(message_tokens, last.messages[len(request.messages) :]))
                    self._meter.learn(
                        ready.endpoint.model, turn.estimate + more, completion.usage.input_tokens
                    )
                return completion

    def _tell_left_out(self, turn: Turn, request: Request, paths: Collection[str]) -> None:
        self._tell(turn, request.endpoint, sorted(Path(path).name for path in paths), _REFUSED)

    def _tell(self, turn: Turn, there: Endpoint, names: Sequence[str], why: str) -> None:
        """Say beside the answer which pictures the model does not see, and why."""
        if names:
            provider = there.title or there.provider
            self._say(turn, there, _(why).format(names=", ".join(names), provider=provider))

    def _say(self, turn: Turn, there: Endpoint, note: str) -> None:
        self._bus.publish(TurnStarted(turn.key, turn.id, there.provider, there.model, note))

    async def _shorten(self, turn: Turn, ready: Ready, toolset: Toolset) -> bool:
        """Sum up where a request was too long; whether there was something to sum up."""
        if self._memory is None:
            return False
        if not await self._memory.make_room(
            turn.session, ready, _fixed(turn.prompt, toolset), turn.id, force=True
        ):
            return False
        turn.prompt = await self._prompt(ready)
        turn.earlier = await self._memory.earlier(turn.session, ready.window // _EARLIER_SHARE)
        return True

    async def _fitted(
        self, turn: Turn, ready: Ready, prompt: str, toolset: Toolset, share: float
    ) -> list[Message]:
        """What of the conversation goes along. Where the model's tokens can be counted, they are: what is
        too long after all is fitted once more."""
        model, limit = ready.endpoint.model, ready.window - ready.max_tokens
        fixed = _fixed(prompt, toolset)
        for _attempt in range(2):
            notes = sum(map(message_tokens, turn.earlier))
            room = int(((limit - _MARGIN_TOKENS) / self._meter.factor(model) - fixed - notes) * share)
            history = fitted(turn, room)
            if not family(model):
                break
            whole = [{"role": "system", "content": prompt}, *history]
            real = await in_thread(self._meter.exact, model, whole, toolset.schemas)
            self._meter.learn(model, fixed + turn.session.shown, real)
            if real <= limit:
                break
        return history

    async def _prompt(self, ready: Ready) -> str:
        return await self._context.system_prompt(small_model=ready.small_model, window=ready.window)

    async def _request(
        self, turn: Turn, ready: Ready, toolset: Toolset, share: float, note: str
    ) -> Request:
        prompt = turn.prompt
        schemas, fixed = toolset.schemas, _fixed(prompt, toolset)
        history = [*turn.earlier, *await self._fitted(turn, ready, prompt, toolset, share)]
        turn.view = view_of(history, turn.session.metadata)
        turn.estimate = fixed + turn.session.shown
        extra: list[Message] = [{"role": "user", "content": note}] if note else []
        return Request(
            endpoint=self._sight.known(ready.endpoint),
            messages=[{"role": "system", "content": prompt}, *history, *extra],
            max_tokens=min(ready.max_tokens, _SMALL_MODEL_STEP_TOKENS)
            if schemas and ready.small_model
            else ready.max_tokens,
            temperature=ready.temperature,
            tools=schemas,
            reasoning=ready.reasoning,
            conversation="" if note or share < 1.0 else turn.key,
        )

    async def _act(
        self, turn: Turn, toolset: Toolset, completion: Completion, late: ParkedAnswer | None = None
    ) -> list[Done]:
        """Store what the model wants, carry it out, store the results."""
        calls = _named(completion.tool_calls)
        turn.text[:] = [completion.text] if completion.text.strip() else []
        turn.reasoning[:] = [completion.reasoning] if completion.reasoning else []
        record = turn.record() | {"tool_calls": [_wire(call) for call in calls]}
        record |= _sealed(completion)
        await turn.session.append(record)
        await self._asking.account(turn, completion.usage, "ok")
        turn.next_step()
        done = await self._executor.round(turn, toolset, calls, late)
        turn.spoke = any(one.result.spoke for one in done)
        return done

    def _join(self, turn: Turn) -> None:
        """Take in what the person wrote meanwhile: it is in the log, and this answer is one to it, too."""
        for joined in turn.waiting():
            self._bus.publish(TurnJoined(turn.key, turn.id, joined.id))
            turn.joined.append(turn.id)
            turn.id, turn.inbound = joined.id, joined.inbound
            turn.view = turn.view.with_([joined.inbound.record()])
            turn.spoke = False

    async def _conclude(self, turn: Turn, ready: Ready, toolset: Toolset, note: str) -> None:
        """End a turn that would go on for ever, in the model's words or else in ours."""
        completion = Completion()
        if not ready.small_model:  # a small model would only say the note again
            completion = await self._ask(turn, ready, toolset, callable_=False, note=note)
        if completion.tool_calls or not completion.text.strip():
            completion = Completion(
                text=_("The answer stopped after many steps. Write “go on” to continue.")
            )
        await see_through(self._keep(turn, completion), name=f"keep:{turn.id}")

    async def _keep(self, turn: Turn, completion: Completion) -> None:
        """Once the answer is whole a stop comes too late: it is stored and told, once."""
        turn.text[:] = [completion.text]
        turn.reasoning[:] = [completion.reasoning] if completion.reasoning else []
        record = turn.record()
        if turn.spoke:  # its message was the answer; what the model adds to that is not said
            record |= {"content": "", "_unsaid": completion.text}
        record |= _sealed(completion)
        await turn.session.append(record)
        turn.closed, turn.outcome, turn.answer = True, "done", completion.text
        await self._asking.account(turn, completion.usage, "ok")
        self._bus.publish(TurnFinished(turn.key, turn.id, "" if turn.spoke else completion.text))

    async def stopped(self, turn: Turn) -> None:
        """Close a turn that was cancelled, keeping what was shown of it. Raises StorageError."""
        turn.closed, turn.outcome, turn.answer = True, "stopped", "".join(turn.text)
        await turn.session.append(turn.record(stopped=True))
        await self._asking.account(turn, None, "stopped")
        self._bus.publish(TurnFinished(turn.key, turn.id, "".join(turn.text), stopped=True))


def _fixed(prompt: str, toolset: Toolset) -> int:
    """About how many tokens every request of a turn has besides the conversation."""
    return text_tokens(prompt) + sum(text_tokens(str(schema)) for schema in toolset.schemas)


def _told_done(what: str) -> Completion:
    return Completion(text=_("Done: {what}").format(what=what))


def _account(done: Sequence[Done], want: Want) -> Completion | None:
    """The answer where a small model need not be asked for one: its own account of what it did is slow to
    come, and often wrong. None where there is something to be said besides."""
    if any(one.outcome != "ok" for one in done):
        return None
    if all(one.effect != Effect.READ for one in done):
        return _told_done(", ".join(one.gist for one in done))
    if want.as_it_is and len(done) == 1:
        return Completion(text=shown(done[0].call.name, done[0].text))
    return None


def _sealed(completion: Completion) -> Message:
    """What only the model that made it takes back, with its name."""
    blocks = list(completion.thinking_blocks)
    return {"thinking_blocks": blocks, "_by": completion.author} if blocks else {}


def _echoes(text: str, toolset: Toolset) -> bool:
    """Whether an answer is the call once more rather than words about it."""
    return any(name in text.lower() for name in toolset.tools if "_" in name)


def _named(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """The calls, each with an id of its own: servers leave them out, or give one twice."""
    seen: set[str] = set()
    named = []
    for call in calls:
        id_ = call.id if call.id and call.id not in seen else f"call_{uuid.uuid4().hex[:12]}"
        seen.add(id_)
        named.append(replace(call, id=id_))
    return named


def _wire(call: ToolCall) -> Message:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}
