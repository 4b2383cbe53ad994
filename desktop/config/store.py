"""The settings file: read whatever state it is in, changed all at once or not at all.

What a person or another program wrote there and this program does not know is kept, with its names
as they are. A key found in plain text is left alone, reported, hidden in the log and never used.
"""

import asyncio
import copy
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from desktop import logs
from desktop.config import document, environment
from desktop.config.base import normal
from desktop.config.given import Given
from desktop.config.migrations import is_autonomous, migrate
from desktop.config.refusals import refusals
from desktop.config.schema import Config, Place, drop, place_of, provider_name, put
from desktop.errors import ConfigError, explain
from desktop.tasks import in_thread
from desktop.text import _

_log = logging.getLogger(__name__)
_SECRET_ENDINGS = ("key", "token", "secret", "password")


class ConfigStore:
    """One config.json and what the environment says on top of it."""

    def __init__(self, path: Path, environ: Mapping[str, str]) -> None:
        self.path = path
        self.config = Config()
        self.problems: list[ConfigError] = []
        """What is wrong with the file or the environment; the program runs all the same."""
        self.keys: dict[str, str] = {}
        """Provider keys for this run, from systemd or the environment. Never written anywhere."""
        self.plaintext_keys: tuple[str, ...] = ()
        """Providers whose key stands in the file in plain text."""
        self.damaged = False
        """Whether the file itself cannot be used as it is; what is used then is the last good settings."""
        self._environ = environ
        self._lock = asyncio.Lock()

    @property
    def backup(self) -> Path:
        """The last good settings, without any key."""
        return self.path.with_name(self.path.name + ".bak")

    @property
    def keyed(self) -> frozenset[str]:
        """Names of the providers whose key is in the keychain or was given for this run."""
        stored = (name for name, entry in self.config.providers.items() if entry.key_stored)
        return frozenset(stored) | frozenset(self.keys)

    @property
    def fixed(self) -> dict[str, str]:
        """Settings that the environment fixes, by normal() of their dotted name: the variables."""
        return {normal(o.place.name): o.variable for o in environment.overrides(self._environ)}

    async def refresh(self) -> Config:
        """Read the settings again: another program may have changed the file. Never raises."""
        async with self._lock:
            return await in_thread(self.load)

    def load(self) -> Config:
        """Read the settings (blocking). Never raises: what cannot be used is in `problems`."""
        self.problems = []
        stored, good = self._read()
        self.damaged = not good
        self._take(stored, good)
        if good and stored:
            self._back_up(stored)
        return self.config

    async def update(self, changes: Mapping[str, Any]) -> Config:
        """Change settings by dotted names, all or none: {"agents.defaults.model": "x"}.

        None removes a value, or a whole provider. Raises ConfigError naming the field, StorageError.
        """
        async with self._lock:
            try:
                await in_thread(self._update, changes)
            except OSError as error:
                raise explain(error) from error
        return self.config

    async def take_over(self, values: Mapping[tuple[str, ...], Any]) -> Config:
        """Put in values of another program's settings by their places, known here or not, all or none.
        Raises ConfigError naming the field, StorageError."""
        async with self._lock:
            try:
                await in_thread(self._update, {}, values)
            except OSError as error:
                raise explain(error) from error
        return self.config

    async def mend(self) -> str:
        """Put the last good settings in the place of a file that cannot be used; the name under which that
        is kept, empty where nothing was wrong. Raises StorageError."""
        async with self._lock:
            try:
                return await in_thread(self._mend)
            except OSError as error:
                raise explain(error) from error

    async def scrub_key(self, name: str) -> None:
        """Remove a provider's plain-text key from the file and its copies. Raises StorageError."""
        async with self._lock:
            try:
                await in_thread(self._scrub, provider_name(name))
            except OSError as error:
                raise explain(error) from error

    def _read(self) -> tuple[dict[str, Any], bool]:
        """The document to use, and whether it is the file's own and without fault."""
        twice: list[ConfigError] = []
        try:
            stored = document.parse(self.path.read_bytes(), self.path.name, twice)
        except FileNotFoundError:
            return {}, True
        except OSError as error:
            self.problems.append(ConfigError(explain(error).text, explain(error).remedy))
        except ConfigError as error:
            self.problems.append(error)
        else:
            faults = _faults(self._prepared(stored))
            if not faults:
                self.problems.extend(twice)
                return stored, not twice
            self.problems.extend(_named(self.path.name, field, why) for field, why in faults)
            return self._last_good() or _without(stored, faults), False
        return self._last_good() or {}, False

    def _last_good(self) -> dict[str, Any] | None:
        try:
            stored = document.parse(self.backup.read_bytes(), self.backup.name)
        except (OSError, ConfigError):
            return None
        return None if _faults(self._prepared(stored)) else stored

    def _prepared(
        self, stored: Mapping[str, Any], problems: list[ConfigError] | None = None
    ) -> dict[str, Any]:
        """What the document means: no keys, today's names, references replaced."""
        bare = _without_keys(migrate(stored))
        found: list[ConfigError] = [] if problems is None else problems
        resolved: dict[str, Any] = document.resolve(bare, self._environ, "", found)
        return resolved

    def _take(self, stored: Mapping[str, Any], good: bool) -> None:
        """Make a document the settings in use."""
        _mask_secrets(stored)
        if is_autonomous(stored):
            self.problems.append(never_autonomous())
        self.plaintext_keys, self.keys = self._found_keys(stored)
        effective = self._prepared(stored, self.problems)
        config = Config.model_validate(effective)
        for override in environment.overrides(self._environ):
            changed = copy.deepcopy(effective)
            put(changed, override.place, override.value)
            if faults := _faults(changed):
                self.problems.append(_named(override.variable, *faults[0]))
                continue
            effective, config = changed, Config.model_validate(changed)
            _mask_secrets({override.place.keys[-1]: override.value})
        self.config = config

    def _found_keys(self, stored: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, str]]:
        """Providers with a plain-text key, and the keys that are given for this run."""
        plain: list[str] = []
        keys: dict[str, str] = {}
        for name, key in _key_entries(stored):
            if not document.is_reference(key):
                plain.append(provider_name(name))
                continue
            where = f"providers.{name}.apiKey"
            value = document.resolve(key.strip(), self._environ, where, self.problems)
            if value:
                keys[provider_name(name)] = value
        keys.update(Given(self._environ).providers())
        for value in keys.values():
            logs.mask(value)
        return tuple(plain), keys

    def _update(
        self, changes: Mapping[str, Any], foreign: Mapping[tuple[str, ...], Any] | None = None
    ) -> None:
        problems, self.problems = self.problems, []
        try:
            stored, good = self._read()
            changed = copy.deepcopy(stored)
            for name, value in changes.items():
                good &= put(changed, _place(name), value)
            for keys, value in (foreign or {}).items():
                good &= put(changed, place_of(keys), value)
            if is_autonomous(changed) and not is_autonomous(stored):
                raise never_autonomous()
            if faults := _faults(self._prepared(changed)):
                raise _named(self.path.name, *faults[0], remedy=_("Nothing was changed."))
            self._replace(changed, good)
        except BaseException:
            self.problems = problems
            raise
        self.load()

    def _scrub(self, name: str) -> None:
        for path in (self.path, self.backup):
            try:
                stored = document.parse(path.read_bytes(), path.name)
            except FileNotFoundError:
                continue
            cleaned = copy.deepcopy(stored)
            for owner, _key in _key_entries(stored):
                if provider_name(owner) == name:
                    drop(cleaned, ("providers", owner, "apiKey"))
            if cleaned != stored:
                document.write(path, document.render(cleaned, path.read_text("utf-8", "replace")))
        for path in self.path.parent.glob(f"{self.path.name}.damaged-*"):
            document.blank_keys(path, {name, to_camel(name)})
        self.load()

    def _mend(self) -> str:
        stored, good = self._read()
        kept = "" if good else self._replace(stored, good)
        self.load()
        return kept

    def _replace(self, changed: Mapping[str, Any], good: bool) -> str:
        """Put settings in place; the name under which a damaged file is kept."""
        data = self.path.read_bytes() if self.path.exists() else b""
        kept = ""
        if not good and data:
            kept = document.keep(self.path, data).name
            _log.warning("the damaged settings were kept as %s", kept)
        document.write(self.path, document.render(changed, data.decode("utf-8", "replace")))
        return kept

    def _back_up(self, stored: Mapping[str, Any]) -> None:
        data = document.render(_without_keys(stored))
        try:
            if not self.backup.exists() or self.backup.read_bytes() != data:
                document.write(self.backup, data)
        except OSError as error:
            _log.info("no copy of the settings was made: %s", error)


