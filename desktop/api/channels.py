"""The chat apps: switched on and off, tried, their keys, and who may write."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from desktop.channels.channel import WrongField
from desktop.channels.channels import entry
from desktop.channels.linking import Linked, Scanned, ToEnter, ToScan
from desktop.channels.message import Address, Outgoing
from desktop.channels.registry import TITLES
from desktop.config.channels.base import ANYBODY
from desktop.errors import UsageError
from desktop.services.status import ServiceState
from desktop.text import _

if TYPE_CHECKING:
    from desktop.channels.channels import Channels as Apps
    from desktop.config.keychain import Keychain
    from desktop.config.schema import Config
    from desktop.inbox.inbox import Inbox


__all__ = ["App", "Channels", "Linked", "Request", "Scanned", "ToEnter", "ToScan", "Tried", "as_number"]


@dataclass(frozen=True, slots=True)
class App:
    """One chat app."""

    name: str
    title: str
    on: bool
    state: str
    """Of services.status.ServiceState."""
    detail: str = ""
    again_at: float | None = None
    """Unix time of the next try."""
    last_in: float | None = None
    """Unix time of the last message that came, in the last weeks."""
    last_out: float | None = None
    owner: str = ""
    allowed: int = 0
    """How many senders may write; -1 for everybody."""
    secrets: tuple[str, ...] = ()
    """The fields of its keys."""
    webhook: bool = False
    """Its old settings had the service call nanobot, which means nothing here."""
    links: bool = False
    """It has no keys: the person links it as a device of an account."""


@dataclass(frozen=True, slots=True)
class Request:
    """Somebody who wants to write."""

    channel: str
    title: str
    sender: str
    name: str
    code: str
    at: float
    """When they asked, Unix time in seconds."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What a test found. `field`: what is at fault, empty where all is well or nothing of ours is."""

    ok: bool
    name: str = ""
    """As people see the bot."""
    notes: tuple[str, ...] = ()
    invitation: str = ""
    """An address where the person adds the bot to a group."""
    field: str = ""
    text: str = ""
    remedy: str = ""


