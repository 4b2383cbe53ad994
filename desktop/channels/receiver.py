"""From a message of a chat to a turn of the agent: who may write, whether it came before, on disk, and only
then is the service told.

A turn's id is made of the message's: one that comes again after an end of the program finds its turn.
"""

import hashlib
import logging
import re
import time
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from desktop.channels import access
from desktop.channels.arrivals import Arrivals, NotYet
from desktop.channels.channel import Channel
from desktop.channels.message import Address, Attachment, Outgoing, Received
from desktop.channels.newfile import NewFile, NotFetched, NotNow, shortened
from desktop.channels.outbox import Outbox
from desktop.channels.pairing import Pairings, Request
from desktop.channels.receipts import Receipts
from desktop.channels.registry import TITLES
from desktop.channels.seen import Known, Seen
from desktop.config.channels.base import ChannelSettings
from desktop.config.channels.section import Channels as Settings
from desktop.errors import AppError, StorageError
from desktop.files import Place
from desktop.origin import TRUSTED, Mark, untrusted
from desktop.text import _

_MINUTE_S, _DAY_S = 60.0, 86_400.0
_LONGEST_TEXT = 100_000
_LONGEST_NAME = 80
_LARGEST_FILE = 50_000_000
_MOST_FILES = 20
_PREFIX = len("0123456789ab-00-")
"""What the name of a file begins with."""
_MOST_EDITS = 500
_APPROVAL = re.compile(r"\s*(yes|no|allow|deny|是|否)\s+([0-9a-f]{4})\s*[.!]?\s*", re.IGNORECASE)
_YES = ("yes", "allow", "是")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A message that the agent is to answer."""

    received: Received
    session: str
    turn: str
    text: str
    own: bool
    """The person wrote it whom the agent works for."""
    mark: Mark
    files: tuple[str, ...] = ()


class Agent(Protocol):
    """The rest of the program, as a message finds it."""

    def conversation(self, received: Received, *, own: bool) -> str:
        """The key of the conversation that a message belongs to."""

    async def fresh(self, session: str) -> bool:
        """Whether nothing was said in a conversation yet."""

    async def begun(self, session: str, turn: str) -> bool:
        """Whether this turn's message is on disk. Raises StorageError."""

    async def submit(self, message: Accepted) -> str:
        """Put it on disk and have it answered; what a command came to, else empty. Raises StorageError."""

    async def hear(self, files: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """What is said in those that are voices, and the files that are left. Raises StorageError."""

    async def take_back(self, session: str, turn: str) -> bool:
        """Take a message back that still waits for its turn; False where none of this turn does. Raises
        StorageError."""

    async def answer(self, code: str, yes: bool) -> str:
        """The owner answers the question of this code; a sentence, empty where there is none."""

    async def wants_in(self, request: Request) -> None:
        """Ask the owner about a stranger. Raises StorageError."""

    async def has_answer(self, request: Request) -> None:
        """The owner need not be asked any more. Raises StorageError."""

    async def name_is(self, channel: str, alias: str, sender: str) -> None:
        """The name on the list is this sender's: the id goes in its place. Raises AppError."""


@dataclass(slots=True)
class _Rate:
    moments: deque[float] = field(default_factory=deque)
    told: bool = False
    used: float = 0.0
    """When the sender wrote last."""

    def matters(self, now: float) -> bool:
        """Whether it says more than a new one would; who was told so, is for a day."""
        return now - self.used <= (_DAY_S if self.told else _MINUTE_S)


class Receiver:
    """Takes what comes, of all channels."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        seen: Seen,
        pairings: Pairings,
        outbox: Outbox,
        receipts: Receipts,
        agent: Agent,
        folder: Path,
    ) -> None:
        """`folder`: where files go that come along."""
        self._settings, self._seen, self._pairings = settings, seen, pairings
        self._outbox, self._receipts = outbox, receipts
        self._agent, self._folder = agent, folder
        self.arrivals: Arrivals
        """Set before use."""
        self._rates: dict[tuple[str, str], _Rate] = {}
        self._tidied = 0.0
        self._edits: dict[str, str] = {}
        """The turns of messages that were edited while they waited, by the turns that they had first."""

    async def receive(self, received: Received, channel: Channel) -> None:
        """Store a message, or leave it. Raises StorageError, and then the service is not told."""
        settings = self._settings().of(received.where.channel)
        verdict = access.judge(settings, received)
        strange = verdict is access.Verdict.PAIR
        if verdict is access.Verdict.SILENT or (strange and not channel.abilities.pairs):
            return
        if received.edited:
            if not strange:
                await self._edit(received, channel, settings)
            return
        known = await self._seen.look(received)
        if known.before:
            return
        if strange:
            await self._pair(received)
            await self._seen.add(received, own=False)
            return
        if alias := access.by_name(settings, received):
            await self._agent.name_is(received.where.channel, alias, received.sender)
        own = access.is_owner(settings, received)
        proved = own and channel.abilities.approves
        for_us = await self._for_the_program(received, proved)
        if for_us or not (own or await self._in_time(received, known)):
            await self._seen.add(received, own=own)
            return
        await self._store(received, _turn(received), channel, known)
        if not own:
            now = time.monotonic()
            self._rate(received, now).moments.append(now)

    async def _edit(self, received: Received, channel: Channel, settings: ChannelSettings) -> None:
        """While a message waits for its turn, behind another of its conversation, its new text takes the
        place of the old one, at the end of those that wait. Later an edit means nothing: what is done about
        the old text is done. So it is for a message that was for nobody here."""
        first = _turn(received)
        session = self._agent.conversation(received, own=access.is_owner(settings, received))
        turn = self._edits.get(first, first)
        if turn and not await self._agent.take_back(session, turn):
            return
        self._edits[first] = ""  # where it can't be stored, the service sends it again
        if len(self._edits) > _MOST_EDITS:
            del self._edits[next(iter(self._edits))]
        turn = uuid.uuid4().hex[:12]
        await self._store(received, turn, channel, await self._seen.look(received))
        self._edits[first] = turn

    async def _store(self, received: Received, turn: str, channel: Channel, known: Known) -> None:
        """Put a message on disk; the files that are still with the service are fetched after that."""
        behind = known.behind and received.text.strip() != "/stop"
        if not (received.fetched_later or behind or await self._midway(received, channel)):
            await self.take(received, turn, channel)
            return
        settings = self._settings().of(received.where.channel)
        await self.arrivals.put(received, turn)
        self._receipts.begin(turn, channel, received, settings.signs)
        self._receipts.stored(turn)
        await self._seen.add(received, own=access.is_owner(settings, received))

    async def take(self, received: Received, turn: str, channel: Channel, *, last: bool = True) -> None:
        """As arrivals.Take. One with which this program fails is told of, once: as it is it would fail each
        time that it comes, and those behind it would wait."""
        try:
            await self._take(received, turn, channel, last=last)
        except (AppError, OSError, NotNow, NotYet):
            raise
        except Exception:
            _log.exception("a message of %s could not be taken", channel.name)
            await self._outbox.drop(f"answer:{turn}")
            await self._receipts.ended(turn, done=False)
            text = _("This message could not be handled. Details are in the log of Nanobot.")
            await self._say(received, f"failed:{received.id}", text)
            await self._seen.add(received, own=access.is_owner(self._settings().of(channel.name), received))

    async def _take(self, received: Received, turn: str, channel: Channel, *, last: bool) -> None:
        """Hand a message to the agent, with its files."""
        where, settings = received.where, self._settings().of(received.where.channel)
        own = access.is_owner(settings, received)
        key, session = f"answer:{turn}", self._agent.conversation(received, own=own)
        if not await self._agent.begun(session, turn):
            files, missing = await self._fetch(received, turn, channel, last=last)
            spoken, files = await self._agent.hear(files)
            earlier = await self._earlier(received, channel)
            mark = _mark(received, own)
            if earlier:
                mark |= untrusted(*(_source(_one_line(name), where) for name, _said in earlier))
            text = _text(received, missing, earlier, spoken)
            await self._outbox.owe(key, where, session, received.id)
            self._receipts.begin(turn, channel, received, settings.signs)
            try:
                reply = await self._agent.submit(Accepted(received, session, turn, text, own, mark, files))
            except StorageError:
                await self._outbox.drop(key)
                await self._receipts.ended(turn, done=False)
                raise
            self._receipts.stored(turn)
            if reply:
                await self._outbox.settle(key, Outgoing(reply))
                await self._receipts.ended(turn, done=True)
        await self._seen.add(received, own=own)

    async def _midway(self, received: Received, channel: Channel) -> bool:
        """Whether a message is the first to the agent in a thread that others began."""
        inside = received.group and received.where.thread not in ("", received.id)
        return channel.abilities.threads and inside and await self._agent.fresh(received.where.session)

    async def _earlier(self, received: Received, channel: Channel) -> list[tuple[str, str]]:
        if not await self._midway(received, channel):
            return []
        try:
            return await channel.earlier(received)
        except (AppError, OSError, TimeoutError) as error:
            _log.info("a thread of %s could not be read: %s", channel.name, error)
            return []

    async def _pair(self, received: Received) -> None:
        request = await self._pairings.ask(received)
        if request is None:
            return
        await self._agent.wants_in(request)
        text = _(
            "I don’t know you yet. Your pairing code is {code}. Ask the owner of this bot to approve it in "
            "Nanobot within 10 minutes."
        ).format(code=request.code)
        await self._say(received, f"pairing:{request.code}", text)

    async def _for_the_program(self, received: Received, proved: bool) -> bool:
        """Whether it was no message for the agent, and is dealt with. `proved`: the owner's for sure."""
        word = received.text.strip().partition(" ")[0].partition("@")[0].lower()
        if word == "/start":
            await self._say(received, f"start:{received.id}", _("Hello. Write a message to begin."))
            return True
        answer = _APPROVAL.fullmatch(received.text)
        if proved and answer and not (received.forwarded or received.quoted):
            said = await self._agent.answer(answer[2].lower(), answer[1].lower() in _YES)
            if said:
                await self._say(received, f"said:{received.id}", said)
                return True
        return False

    async def _in_time(self, received: Received, known: Known) -> bool:
        """Whether the sender, and everybody, may have one more answer now."""
        settings, now = self._settings(), time.monotonic()
        rate = self._rate(received, now)
        while rate.moments and now - rate.moments[0] > _MINUTE_S:
            rate.moments.popleft()
            rate.told = False
        if len(rate.moments) >= settings.messages_per_minute:
            text = _("That was fast. Write again in a minute.")
        elif known.of_others >= settings.daily_messages:
            text = _("No more answers today. Write again tomorrow.")
        else:
            return True
        if not rate.told:
            rate.told = True
            await self._say(received, f"slow:{received.id}", text)
        return False

    def _rate(self, received: Received, now: float) -> _Rate:
        if now - self._tidied > _MINUTE_S:
            self._tidied = now
            self._rates = {who: rate for who, rate in self._rates.items() if rate.matters(now)}
        rate = self._rates.setdefault((received.where.channel, received.sender), _Rate())
        rate.used = now
        return rate

    async def _say(self, received: Received, key: str, text: str) -> None:
        where = received.where
        await self._outbox.put(f"{where.channel}:{where.chat}:{key}", where, "", Outgoing(text))

    async def _fetch(
        self, received: Received, turn: str, channel: Channel, *, last: bool
    ) -> tuple[tuple[str, ...], list[str]]:
        """The files that came along, and the names of those that could not be had."""
        found, missing = [], []
        for number, file in enumerate(received.files[:_MOST_FILES]):
            name = f"{received.where.channel}/{turn}-{number}-{_file_name(file.name)}"
            try:
                found.append(await self._one_file(file, name, channel))
            except NotNow:
                raise
            except Exception as error:
                if file.ref and not channel.up.is_set():
                    raise NotNow from error
                if not isinstance(error, AppError | OSError):
                    _log.error("a file of %s could not be fetched", channel.name, exc_info=error)
                if file.ref and not last and not isinstance(error, NotFetched):
                    raise NotYet from error
                _log.info("a file of %s was not fetched: %s", received.where.channel, error)
                missing.append(_file_name(file.name))
        return tuple(found), missing + [_file_name(file.name) for file in received.files[_MOST_FILES:]]

    async def _one_file(self, file: Attachment, name: str, channel: Channel) -> str:
        if file.size > _LARGEST_FILE:
            raise NotFetched(_("The file is too large."))
        new = NewFile(Place(self._folder), name, _LARGEST_FILE)
        if file.fetch:
            await file.fetch(new)
        else:
            await channel.fetch(file.ref, new)
        return str(new.path)


def _turn(received: Received) -> str:
    """The id of the turn that a message begins: the same each time that it comes."""
    where = received.where
    return hashlib.sha256(f"{where.channel}\0{where.chat}\0{received.id}".encode()).hexdigest()[:12]


def _mark(received: Received, own: bool) -> Mark:
    """Whose words it is: what the owner passes on is others'."""
    if own and not (received.forwarded or received.quoted or received.outside):
        return TRUSTED
    return untrusted(_source(shown_name(received), received.where))


def _source(name: str, where: Address) -> str:
    """Who wrote it, and where, in people's words."""
    return f"{name} ({_(TITLES[where.channel])})"


def shown_name(received: Received) -> str:
    """The sender's name on one line."""
    return _one_line(received.name) or received.sender


def _one_line(name: str) -> str:
    plain = "".join(letter if letter.isprintable() else " " for letter in name)
    return " ".join(plain.split())[:_LONGEST_NAME]


def _text(received: Received, missing: list[str], earlier: list[tuple[str, str]], spoken: str) -> str:
    text = "\n".join(filter(None, (received.text, spoken)))
    if earlier:
        said = "\n".join(f"{_one_line(name)}: {words}" for name, words in earlier)[-_LONGEST_TEXT:]
        quoted = "\n".join(f"> {line}" for line in said.splitlines())
        text = _("[Earlier in this thread]") + f"\n{quoted}\n\n{text}"
    if len(text) > _LONGEST_TEXT:
        text = text[:_LONGEST_TEXT] + "\n" + _("[The rest was too long.]")
    if received.quoted:
        lines = received.quoted[:_LONGEST_TEXT].splitlines()
        text = "\n".join(f"> {line}" for line in lines) + f"\n\n{text}"
    if received.forwarded:
        text = _("[Forwarded]") + "\n" + text
    if missing:
        names = ", ".join(missing)
        text += "\n\n" + _("[These files could not be received: {names}]").format(names=names)
    return text


def _file_name(name: str) -> str:
    """A name that stays in its folder, on every system."""
    base = re.split(r"[/\\]", name)[-1]
    plain = re.sub(r"[^\w.() -]", "_", base).strip(" .") or "file"
    stem, dot, ending = plain.rpartition(".")
    short, ending = (stem[:80], f"{dot}{ending[:12]}") if dot else (plain[:80], "")
    return shortened(short, ending, _PREFIX)
