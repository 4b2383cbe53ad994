"""What an MCP server asks the person in the middle of a call: put to them as a card, by the same rules as a
question of permission.

Such a question cannot be answered later: the server waits for it now. Where nobody answers it is cancelled,
which is neither yes nor no. Nothing that the person wrote leaves without their press of a button; a yes to
all of a run sends no more than the server's own defaults back to it.
"""

import json
import logging
from typing import Any

from desktop.addresses import readable
from desktop.agent.approvals import Answer, Approvals, origin
from desktop.agent.turn import Turn
from desktop.bus.bus import Bus
from desktop.bus.events import PageWanted
from desktop.errors import StorageError
from desktop.providers.base import ToolCall
from desktop.text import _
from desktop.tools.audit import Audit, Entry, fingerprint
from desktop.tools.base import Effect
from desktop.tools.form import Form, Purpose, Reply, filled
from desktop.tools.permissions.visible import one_line, visible

_NOBODY = "The MCP server asked the person for something, and nobody was there to answer: it was cancelled."
_NO = "The MCP server asked the person for something, and they said no. Do not have it ask again."
_log = logging.getLogger(__name__)


class FormAsker:
    """The Asker of one call."""

    def __init__(self, approvals: Approvals, audit: Audit, bus: Bus, turn: Turn, call: ToolCall) -> None:
        self._approvals, self._audit, self._bus = approvals, audit, bus
        self._turn, self._call = turn, call
        self.notes: list[str] = []

    async def ask(self, form: Form) -> Reply:
        """The person's reply. Raises StorageError."""
        reply, reason = await self._asked(form)
        await self._enter(form, reply, reason)
        return reply

    async def _asked(self, form: Form) -> tuple[Reply, str]:
        approve = self._turn.inbound.approve
        if approve == "all":
            return self._without_asking(form), "all"
        answer = None if approve == "never" else await self._put(form)
        if answer is None:
            self.notes.append(_NOBODY)
            return Reply("cancel"), "parked"
        if not answer.yes:
            self.notes.append(f"{_NO} Their reason: {answer.reason}" if answer.reason else _NO)
            return Reply("decline"), "person"
        return self._accepted(form, dict(answer.content), answer.front), "person"

    def _without_asking(self, form: Form) -> Reply:
        """A yes to all sends the server's own defaults, where these will do, and opens no page of its
        choice; what marked text may have asked for it does not settle."""
        content, faults = filled(form, {})
        if faults or form.purpose is Purpose.PAGE or not self._turn.mark.trusted:
            self.notes.append(_NOBODY)
            return Reply("cancel")
        return self._accepted(form, content, self._turn.inbound.front)

    def _accepted(self, form: Form, content: dict[str, Any], front: str) -> Reply:
        def open_page(url: str) -> None:
            self._bus.publish(PageWanted(self._turn.home, self._turn.id, self._call.id, url, front))

        if form.purpose is Purpose.PAGE:
            open_page(form.address)
        return Reply("accept", content, open_page)

    async def _put(self, form: Form) -> Answer | None:
        title = f"{one_line(form.service)}: {one_line(form.message)}"
        body = {"card": card(form, origin(self._turn)), "call": self._call.id}
        return await self._approvals.put(self._turn, self._call.id, title[:200], body, form)

    async def _enter(self, form: Form, reply: Reply, reason: str) -> None:
        """What went to the server is in the audit log by its fingerprint, like the arguments of a call."""
        verdict = {"accept": "allowed", "decline": "denied"}.get(reply.action, "parked")
        entry = Entry(
            session=self._turn.key,
            turn=self._turn.id,
            call=self._call.id,
            tool=self._call.name,
            effect=Effect.SEND.value,
            gist=one_line(f"{form.service} · {form.purpose.value}: {form.message}")[:200],
            arguments=fingerprint(json.dumps(reply.content, sort_keys=True)),
            verdict=verdict,
            reason=reason,
            outside=not self._turn.mark.trusted,
            outcome="ok" if reply.action == "accept" else verdict,
            seconds=0.0,
        )
        try:
            await self._audit.add(entry)
        except StorageError as error:
            _log.warning("an answer could not be entered in the audit log: %s", error)


def card(form: Form, asked_in: str) -> dict[str, Any]:
    """What there is to see and to fill in, safe to show: the server's text is text from outside."""
    titles = {
        Purpose.FORM: _("Question from an MCP server"),
        Purpose.PAGE: _("Open a page for an MCP server?"),
        Purpose.RIGHTS: _("Sign in again with more permissions?"),
    }
    notes = {
        Purpose.FORM: _(
            "The server wrote this question and receives what you enter. Never enter a password or a key "
            "here."
        ),
        Purpose.PAGE: _(
            "The server chose this page. Check its address before you enter anything; what you do there "
            "does not go through Nanobot."
        ),
        Purpose.RIGHTS: _("The server says this call needs these permissions. Your browser will open."),
    }
    lines = [_("MCP server {name}").format(name=one_line(form.service))]
    if form.address:
        lines.append(one_line(readable(form.address)))
    return {
        "tool": "",
        "effect": Effect.SEND.value,
        "title": titles[form.purpose],
        "lines": lines,
        "command": "",
        "body": visible(form.message),
        "cwd": "",
        "environment": {},
        "origin": one_line(asked_in),
        "why": "",
        "outside": True,
        "marked": notes[form.purpose],
        "network": False,
        "remember": "",
        "form": {
            "purpose": form.purpose.value,
            "fields": [_shown(one.as_json()) for one in form.fields],
        },
    }


def _shown(field: dict[str, Any]) -> dict[str, Any]:
    """A field with all that is read of it safe to show; what goes back to the server stays as it came."""
    return field | {
        "title": one_line(field["title"]),
        "about": one_line(field["about"]),
        "choices": [[value, one_line(title)] for value, title in field["choices"]],
    }