def never_autonomous() -> ConfigError:
    """Why the settings cannot say it."""
    return ConfigError(
        _("The setting permissions.mode can’t be autonomous. The default is used instead."),
        _("Set it to ask or risky. You can turn on autonomous mode in a conversation for a while."),
    )


def _place(name: str) -> Place:
    place = place_of(name.split("."))
    if len(place.keys) == 3 and place.keys[0] == "providers" and normal(place.keys[2]) == "apikey":
        raise ConfigError(
            _("Keys are never stored in the settings."),
            _("Store it in the keychain: nanobot-desktop provider set {name}").format(name=place.keys[1]),
        )
    if not place.known:
        raise ConfigError(
            _("There is no setting named {name}.").format(name=name),
            _("Check the spelling; names look like agents.defaults.model."),
        )
    return place


def _faults(prepared: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each field that cannot be used, by its dotted name, with the reason."""
    try:
        Config.model_validate(prepared)
    except ValidationError as error:
        return refusals(error)
    return []


def _named(source: str, field: str, reason: str, remedy: str = "") -> ConfigError:
    return ConfigError(
        _("The setting {field} in {source} is not valid: {reason}.").format(
            field=field, source=source, reason=reason
        ),
        remedy or _("Correct it. Until then, the last valid settings are used."),
    )


def _without(stored: Mapping[str, Any], faults: list[tuple[str, str]]) -> dict[str, Any]:
    """The document without the fields that cannot be used, so that the others still count."""
    rest = copy.deepcopy(dict(stored))
    for field, _reason in faults:
        drop(rest, field.split("."))
    return {} if _faults(_without_keys(migrate(rest))) else rest


def _key_entries(stored: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Providers that have a key in the document, with that key."""
    found = []
    for name, settings in _providers(stored).items():
        for field, value in settings.items() if isinstance(settings, Mapping) else ():
            if normal(field) == "apikey" and isinstance(value, str) and value.strip():
                found.append((name, value))
    return found


def _providers(stored: Mapping[str, Any]) -> Mapping[str, Any]:
    section = next((value for key, value in stored.items() if normal(key) == "providers"), None)
    return section if isinstance(section, Mapping) else {}


def _without_keys(stored: Mapping[str, Any]) -> dict[str, Any]:
    """The document without providers' keys, which are no settings."""
    bare = dict(stored)
    for section, value in stored.items():
        if normal(section) == "providers" and isinstance(value, Mapping):
            bare[section] = {
                name: {k: v for k, v in settings.items() if normal(k) != "apikey"}
                if isinstance(settings, Mapping)
                else settings
                for name, settings in value.items()
            }
    return bare


def _mask_secrets(stored: Mapping[str, Any]) -> None:
    """Hide in the log whatever stands under a name that sounds secret."""
    for key, value in document.texts(stored):
        name = normal(key)
        if name.endswith(_SECRET_ENDINGS) and not document.is_reference(value):
            logs.mask(value)
