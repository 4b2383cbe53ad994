"""Between a call and its tool: the policy's word, the person's answer, and what becomes of no answer.

A question is in the inbox before it is shown. An answer is good once, for exactly what its card showed:
what changed meanwhile is asked anew. No answer is not "no": the question stays in the inbox, and the model
is told that it is not answered yet.
"""

import asyncio
import json
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from desktop.agent.scope import Scope
from desktop.agent.turn import ParkedAnswer, Turn
from desktop.bus.bus import Bus
from desktop.bus.events import PermissionAsked, PermissionSettled
from desktop.files import Place, Seen, seen
from desktop.inbox.inbox import APPROVAL, Inbox, Notice
from desktop.marks import Marks
from desktop.tasks import in_thread, see_through
from desktop.text import _
from desktop.tools.base import Claim
from desktop.tools.form import Form
from desktop.tools.permissions.card import Card, card, digest
from desktop.tools.permissions.places import resolve, settled
from desktop.tools.permissions.policy import Decision, Situation, Verdict, decide
from desktop.tools.permissions.rules import changes, look, standing
from desktop.tools.permissions.visible import one_line

_MOST_NAMED = 8
_OUTSIDE = ("outside", "memory")
"""Reasons of questions that no yes given beforehand settles: marked text may have asked for the call."""
PARKED = (
    "The person has not answered yet. The question waits in their inbox; you will be told when it is "
    "answered. Do not try the same another way. Go on without it, or end your answer and say what waits."
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A call that could be made: its tool's name, what it claims, its arguments as they came."""

    id: str
    tool: str
    arguments: str
    claim: Claim
    late: ParkedAnswer | None = None
    """It was allowed before, after its own turn had ended."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """Whether a call runs. `reason` is a word for the audit log, `text` a sentence for the person."""

    allowed: bool
    reason: str
    text: str = ""
    told: str = ""
    """What the model is told where it does not run."""
    parked: bool = False
    network: bool = False
    writable: tuple[Path, ...] = ()
    judged: Mapping[Path, Path] = field(default_factory=dict)
    """The paths of the claim, and where they really led when the call was judged."""
    readable: tuple[Path, ...] = ()
    apart: bool = False
    guarded: bool = False
    """Nobody was asked though marked text is in view."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person said to a question."""

    yes: bool
    reason: str = ""
    network: bool = False
    content: Mapping[str, Any] = field(default_factory=dict)
    """What they filled in, where the question was a form; checked."""
    front: str = ""
    """Where they said it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What the policy says of a call."""

    decision: Decision
    digest: str
    """Of all that it was about."""
    paths: Mapping[Path, Path]
    """Where its paths led."""
    changed: list[Seen]
    """What is not as it was of the files that the standing answer covers, where it rests on one."""


class Approvals:
    """Judges calls. One for all turns; `answer()` reaches the one that waits."""

    def __init__(self, scope: Scope, inbox: Inbox, bus: Bus, marks: Marks) -> None:
        self._scope, self._inbox, self._bus, self._marks = scope, inbox, bus, marks
        self._open: dict[str, asyncio.Future[Answer | None]] = {}
        self._forms: dict[str, Form] = {}
        self._leaving = False

    def leave(self) -> None:
        """The program is about to end: questions that wait stay in the inbox, to be answered when it is
        back. One whose turn the person stops is withdrawn."""
        self._leaving = True

    def answer(self, question: str, answer: Answer) -> bool:
        """Hand an answer to the call that waits for it; False if none does."""
        future = self._open.get(question)
        if future is None or future.done():
            return False
        future.set_result(answer)
        return True

    def form(self, question: str) -> Form | None:
        """What is to be filled in, where a call waits for that."""
        return self._forms.get(question)

    def park(self, question: str) -> bool:
        """Have the call that waits for this answer go on without it; False if none does."""
        future = self._open.get(question)
        if future is None or future.done():
            return False
        future.set_result(None)
        return True

    async def rule(self, turn: Turn, plan: Plan) -> Ruling:
        """Allow a call or not, asking the person where the policy says so. Raises StorageError."""
        yes = plan.late.digest if plan.late else ""
        known = plan.late.files if plan.late else {}
        network = bool(plan.late and plan.late.network)
        while True:
            situation, judged = await self._judged(turn, plan)
            decision, seen = judged.decision, judged.digest
            if yes == seen and decision.verdict is not Verdict.DENY:
                said = _("You allowed it.")
                return replace(_granted("person", said, network, decision), judged=judged.paths)
            if ruling := _without_asking(turn, plan, decision):
                return replace(ruling, judged=judged.paths, guarded=situation.marked)
            shown = await in_thread(
                _card, plan.tool, plan.claim, plan.arguments, situation, decision, origin(turn)
            )
            if yes:
                shown = replace(shown, why=f"{_otherwise(known, shown.files)} {shown.why}")
            answer = await self._ask(turn, plan, situation, shown)
            if answer is None:
                return Ruling(False, "parked", _("Not answered yet."), PARKED, parked=True)
            if not answer.yes:
                return Ruling(False, "person", _refused(answer), _told(answer))
            yes, known, network = shown.digest, shown.files, answer.network

    async def _judged(self, turn: Turn, plan: Plan) -> tuple[Situation, Judged]:
        """The policy's word. A standing answer is void where what it covers was changed by anything but the
        person. Raises StorageError."""
        situation = await in_thread(self._scope.situation, turn)
        judged = await in_thread(judge, plan, situation)
        if judged.decision.rule and judged.changed:
            written = await self._marks.written(judged.changed, judged.decision.rule.at)
            if written:
                situation = replace(situation, altered=frozenset(map(str, written)))
                judged = await in_thread(judge, plan, situation)
        return situation, judged

    async def _ask(self, turn: Turn, plan: Plan, situation: Situation, shown: Card) -> Answer | None:
        """The person's answer; None where it was parked. What nobody is there to answer, and what is asked
        again and again by what comes again and again, waits as one question."""
        if _nobody_waits(turn) and await self._asked_before(turn, shown):
            return None
        rule = await in_thread(standing, plan.tool, plan.claim, situation)
        body: dict[str, Any] = {
            "card": shown.as_json(),
            "tool": plan.tool,
            "call": plan.id,
            "arguments": plan.arguments,
            "digest": shown.digest,
            "files": json.dumps(dict(shown.files)),
            "rule": rule.model_dump(by_alias=True, exclude_defaults=True) if rule else None,
        }
        return await self.put(turn, plan.id, f"{plan.tool}: {one_line(plan.claim.gist)}", body)

    async def put(
        self, turn: Turn, call: str, title: str, body: Mapping[str, Any], form: Form | None = None
    ) -> Answer | None:
        """Put a question (`body`: its `card`, and what its answer needs) to the person. None where they
        gave no answer: then it stays in the inbox, but for a form, whose server waits no longer. Raises
        StorageError."""
        question = uuid.uuid4().hex[:12]
        await self._inbox.add(Notice(question, APPROVAL, turn.home, turn.id, title, body))
        future: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._open[question] = future
        if form is not None:
            self._forms[question] = form
        self._bus.publish(PermissionAsked(turn.home, turn.id, call, question, dict(body["card"])))
        settled = "withdrawn"
        try:
            answer = await self._wait(turn, future)
            if answer is not None:
                settled = "yes" if answer.yes else "no"
            elif form is None:
                settled = "parked"
            return answer
        finally:
            self._open.pop(question, None)
            if settled == "withdrawn" and self._leaving and form is None:
                settled = "parked"
            self._forms.pop(question, None)
            await see_through(self._settle(turn, call, question, settled), name=f"settle:{question}")

    async def _asked_before(self, turn: Turn, shown: Card) -> bool:
        """Whether the very same question waits already."""
        waiting = await self._inbox.list(kind=APPROVAL, session=turn.home)
        return any(notice.body.get("digest") == shown.digest for notice in waiting)

    async def _wait(self, turn: Turn, future: asyncio.Future[Answer | None]) -> Answer | None:
        if _nobody_waits(turn):
            return None
        async with turn.slot.lent():
            with suppress(TimeoutError):
                async with asyncio.timeout(self._scope.patience):
                    return await future
        return None

    async def _settle(self, turn: Turn, call: str, question: str, settled: str) -> None:
        if settled != "parked":
            await self._inbox.settle(question, settled)
        self._bus.publish(PermissionSettled(turn.home, turn.id, call, question, settled))


def _nobody_waits(turn: Turn) -> bool:
    """Whether questions are parked at once; a yes to all leaves some, too."""
    return turn.inbound.approve in ("never", "all")


def origin(turn: Turn) -> str:
    """Where the call comes from, for the card."""
    if turn.inbound.parent:
        return _("Subagent {label}").format(label=turn.inbound.label)
    return turn.inbound.front


def judge(plan: Plan, situation: Situation) -> Judged:
    """Judge a call. Blocks."""
    with settled():
        decision = decide(plan.tool, plan.claim, situation)
        found = look(plan.claim, situation) if decision.rule else None
        changed = changes(decision.rule, found, situation) if decision.rule and found else []
        return Judged(
            decision,
            digest(plan.tool, plan.claim, plan.arguments, situation),
            {path: resolve(path)[0] for path in (*plan.claim.reads, *plan.claim.writes)},
            [_seen(one.path, one.digest) for one in changed],
        )


def _seen(path: Path, digest: str) -> Seen:
    try:
        return seen(path, Place(path.parent).stat(path.name), digest)
    except OSError:
        return Seen(path, 0, 0, 0, 0, 0, digest)


def _card(*about: Any) -> Card:
    """The card, whose lines and digest speak of the same places."""
    with settled():
        return card(*about)


def _without_asking(turn: Turn, plan: Plan, decision: Decision) -> Ruling | None:
    """The ruling where the policy, or the person for a whole run, has said it already."""
    if decision.verdict is Verdict.DENY:
        told = decision.hint or "This is never allowed. Do not try it another way."
        return Ruling(False, decision.reason, decision.text, told)
    if decision.verdict is Verdict.ALLOW:
        return _granted(decision.reason, decision.text, decision.network, decision)
    if turn.inbound.approve == "all" and decision.reason not in _OUTSIDE:
        said = _("Allowed for this run by --approve all.")
        return _granted("all", said, plan.claim.network, decision)
    return None


def _otherwise(known: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Why what was allowed is asked about again: the files that are not as they were, where it is these."""
    changed = sorted({Path(path).name for path, _content in known.items() ^ now.items()})
    if not changed:
        return _("It has changed since you allowed it.")
    names = ", ".join(map(one_line, changed[:_MOST_NAMED]))
    more = "…" if len(changed) > _MOST_NAMED else ""
    return _("{files} changed since you allowed this.").format(files=f"{names}{more}")


def _granted(reason: str, text: str, network: bool, decision: Decision) -> Ruling:
    """A yes, with the folders that a command may use."""
    return Ruling(
        True,
        reason,
        text,
        network=network,
        writable=decision.writable,
        readable=decision.readable,
        apart=decision.apart,
    )


def _refused(answer: Answer) -> str:
    if answer.reason:
        return _("You denied it: {reason}").format(reason=answer.reason)
    return _("You denied it.")


def _told(answer: Answer) -> str:
    reason = f" Their reason: {answer.reason}" if answer.reason else ""
    return f"The person said no to this call.{reason} Do not try the same another way; ask what they want."
