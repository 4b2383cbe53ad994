"""Keeps a mailbox at work: is told of new mail, hands on what is for the agent, and answers.

The mailbox blocks, so each step of it has a thread for as long as it takes; there is never more than one.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from desktop.channels.channel import Channel, Given, WrongField
from desktop.channels.email.hosts import LARGEST, Hosts, hosts_of, takes_no_password
from desktop.channels.markup.mail import MARKUP
from desktop.channels.markup.split import pieces
from desktop.channels.message import Abilities, Known, Sending
from desktop.channels.newfile import NotFetched, NotNow
from desktop.config.channels.email import Email as Settings
from desktop.errors import AppError, ConfigError, StorageError
from desktop.services.service import SignInNeeded
from desktop.services.status import ServiceState
from desktop.tasks import cancel, in_daemon, in_thread, spawn
from desktop.text import _

if TYPE_CHECKING:
    from desktop.channels.email.body import Content
    from desktop.channels.email.letter import Letter
    from desktop.channels.email.mailbox import Mailbox
    from desktop.channels.email.outgoing import Outgoing
    from desktop.channels.email.state import Mark, State

_LONGEST = 400_000
_SMALL, _LARGEST = 262_144, 40_000_000
"""Bytes of a mail that is fetched as a whole, and of one that is where it can't be had by its parts."""
_LOOKED_AT = 20
_log = logging.getLogger(__name__)


