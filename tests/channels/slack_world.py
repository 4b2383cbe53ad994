"""What the Slack of the tests knows: people, channels, messages, files."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import NoReturn

from tests.channels.loopback import Json, Refused, Upload

TEAM, BOT, BOT_ID, APP = "T0000000001", "U0000000BOT", "B0000000001", "A0000000001"


def no(error: str, **more: object) -> NoReturn:
    """Refuse a call as Slack does, which answers 200."""
    raise Refused(200, {"ok": False, "error": error} | more)


def user(number: str, name: str, *, bot: bool = False) -> Json:
    """Somebody on Slack."""
    profile = {"real_name": name, "display_name": name.lower(), "email": f"{name.lower()}@nano.example"}
    made: Json = {"id": number, "team_id": TEAM, "name": name.lower(), "real_name": name, "is_bot": bot}
    return made | {"deleted": False, "profile": profile, "tz": "Europe/Berlin", "is_restricted": False}


@dataclass
class World:
    """All that is known, by ID; messages by channel and time."""

    users: dict[str, Json]
    url: str = ""
    channels: dict[str, Json] = field(default_factory=dict)
    messages: dict[tuple[str, str], Json] = field(default_factory=dict)
    files: dict[str, Json] = field(default_factory=dict)
    contents: dict[str, Upload] = field(default_factory=dict)
    """What is in a file, by its ID; not there before it is uploaded."""
    statuses: dict[tuple[str, str], str] = field(default_factory=dict)
    """What the bot is doing, as a thread shows it."""
    _numbers: "Iterator[int]" = field(default_factory=lambda: count(100_001))

    def next_id(self, kind: str) -> str:
        """A new ID; `kind` is the letter that it begins with."""
        return f"{kind}{next(self._numbers):010}"

    def next_ts(self) -> str:
        """The time of a message, which is its name in a channel."""
        return f"{int(time.time())}.{next(self._numbers):06}"

    def channel(self, name: str, *, private: bool = False, member: bool = True) -> Json:
        """A channel."""
        made: Json = {"id": self.next_id("G" if private else "C"), "name": name, "is_channel": not private}
        made |= {"is_im": False, "is_private": private, "is_archived": False, "is_member": member}
        self.channels[made["id"]] = made
        return made

    def direct(self, somebody: str) -> Json:
        """The chat of the bot with somebody."""
        for known in self.channels.values():
            if known.get("user") == somebody:
                return known
        made: Json = {"id": self.next_id("D"), "is_im": True, "user": somebody, "is_archived": False}
        self.channels[made["id"]] = made | {"is_member": True}
        return self.channels[made["id"]]

    def message(self, channel: Json, sender: Json, text: str, **more: object) -> Json:
        """A new message in a channel."""
        made: Json = {
            "type": "message",
            "user": sender["id"],
            "text": text,
            "ts": self.next_ts(),
            "team": TEAM,
        }
        if sender["id"] == BOT:
            made |= {"bot_id": BOT_ID, "app_id": APP}
        made |= {key: value for key, value in more.items() if value is not None}
        self.messages[channel["id"], made["ts"]] = made
        return made

    def thread(self, channel: str, ts: str) -> list[Json]:
        """A message and its answers."""
        found = [one for (where, _), one in self.messages.items() if where == channel]
        return [one for one in found if ts in (one["ts"], one.get("thread_ts"))]

    def file(self, name: str, size: int, owner: str) -> Json:
        """A file that is to come."""
        number = self.next_id("F")
        where = f"{self.url}/files/{number}"
        made: Json = {
            "id": number,
            "name": name,
            "title": name,
            "size": size,
            "user": owner,
            "mode": "hosted",
        }
        made |= {"url_private": f"{where}/{name}", "url_private_download": f"{where}/download/{name}"}
        self.files[number] = made
        return made

    def fill(self, number: str, upload: Upload) -> Json:
        """What is in a file."""
        self.contents[number] = upload
        self.files[number] |= {"mimetype": upload.kind, "filetype": upload.name.rpartition(".")[2]}
        return self.files[number]
