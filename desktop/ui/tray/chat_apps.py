"""The chat apps in the tray's menu: each a switch, with a sign where one is in trouble."""

from PySide6.QtCore import QObject

from desktop.bus.events import ServiceChanged, SettingsChanged
from desktop.config.channels.section import NAMES
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.program import Program
from desktop.ui.tray.tray import Tray

TROUBLE = ("failed", "needs_sign_in")


class ChatApps(QObject):
    """begin() once the core is up."""

    def __init__(self, program: Program, reporter: ErrorReporter, tray: Tray) -> None:
        super().__init__(tray)
        self._program, self._reporter, self._tray = program, reporter, tray
        tray.channel_wanted.connect(self._switch)

    def begin(self) -> None:
        """Show what there is, now and whenever it changes."""
        bus = self._program.bus
        bus.on(ServiceChanged, self._service)
        bus.on(SettingsChanged, lambda _event: self._read())
        self._read()

    def _service(self, event: ServiceChanged) -> None:
        if event.name in NAMES:
            self._read()

    def _read(self) -> None:
        self._reporter.run(self._show(), name="tray:channels")

    async def _show(self) -> None:
        apps = await self._program.api.channels.all()
        self._tray.show_channels(
            [
                (app.name, f"{app.title} ⚠" if app.on and app.state in TROUBLE else app.title, app.on)
                for app in apps
                if app.on or app.owner
            ]
        )

    def _switch(self, name: str, on: bool) -> None:
        self._reporter.run(self._program.api.channels.switch(name, on), name="tray:channel")
