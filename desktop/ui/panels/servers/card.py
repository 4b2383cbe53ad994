"""One server on the page: what it is, how it is, its switch, and what it opens to."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.errors import AppError
from desktop.text import _, sentences, titled
from desktop.ui.actions import Actions
from desktop.ui.panels.servers.details import TROUBLES, Details
from desktop.ui.panels.servers.words import about, state
from desktop.ui.theme.theme import code_font, theme
from desktop.ui.theme.tokens import Size
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.fold_card import FoldCard
from desktop.ui.widgets.labels import label, tip
from desktop.ui.widgets.notice import Notice
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.switch import Switch
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.servers import ServerLine

_DOT = 9


class Dot(QWidget):
    """How it is, as a colour; words stand beside it."""

    def __init__(self) -> None:
        super().__init__()
        self._role = "faint"
        self.setFixedSize(_DOT, _DOT)

    def show_role(self, role: str) -> None:
        self._role = role
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(theme().colors, self._role)))
        painter.drawEllipse(self.rect())
        painter.end()


class OneLine(QWidget):
    """A text in one line that ends in an ellipsis where it does not fit."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self.setFont(code_font())
        self.setFixedHeight(self.fontMetrics().height() + 2)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def say(self, text: str) -> None:
        self._text = text
        self.setAccessibleName(text)
        self.setToolTip(tip(text))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        font = code_font()
        font.setPixelSize(Size.SMALL)
        painter.setFont(font)
        painter.setPen(QColor(theme().colors.muted))
        words = painter.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
        painter.end()


class ServerCard(FoldCard[Details]):
    """Shows one server."""

    edit_wanted = Signal(str)
    remove_wanted = Signal(str)
    changed = Signal()

    def __init__(self, actions: Actions, name: str) -> None:
        super().__init__(self._made)
        self.name = name
        self.server: ServerLine | None = None
        self._actions, self._work = actions, Work(self)
        self._about, self._dot, self._state = OneLine(), Dot(), label("small")
        self.switch, self._notice = Switch(), Notice()
        self._lay_out()
        self.switch.clicked.connect(self._switch)
        spoken(self._words)

    def _lay_out(self) -> None:
        below = across(self._dot, (self._state, 1))
        self.words.addWidget(self._about)
        self.words.addLayout(below)
        self.side.addWidget(self.switch)
        self.below_head(self._notice)

    def _words(self) -> None:
        self.switch.setAccessibleName(_("Use server {name}").format(name=self.name))
        self.open_button.say(_("Details of {name}").format(name=self.name))
        if self.server is not None:
            self.show_server(self.server)

    def show_server(self, server: "ServerLine") -> None:
        """Show how it is now."""
        before, self.server = self.server, server
        role, words = state(server)
        self.title.setText(shown(self.name))
        self._about.say(about(server.command, server.args, server.url))
        self._dot.show_role(role)
        self._state.setText(words)
        self._state.setAccessibleName(titled(self.name, words))
        self.switch.setChecked(server.enabled)
        self._tell(server)
        if self.details is not None:
            self.details.show_server(server)
            if self.opened and _other(before, server):
                self.details.read()

    def _tell(self, server: "ServerLine") -> None:
        """What is wrong, in place; the same as before stays as it is."""
        problem, remedy = server.problem, server.remedy
        if not (problem and server.enabled) or server.state not in TROUBLES:
            self._notice.hide()
            return
        if server.state == "degraded" and server.detail:
            problem = server.detail  # says when it is tried again, too
        said = sentences(problem, remedy)
        if self._notice.isHidden() or self._notice.accessibleName() != said:
            tone = "danger" if server.state == "failed" else "warning"
            asks = server.state == "needs_sign_in"
            actions = ((_("Sign in"), self._sign_in),) if asks else ()
            self._notice.tell(problem, remedy, tone=tone, actions=actions)

    def _sign_in(self) -> None:
        self.open().sign_in.begin()

    # ---- what it opens to

    def _made(self) -> Details:
        made = Details(self._actions, self.name)
        made.edit_wanted.connect(lambda: self.edit_wanted.emit(self.name))
        made.remove_wanted.connect(lambda: self.remove_wanted.emit(self.name))
        made.changed.connect(self.changed)
        return made

    def fill(self, details: Details) -> None:
        if self.server is not None:
            details.show_server(self.server)
        details.read()

    def _switch(self, on: bool) -> None:
        self._work.start(self._switching(on), name="mcp:switch")

    async def _switching(self, on: bool) -> None:
        try:
            await self._actions.api.servers.switch(self.name, on=on)
        except AppError as error:
            self.switch.setChecked(not on)
            self._notice.tell(error.text, error.remedy)
            return
        self.changed.emit()


def _other(before: "ServerLine | None", now: "ServerLine") -> bool:
    """Whether its tools may be others than before."""
    return before is None or _of_tools(before) != _of_tools(now)


def _of_tools(server: "ServerLine") -> tuple[object, ...]:
    counts = server.tools_total, server.tools_on, server.changed
    return server.state, counts, server.trusted, server.local, server.enabled
