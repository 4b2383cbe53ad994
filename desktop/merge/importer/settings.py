"""What becomes of each old setting: taken where it means something here and the person has not chosen
otherwise, kept as it is where it means nothing, never written over what the person set.

Values that hold a key go another way (secrets.py); a value that refers to a variable of the environment is
taken while that variable is set.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from desktop.config import document
from desktop.config.base import Section, normal
from desktop.config.loosening import Loose, nested, unusable, value_at
from desktop.config.loosening import part as parted
from desktop.config.mcp import McpServer
from desktop.config.migrations import migrate
from desktop.config.providers import ProviderSettings
from desktop.config.schema import Config, place_of, provider_name
from desktop.config.tools import KEYED, WebSearch, search_entry
from desktop.errors import ConfigError
from desktop.merge.importer.inert import without_unfit
from desktop.merge.importer.places import LONGEST_FILE, wrong
from desktop.merge.importer.secrets import Keys, Secret, given, is_secret
from desktop.merge.importer.servers import server_of
from desktop.merge.items import WRITING, Item, Step, step
from desktop.merge.settings import (
    is_reference,
    part,
    resolved,
    there,
    told,
    unset,
    value_of,
)
from desktop.text import _, mark

_CHOICE = ("agents.defaults.model", "agents.defaults.provider")
"""Belong together: one person's model is of no use to another one's provider."""
_PRESET = ("model", "provider", "maxTokens", "contextWindowTokens", "temperature")
_MOVED: dict[Keys, Keys] = {
    ("agents", "defaults", "maxtoolresultchars"): ("tools", "maxToolResultChars"),
    ("agents", "defaults", "sessionttlminutes"): ("agents", "defaults", "idleCompactAfterMinutes"),
}
"""What is at another place here; old ones in the form of normal()."""
_NO_BRIDGE = mark("It needs no bridge here. Link WhatsApp again under Settings › Channels.")
_LINKED: dict[Keys, str] = {
    ("channels", "whatsapp", "bridgeurl"): _NO_BRIDGE,
    ("channels", "whatsapp", "bridgetoken"): _NO_BRIDGE,
    ("channels", "whatsapp", "databasepath"): mark(
        "The sign-in stays with nanobot: two programs can’t share one. Link WhatsApp again under "
        "Settings › Channels."
    ),
}
"""What meant something to nanobot's way to WhatsApp alone."""


@dataclass(slots=True)
class Found:
    """What the old settings come to."""

    items: list[Item] = field(default_factory=list)
    values: dict[Keys, Any] = field(default_factory=dict)
    """What is to be written, by the place in config.json."""
    secrets: list[Secret] = field(default_factory=list)
    """Those that are to be stored, each with an item of the kind `key`."""
    known: list[Secret] = field(default_factory=list)
    """Those for which there is a key here already."""
    bound: list[tuple[Keys, Any, tuple[Secret, ...]]] = field(default_factory=list)
    """Values that may be written once their secrets are stored: MCP servers."""
    loose: list[Loose] = field(default_factory=list)
    """What waits for the person."""


def read(path: Path, own: Path) -> Found | Step:
    """Go over the old settings at `path`, beside this program's at `own`; a step that says what is wrong
    where one of the two cannot be read. Blocks."""
    try:
        if path.stat().st_size > LONGEST_FILE:
            raise ConfigError(_("{file} is too large to be a settings file.").format(file=path.name))
        old = document.parse(path.read_bytes(), path.name)
    except OSError as error:
        return step(Item("setting", path.name, "left", wrong(error)))
    except ConfigError as error:
        return step(Item("setting", path.name, "left", error.text))
    try:
        here = document.parse(own.read_bytes(), own.name) if own.exists() else {}
        config = Config.model_validate(resolved(migrate(here)))
    except OSError as error:
        return step(Item("setting", path.name, "failed", wrong(error)))
    except ConfigError as error:
        return step(Item("setting", path.name, "failed", str(error)))
    except ValidationError:
        why = _("One of this program’s settings is not valid. Correct it first.")
        return step(Item("setting", path.name, "failed", why))
    walk = _Walk(here, config)
    walk.section(Config, migrate(walk.with_preset(old)), (), ())
    walk.choice()
    return _parted(walk.found, old, config)


def _parted(found: Found, old: Mapping[str, Any], config: Config) -> Found:
    """What loosens is not written: it waits, and its item says so."""
    came = parted(found.values, config)
    names = {".".join(place_of(keys).keys): ".".join(keys) for keys in found.values}
    off = {names.get(name, name) for name in (*(loose.name for loose in came.loose), *dict(came.left))}
    found.items = [
        item
        for item in found.items
        if item.kind != "setting" or item.action not in WRITING or item.name not in off
    ]
    found.items += told(came, old)
    found.values, found.loose = came.safe, came.loose
    for at, (keys, value, bound) in enumerate(found.bound):
        server = parted({keys: value}, config)
        found.bound[at] = (keys, server.safe.get(keys, value), bound)
        found.loose += server.loose
    return found