class Email(Channel):
    """One mailbox."""

    abilities = Abilities(
        _LONGEST, caption=_LONGEST, files=20, together=LARGEST, pairs=False, approves=False, steps=False
    )

    def __init__(self, given: Given) -> None:
        super().__init__("email", given.bus)
        self._given = given
        self._box: Mailbox | None = None
        self._out: Outgoing | None = None
        self._state: State | None = None
        self._watching: asyncio.Task[None] | None = None
        self._looked = asyncio.Event()
        """Set when the mailbox was looked into."""

    async def start(self) -> None:
        """Open the mailbox and begin to listen."""
        settings = self._settings
        if not settings.consent_granted:
            raise ConfigError(
                _("Nothing is read or sent before you allow it."),
                _("Turn on “Allow reading and sending” under Settings › Channels."),
            )
        try:
            hosts = _checked(settings)
        except WrongField as error:
            raise ConfigError(error.text, error.remedy) from error
        self._box, self._out, self._state = await self._connect(hosts)
        place = await _step(self._box.open)
        account = f"{settings.imap_username}@{hosts.imap}/{settings.imap_mailbox}"
        mark = await self._state.begin(account, place, time.time())
        mark = await self._state.caught_up(await self._look(mark), place)
        self._watching = spawn(self._watch(mark), name="email:watch")
        self._watching.add_done_callback(self._ended)
        self.up.set()

    async def stop(self) -> None:
        """Listen no more."""
        self.up.clear()
        box, self._box = self._box, None
        if box is not None:
            box.interrupt()
        await cancel(self._watching)
        if box is not None:
            await in_daemon(box.close, seconds=None)
        self._out = None

    async def check(self) -> None:
        """A dead connection says nothing: look into the mailbox now."""
        self._looked.clear()
        self._open().wake()
        await self._looked.wait()

    async def probe(self) -> Known:
        """Log in to both servers; nothing is read but, where that is allowed, how the server vouches."""
        settings = self._settings
        hosts = _checked(settings)
        box, out, _state = await self._connect(hosts, WrongField)
        try:
            await _named(_step(box.open), "imap")
            tells, notes = box.tells, await self._vouching(box, hosts)
        finally:
            await in_daemon(box.close, seconds=None)
        await _named(out.check(), "smtp")
        if not tells:
            told = _("The server can’t tell of new mail. It is asked every {seconds} s.")
            notes.append(told.format(seconds=settings.poll_interval_seconds))
        return Known(settings.address, tuple(notes))

    async def post(self, sending: Sending) -> str:
        """Send a mail."""
        from desktop.channels.email.outgoing import Thread, compose

        settings, out, state = self._settings, self._out, self._state
        if out is None or state is None or not settings.consent_granted:
            raise ConnectionError
        if sending.reply and not settings.auto_reply_enabled:
            return "unsent"  # the answer stays in the conversation
        to, thread = sending.where.chat, sending.where.thread
        known = await state.thread(f"{to}:{thread}") if thread or sending.reply else Thread()
        mail = await in_thread(compose, sending, known, settings)
        try:
            await out.send(mail, to)
        except SignInNeeded as error:
            self.went_down(error)
            raise
        id_ = str(mail.message["Message-ID"])
        await state.went(to, thread, str(mail.message["Subject"]), known.references, id_)
        return id_

    def parts(self, text: str) -> list[tuple[str, str]]:
        """In HTML."""
        return pieces(text, MARKUP, _LONGEST)

    @property
    def _settings(self) -> Settings:
        return self._given.settings().email

    async def _connect(
        self, hosts: Hosts, wrong: type[WrongField] | None = None
    ) -> "tuple[Mailbox, Outgoing, State]":
        try:
            password = await self._given.secret("imapPassword")
        except SignInNeeded as error:
            raise (wrong("imapPassword", error.text, error.remedy) if wrong else error) from error
        to_send = await self._given.kept("smtpPassword") or password
        return await self._given.load(_made, self._settings, hosts, password, to_send, self._given)

    def _open(self) -> "Mailbox":
        if self._box is None:
            raise ConnectionError
        return self._box

    async def _watch(self, mark: "Mark") -> None:
        while True:
            await _step(self._open().wait)
            mark = await self._look(mark)

    def _ended(self, watching: "asyncio.Task[None]") -> None:
        if not watching.cancelled() and (error := watching.exception()):
            self.went_down(error)

    async def _look(self, mark: "Mark") -> "Mark":
        """Take what is new, one by one."""
        state, box = self._state, self._open()
        assert state
        for letter in await _step(box.letters, mark.next, mark.since):
            await self._take(box, letter, mark.validity)
            mark = replace(mark, next=letter.uid + 1)
            await state.keep(mark)
        self.status.last_ok = time.time()
        self._looked.set()
        return mark

    async def _take(self, box: "Mailbox", letter: "Letter", validity: int) -> None:
        from desktop.channels.email.incoming import Judge, Sort

        settings = self._settings
        sort = Judge(settings, hosts_of(settings).vouches).sort(letter)
        if sort is Sort.UNPROVED:
            self.status.set(
                ServiceState.RUNNING,
                _(
                    "Mail of people who may write is left unread: your mail server doesn’t check senders, "
                    "or isn’t on the list of trusted ones."
                ),
            )
        if sort is not Sort.FOR_THE_AGENT:
            _log.info("a mail is left as it is: %s", sort.value)
            return
        await self._hand_on(box, letter, settings, validity)

    async def _hand_on(self, box: "Mailbox", letter: "Letter", settings: Settings, validity: int) -> None:
        from desktop.channels.email import incoming

        state = self._state
        assert state
        content = await _content(box, letter, settings)
        if content is None:
            return
        id_ = letter.id or f"{validity}-{letter.uid}"
        thread = await state.came(letter, id_)
        if not await state.may_answer(f"{letter.sender}:{thread}"):
            self.status.set(
                ServiceState.RUNNING,
                _("A thread has had too many answers today. Its new mail is left unread."),
            )
            return
        try:
            await self.received(incoming.received(letter, content, thread, id_))
        except StorageError as error:
            raise StorageError(
                _("A mail could not be stored. {reason}").format(reason=error.text), error.remedy
            ) from error
        except NotNow as error:
            raise error.__cause__ or error from None
        await state.answers(f"{letter.sender}:{thread}")
        await _step(box.dealt_with, letter.uid)

    async def _vouching(self, box: "Mailbox", hosts: Hosts) -> list[str]:
        """What to say of how the mailbox's server vouches for senders."""
        from desktop.channels.email.proof import read, trusted

        settings = self._settings
        if not settings.consent_granted:
            return [_("Nothing is read or sent before you allow it.")]
        if not (settings.verify_dkim or settings.verify_spf):
            return []
        names = {
            read(letter.results[0])[0] for letter in await _step(box.recent, _LOOKED_AT) if letter.results
        } - {""}
        if any(trusted(name, hosts.vouches) for name in names):
            return []
        if not names:
            return [_("No mail there says that a server checked its sender, so none is answered yet.")]
        text = _(
            "Mail there was checked by {names}. If that is your mail server, add it to the trusted ones."
        )
        return [text.format(names=", ".join(sorted(names)[:3]))]


