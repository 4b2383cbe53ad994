"""Settings from the environment: NANOBOT_A__B__C for a value. Secrets are told from them in given.py.

They hold while the program runs and are never written to the file.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from desktop.config.base import normal
from desktop.config.given import is_secret
from desktop.config.schema import Config, Place, place_of

_PREFIX = "NANOBOT_"
_OURS = "NANOBOT_DESKTOP_"


@dataclass(frozen=True, slots=True)
class Override:
    """One variable that stands for a setting."""

    variable: str
    place: Place
    value: Any


def overrides(environ: Mapping[str, str]) -> list[Override]:
    """All settings that the environment fixes, sorted by name; secrets are not among them."""
    found = []
    for variable in sorted(environ):
        parts = _parts(variable)
        if parts and not is_secret(variable):
            place = place_of(parts)
            found.append(Override(variable, place, _value(environ[variable], place)))
    return found


def _parts(variable: str) -> list[str]:
    name = variable.upper()
    if not name.startswith(_PREFIX) or name.startswith(_OURS):
        return []
    parts = [part.lower() for part in name.removeprefix(_PREFIX).split("__")]
    if not all(parts):
        return []
    sections = {normal(field) for field in Config.model_fields}
    return parts if len(parts) > 1 or normal(parts[0]) in sections else []


def _value(text: str, place: Place) -> Any:
    """The value a variable means: text stays text, all else is JSON where it can be."""
    if place.is_text:
        return None if place.optional and not text else text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