class _Walk:
    """One pass over the old settings."""

    def __init__(self, here: Mapping[str, Any], config: Config) -> None:
        self._here, self._config = here, config
        self._usual = Config()
        self._chosen = dict.fromkeys(_CHOICE, "")
        self._preset, self._of_preset = "", frozenset[str]()
        self._engine = "brave"
        self.found = Found()

    def with_preset(self, old: dict[str, Any]) -> dict[str, Any]:
        """The settings with the values of the preset that is in use: it counts before the defaults."""
        agents = part(old, "agents")
        defaults = part(agents, "defaults")
        name = value_of(defaults, "modelPreset")
        preset = part(part(old, "modelPresets"), name) if isinstance(name, str) and name else {}
        values = {key: value_of(preset, key) for key in _PRESET}
        values = {key: value for key, value in values.items() if value is not None}
        if not values:
            return old
        self._preset, self._of_preset = str(name), frozenset(values)
        merged = {key: value for key, value in defaults.items() if to_camel(key) not in values} | values
        rest = {key: value for key, value in old.items() if normal(key) != "agents"}
        others = {key: value for key, value in agents.items() if normal(key) != "defaults"}
        return {"agents": {**others, "defaults": merged}, **rest}

    def section(self, kind: type[Section], old: Mapping[str, Any], keys: Keys, raw: Keys) -> None:
        """One level. `keys`: its place here, `raw`: as it is written in the old file."""
        if kind is WebSearch:
            self._engine = value_of(old, "provider") or self._engine
        for key, value in old.items():
            name = next((n for n in kind.model_fields if normal(n) == normal(str(key))), None)
            if name is None:
                self._unknown((*keys, str(key)), (*raw, str(key)), value)
                continue
            place, at, of = (*keys, to_camel(name)), (*raw, str(key)), kind.model_fields[name].annotation
            if isinstance(of, type) and issubclass(of, Section):
                if isinstance(value, Mapping):
                    self.section(of, value, place, at)
            elif get_origin(of) is dict and isinstance(value, Mapping) and get_args(of)[1] is McpServer:
                for server, settings in value.items():
                    self._server(str(server), settings, (*at, str(server)))
            elif get_origin(of) is dict and isinstance(value, Mapping) and keys == ():
                for provider, settings in value.items():
                    if isinstance(settings, Mapping):
                        self._provider(str(provider), settings, (*at, str(provider)))
            else:
                self._leaf(place, value)

    def choice(self) -> None:
        """Model and provider, once both are known: both or none."""
        ours = [value_at(self._config, tuple(name.split("."))) for name in _CHOICE]
        usual = [value_at(self._usual, tuple(name.split("."))) for name in _CHOICE]
        for name, value, mine in zip(_CHOICE, self._chosen.values(), ours, strict=True):
            if not value:
                continue
            if value == mine:
                self.found.items.append(Item("setting", name, "same"))
            elif ours != usual:
                self._left(name, _mine())
            else:
                self._take(tuple(name.split(".")), value)

    # ---- one value

    def _leaf(self, keys: Keys, value: Any) -> None:
        name = ".".join(keys)
        if keys[0] == "channels" and is_secret(keys[-1], value):
            self._unknown(keys, keys, value)
            return
        if value in (None, "", [], {}):
            if keys[0] == "channels" and keys[-1] == "allowFrom" and value == []:
                why = _("Its list of allowed senders is empty, so nobody is allowed.")
                self.found.items.append(Item("setting", name, "same", why))
            return
        if name == "agents.defaults.workspace":
            self._left(name, _("The files go into this program’s own workspace."))
            return
        if missing := unset(value):
            self._left(name, _refers().format(name=missing))
            return
        try:
            usable = value_at(Config.model_validate(resolved(nested(keys, value))), keys)
        except ValidationError as error:
            self._left(name, unusable(error))
            return
        if (
            name == "tools.restrictToWorkspace"
            and usable is False
            and self._config.tools.restrict_to_workspace
        ):
            why = _("It was nanobot’s default. Here the agent asks before it leaves its workspace.")
            self._left(name, why)
            return
        if name in self._chosen:
            self._chosen[name] = str(usable)
            return
        self._decide(keys, value, usable)

    def _decide(self, keys: Keys, value: Any, usable: Any) -> None:
        name = ".".join(keys)
        mine = value_at(self._config, keys)
        if usable == mine:
            self.found.items.append(Item("setting", name, "same"))
        elif mine != value_at(self._usual, keys) or is_reference(self._here, keys):
            self._left(name, _mine())
        else:
            self._take(keys, value)

    def _take(self, keys: Keys, value: Any) -> None:
        from_preset = keys[:2] == ("agents", "defaults") and keys[2] in self._of_preset
        note = _("From the preset {name}.").format(name=self._preset) if from_preset else ""
        action = "change" if from_preset else "take"
        self.found.items.append(Item("setting", ".".join(keys), action, note))  # type: ignore[arg-type]
        self.found.values[keys] = value

    def _left(self, name: str, why: str) -> None:
        self.found.items.append(Item("setting", name, "left", why))

    # ---- those that have keys

    def _provider(self, written: str, old: Mapping[str, Any], raw: Keys) -> None:
        name = provider_name(written)
        place = ("providers", to_camel(name))
        for key, value in old.items():
            field_ = next((n for n in ProviderSettings.model_fields if normal(n) == normal(str(key))), None)
            at = (*raw, str(key))
            if normal(str(key)) == "apikey":
                self._provider_key(name, value, at)
            elif field_ == "key_stored":
                continue
            elif field_ == "extra_headers" and isinstance(value, Mapping):
                self._headers((*place, "extraHeaders"), value)
            elif field_ is not None:
                self._leaf((*place, to_camel(field_)), value)
            elif normal(str(key)) == "displayname" and value and not there(self._here, (*place, str(key))):
                self._take((*place, "displayName"), value)
            else:
                self._unknown((*place, str(key)), at, value)

    def _headers(self, keys: Keys, old: Mapping[str, Any]) -> None:
        plain = {str(k): v for k, v in old.items() if not is_secret(str(k), v)}
        for name in old.keys() - plain.keys():
            self._left(
                f"{'.'.join(keys)}.{name}", _("It contains a key, and headers are stored in plain text.")
            )
        self._leaf(keys, plain)

    def _provider_key(self, name: str, value: Any, raw: Keys) -> None:
        keys = ("providers", to_camel(name), "apiKey")
        if isinstance(value, str) and document.is_reference(value):
            if missing := unset(value):
                self._left(".".join(keys), _refers().format(name=missing))
            elif there(self._here, keys):
                self.found.items.append(Item("setting", ".".join(keys), "same"))
            else:
                self._take(keys, value)
        elif key := given(value):
            after: dict[Keys, Any] = {(*keys[:2], "keyStored"): True}
            self._secret(Secret(name, raw, key, after), self._config.provider(name).key_stored)

    def _secret(self, secret: Secret, have: bool) -> None:
        name = ".".join(secret.keys)
        if have:
            note = _("A key is already stored here.")
            self.found.items.append(Item("key", name, "same", note))
            self.found.known.append(secret)
        else:
            self.found.items.append(Item("key", name, "change", _("It will be stored in the keychain.")))
            self.found.secrets.append(secret)

    def _server(self, name: str, old: Any, raw: Keys) -> None:
        keys, shown = ("tools", "mcpServers", name), f"tools.mcpServers.{name}"
        server = server_of(name, old, raw)
        if isinstance(server, str):
            self._left(shown, server)
            return
        mine = self._config.tools.mcp_servers.get(name)
        if mine is not None:
            same = mine == McpServer.model_validate(server.settings)
            self.found.items.append(
                Item("setting", shown, "same" if same else "left", "" if same else _mine())
            )
            self.found.known += server.secrets
            return
        if server.secrets:
            self.found.bound.append((keys, server.settings, server.secrets))
        else:
            self._take(keys, server.settings)

    # ---- those without a meaning

    def _unknown(self, keys: Keys, raw: Keys, value: Any) -> None:
        if value in (None, "", [], {}):
            return
        if len(keys) == 1 and isinstance(value, Mapping):
            for key, inner in value.items():
                self._unknown((*keys, str(key)), (*raw, str(key)), inner)
            return
        if why := _LINKED.get(tuple(map(normal, keys))):
            self._left(".".join(raw), _(why))
            return
        if moved := _MOVED.get(tuple(map(normal, keys))):
            self._leaf(moved, value)
            return
        if keys[:3] == ("tools", "web", "search") and normal(keys[-1]) == "apikey":
            self._search_key(keys, raw, value)
            return
        kept = without_unfit(keys, raw, value)
        for secret in kept.secrets:
            self._secret(secret, have=False)
        self.found.items += kept.left
        if kept.value in (None, "", [], {}):
            return
        name, mine = ".".join(keys), there(self._here, keys)
        if mine is None:
            self.found.items.append(Item("setting", name, "inert", kept.note))
            self.found.values[keys] = kept.value
        else:
            same = mine == kept.value
            self.found.items.append(
                Item("setting", name, "same" if same else "left", "" if same else _mine())
            )

    def _search_key(self, keys: Keys, raw: Keys, value: Any) -> None:
        key = given(value)
        if key and self._engine in KEYED:
            self._secret(Secret(search_entry(self._engine), raw, key), have=False)
        elif key:
            self._left(".".join(keys), _("This program does not support this search engine."))


def _mine() -> str:
    return _("Your setting here stays.")


def _refers() -> str:
    return _("It refers to the environment variable {name}, which is not set.")
