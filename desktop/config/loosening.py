"""Settings that come from elsewhere, parted into what may count at once and what waits for the person.

A backup and another program's home are files that anybody may have made. What of them loosens or runs
something is not in force before the person has said yes to it, one by one (loosens.py says what that is).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args, get_origin

from pydantic import ValidationError

from desktop.config import document
from desktop.config.base import Section, normal
from desktop.config.loosens import KEEP, Loosens
from desktop.config.mcp import McpServer, sounds_secret
from desktop.config.providers import ProviderSettings
from desktop.config.refusals import refusals
from desktop.config.schema import Config, place_of, provider_name
from desktop.text import _, mark

type Keys = tuple[str, ...]

_SWITCHES = ("enabled", "trusted", "local")
"""Fields of a server from elsewhere that wait for a yes."""
_SECRET_IN_TEXT = re.compile(
    r"[\w-]*(?:key|token|secret|password|passwd)=(?!\$)\S+|\w+://[^/@\s]*:[^/@\s]+@", re.IGNORECASE
)
_SECRET_ENDINGS = ("key", "token", "secret", "password", "passwd", "authorization", "cookie")
_UNKNOWN = Loosens(mark("What this setting would allow is unknown."))


@dataclass(frozen=True, slots=True)
class Loose:
    """Something that waits for a yes."""

    kind: str
    """setting (its value is put in), item (it is added to a list), job, skill."""
    name: str
    """As a list shows it: a dotted name, the name of a job or of a skill."""
    keys: Keys
    """Where it is: a place of config.json, the id of a job, the folder of a skill."""
    value: Any
    """In JSON types, without any secret."""
    says: str
    """What a yes does: a sentence."""

    def as_json(self) -> dict[str, Any]:
        """In JSON types."""
        return {
            "kind": self.kind,
            "name": self.name,
            "keys": list(self.keys),
            "value": self.value,
            "says": self.says,
        }


@dataclass(slots=True)
class Parted:
    """What became of settings from elsewhere."""

    safe: dict[Keys, Any] = field(default_factory=dict)
    """To be written now."""
    loose: list[Loose] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)
    """Those that cannot be used, with the reason."""


def part(values: Mapping[Keys, Any], config: Config) -> Parted:
    """Part values by their places, in whatever style of names, beside the settings that are in use."""
    found = Parted()
    for keys, value in values.items():
        _part(place_of(keys).keys, value, config, found)
    return found


def loosens(keys: Keys) -> tuple[Loosens | None, int]:
    """What is declared of a place, and how many of its keys lead to the declaring field; None where it
    is harmless or means nothing."""
    kind: Any = Config
    for at, key in enumerate(keys):
        if isinstance(kind, type) and issubclass(kind, Section):
            name = next((n for n in kind.model_fields if normal(n) == normal(key)), None)
            if name is None:
                return None, at
            if name in kind.LOOSENS:
                return kind.LOOSENS[name], at + 1
            inner = kind.model_fields[name].annotation
            if not sections_in(inner) and name not in kind.HARMLESS:
                return _UNKNOWN, at + 1
            kind = inner
        elif get_origin(kind) is dict:
            kind = get_args(kind)[1]
        else:
            return None, at
    return None, len(keys)


def sections_in(annotation: Any) -> tuple[type[Section], ...]:
    """The sections that a field of this type holds, itself or by name."""
    inner = get_args(annotation)[1] if get_origin(annotation) is dict else annotation
    return (inner,) if isinstance(inner, type) and issubclass(inner, Section) else ()


def undeclared(kind: type[Section] = Config, above: str = "") -> list[str]:
    """Fields that are declared neither to loosen nor to be harmless: none, a test sees to it."""
    found: list[str] = []
    for name, info in kind.model_fields.items():
        if name in kind.LOOSENS or name in kind.HARMLESS:
            continue
        inner = sections_in(info.annotation)
        found += [] if inner else [f"{above}{name}"]
        for section in inner:
            found += undeclared(section, f"{above}{name}.")
    return found


def _part(keys: Keys, value: Any, config: Config, found: Parted) -> None:
    name = ".".join(keys)
    declared, at = loosens(keys)
    if declared is not None and declared.entries:
        if len(keys) == at and isinstance(value, Mapping):
            for key, inner in value.items():
                _entry((*keys, str(key)), inner, config, declared, found)
        elif len(keys) == at + 1:
            _entry(keys, value, config, declared, found)
        elif value not in (None, [], {}):
            found.left.append((name, _("It can’t be used here.")))
        return
    whole, value = (keys[:at], nested(keys[at:], value)) if declared else (keys, value)
    try:
        new = value_at(_config_of(whole, value), whole)
    except ValidationError as error:
        found.left.append((name, unusable(error)))
        return
    if declared is None:
        found.safe[keys] = value
        return
    mine = value_at(config, whole)
    if _refers(value):
        safe, waits = KEEP, [new]
    else:
        if len(keys) > at:  # one entry of several, beside those that are here
            new = {**mine, **new}
        safe, waits = declared.part(new, mine, value_at(Config(), whole))
    if safe is not KEEP:
        found.safe[whole] = _plain(safe)
    for one in waits:
        kind, held = ("item", _plain(one)) if declared.tight else ("setting", value)
        _wait(Loose(kind, ".".join(whole), whole, held, declared.says), found)


def _entry(keys: Keys, value: Any, config: Config, declared: Loosens, found: Parted) -> None:
    """An MCP server: it comes switched off, and does not take the place of one that is here."""
    name = ".".join(keys)
    if not isinstance(value, Mapping):
        found.left.append((name, _("It can’t be used here.")))
        return
    try:
        server = McpServer.model_validate(dict(value))
    except ValidationError as error:
        found.left.append((name, unusable(error)))
        return
    mine = config.tools.mcp_servers.get(keys[-1])
    if mine == server:
        return
    loose = Loose("setting", name, keys, dict(value), declared.says)
    if mine is None and not (server.enabled or server.trusted or server.local):
        found.safe[keys] = dict(value)
    elif _wait(loose, found) and mine is None:
        off = {key: one for key, one in value.items() if normal(str(key)) not in _SWITCHES}
        found.safe[keys] = {**off, "enabled": False}


def _wait(loose: Loose, found: Parted) -> bool:
    """Note that it waits; False where it has a secret, which is never kept for later."""
    if _secret(loose.value):
        found.left.append(
            (loose.name, _("It contains a key. Add it manually, with the key in the keychain."))
        )
        return False
    found.loose.append(loose)
    return True


def changes(loose: Loose, config: Config) -> dict[Keys, Any]:
    """What a yes writes into config.json."""
    mine = value_at(config, loose.keys)
    if loose.kind != "item":
        entries = isinstance(mine, dict) and isinstance(loose.value, dict)
        return {loose.keys: {**mine, **loose.value} if entries else loose.value}
    here = [_plain(one) for one in mine] if isinstance(mine, tuple | list) else []
    return {} if loose.value in here else {loose.keys: [*here, loose.value]}


def _config_of(keys: Keys, value: Any) -> Config:
    """Settings with this value alone. Raises ValidationError."""
    for key in reversed(keys):
        value = {key: value}
    return Config.model_validate(document.resolve(value, {}, "", []))


def value_at(config: Config, keys: Keys) -> Any:
    """The value that settings have at a place; the usual one for a provider that is not set up."""
    here: Any = config
    for at, key in enumerate(keys):
        if isinstance(here, Section):
            name = next((n for n in type(here).model_fields if normal(n) == normal(key)), None)
            if name is None:
                return _without_meaning(here.model_extra, keys[at:])
            here = getattr(here, name)
        elif here is config.providers:
            here = here.get(provider_name(key)) or ProviderSettings()
        elif isinstance(here, Mapping):
            here = here.get(key)
        else:
            return None
    return here


def _without_meaning(here: Any, keys: Keys) -> Any:
    """The value at a place that the settings know nothing of, whatever the style of its names."""
    for key in keys:
        inner = here.items() if isinstance(here, Mapping) else ()
        here = next((value for name, value in inner if normal(str(name)) == normal(key)), None)
    return here


def nested(keys: Iterable[str], value: Any) -> Any:
    """A document with this value alone."""
    for key in reversed(tuple(keys)):
        value = {key: value}
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, Section):
        return value.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value


def _refers(value: Any) -> bool:
    """Whether it means what a variable of the environment says: what that will be is not known."""
    return any("${" in text for _key, text in document.texts(value))


def _secret(value: Any) -> bool:
    for key, text in document.texts(value):
        if "${" in text or not text:
            continue
        if (
            sounds_secret(key, text)
            or normal(key).endswith(_SECRET_ENDINGS)
            or _SECRET_IN_TEXT.search(text)
        ):
            return True
    return False


def unusable(error: ValidationError) -> str:
    """Why a value cannot be used: a sentence, without the value."""
    return _("It can’t be used here: {reason}.").format(reason=refusals(error)[0][1])
