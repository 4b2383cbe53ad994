"""Settings without a meaning here are kept as they are, but for what a settings file must not hold: keys,
and references that would be complained of at each start.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic.alias_generators import to_camel

from desktop.config.base import normal
from desktop.merge.importer.secrets import Keys, Secret, given, is_secret
from desktop.merge.items import Item
from desktop.merge.settings import unset
from desktop.text import _

_GONE = object()
_CHANNEL_ENTRY = "channel:{place}"
"""The keychain's name of a channel's secret, as channel:slack:botToken, however the file writes it."""


@dataclass(slots=True)
class Kept:
    """A value that is kept, and what of it goes another way."""

    value: Any = None
    note: str = ""
    secrets: list[Secret] = field(default_factory=list)
    left: list[Item] = field(default_factory=list)


def without_unfit(keys: Keys, raw: Keys, value: Any) -> Kept:
    """What of a value is kept. `keys`: its place, `raw`: as it is written in the old file."""
    kept = Kept()
    found = _copied(kept, keys, raw, value)
    kept.value = None if found is _GONE else found
    if keys[0] == "channels" and _for_nobody(value):
        kept.note = _("Its list of allowed senders is empty, so nobody is allowed.")
    return kept


def _copied(kept: Kept, keys: Keys, raw: Keys, value: Any) -> Any:
    if isinstance(value, Mapping):
        pairs = ((str(k), _copied(kept, (*keys, str(k)), (*raw, str(k)), v)) for k, v in value.items())
        return {key: item for key, item in pairs if item is not _GONE}
    if isinstance(value, list):
        items = (_copied(kept, keys, (*raw, str(number)), item) for number, item in enumerate(value))
        return [item for item in items if item is not _GONE]
    name = ".".join(raw)
    if is_secret(keys[-1], value):
        if keys[0] == "channels" and len(keys) == len(raw):
            entry = _CHANNEL_ENTRY.format(place=":".join((*keys[1:-1], to_camel(keys[-1]))))
            kept.secrets.append(Secret(entry, raw, given(value)))
        else:
            why = _("It contains a key that has no use here; the key stays in the old file.")
            kept.left.append(Item("setting", name, "left", why))
        return _GONE
    if missing := unset(value):
        why = _("It refers to the environment variable {name}, which is not set.")
        kept.left.append(Item("setting", name, "left", why.format(name=missing)))
        return _GONE
    return value


def _for_nobody(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    return any(
        (normal(str(key)) == "allowfrom" and item == []) or _for_nobody(item) for key, item in value.items()
    )
