"""People who want to write to the agent: who they are, and what to say to them."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.text import _
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.rows import Card, Row

if TYPE_CHECKING:
    from desktop.api.channels import Request

OWNER, APPROVE, DENY = "owner", "approve", "deny"


class Requests(Card):
    """`answered` tells what was said, and to whom, by the code."""

    answered = Signal(str, str)

    def show_all(self, requests: Sequence["Request"], owners: frozenset[str]) -> None:
        """Show these. `owners`: apps that know already who the person is."""
        self.fill([self._row(request, owned=request.channel in owners) for request in requests])
        self.setVisible(bool(requests))

    def _row(self, request: "Request", *, owned: bool) -> Row:
        name = shown(request.name or request.sender)
        words = {
            OWNER: (_("This is me"), _("{name} is me")),
            APPROVE: (_("Approve"), _("Let {name} write")),
            DENY: (_("Deny"), _("Don’t let {name} write")),
        }
        side = QWidget()
        if owned:
            del words[OWNER]  # somebody who writes is not taken for the person by one press
        kinds = {OWNER: "primary", APPROVE: "", DENY: "quiet"}
        made = []
        for what, (text, named) in words.items():
            one = button(kinds[what])
            one.say(text, named.format(name=name))
            one.clicked.connect(partial(self.answered.emit, what, request.code))
            made.append(one)
        across(*made, gap=Space.S, of=side)
        row = Row(side, width=0)
        about = _("{app} · ID {id} · code {code}. Approve only if they tell you this code.")
        row.say(
            _("{name} wants to write").format(name=name),
            about.format(app=request.title, id=shown(request.sender), code=request.code),
        )
        return row