def _checked(settings: Settings) -> Hosts:
    """The servers. Raises WrongField where something is missing."""
    hosts = hosts_of(settings)
    if not settings.imap_username:
        raise WrongField(
            "imapUsername", _("The mail account is missing."), _("Enter it under Settings › Channels.")
        )
    if takes_no_password(settings):
        raise WrongField("imapUsername", _("Outlook wants a sign-in in the browser."), hosts.remedy)
    for field, host in (("imapHost", hosts.imap), ("smtpHost", hosts.smtp)):
        if not host:
            raise WrongField(
                field,
                _("The servers of this account are not known."),
                _("Enter the incoming and the outgoing server under Settings › Channels."),
            )
    if "@" not in settings.address:
        raise WrongField(
            "fromAddress",
            _("The address that answers come from is missing."),
            _("Enter it under Settings › Channels."),
        )
    return hosts


def _made(
    settings: Settings, hosts: Hosts, password: str, to_send: str, given: Given
) -> "tuple[Mailbox, Outgoing, State]":
    """Loads the libraries."""
    from desktop.channels.email.mailbox import Mailbox
    from desktop.channels.email.outgoing import Outgoing
    from desktop.channels.email.state import State

    box = Mailbox(settings, hosts, password)
    return box, Outgoing(settings, hosts, to_send), State(given.notes)


async def _content(box: "Mailbox", letter: "Letter", settings: Settings) -> "Content | None":
    """What a mail says and carries; None where somebody deleted it, or nobody can read it."""
    from desktop.channels.email import body, parts

    try:
        mail = await _step(parts.opened, box, letter.uid) if letter.size > _SMALL else None
        if mail is None:
            raw = await _step(box.whole, letter.uid) if letter.size <= _LARGEST else b""
            if not raw and letter.size <= _LARGEST:
                return None
            mail = await in_thread(body.parsed, raw)
        return await in_thread(body.read, mail, settings, whole=letter.forwarded)
    except NotFetched:
        return None
    except (AppError, OSError):
        raise
    except Exception:
        _log.exception("a mail could not be read")
        return None


async def _step[T](work: Callable[..., T], *arguments: Any) -> T:
    """One step of the mailbox, in a thread that holds up nobody's end."""
    return await in_daemon(work, *arguments, seconds=None)


async def _named(work: Awaitable[object], server: str) -> object:
    """The outcome of a call, or which setting is to blame."""
    from desktop.channels.email.mailbox import Cut, NoMailbox, NoServer

    try:
        return await work
    except SignInNeeded as error:
        raise WrongField(f"{server}Password", error.text, error.remedy) from error
    except NoMailbox as error:
        raise WrongField("imapMailbox", error.text, error.remedy) from error
    except NoServer as error:
        raise WrongField(f"{server}Host", error.text, error.remedy) from error
    except Cut as error:
        raise WrongField("", error.text, _("Try again in a moment.")) from error
    except AppError as error:
        raise WrongField("", error.text, error.remedy) from error
