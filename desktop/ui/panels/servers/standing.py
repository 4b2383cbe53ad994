"""How a server stands, in its row and on its page: what it runs, its state, and what is wrong with it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.text import _, sentences, titled
from desktop.ui.panels.servers.words import about, state
from desktop.ui.theme.theme import code_font
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.labels import Elided, tip
from desktop.ui.widgets.list_row import SignLine
from desktop.ui.widgets.notice import Notice

if TYPE_CHECKING:
    from desktop.api.servers import ServerLine

TROUBLES = ("degraded", "needs_sign_in", "failed")
"""States in which it is said what is wrong."""
_SIGNS = {"success": "circle-check", "warning": "circle-alert", "danger": "circle-x", "faint": "circle"}


class Standing(QWidget):
    """Shows one server."""

    sign_in_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._about, self._state, self.notice = Elided("small"), SignLine(), Notice()
        self._about.setFont(code_font())
        down(self._about, self._state, self.notice, gap=2, of=self)

    def show_server(self, server: "ServerLine") -> None:
        """Show how it is now."""
        line = about(server.command, server.args, server.url)
        role, words = state(server)
        self._about.setText(line)
        self._about.setToolTip(tip(line))
        self._state.say(words, _SIGNS[role], role, titled(server.name, words))
        self._tell(server)

    def _tell(self, server: "ServerLine") -> None:
        """What is wrong, in place; the same as before stays as it is."""
        problem, remedy = server.problem, server.remedy
        if not (problem and server.enabled) or server.state not in TROUBLES:
            self.notice.hide()
            return
        if server.state == "degraded" and server.detail:
            problem = server.detail  # says when it is tried again, too
        if self.notice.isHidden() or self.notice.accessibleName() != sentences(problem, remedy):
            tone = "danger" if server.state == "failed" else "warning"
            asks = server.state == "needs_sign_in"
            actions = ((_("Sign in"), self.sign_in_wanted.emit),) if asks else ()
            self.notice.tell(problem, remedy, tone=tone, actions=actions)
