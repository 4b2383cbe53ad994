"""Small questions about settings as they stand in a file, in either style of names."""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from desktop.config import document
from desktop.config.base import Section, normal
from desktop.config.providers import ProviderSettings
from desktop.config.schema import Config, provider_name

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


def meant(config: Config, keys: Sequence[str]) -> Any:
    """The value that settings have at a place; the usual one for a provider that is not set up."""
    here: Any = config
    for key in keys:
        if isinstance(here, Section):
            name = next(n for n in type(here).model_fields if normal(n) == normal(key))
            here = getattr(here, name)
        elif here is config.providers:
            here = here.get(provider_name(key)) or ProviderSettings()
        else:
            here = here.get(key)
    return here


def nested(keys: Sequence[str], value: Any) -> dict[str, Any]:
    """A document with this value alone."""
    for key in reversed(keys):
        value = {key: value}
    return dict(value)


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


def reason(error: ValidationError) -> str:
    """Why a value cannot be used, in pydantic's words and without the value."""
    return error.errors(include_input=False, include_url=False)[0]["msg"].rstrip(".")
