"""What comes from a chat and what goes there, in no service's words."""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

from desktop.channels.newfile import NewFile

_HALF = re.compile("[\ud800-\udfff]")


def whole(text: str) -> str:
    """Without half letters, which JSON can hold, and no file and no database takes."""
    return _HALF.sub("\ufffd", text)


def as_stored(plain: dict[str, Any]) -> str:
    """JSON for the database."""
    return whole(json.dumps(plain, ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class Address:
    """A chat, and a thread in it. All ids are the service's, as text."""

    channel: str
    chat: str
    thread: str = ""

    @property
    def session(self) -> str:
        """The key of its conversation."""
        return ":".join(part for part in (self.channel, self.chat, self.thread) if part)

    @classmethod
    def of(cls, session: str) -> "Address":
        """The chat that a key names. Ids of Matrix hold colons of their own; threads there begin with $."""
        channel, _colon, rest = session.partition(":")
        if rest.startswith(("!", "#", "@")):
            chat, dollar, thread = rest.partition(":$")
            return cls(channel, chat, f"{dollar[1:]}{thread}")
        chat, _colon, thread = rest.partition(":")
        return cls(channel, chat, thread)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came along, not fetched yet."""

    name: str
    size: int
    """Bytes as the service says; 0 where it does not."""
    fetch: Callable[[NewFile], Awaitable[None]] | None = None
    """Writes it. Raises AppError, OSError. For a file that is here already: the service waits meanwhile."""
    ref: str = ""
    """Else what Channel.fetch() gets it by, also after the next start. A service has all files this way, or
    none."""


@dataclass(frozen=True, slots=True)
class Received:
    """A message of somebody."""

    where: Address
    id: str
    """Of the message; unique in its chat."""
    sender: str
    """The id that the service never gives to anybody else."""
    name: str
    """As the service shows the sender: anybody's words."""
    text: str
    aliases: tuple[str, ...] = ()
    """Names of the sender that change, such as @name."""
    group: bool = False
    mentioned: bool = False
    """It is meant for the bot: by its name, as a reply to it, as a command."""
    quoted: str = ""
    """What it answers, where that is not the bot's own."""
    forwarded: bool = False
    outside: bool = False
    """Nothing in it is the sender's word for sure, even where the sender is known: mail."""
    edited: bool = False
    """It is the new text of a message that came before."""
    files: tuple[Attachment, ...] = ()
    at: float = 0.0
    """When it was sent, Unix time in seconds; 0 where the service does not say."""

    @property
    def fetched_later(self) -> bool:
        """Whether it has files that are still with the service."""
        return any(file.ref for file in self.files)

    def readable(self) -> "Received":
        """The same with whole letters alone."""
        files = tuple(replace(file, name=whole(file.name), ref=whole(file.ref)) for file in self.files)
        return replace(
            self,
            where=Address(self.where.channel, whole(self.where.chat), whole(self.where.thread)),
            id=whole(self.id),
            sender=whole(self.sender),
            name=whole(self.name),
            text=whole(self.text),
            aliases=tuple(map(whole, self.aliases)),
            quoted=whole(self.quoted),
            files=files,
        )

    def as_json(self) -> dict[str, Any]:
        """In JSON types."""
        plain = {item.name: getattr(self, item.name) for item in fields(self)}
        place = [self.where.channel, self.where.chat, self.where.thread]
        return plain | {"where": place, "files": [[file.name, file.size, file.ref] for file in self.files]}

    @classmethod
    def of(cls, stored: dict[str, Any]) -> "Received":
        """The one that as_json() gave."""
        files = tuple(Attachment(name, size, ref=ref) for name, size, ref in stored["files"])
        given = {"where": Address(*stored["where"]), "files": files, "aliases": tuple(stored["aliases"])}
        known = {item.name for item in fields(cls)}
        return cls(**{name: value for name, value in (stored | given).items() if name in known})


@dataclass(frozen=True, slots=True)
class Pressed:
    """Somebody pressed a button of ours."""

    where: Address
    sender: str
    data: str
    """What the button carries."""


@dataclass(frozen=True, slots=True)
class Button:
    """One under a message."""

    text: str
    data: str
    """At most 64 bytes."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message of the agent: Markdown, and files."""

    text: str
    files: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """In JSON types."""
        buttons = [[button.text, button.data] for button in self.buttons]
        return {"text": self.text, "files": list(self.files), "buttons": buttons}

    @classmethod
    def of(cls, stored: dict[str, Any]) -> "Outgoing":
        """The one that as_json() gave."""
        return cls(
            str(stored.get("text", "")),
            tuple(stored.get("files", ())),
            tuple(Button(*pair) for pair in stored.get("buttons", ())),
        )


@dataclass(frozen=True, slots=True)
class Part:
    """So much as one message of the service holds."""

    markup: str
    """In the service's markup."""
    plain: str
    """The same without, for when the markup is refused."""
    file: str = ""
    """Path of a file that it carries; the text is its caption."""
    more: tuple[str, ...] = ()
    """Further files, where a message holds several."""
    buttons: tuple[Button, ...] = ()


@dataclass(frozen=True, slots=True)
class Sending:
    """One part on its way."""

    where: Address
    part: Part
    once: str
    """The same for each try of it: services that can tell by it drop a second one."""
    reply: str = ""
    """The message that it answers."""
    begins: bool = False
    """It may be there with other words, those of an answer that grew since: `once` alone is its name."""
    grows: bool = False
    """More of it comes."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a service can do, as data."""

    longest: int
    """Of one message, by `count`."""
    count: Callable[[str], int] = len
    """How long the service takes a plain text for."""
    caption: int = 0
    """Longest text of a message with a file; 0: the text goes before it, on its own."""
    edit_every_s: float = 0.0
    """Between edits of one message; 0 where messages cannot be edited."""
    chat_every_s: float = 0.0
    """Between messages to one chat."""
    buttons: bool = False
    typing_every_s: float = 0.0
    """How often typing has to be told to stay; 0 where there is none."""
    reactions: bool = False
    one_reaction: bool = False
    """A reaction of the bot takes the place of the one before."""
    once: bool = False
    """A second try of a message is told by Sending.once: it gives the id of the first."""
    uploads: int = 20_000_000
    """The largest file that can be sent, bytes."""
    files: int = 1
    """How many files one message holds."""
    together: int = 0
    """The most bytes of all files of a message; 0 where none is known."""
    pairs: bool = True
    """A stranger is told a code; where not, strangers get no answer at all."""
    approves: bool = True
    """A message is proof enough of who wrote it: questions go there, and the owner answers them there."""
    threads: bool = False
    """What was said in a thread before can be read: Channel.earlier()."""
    steps: bool = True
    """What the agent says and does while it works is worth a message there."""
    alone: bool = False
    """A second connection would end the first: a test goes by the one that there is."""


@dataclass(frozen=True, slots=True)
class Known:
    """Who the bot is, as a call for a test found."""

    name: str
    """As people see it."""
    notes: tuple[str, ...] = field(default=())
    """What it may and may not do there: sentences."""
    invitation: str = ""
    """An address where the person adds it to a group, where the service has such."""
