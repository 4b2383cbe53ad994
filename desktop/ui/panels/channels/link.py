"""Linking a chat app to an account: the QR codes one after another, or a code for a phone number."""

import asyncio
import math
import time
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.api.channels import Linked, Scanned, ToEnter, ToScan, as_number
from desktop.errors import AppError, UsageError
from desktop.text import _, titled
from desktop.ui.actions import Actions
from desktop.ui.panels.channels.qr import QR
from desktop.ui.theme.theme import code_font
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.latest import Latest
from desktop.ui.widgets.order import bring_into_sight
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.rows import Row
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.channels import App

_SECOND_MS = 1000
_CODE_PIXELS = 26
_EXPIRED = "LinkExpired"


class Link(QWidget):
    """Stands in the card of an app that has no keys. `changed` tells that it is linked now, or not any
    more."""

    changed = Signal()

    def __init__(self, actions: Actions, app: "App") -> None:
        super().__init__()
        self._actions, self._work, self._app = actions, Work(self), app
        self._account: Linked | None = None
        self._task: asyncio.Task[None] | None = None
        self._until = 0.0
        self.scan, self.by_number, self.forget = button("primary"), button(), button()
        self.number, self.get = QLineEdit(), button("primary")
        self.qr, self.code, self._how = QR(), QLineEdit(), label(wrap=True)
        self.left, self.outcome = label("muted"), Outcome()
        self._lay_out()
        self._look = Latest(self._read, partial(self._work.start, name="channels:linked"))
        self._counting = QTimer(self, interval=_SECOND_MS)
        self._counting.timeout.connect(self._count)
        self.scan.clicked.connect(lambda: self._begin(""))
        self.by_number.clicked.connect(self._ask_number)
        self.get.clicked.connect(self._with_number)
        self.number.returnPressed.connect(self._with_number)
        self.number.textEdited.connect(lambda: self._number_row.complain(""))
        self.forget.clicked.connect(self._ask_forget)
        spoken(self._words)

    def _lay_out(self) -> None:
        side, field = QWidget(), QWidget()
        across(self.by_number, self.scan, self.forget, gap=Space.XS, of=side)
        across((self.number, 1), self.get, gap=Space.XS, of=field)
        self._row, self._number_row = Row(side, width=0), Row(field, wide=True)
        font = QFont(code_font())
        font.setPixelSize(_CODE_PIXELS)
        self.code.setFont(font)
        self.code.setReadOnly(True)
        self.code.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.code.setStyleSheet(f"min-height: {_CODE_PIXELS + Space.L}px")
        self._shown = QWidget()
        words = QWidget()
        down(None, self._how, self.code, self.left, None, gap=Space.S, of=words)
        across(self.qr, (words, 1), gap=Space.L, edges=(0, Space.S, 0, Space.S), of=self._shown)
        down(self._row, self._number_row, self._shown, self.outcome, gap=0, of=self)
        self._number_row.hide()
        self._shown.hide()

    def show_app(self, app: "App") -> None:
        """Show how it is now."""
        self._app = app
        self._look.want()

    def leave(self) -> None:
        """End what is under way, and forget what was typed."""
        self._stop()
        self.number.clear()
        self._number_row.complain("")
        self._number_row.hide()
        self.outcome.clear()

    async def _read(self) -> None:
        self._account = await self._actions.api.channels.linked(self._app.name)
        self._words()

    def _words(self) -> None:
        title, account = self._app.title, self._account
        told = _("Not linked to an account.")
        if account is not None:
            number = f"+{account.account}"
            whole = titled(account.name, number) if account.name else number
            told = _("Linked to {account}. The sign-in is in a private file of this computer.").format(
                account=whole
            )
        self._row.say(_("Account"), told)
        self.scan.say(_("Show QR code"), _("Link {name} by a QR code").format(name=title))
        self.by_number.say(_("Use phone number"), _("Link {name} by a phone number").format(name=title))
        self.forget.say(_("Unlink"), _("Unlink {name}").format(name=title))
        self._number_row.say(_("Phone number"), _("Of the account, with its country code."))
        self.number.setAccessibleName(_("Phone number"))
        self.number.setPlaceholderText("+49 170 1234567")
        self.get.say(_("Get a code"))
        self.qr.setAccessibleName(_("QR code for the phone"))
        self.code.setAccessibleName(_("Code"))
        scan = _("On the phone, open WhatsApp › Settings › Linked devices › Link a device, and scan this.")
        enter = _(
            "On the phone, open WhatsApp › Settings › Linked devices › Link a device › Link with phone "
            "number instead, and enter this."
        )
        self._how.setText(enter if self.qr.isHidden() else scan)
        busy = self._task is not None
        self.scan.setVisible(account is None and not busy)
        self.by_number.setVisible(account is None and not busy)
        self.forget.setVisible(account is not None)

    # ---- linking

    def _ask_number(self) -> None:
        self._number_row.show()
        self.number.setFocus()

    def _with_number(self) -> None:
        try:
            number = as_number(self.number.text())
        except UsageError as error:
            self._number_row.complain(str(error))
            return
        if not number:
            self._number_row.complain(_("Enter the number first."))
            return
        self._number_row.hide()
        self._begin(number)

    def _begin(self, phone: str) -> None:
        before = self._task
        self._stop()
        self.outcome.busy(_("Connecting…"), self._stop)
        self._task = self._work.start(self._link(phone, before), name="channels:link")
        self._words()

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._over()
            self.outcome.clear()

    def _over(self) -> None:
        self._task = None
        self._counting.stop()
        self._shown.hide()
        self._words()
        self._look.want()

    async def _link(self, phone: str, before: asyncio.Task[None] | None) -> None:
        task = self._task
        if before is not None:
            await asyncio.wait({before})  # there can be one at a time
        try:
            async for step in self._actions.api.channels.link(self._app.name, phone):
                self._tell(step)
        except AppError as error:
            expired = type(error).__name__ == _EXPIRED
            again = (_("Get a new code"), partial(self._begin, phone))
            tone = "warning" if expired else "danger"
            if self._task is task:
                self._over()
                remedy = "" if expired else error.remedy
                self.outcome.failed(error.text, remedy, tone=tone, actions=(again,))
            return
        self._over()
        self.changed.emit()

    def _tell(self, step: ToScan | ToEnter | Scanned | Linked) -> None:
        match step:
            case ToScan(code, seconds):
                self.qr.show_code(code)
                self._show(seconds, picture=True)
            case ToEnter(code, seconds):
                self.code.setText(code)
                self._show(seconds, picture=False)
            case Scanned():
                self._counting.stop()
                self._shown.hide()
                self.outcome.busy(_("The phone has it. Connecting…"))
            case Linked(account):
                told = _("Linked to +{number}.").format(number=account)
                self.outcome.done(told if self._app.on else f"{told} {_('Turn it on above.')}")

    def _show(self, seconds: float, *, picture: bool) -> None:
        self.outcome.busy(_("Waiting for the phone…"), self._stop)
        self.qr.setVisible(picture)
        self.code.setVisible(not picture)
        self._words()
        if self._shown.isHidden():
            self._shown.show()
            QTimer.singleShot(0, self._shown, lambda: bring_into_sight(self._shown))
        self._until = time.monotonic() + seconds
        self._counting.start()
        self._count()

    def _count(self) -> None:
        left = max(0, math.ceil(self._until - time.monotonic()))
        self.left.setText(_("Valid for {n} s").format(n=left))

    # ---- the end of it

    def _ask_forget(self) -> None:
        yes = (
            _("Unlink"),
            lambda: self._work.tell(self._forgetting(), self.outcome, name="channels:unlink"),
        )
        told = _("The sign-in is deleted here. Conversations stay.")
        self.outcome.failed(_("Unlink this account?"), told, tone="warning", actions=(yes,))

    async def _forgetting(self) -> None:
        self.outcome.busy(_("Unlinking…"))
        told = await self._actions.api.channels.forget_link(self._app.name)
        more = "" if told else _("Also remove it on the phone, under Linked devices.")
        self.outcome.done(" ".join(filter(None, (_("Unlinked."), more))))
        await self._read()
        self.changed.emit()
