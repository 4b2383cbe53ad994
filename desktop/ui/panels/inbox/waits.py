"""What waits for a yes, in the words of the card that sets it."""

from collections.abc import Mapping
from typing import Any

from pydantic.alias_generators import to_snake

from desktop.config.describe import Setting, setting
from desktop.text import _
from desktop.ui.sidebar.channels import title


def setting_of(loose: Mapping[str, Any]) -> tuple[str, str]:
    """The chat app of a setting that waits, and what its card calls the setting; both may be empty."""
    found = _setting(loose)
    return (title(to_snake(str(loose["keys"][1]))), _(found.title)) if found else ("", "")


def said_of(body: Mapping[str, Any]) -> str:
    """What a notice says: a sentence, and the value in the next line."""
    text, loose = str(body.get("text") or ""), body.get("loose") or {}
    found = _setting(loose)
    choice = found.choices.get(str(loose.get("value")), "") if found else ""
    return f"{text.partition('\n')[0]}\n{_(choice)}" if choice else text


def _setting(loose: Mapping[str, Any]) -> Setting | None:
    keys = [to_snake(str(key)) for key in loose.get("keys") or ()]
    if loose.get("kind") not in ("setting", "item") or keys[:1] != ["channels"] or len(keys) < 3:
        return None
    try:
        return setting(".".join(keys))
    except (KeyError, AssertionError):
        return None  # of another version
