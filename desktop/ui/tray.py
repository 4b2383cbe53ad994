"""The icon in the tray: there while the window is not, and the way to end the program."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from desktop.paths import resource
from desktop.text import _
from desktop.ui.system.tray_host import TrayHost
from desktop.ui.theme.theme import theme
from desktop.ui.words import spoken


class Tray(QObject):
    """Shown as soon as there is a host for it."""

    toggle_wanted = Signal()
    show_wanted = Signal()
    new_wanted = Signal()
    settings_wanted = Signal()
    quit_wanted = Signal()
    lost = Signal()
    """Nobody shows the icon any more."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._host = TrayHost(self)
        self._host.changed.connect(self._host_changed)
        self._icon: QSystemTrayIcon | None = None
        self._menu = QMenu(window)
        self._toggle = self._menu.addAction("")
        self._toggle.triggered.connect(self.toggle_wanted)
        self._new = self._menu.addAction("")
        self._new.triggered.connect(self.new_wanted)
        self._settings = self._menu.addAction("")
        self._settings.triggered.connect(self.settings_wanted)
        self._menu.addSeparator()
        self._quit = self._menu.addAction("")
        self._quit.triggered.connect(self.quit_wanted)
        self._menu.aboutToShow.connect(self._words)
        theme().changed.connect(self._draw)
        spoken(self._words)
        self._host_changed()

    @property
    def present(self) -> bool:
        """Whether the person can see the icon now."""
        if self._icon is None:
            self._host_changed()
        return self._icon is not None and self._host.present

    def say(self, title: str, text: str) -> None:
        """Show a short message at the icon, or wherever the desktop shows messages."""
        if self._icon is not None:
            self._icon.showMessage(title, text, self._icon.icon())

    def window_changed(self) -> None:
        """The window was shown or hidden: the menu offers the other."""
        self._words()

    def _host_changed(self) -> None:
        if self._icon is not None and not self._host.present:
            self.lost.emit()
        if self._icon is None and self._host.present:
            self._icon = QSystemTrayIcon(self)
            self._icon.setContextMenu(self._menu)
            self._icon.activated.connect(self._activated)
            self._draw()
            self._words()
            self._icon.show()

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in (
            QSystemTrayIcon.ActivationReason.Trigger,
            QSystemTrayIcon.ActivationReason.DoubleClick,
        ):
            self.toggle_wanted.emit()

    def _draw(self) -> None:
        if self._icon is not None:
            name = "tray-dark.svg" if theme().dark else "tray-light.svg"
            self._icon.setIcon(QIcon(str(resource("icons", name))))

    def _words(self) -> None:
        self._toggle.setText(_("Hide") if self._window.isVisible() else _("Show"))
        self._new.setText(_("New conversation"))
        self._settings.setText(_("Settings"))
        self._quit.setText(_("Quit"))
        if self._icon is not None:
            self._icon.setToolTip("Nanobot Desktop")
