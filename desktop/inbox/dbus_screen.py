"""Notifications on Linux, by the desktop's own daemon (freedesktop.org, Desktop Notifications 1.2).

Spoken on the bus directly: desktop-notifier swallows what goes wrong, waits without limit for a daemon that
hangs, cannot replace a toast, and loses an action that comes before the reply.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from html import escape
from typing import TYPE_CHECKING, Any

from desktop.inbox.clean import clean
from desktop.inbox.inbox import APPROVAL, REMINDER
from desktop.inbox.screen import Acted, Capabilities, Toast
from desktop.paths import APP_ID, resource
from desktop.tasks import cancel, in_thread, spawn
from desktop.text import _

if TYPE_CHECKING:
    from dbus_fast import Message
    from dbus_fast.aio import MessageBus

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
_BUS, _BUS_PATH = "org.freedesktop.DBus", "/org/freedesktop/DBus"
_PATIENCE_S = 3.0
_DEFAULT, _INLINE_REPLY = "default", "inline-reply"
_DISMISSED = 2
_FOREVER, _AS_USUAL = 0, -1
_NORMAL, _CRITICAL = 1, 2
_EARLY = 32
_log = logging.getLogger(__name__)


class Refused(Exception):
    """The other side answered with an error."""


class DBusScreen:
    """See Screen. Nothing is loaded and nobody is called before the first toast."""

    def __init__(self, *, patience: float = _PATIENCE_S) -> None:
        """`patience`: how long a daemon may take to answer, in seconds."""
        self.acted: Acted | None = None
        self.appeared: Callable[[], None] | None = None
        self._patience = patience
        self._bus: MessageBus | None = None
        self._connecting = asyncio.Lock()
        self._owner, self._name = "", ""
        self._can: frozenset[str] = frozenset()
        self._shown: dict[str, tuple[str, int]] = {}
        """For each notice who shows it, and under which number."""
        self._toasts: dict[str, Toast] = {}
        self._asking: dict[str, tuple[Toast, asyncio.Task[bool]]] = {}
        """Calls without an answer so far: their toast may still come."""
        self._early: deque[Message] = deque(maxlen=_EARLY)
        self._closing: set[asyncio.Task[None]] = set()
        self._late: set[str] = set()
        """Toasts that came after show() had given them up."""
        self._unwanted: set[str] = set()

    @property
    def capabilities(self) -> Capabilities:
        """See Screen."""
        return Capabilities(self._name, "actions" in self._can, "inline-reply" in self._can)

    async def reach(self) -> bool:
        """See Screen."""
        try:
            async with asyncio.timeout(self._patience):
                await self._know(await self._connected())
        except Exception as error:
            _log.info("no notifications: %r", error)
            return False
        return True

    async def show(self, toast: Toast) -> bool:
        """See Screen."""
        self._unwanted.discard(toast.notice)
        if toast.notice in self._late and self._toasts.get(toast.notice) == toast:
            self._late.discard(toast.notice)
            return True
        asked, task = self._asking.get(toast.notice, (toast, None))
        if asked != toast:
            return False  # the daemon has not even answered to the one before
        if task is None:
            task = spawn(self._notify(toast), name=f"toast:{toast.notice}")
            self._asking[toast.notice] = toast, task
            task.add_done_callback(lambda _task: self._answer_came(toast.notice))
        done, _pending = await asyncio.wait({task}, timeout=self._patience)
        if not done:
            self._late.add(toast.notice)
            _log.info("the notifications do not answer")
        return bool(done) and not task.cancelled() and task.result()

    async def clear(self, notice: str) -> None:
        """See Screen."""
        if notice in self._asking:
            self._unwanted.add(notice)
        self._late.discard(notice)
        self._toasts.pop(notice, None)
        if place := self._shown.pop(notice, None):
            await self._close(place)

    async def stop(self) -> None:
        """See Screen."""
        await cancel(*(task for _toast, task in self._asking.values()), *self._closing)
        for notice in [name for name, toast in self._toasts.items() if toast.kind == APPROVAL]:
            await self.clear(notice)
        bus, self._bus = self._bus, None
        if bus is not None:
            bus.disconnect()
            with suppress(Exception):
                await bus.wait_for_disconnect()  # type: ignore[no-untyped-call]

    # ---- the daemon

    async def _notify(self, toast: Toast) -> bool:
        """Whether the daemon took it, however long it thinks about that."""
        try:
            bus = await self._connected()
            await self._know(bus)
            try:
                reply = await self._call(bus, "Notify", "susssasa{sv}i", self._arguments(toast))
            except Refused as error:
                _log.info("a notification was refused: %s", error)
                plain = self._arguments(toast, plain=True)
                reply = await self._call(bus, "Notify", "susssasa{sv}i", plain)
        except Exception as error:
            # Whatever is wrong with the bus or its daemon, the notice is in the inbox.
            self._late.discard(toast.notice)
            self._unwanted.discard(toast.notice)
            _log.info("no notification: %r", error)
            return False
        place = str(reply.sender), int(reply.body[0])
        if toast.notice in self._unwanted:
            self._unwanted.discard(toast.notice)
            await self._close(place)
        else:
            self._shown[toast.notice], self._toasts[toast.notice] = place, toast
            for message in list(self._early):  # read together with the reply, it was heard before it
                self._answered(message)
        return True

    def _answer_came(self, notice: str) -> None:
        self._asking.pop(notice, None)
        if not self._asking:
            self._early.clear()

    def _arguments(self, toast: Toast, *, plain: bool = False) -> list[Any]:
        """What Notify takes. `plain`: without anything that a daemon might refuse."""
        from dbus_fast import Variant

        owner, before = self._shown.get(toast.notice, ("", 0))
        hints = {
            "urgency": Variant("y", _CRITICAL if toast.kind == APPROVAL else _NORMAL),
            "desktop-entry": Variant("s", APP_ID),
        }
        actions: list[str] = []
        if "actions" in self._can and not plain:
            actions = [_DEFAULT, _("Open")]
            # Nothing is allowed on a screen that does not show what.
            sees = "body" in self._can or toast.kind != APPROVAL
            for name, label in toast.actions if sees else ():
                actions += [name, label]
            if toast.reply and _INLINE_REPLY in self._can:
                actions += [_INLINE_REPLY, _("Reply")]
                hints["x-kde-reply-submit-button-text"] = Variant("s", _("Send"))
                hints["x-kde-reply-placeholder-text"] = Variant("s", _("Reply"))
            elif toast.reply:
                actions += ["reply", _("Reply")]
        title, body = clean(toast)
        return [
            "Nanobot Desktop",
            before if owner == self._owner else 0,
            resource("icons", "nanobot.svg").as_uri(),
            title,
            escape(body, quote=False) if "body-markup" in self._can else body,
            actions,
            {} if plain else hints,
            _FOREVER if toast.kind in (APPROVAL, REMINDER) else _AS_USUAL,
        ]

    async def _know(self, bus: "MessageBus") -> None:
        """Ask a daemon that was not asked before what it can do."""
        if self._owner:
            return
        reply = await self._call(bus, "GetCapabilities")
        information = await self._call(bus, "GetServerInformation")
        self._can, self._name = frozenset(reply.body[0]), str(information.body[0])
        self._owner = str(reply.sender)

    def _close_later(self, place: tuple[str, int]) -> None:
        """Some daemons leave a toast on the screen after its button was pressed."""
        task = spawn(self._close(place), name="toast:close")
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _close(self, place: tuple[str, int]) -> None:
        owner, number = place
        if self._bus is None or owner != self._owner:
            return  # it went with its daemon
        with suppress(Exception):  # the person was quicker
            async with asyncio.timeout(self._patience):
                await self._call(self._bus, "CloseNotification", "u", [number])

    # ---- the bus

    async def _connected(self) -> "MessageBus":
        async with self._connecting:
            if self._bus is None or not self._bus.connected:
                self._bus = await self._connect()
            return self._bus

    async def _connect(self) -> "MessageBus":
        await in_thread(_load)
        from dbus_fast.aio import MessageBus

        self._owner, self._name, self._can = "", "", frozenset()
        bus = await MessageBus(auth_timeout=self._patience).connect()
        bus.add_message_handler(self._received)
        for rule in (
            f"type='signal',sender='{NAME}',interface='{NAME}'",
            f"type='signal',sender='{_BUS}',member='NameOwnerChanged',arg0='{NAME}'",
        ):
            await self._call(bus, "AddMatch", "s", [rule], name=_BUS, path=_BUS_PATH)
        return bus

    async def _call(
        self,
        bus: "MessageBus",
        member: str,
        signature: str = "",
        body: list[Any] | None = None,
        *,
        name: str = NAME,
        path: str = PATH,
    ) -> "Message":
        from dbus_fast import Message, MessageType

        reply = await bus.call(Message(name, path, name, member, signature=signature, body=body or []))
        if reply is None:
            raise ConnectionError("the bus is gone")
        if reply.message_type is MessageType.ERROR:
            raise Refused(f"{reply.error_name}: {reply.body}")
        return reply

    def _received(self, message: "Message") -> None:
        """A signal; one that is not of the daemon that shows a toast of ours is nothing."""
        if message.member == "NameOwnerChanged" and message.sender == _BUS:
            self._owner_changed(*message.body)
        elif message.interface == NAME and len(message.body) > 1:
            self._answered(message)

    def _owner_changed(self, name: str, _old: str, new: str) -> None:
        if name != NAME or new == self._owner:
            return
        self._owner, self._name, self._can = "", "", frozenset()
        for notice in list(self._shown):
            self._forget(notice)
        if new and self.appeared is not None:
            self.appeared()

    def _answered(self, message: "Message") -> None:
        number, *rest = message.body
        place = str(message.sender), int(number)
        notice = next((name for name, where in self._shown.items() if where == place), "")
        if not notice:
            if self._asking:
                self._early.append(message)
        elif message.member == "ActionInvoked":
            toast = self._forget(notice)
            self._close_later(place)
            name = "open" if rest[0] == _DEFAULT else str(rest[0])
            if toast is not None and _offers(toast, name):
                self._tell(notice, name, "")
        elif message.member == "NotificationReplied":
            self._forget(notice)
            self._close_later(place)
            self._tell(notice, "reply", str(rest[0]))
        elif message.member == "NotificationClosed":
            self._forget(notice)
            if rest[0] == _DISMISSED:
                self._tell(notice, "dismissed", "")

    def _forget(self, notice: str) -> Toast | None:
        self._shown.pop(notice, None)
        self._late.discard(notice)
        return self._toasts.pop(notice, None)

    def _tell(self, notice: str, action: str, text: str) -> None:
        if self.acted is not None:
            self.acted(notice, action, text)


def _offers(toast: Toast, action: str) -> bool:
    return action == "open" or (toast.reply and action == "reply") or action in dict(toast.actions)


def _load() -> None:
    """What the first toast needs; 30 to 100 ms of CPU, which a window must not feel."""
    import dbus_fast.aio  # noqa: F401
