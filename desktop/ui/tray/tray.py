"""The icon in the tray: there while the window is not, and tells what goes on and what waits."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from desktop.text import _, ngettext
from desktop.ui.system.tray_host import TrayHost
from desktop.ui.system.tray_icon import IDLE, NEEDS_YOU, TROUBLE, WORKING, badge, tray_icon
from desktop.ui.theme.theme import theme
from desktop.ui.words import spoken

__all__ = ["IDLE", "NEEDS_YOU", "TROUBLE", "WORKING", "Tray"]

_RECENT = 3
_LONGEST = 40
_NAME = "Nanobot Desktop"


class Tray(QObject):
    """Shown as soon as there is a host for it, unless the person does not want it."""

    toggle_wanted = Signal()
    quick_wanted = Signal()
    inbox_wanted = Signal()
    conversation_wanted = Signal(str)
    """The key of one of the last conversations."""
    pause_wanted = Signal(bool)
    """Pause what works by itself, or let it go on."""
    channel_wanted = Signal(str, bool)
    """Turn a chat app on or off."""
    new_wanted = Signal()
    settings_wanted = Signal()
    help_wanted = Signal()
    quit_wanted = Signal()
    notice_wanted = Signal(str)
    """The notice that was shown last at the icon was clicked."""
    lost = Signal()
    """Nobody shows the icon any more."""

    def __init__(self, window: QWidget, *, wanted: bool = True) -> None:
        """`wanted`: whether the person wants an icon at all; see use()."""
        super().__init__(window)
        self._window, self._wanted = window, wanted
        self._state, self._waiting, self._paused, self._notice = IDLE, 0, False, ""
        self._host = TrayHost(self)
        self._host.changed.connect(self._host_changed)
        self._icon: QSystemTrayIcon | None = None
        self._balloons = False
        """Whether messages are shown at the icon itself, not by a notification daemon."""
        self._menu = QMenu(window)
        self._make_menu()
        theme().changed.connect(self._draw)
        spoken(self._words)
        self._host_changed()

    def _make_menu(self) -> None:
        self._toggle = self._entry(self.toggle_wanted)
        self._quick = self._entry(self.quick_wanted)
        self._new = self._entry(self.new_wanted)
        self._inbox = self._entry(self.inbox_wanted)
        self._menu.addSeparator()
        self._recent = [QAction(self._menu) for _ in range(_RECENT)]
        for action in self._recent:
            action.triggered.connect(lambda _checked=False, at=action: self._open(at))
            action.setVisible(False)
            self._menu.addAction(action)
        self._below_recent = self._menu.addSeparator()
        self._below_recent.setVisible(False)
        self._spend = self._menu.addAction("")
        self._spend.setEnabled(False)
        self._spend.setVisible(False)
        self._above_channels = self._menu.addSeparator()
        self._channels: list[QAction] = []
        self._below_channels = self._menu.addSeparator()
        self._part()
        self._pause = self._menu.addAction("")
        self._pause.triggered.connect(lambda: self.pause_wanted.emit(not self._paused))
        self._menu.addSeparator()
        self._settings = self._entry(self.settings_wanted)
        self._help = self._entry(self.help_wanted)
        self._quit = self._entry(self.quit_wanted)
        self._menu.aboutToShow.connect(self._words)

    def _entry(self, wanted: SignalInstance) -> QAction:
        action = self._menu.addAction("")
        action.triggered.connect(lambda: wanted.emit())
        return action

    # ---- whether it is there

    @property
    def present(self) -> bool:
        """Whether the person can see the icon now."""
        if self._icon is None:
            self._host_changed()
        return self._wanted and self._icon is not None and self._host.present

    def use(self, wanted: bool) -> None:
        """Show the icon, or do not; at once."""
        if wanted == self._wanted:
            return
        self._wanted = wanted
        if self._icon is not None:
            self._icon.setVisible(wanted)
        if wanted:
            self._host_changed()
        else:
            self.lost.emit()

    def _host_changed(self) -> None:
        if not self._wanted:
            return
        if self._icon is not None and not self._host.present:
            self.lost.emit()
        if self._icon is None and self._host.present:
            self._icon = QSystemTrayIcon(self)
            self._balloons = not self._host.on_bus
            self._icon.setContextMenu(self._menu)
            self._icon.activated.connect(self._activated)
            self._icon.messageClicked.connect(self._clicked)
            self._draw()
            self._words()
            self._icon.show()

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in (
            QSystemTrayIcon.ActivationReason.Trigger,
            QSystemTrayIcon.ActivationReason.DoubleClick,
        ):
            self.toggle_wanted.emit()
        elif reason is QSystemTrayIcon.ActivationReason.MiddleClick:
            self.quick_wanted.emit()

    # ---- what it tells

    def show_state(self, state: str, open_notices: int) -> None:
        """IDLE, WORKING, NEEDS_YOU or TROUBLE, and how many notices wait."""
        if (state, open_notices) != (self._state, self._waiting):
            self._state, self._waiting = state, open_notices
            self._draw()
            self._words()

    def show_recent(self, conversations: Sequence[tuple[str, str]]) -> None:
        """Key and title of the last conversations, the newest first; the first three are offered."""
        for action in self._recent:
            action.setVisible(False)
        for action, (key, title) in zip(self._recent, conversations, strict=False):
            action.setData(key)
            action.setText(_menu_text(title))
            action.setVisible(True)
        self._below_recent.setVisible(bool(conversations))

    def show_spend(self, text: str) -> None:
        """A line on what was spent today; none where it is empty."""
        self._spend.setText(_menu_text(text))
        self._spend.setVisible(bool(text))
        self._part()

    def show_channels(self, channels: Sequence[tuple[str, str, bool]]) -> None:
        """Name, words and switch of each chat app that was set up."""
        for action in self._channels:
            self._menu.removeAction(action)
        self._channels = [QAction(_menu_text(words), self._menu) for _name, words, _on in channels]
        for action, (name, _words, on) in zip(self._channels, channels, strict=True):
            action.setCheckable(True)
            action.setChecked(on)
            action.toggled.connect(partial(self.channel_wanted.emit, name))
        self._menu.insertActions(self._below_channels, self._channels)
        self._part()

    def _part(self) -> None:
        """The switches of chat apps stand by themselves."""
        self._above_channels.setVisible(bool(self._channels) and self._spend.isVisible())
        self._below_channels.setVisible(bool(self._channels))

    def show_paused(self, paused: bool) -> None:
        """What works by itself is paused, or goes on."""
        self._paused = paused
        self._words()

    def say(self, title: str, text: str) -> None:
        """Show a short message at the icon, or wherever the desktop shows messages."""
        self._notice = ""
        if self._icon is not None and self.present:
            self._icon.showMessage(title, text, self._icon.icon())

    def show_notice(self, notice: str, title: str, text: str) -> bool:
        """Show a notice where the icon itself can; a click on it is `notice_wanted`. False where it cannot:
        it would go to the notification daemon, which was asked already and did not answer."""
        if not (self.present and self._balloons):
            return False
        self.say(title, text)
        self._notice = notice
        return True

    def window_changed(self) -> None:
        """The window was shown or hidden: the menu offers the other."""
        self._words()

    def _open(self, action: QAction) -> None:
        self.conversation_wanted.emit(str(action.data()))

    def _clicked(self) -> None:
        if self._notice:
            self.notice_wanted.emit(self._notice)

    def _draw(self) -> None:
        if self._icon is not None:
            self._icon.setIcon(tray_icon(self._state, badge(self._waiting), theme().dark))

    def _words(self) -> None:
        self._toggle.setText(_("Hide") if self._window.isVisible() else _("Show"))
        self._quick.setText(_("Quick chat"))
        self._new.setText(_("New conversation"))
        inbox = _("Inbox ({n})").format(n=self._waiting) if self._waiting else _("Inbox")
        self._inbox.setText(inbox)
        self._pause.setText(_("Resume") if self._paused else _("Pause everything"))
        self._settings.setText(_("Settings"))
        self._help.setText(_("Help"))
        self._quit.setText(_("Quit"))
        if self._icon is not None:
            self._icon.setToolTip("\n".join([_NAME, *self._told()]))

    def _told(self) -> list[str]:
        """The state in words, which is nothing where nothing is to be said."""
        n = self._waiting
        waits = ngettext("{n} unread notice", "{n} unread notices", n).format(n=n)
        lines = {
            IDLE: [],
            WORKING: [_("Working")],
            NEEDS_YOU: [_("Needs your answer")],
            TROUBLE: [_("Something isn’t working")],
        }[self._state]
        return [*lines, *([waits] if n else []), *([_("Paused")] if self._paused else [])]


def _menu_text(text: str) -> str:
    """One line of a menu: not too long, and no letter of it underlined."""
    line = " ".join(text.split())
    cut = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"
    return cut.replace("&", "&&")
