"""The whole of the settings, and how a name written in any style finds its place in it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from pydantic import Field, field_validator
from pydantic.alias_generators import to_camel

from desktop.config.agents import Agents
from desktop.config.appearance import Appearance
from desktop.config.base import Section, normal
from desktop.config.channels.section import Channels
from desktop.config.models import LocalModel, ModelHost
from desktop.config.permissions import Permissions
from desktop.config.presence import Gateway, Limits, Notifications, Presence
from desktop.config.providers import ProviderSettings
from desktop.config.tools import Tools
from desktop.config.transcription import Transcription
from desktop.config.updates import Updates


class Config(Section):
    """All settings. Sections of nanobot that have no page yet are kept as they are."""

    agents: Agents = Field(default_factory=Agents, title="Agent")
    providers: dict[str, ProviderSettings] = Field(default_factory=dict, title="Providers")
    channels: Channels = Field(default_factory=Channels, title="Channels")
    model_host: ModelHost = Field(default_factory=ModelHost, title="Model host")
    local: LocalModel = Field(default_factory=LocalModel, title="Built-in model")
    appearance: Appearance = Field(default_factory=Appearance, title="Appearance")
    permissions: Permissions = Field(default_factory=Permissions, title="Permissions")
    tools: Tools = Field(default_factory=Tools, title="Tools")
    transcription: Transcription = Field(default_factory=Transcription, title="Speech")
    gateway: Gateway = Field(default_factory=Gateway, title="Background")
    limits: Limits = Field(default_factory=Limits, title="Limits")
    notifications: Notifications = Field(default_factory=Notifications, title="Notifications")
    presence: Presence = Field(default_factory=Presence, title="Presence")
    updates: Updates = Field(default_factory=Updates, title="Updates")

    @field_validator("providers", mode="before")
    @classmethod
    def _one_style(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return {provider_name(name): item for name, item in value.items() if item is not None}

    def provider(self, name: str) -> ProviderSettings:
        """The settings of a provider; the defaults where the person set nothing."""
        return self.providers.get(provider_name(name)) or ProviderSettings()


def provider_name(name: str) -> str:
    """A provider's name in the style of the registry: openaiCodex -> openai_codex."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return spaced.replace("-", "_").lower()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a setting is: its name as shown, and whether its value is text."""

    keys: tuple[str, ...]
    """As written on disk where nothing is there yet."""
    exact: tuple[bool, ...]
    """Whether the key at each level is the person's own word, to be matched as it is."""
    is_text: bool = False
    optional: bool = False
    known: bool = True

    @property
    def name(self) -> str:
        return ".".join(self.keys)


def place_of(parts: Sequence[str]) -> Place:
    """The place that a dotted name or an environment variable means, in any style.

    `known` is False where the settings have no such field.
    """
    keys: list[str] = []
    exact: list[bool] = []
    kind: Any = Config
    for part in parts:
        if isinstance(kind, type) and issubclass(kind, Section):
            name = next((n for n in kind.model_fields if normal(n) == normal(part)), None)
            keys.append(to_camel(name or part))
            exact.append(False)
            kind = kind.model_fields[name].annotation if name else None
        elif get_origin(kind) is dict:
            kind = get_args(kind)[1]
            owns = kind is not ProviderSettings
            keys.append(part if owns else to_camel(provider_name(part)))
            exact.append(owns)
        else:
            keys.append(to_camel(part))
            exact.append(False)
            kind = None
    members = () if get_origin(kind) is dict else get_args(kind) or (kind,)
    return Place(
        tuple(keys),
        tuple(exact),
        is_text=str in members,
        optional=type(None) in members,
        known=kind is not None,
    )


def put(document: dict[str, Any], place: Place, value: Any) -> bool:
    """Set a value, under the keys that are there in whatever style; None removes an optional one. False
    where something that is no section, such as a reference, had to make room for one."""
    here, room = document, True
    for key, exact in zip(place.keys[:-1], place.exact[:-1], strict=True):
        present = _present(here, key, exact)
        if not isinstance(inner := here.get(present), dict):
            room = room and inner is None
            inner = here[present] = {}
        here = inner
    last = place.keys[-1]
    for key in [key for key in here if _same(key, last, place.exact[-1])] or [last]:
        if value is None and not place.optional:
            here.pop(key, None)
        else:
            here[key] = value
    return room


def drop(document: dict[str, Any], keys: Sequence[str]) -> None:
    """Remove a value if it is there."""
    here: Any = document
    for key in keys[:-1]:
        here = here.get(_present(here, key, exact=False)) if isinstance(here, dict) else None
    if isinstance(here, dict):
        here.pop(_present(here, keys[-1], exact=False), None)


def _present(here: Mapping[str, Any], key: str, exact: bool) -> str:
    return key if key in here else next((k for k in here if _same(k, key, exact)), key)


def _same(present: str, key: str, exact: bool) -> bool:
    return present == key or (not exact and normal(present) == normal(key))
