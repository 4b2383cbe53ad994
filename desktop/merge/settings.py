"""Settings that arrive: small questions about them as they stand in a file, in either style of names, and
what is said of those that are not written now."""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from desktop.config import document
from desktop.config.base import normal
from desktop.config.loosening import Parted
from desktop.config.migrations import is_autonomous
from desktop.merge.items import Item
from desktop.text import _

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def value_of(section: Any, name: str) -> Any:
    """What stands under a name in whatever style; None where nothing does."""
    if not isinstance(section, Mapping):
        return None
    return next((value for key, value in section.items() if normal(str(key)) == normal(name)), None)


def part(section: Any, name: str) -> dict[str, Any]:
    """The section under a name; an empty one where there is none."""
    found = value_of(section, name)
    return dict(found) if isinstance(found, Mapping) else {}


def there(section: Mapping[str, Any], keys: Sequence[str]) -> Any:
    """What stands at a place; None where nothing does."""
    here: Any = section
    for key in keys:
        here = here[key] if isinstance(here, Mapping) and key in here else value_of(here, key)
    return here


def is_reference(section: Mapping[str, Any], keys: Sequence[str]) -> bool:
    """Whether a variable of the environment is referred to at a place."""
    found = there(section, keys)
    return isinstance(found, str) and _REFERENCE.search(found) is not None


def unset(value: Any) -> str:
    """The first variable that a value refers to and that is not set; "" where there is none."""
    for _key, text in document.texts(value):
        for name in _REFERENCE.findall(text):
            if name not in os.environ:
                return str(name)
    return ""


def resolved(value: dict[str, Any]) -> dict[str, Any]:
    """The document with references replaced; those to variables that are not set become None."""
    found: dict[str, Any] = document.resolve(value, os.environ, "", [])
    return found


def told(came: Parted, stored: Mapping[str, Any]) -> list[Item]:
    """What is said of settings that are not written now: those that wait, and those that cannot be used.
    `stored`: as they came."""
    items = [Item("setting", loose.name, "waits", loose.says) for loose in came.loose]
    items += [Item("setting", name, "left", why) for name, why in came.left]
    if is_autonomous(stored):
        why = _("Autonomous can’t be a setting. You can turn it on for a conversation for a while.")
        items.append(Item("setting", "permissions.mode", "left", why))
    return items
