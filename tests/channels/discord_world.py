"""What the Discord of the tests knows: people, servers with channels and threads, messages, files."""

import mimetypes
import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NoReturn

from tests.channels.loopback import Json, Refused, Upload

DM, TEXT_CHANNEL, THREAD = 1, 0, 11
_MEMBER = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
EVERYTHING = str((1 << 53) - 1)
"""All that one may be allowed to do."""


def no(status: int, message: str, code: int, **more: object) -> NoReturn:
    """Refuse a call as Discord does."""
    raise Refused(status, {"message": message, "code": code} | more)


def now() -> str:
    """The time, as Discord writes it."""
    return datetime.now(UTC).isoformat()


def snowflake(at: float) -> int:
    """The ID of what is made at a moment, Unix time in seconds."""
    return (int(at * 1000) - 1_420_070_400_000) << 22


def user(number: int, name: str, *, bot: bool = False) -> Json:
    """Somebody on Discord."""
    names: Json = {"username": name.lower(), "global_name": None if bot else name}
    return {"id": str(number), "discriminator": "0", "avatar": None, "bot": bot} | names


@dataclass
class World:
    """All that is known, by ID."""

    me: Json
    url: str = ""
    """Where files are fetched."""
    users: dict[str, Json] = field(default_factory=dict)
    guilds: dict[str, Json] = field(default_factory=dict)
    channels: dict[str, Json] = field(default_factory=dict)
    messages: dict[str, Json] = field(default_factory=dict)
    reactions: dict[str, list[str]] = field(default_factory=dict)
    """The bot's own, by message."""
    files: dict[str, Upload] = field(default_factory=dict)
    """By the path of their address."""
    commands: list[Json] = field(default_factory=list)
    interactions: dict[str, Json] = field(default_factory=dict)
    """By token: what the bot was asked; with `answered` once it was."""
    closed: set[str] = field(default_factory=set)
    """Channels that the bot may not write in, people who take no messages."""
    nonces: dict[str, Json] = field(default_factory=dict)
    behind_s: float = 0.0
    """How much later than here it is by the clock of the computer that the bot runs on."""
    _last: int = 0

    def clock(self) -> float:
        """What time it is, Unix time in seconds."""
        return time.time() - self.behind_s

    def next_id(self) -> str:
        """A new snowflake; a later one is greater."""
        self._last = max(self._last + 1, snowflake(self.clock()))
        return str(self._last)

    def member(self, somebody: Json) -> Json:
        """Somebody, as a member of a server."""
        more: Json = {
            "nick": None,
            "avatar": None,
            "deaf": False,
            "mute": False,
            "flags": 0,
            "pending": False,
        }
        return {"user": somebody, "roles": [], "joined_at": now()} | more

    def guild(self, name: str, people: list[Json]) -> Json:
        """A server with a role and a text channel."""
        number = self.next_id()
        everyone = {"id": number, "name": "@everyone", "position": 0}
        ours = {"id": self.next_id(), "name": "Nano", "position": 1, "tags": {"bot_id": self.me["id"]}}
        common: Json = {
            "color": 0,
            "colors": {"primary_color": 0},
            "hoist": False,
            "managed": False,
            "flags": 0,
        }
        common |= {"permissions": EVERYTHING, "mentionable": True}
        empty = (
            "emojis features voice_states presences threads stage_instances stickers guild_scheduled_events"
        )
        made: Json = {name: [] for name in (*empty.split(), "soundboard_sounds")} | {
            "id": number,
            "name": name,
            "owner_id": people[0]["id"],
            "roles": [everyone | common, ours | common],
            "members": [self.member(one) for one in (self.me, *people)],
            "member_count": len(people) + 1,
            "channels": [],
        }
        level = (
            "verification_level default_message_notifications explicit_content_filter mfa_level nsfw_level"
        )
        made |= dict.fromkeys((*level.split(), "premium_tier", "system_channel_flags"), 0)
        made |= {"preferred_locale": "en-US", "large": False, "unavailable": False, "afk_timeout": 300}
        self.guilds[number] = made
        self.channel(made, "general")
        return made

    def channel(self, guild: Json, name: str) -> Json:
        """A text channel of a server."""
        made: Json = {"id": self.next_id(), "type": TEXT_CHANNEL, "guild_id": guild["id"], "name": name}
        made |= {
            "position": len(guild["channels"]),
            "permission_overwrites": [],
            "nsfw": False,
            "topic": None,
        }
        guild["channels"].append(made)
        self.channels[made["id"]] = made
        return made

    def thread(self, parent: Json, name: str, owner: Json, number: str = "") -> Json:
        """A thread below a channel; one that starts at a message has its ID."""
        state: Json = {"archived": False, "auto_archive_duration": 1440, "locked": False}
        state |= {"archive_timestamp": now(), "create_timestamp": now()}
        made: Json = {
            "id": number or self.next_id(),
            "type": THREAD,
            "name": name,
            "thread_metadata": state,
        }
        made |= {"guild_id": parent["guild_id"], "parent_id": parent["id"], "owner_id": owner["id"]}
        made |= {"message_count": 0, "member_count": 1, "last_message_id": None, "rate_limit_per_user": 0}
        self.channels[made["id"]] = made
        return made

    def direct(self, somebody: Json) -> Json:
        """The chat of the bot with somebody."""
        for known in self.channels.values():
            if known["type"] == DM and known["recipients"][0]["id"] == somebody["id"]:
                return known
        made: Json = {"id": self.next_id(), "type": DM, "recipients": [somebody], "last_message_id": None}
        self.users[somebody["id"]] = somebody
        self.channels[made["id"]] = made
        return made

    def attach(self, channel: Json, upload: Upload) -> Json:
        """A file of a message."""
        number = self.next_id()
        path = f"attachments/{channel['id']}/{number}/{upload.name}"
        self.files[path] = upload
        guessed = mimetypes.guess_type(upload.name)[0]
        kind = upload.kind if guessed is None else guessed
        where = f"{self.url}/{path}?ex=1&is=1&hm=1"
        named: Json = {"id": number, "filename": upload.name, "size": len(upload.data), "flags": 0}
        return named | {"url": where, "proxy_url": where, "content_type": kind}

    def message(self, channel: Json, author: Json, content: str, **more: object) -> Json:
        """A new message in a channel."""
        guild = self.guilds.get(channel.get("guild_id", ""))
        people = [one["user"] for one in guild["members"]] if guild else [self.me, *channel["recipients"]]
        named = set(_MEMBER.findall(content))
        made: Json = {
            "id": self.next_id(),
            "channel_id": channel["id"],
            "author": author,
            "content": content,
            "timestamp": now(),
            "edited_timestamp": None,
            "mentions": [one for one in people if one["id"] in named],
            "mention_roles": _ROLE.findall(content),
            "mention_everyone": "@everyone" in content,
            **{name: [] for name in ("attachments", "embeds", "components", "sticker_items")},
        }
        made |= {"tts": False, "pinned": False, "type": 0, "flags": 0} | more
        made["mentions"] += _answered(made, people)
        self.messages[made["id"]] = made
        channel["last_message_id"] = made["id"]
        return made

    def reply_to(self, answered: Json) -> Json:
        """What a message has that answers another one."""
        where = {"message_id": answered["id"], "channel_id": answered["channel_id"]}
        short = {key: value for key, value in answered.items() if key != "referenced_message"}
        return {"type": 19, "message_reference": where, "referenced_message": short}


def _answered(message: Json, people: list[Json]) -> list[Json]:
    """Who is told of an answer, and is not mentioned by name."""
    answered = message.get("referenced_message")
    if not answered or message.get("silent"):
        return []
    author = answered["author"]
    return [one for one in people if one["id"] == author["id"] and one not in message["mentions"]]