class Channels:
    """Keys go to the keychain, all else to config.json."""

    def __init__(
        self,
        apps: "Callable[[], Apps]",
        keychain: "Keychain",
        config: "Callable[[], Config]",
        change: Callable[[Mapping[str, Any]], Awaitable[None]],
        inbox: "Inbox",
    ) -> None:
        self._apps, self._keychain, self._config, self._change = apps, keychain, config, change
        self._inbox = inbox

    async def all(self) -> tuple[App, ...]:
        """Every app that this program can speak with."""
        return tuple(self._line(name) for name in TITLES)

    def _line(self, name: str) -> App:
        settings, channel = self._config().channels.of(name), self._apps().get(name)
        everybody = ANYBODY in settings.allow_from
        status = channel.status if channel else None
        return App(
            name,
            _(TITLES[name]),
            settings.enabled,
            (status.state if status else ServiceState.OFF).value,
            status.detail if status else "",
            status.again_at if status else None,
            channel.last_in if channel else None,
            channel.last_out if channel else None,
            settings.owner,
            -1 if everybody else len(settings.allow_from),
            settings.SECRETS,
            settings.webhook,
            settings.LINKS,
        )

    async def switch(self, name: str, on: bool) -> None:
        """Turn one on or off. Raises UsageError, ConfigError, StorageError."""
        await self._change({f"channels.{_known(name)}.enabled": on})

    async def store_key(self, name: str, field: str, key: str) -> None:
        """Store a key; an app that is on uses it at once. Raises KeychainError, UsageError."""
        if not key.strip():
            raise UsageError(_("The key is empty."))
        await self._keychain.set(self._entry(name, field), key.strip())
        await self._apps().apply(name)

    async def stored_keys(self, name: str) -> frozenset[str]:
        """The fields of the keys that there are. Raises KeychainError, UsageError."""
        fields = self._config().channels.of(_known(name)).SECRETS
        return frozenset([field for field in fields if await self._keychain.get(entry(name, field))])

    async def forget_key(self, name: str, field: str) -> None:
        """Remove a key from the keychain. Raises KeychainError, UsageError."""
        await self._keychain.delete(self._entry(name, field))
        await self._apps().apply(name)

    async def linked(self, name: str) -> Linked | None:
        """The account that an app is linked to; None where it is not, or has keys. Raises UsageError."""
        links = self._config().channels.of(_known(name)).LINKS
        return await self._apps().linked(name) if links else None

    async def link(self, name: str, phone: str = "") -> AsyncIterator[ToScan | ToEnter | Scanned | Linked]:
        """Link an app to an account, by pictures to scan one after another, or by a code for a phone
        number. Raises UsageError, AppError; closing ends it."""
        async with aclosing(self._apps().link(_known(name), as_number(phone))) as steps:
            async for step in steps:
                yield step

    async def forget_link(self, name: str) -> bool:
        """Forget the account of an app; whether the service knows of it, too. Raises UsageError,
        StorageError."""
        return await self._apps().forget_link(_known(name))

    async def test(self, name: str) -> Tried:
        """One real call with the stored keys and settings. Raises AppError where the keychain or the
        service gives no answer."""
        try:
            known = await self._apps().probe(_known(name))
        except WrongField as error:
            return Tried(False, field=error.field, text=error.text, remedy=error.remedy)
        return Tried(True, known.name, known.notes, known.invitation)

    async def requests(self) -> tuple[Request, ...]:
        """Who wants to write, the oldest first. Raises StorageError."""
        return tuple(
            Request(one.channel, _(TITLES[one.channel]), one.sender, one.name, one.code, one.at)
            for one in await self._apps().pairings.open()
            if one.channel in TITLES
        )

    async def approve(self, code: str, *, owner: bool = False) -> Request:
        """Let somebody in; as `owner` their words count as the person's own. Raises UsageError."""
        request = await self._request(code)
        settings = self._config().channels.of(request.channel)
        values: dict[str, Any] = {
            f"channels.{request.channel}.allow_from": list(
                dict.fromkeys((*settings.allow_from, request.sender))
            )
        }
        if owner:
            values[f"channels.{request.channel}.owner"] = request.sender
        await self._change(values)
        return request

    async def deny(self, code: str) -> Request:
        """Leave somebody out. Raises UsageError."""
        request = await self._request(code)
        found = await self._apps().pairings.find(code)
        if found:
            await self._apps().close(found)
        return request

    async def revoke(self, name: str, sender: str) -> None:
        """Take somebody off the list. Raises UsageError where they are not on it."""
        settings = self._config().channels.of(_known(name))
        if sender not in (*settings.allow_from, settings.owner):
            raise UsageError(_("{sender} is not on the list.").format(sender=sender))
        values: dict[str, Any] = {
            f"channels.{name}.allow_from": [one for one in settings.allow_from if one != sender]
        }
        if settings.owner == sender:
            values[f"channels.{name}.owner"] = ""
        await self._change(values)

    async def send(self, name: str, chat: str, text: str) -> None:
        """Put a text of the person's into a chat, by way of the outbox. Raises UsageError, StorageError."""
        import uuid

        if not text.strip() or not chat.strip():
            raise UsageError(_("There is nothing to send."))
        where = Address(_known(name), chat.strip())
        await self._apps().outbox.put(f"hand:{uuid.uuid4().hex}", where, "", Outgoing(text))

    async def again(self, notice: str) -> bool:
        """Try a message anew that could not be sent, by its notice; False where there is none."""
        again = await self._apps().outbox.again(notice.removeprefix("undelivered:"))
        await self._inbox.settle(notice, "sent")
        return again

    async def _request(self, code: str) -> Request:
        wanted = code.strip().upper()
        found = next((one for one in await self.requests() if one.code == wanted), None)
        if found is None:
            raise UsageError(
                _("No one is waiting with this code."),
                _("Codes are valid for 10 minutes. Ask them to write to the bot again."),
            )
        return found

    def _entry(self, name: str, field: str) -> str:
        if field not in self._config().channels.of(_known(name)).SECRETS:
            raise UsageError(
                _("{name} has no key named {field}.").format(name=_(TITLES[name]), field=field)
            )
        return entry(name, field)


def as_number(typed: str) -> str:
    """A phone number without all that people write in it; empty for none. Raises UsageError."""
    digits = re.sub(r"[\s().+/-]", "", typed).removeprefix("00")
    if typed.strip() and not re.fullmatch(r"[1-9]\d{6,14}", digits):
        raise UsageError(
            _("{number} is no phone number.").format(number=typed.strip()[:40]),
            _("Enter it with its country code, as in +49 170 1234567."),
        )
    return digits


def _known(name: str) -> str:
    if name not in TITLES:
        raise UsageError(
            _("There is no chat app named {name}.").format(name=name),
            _("There are: {names}.").format(names=", ".join(TITLES)),
        )
    return name
