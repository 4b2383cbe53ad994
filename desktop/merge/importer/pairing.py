"""Who was paired with nanobot's channels (`pairing.json`, since 0.3): {"approved": {channel: [sender]},
"pending": {code: ...}}.

Whoever is let in may have this agent work, so each sender waits for a yes, and then stands where channels
look: in the list `allowFrom` of the channel. Codes are valid for ten minutes; none is taken.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from desktop.config import document
from desktop.config.loosening import Loose
from desktop.errors import ConfigError
from desktop.merge.importer.places import Source, wrong
from desktop.merge.items import Item, Step, step
from desktop.merge.settings import there
from desktop.text import _, mark

FILE = "pairing.json"
_CHANNEL = re.compile(r"[a-z][a-z0-9_-]{0,40}", re.IGNORECASE)
_LONGEST_SENDER = 200
_MOST = 1_000
_SAYS = mark("This sender may talk to the agent over {channel}.")


def steps(source: Source, own: Path) -> list[Step]:
    """What becomes of each sender. `own`: this program's settings. Blocks."""
    try:
        data = source.read(source.data / FILE)
        found = json.loads(data) if data is not None and data.strip() else {}
    except OSError as error:
        return [step(Item("pairing", FILE, "left", wrong(error)))]
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, Mapping):
        return [step(Item("pairing", FILE, "left", _("It is not a JSON object.")))]
    here = _settings(own)
    steps_ = [_step(channel, sender, here) for channel, sender in _approved(found.get("approved"))]
    left = max(0, len(steps_) - _MOST)
    if left:
        why = _("Too many senders to import; pair them again.")
        steps_[_MOST:] = [step(Item("pairing", FILE, "left", why, left))]
    if pending := found.get("pending"):
        n = len(pending) if isinstance(pending, Mapping | list) else 0
        why = _("Unanswered pairing codes are not imported: they are valid only for minutes.")
        steps_.append(step(Item("pairing", _("Pairing codes"), "left", why, n)))
    return steps_


def _approved(found: Any) -> Iterator[tuple[str, str]]:
    """Each channel with each of its senders, once."""
    pairs: dict[tuple[str, str], None] = {}
    for channel, senders in found.items() if isinstance(found, Mapping) else ():
        for sender in senders if isinstance(senders, list | Mapping) else ():
            if isinstance(sender, str | int) and not isinstance(sender, bool):
                pairs[str(channel), str(sender).strip()] = None
    yield from pairs


def _step(channel: str, sender: str, here: Mapping[str, Any]) -> Step:
    name = f"{channel} {sender}"[: 2 * _LONGEST_SENDER]
    if sender == "*":
        return step(Item("pairing", name, "left", _("That would allow everyone.")))
    usable = _CHANNEL.fullmatch(channel) and 0 < len(sender) <= _LONGEST_SENDER and sender.isprintable()
    if not usable:
        return step(Item("pairing", name, "left", _("It is not a sender’s name.")))
    keys = ("channels", channel, "allowFrom")
    known = there(here, keys)
    if isinstance(known, list) and ({sender, "*"} & set(map(str, known))):
        return step(Item("pairing", name, "same"))
    loose = Loose("item", name, keys, sender, _(_SAYS).format(channel=channel))
    return Step((Item("pairing", name, "waits", loose.says),), _nothing, lambda: [loose])


async def _nothing() -> None:
    """There is nothing to put in place before the yes."""


def _settings(own: Path) -> Mapping[str, Any]:
    try:
        return document.parse(own.read_bytes(), own.name) if own.exists() else {}
    except (OSError, ConfigError):
        return {}
