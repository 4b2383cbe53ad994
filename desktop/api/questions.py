"""Questions of permission: what the person answers, while the call waits for it and after.

An answer to a call that still waits reaches it through the approvals. A later one begins a turn of its own,
whose message is on disk before the question is closed: what is lost in between is asked again, never done
twice.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from desktop.agent.approvals import Answer
from desktop.agent.turn import Inbound, ParkedAnswer
from desktop.api.following import Step, turn_to_end
from desktop.api.permissions import with_rule
from desktop.api.reply import Answered, Reply
from desktop.config.permissions import Rule
from desktop.errors import UsageError
from desktop.inbox.inbox import APPROVAL, OPEN, Inbox, Notice
from desktop.origin import TRUSTED, mark_of
from desktop.text import _
from desktop.tools.form import filled

if TYPE_CHECKING:
    from desktop.agent.approvals import Approvals
    from desktop.agent.loop import Loop
    from desktop.bus.bus import Bus
    from desktop.config.schema import Config


class Questions:
    """Hands replies to the calls that wait for them."""

    def __init__(
        self,
        inbox: Inbox,
        approvals: "Approvals",
        loop: "Loop",
        bus: "Bus",
        config: "Callable[[], Config]",
        change: Callable[[Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        """`change` sets settings by name: standing answers are some."""
        self._inbox, self._approvals, self._loop, self._bus = inbox, approvals, loop, bus
        self._config, self._change = config, change
        self._answering = asyncio.Lock()

    async def answer(self, question: str, reply: Reply) -> Answered:
        """Answer one. Raises UsageError if it is not open any more."""
        turn, faults = await self._answer(question, reply)
        return Answered(bool(turn), faults)

    async def answer_to_end(self, question: str, reply: Reply) -> AsyncIterator[Answered | Step]:
        """The same; of a turn that a late answer began, all that happens to its end."""
        with self._bus.subscribe() as events:
            turn, faults = await self._answer(question, reply)
            yield Answered(bool(turn), faults)
            if turn:
                async for event in turn_to_end(events, turn):
                    yield event

    async def park(self, question: str) -> bool:
        """Leave one for later: its turn goes on without it, the inbox keeps it. False if none waited."""
        return self._approvals.park(question)

    async def _answer(self, question: str, reply: Reply) -> tuple[str, dict[str, str]]:
        """The turn that a late answer began, "" where a call had waited; and the faults of a form."""
        async with self._answering:
            notice = await self._inbox.get(question)
            if notice is None or notice.kind != APPROVAL or notice.state != OPEN:
                raise UsageError(_("This question is no longer open."))
            answer = Answer(reply.yes, reply.reason, reply.network, front=reply.front)
            if "form" in (notice.body.get("card") or {}):
                return "", await self._fill(notice, answer, reply.content)
            if reply.yes and reply.always:
                await self._allow_for_good(notice)
            if self._approvals.answer(notice.id, answer):
                return "", {}
            approve = "ask" if reply.ask else "never"
            turn = await self._loop.submit(replace(_late(notice, answer), approve=approve))
            await self._inbox.settle(notice.id, "yes" if answer.yes else "no")
            return turn, {}

    async def _fill(self, notice: Notice, answer: Answer, given: Mapping[str, Any]) -> dict[str, str]:
        """Hand what was filled in to the call that waits for it. Raises UsageError where none does."""
        form = self._approvals.form(notice.id)
        content, faults = filled(form, dict(given)) if form else ({}, {})
        if form and answer.yes and faults:
            return faults
        if not self._approvals.answer(notice.id, replace(answer, content=content)):
            await self._inbox.settle(notice.id, "withdrawn")
            raise UsageError(
                _("The server no longer waits for this answer."),
                _("Ask for it again if you still need it."),
            )
        return {}

    async def _allow_for_good(self, notice: Notice) -> None:
        given = notice.body.get("rule")
        if given is None:
            raise UsageError(_("This can’t be allowed permanently."))
        rules = with_rule(self._config().permissions.rules, Rule.model_validate(given))
        await self._change({"permissions.rules": rules})


def _late(notice: Notice, answer: Answer) -> Inbound:
    """The message that tells of an answer given after the turn had ended, and carries the call out."""
    body, card = notice.body, notice.body.get("card") or {}
    # The title holds what the model wanted, which marked text may have put there.
    marks = {"_origin": card.get("trust"), "_sources": card.get("sources")}
    mark = mark_of(marks) if card.get("outside") else TRUSTED
    if answer.yes:
        text = _("I allow it; you can do it now: {what}").format(what=notice.title)
        late = ParkedAnswer(
            notice.id,
            str(body["tool"]),
            str(body["arguments"]),
            str(body["digest"]),
            answer.network,
            json.loads(body.get("files") or "{}"),
        )
        return Inbound(notice.session, text, answer.front, note=True, late=late, mark=mark)
    text = _("No, don’t do this: {what}").format(what=notice.title)
    if answer.reason:
        text = f"{text}\n\n{answer.reason}"
    return Inbound(notice.session, text, answer.front, note=True, mark=mark)
