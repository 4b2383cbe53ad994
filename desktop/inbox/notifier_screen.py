"""Notifications on Windows and macOS, by desktop-notifier.

Run here only against its backend for Linux; those for Windows and macOS were written for and never
run. On macOS there are notifications only for a signed program with a bundle, and the person is asked once.
"""

import asyncio
import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from desktop.inbox.clean import clean
from desktop.inbox.inbox import APPROVAL
from desktop.inbox.screen import Acted, Capabilities, Toast
from desktop.paths import APP_ID, resource
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop_notifier import DesktopNotifier, Notification

_NAME = "Nanobot Desktop"
_PATIENCE_S = 3.0
_log = logging.getLogger(__name__)


class NotifierScreen:
    """See Screen. The system keeps its toasts by the ids of the notices."""

    def __init__(self) -> None:
        self.acted: Acted | None = None
        self.appeared: Callable[[], None] | None = None
        self._notifier: DesktopNotifier | None = None
        self._allowed = False
        self._can = Capabilities()
        self._taken: set[str] = set()
        """Handed to the system since they were last asked for."""
        self._questions: set[str] = set()

    @property
    def capabilities(self) -> Capabilities:
        """See Screen."""
        return self._can

    async def reach(self) -> bool:
        """See Screen."""
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await self._ready()
        except Exception as error:
            _log.info("no notifications: %r", error)
            return False
        return self._allowed

    async def show(self, toast: Toast) -> bool:
        """See Screen."""
        if not await self.reach():
            return False
        self._taken.discard(toast.notice)
        try:
            async with asyncio.timeout(_PATIENCE_S):
                notifier = await self._ready()
                await notifier.send_notification(_notification(toast))
        except Exception as error:
            _log.info("no notification: %r", error)
            return False
        if toast.notice not in self._taken:  # what goes wrong is only logged there
            return False
        if toast.kind == APPROVAL:
            self._questions.add(toast.notice)
        return True

    async def clear(self, notice: str) -> None:
        """See Screen."""
        self._questions.discard(notice)
        if self._notifier is not None:
            with suppress(Exception):  # the person was quicker
                async with asyncio.timeout(_PATIENCE_S):
                    await self._notifier.clear(notice)

    async def stop(self) -> None:
        """See Screen."""
        for notice in list(self._questions):
            await self.clear(notice)

    async def _ready(self) -> "DesktopNotifier":
        """The notifier, once the system allows it. A system that forbids it is asked again each time."""
        if self._notifier is None:
            await in_thread(_load)
            self._notifier = self._made()
        notifier = self._notifier
        if not self._allowed:
            self._allowed = await notifier.request_authorisation()
            self._can = await _capabilities(notifier)
        return notifier

    def _made(self) -> "DesktopNotifier":
        from desktop_notifier import DesktopNotifier, Icon

        if sys.platform == "win32":
            # There the library takes its name for the identifier, which the installer gave to the shortcut.
            notifier = DesktopNotifier(APP_ID, Icon(path=resource("icons", "nanobot-desktop.png")))
            _show_as(APP_ID, _NAME)
        else:
            notifier = DesktopNotifier(_NAME, Icon(path=resource("icons", "nanobot.svg")))
        # By id, not on the single notification: they hold for toasts of an earlier start too.
        notifier.on_dispatched = self._taken.add
        notifier.on_clicked = partial(self._tell, action="open")
        notifier.on_dismissed = partial(self._tell, action="dismissed")
        notifier.on_button_pressed = self._tell
        notifier.on_replied = lambda notice, text: self._tell(notice, "reply", text)
        return notifier

    def _tell(self, notice: str, action: str, text: str = "") -> None:
        self._questions.discard(notice)
        if self.acted is not None:
            self.acted(notice, action, text)


def _show_as(app: str, name: str) -> None:
    """Have Windows show this name over the toasts of an identifier, in place of the identifier."""
    if sys.platform == "win32":
        import winreg

        with winreg.CreateKey(winreg.HKEY_CURRENT_USER, rf"Software\Classes\AppUserModelId\{app}") as key:
            winreg.SetValueEx(key, "DisplayName", 0, winreg.REG_SZ, name)


def _load() -> None:
    import desktop_notifier  # noqa: F401


async def _capabilities(notifier: "DesktopNotifier") -> Capabilities:
    from desktop_notifier import Capability

    can = await notifier.get_capabilities()
    name = type(notifier._backend).__name__  # noqa: SLF001 # it tells no name of the system's own
    return Capabilities(name, Capability.BUTTONS in can, Capability.REPLY_FIELD in can)


def _notification(toast: Toast) -> "Notification":
    from desktop_notifier import Button, Notification, ReplyField, Urgency

    title, body = clean(toast)
    return Notification(
        title,
        body,
        urgency=Urgency.Critical if toast.kind == APPROVAL else Urgency.Normal,
        buttons=tuple(Button(label, identifier=name) for name, label in toast.actions),
        reply_field=ReplyField(_("Reply"), _("Send")) if toast.reply else None,
        thread=toast.session or None,
        identifier=toast.notice,
    )
