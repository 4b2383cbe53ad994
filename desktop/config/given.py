"""Secrets that are given for one run: as credentials of systemd, else as variables of the environment.

One rule names them all. A secret has a place: providers.openai.api_key, search.brave.api_key,
mcp.SERVER.header.NAME (or env, client), skill.NAME.VARIABLE, channel.NAME.FIELD. The credential is called
nanobot. and the place; the variable is NANOBOT_ and the place in capitals, with two underscores for each
dot. Whatever is neither a letter nor a digit in a name may be written as an underscore. None of them is
ever stored, and none is left in the environment, which children inherit.

Credentials: https://systemd.io/CREDENTIALS (a folder of files, named by $CREDENTIALS_DIRECTORY).
"""

import os
import re
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path

from desktop import logs

FOLDER = "CREDENTIALS_DIRECTORY"
"""The variable with which systemd names the folder."""
OLD = {
    "search:brave": "BRAVE_API_KEY",
    "search:tavily": "TAVILY_API_KEY",
    "search:jina": "JINA_API_KEY",
    "search:kagi": "KAGI_API_KEY",
    "search:exa": "EXA_API_KEY",
}
"""Names that other programs have for the same."""
_LARGEST = 1_000_000
_PARTS = {"providers": 3, "search": 3, "mcp": 4, "skill": 3, "channel": 3}
"""How many parts the place of a secret has, by its first."""
_KEY = "api_key"
_taken: dict[str, str] = {}
"""What tidy() took out of the environment of this process."""

type Name = tuple[str, ...]


def place(entry: str) -> Name:
    """Where a secret belongs, by the name of its entry in the keychain; empty for one that cannot be given:
    a sign-in, which is renewed and must be kept."""
    kind, *rest = entry.split(":") if ":" in entry else ("providers", entry)
    parts = (kind, *rest, _KEY) if kind in ("providers", "search") else (kind, *rest)
    return parts if _PARTS.get(kind) == len(parts) and all(_plain(parts)) else ()


def credential(entry: str) -> str:
    """The credential's name; empty for what cannot be given."""
    parts = [re.sub(r"[^A-Za-z0-9_-]", "_", part) for part in place(entry)]
    return ".".join(["nanobot", *parts]) if parts else ""


def variable(entry: str) -> str:
    """The variable's name; empty for what cannot be given."""
    parts = [re.sub(r"[^A-Za-z0-9]", "_", part).upper() for part in place(entry)]
    return f"NANOBOT_{'__'.join(parts)}" if parts else ""


def is_secret(variable_: str) -> bool:
    """Whether a variable is one of these, and no setting."""
    return bool(_of_variable(variable_))


def tidy(environ: MutableMapping[str, str] = os.environ) -> None:
    """Take what is given out of the environment of this process, before it has children."""
    for name in [name for name in environ if name == FOLDER or is_secret(name)]:
        _taken[name] = environ.pop(name)


def folder(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Where the credentials are; None where there are none."""
    named = _all(environ).get(FOLDER, "")
    return Path(named) if named else None


class Given:
    """What is given to this run. Files are read when they are asked for."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._environ = environ

    def get(self, entry: str) -> str | None:
        """The secret of an entry of the keychain; None where it is not given (blocking)."""
        wanted = _plain(place(entry))
        found = self._credentials().get(wanted) if wanted else None
        value = _read(found) if found else ""
        value = value or (self._variables().get(wanted, "") if wanted else "")
        value = value or _all(self._environ).get(OLD.get(entry, ""), "").strip()
        if value:
            logs.mask(value)
        return value or None

    def providers(self) -> dict[str, str]:
        """The keys of providers, by the providers' names in small letters (blocking)."""
        named = {parts[1] for parts in (*self._named(), *self._in_folder()) if parts[0] == "providers"}
        found = {name.lower(): self.get(name) for name in named}
        return {name: key for name, key in found.items() if key}

    def places(self) -> list[str]:
        """The places of all that is given, as they are written there (blocking)."""
        every = {_plain(parts): ".".join(parts) for parts in (*self._named(), *self._in_folder())}
        old = [credential(entry) for entry, name in OLD.items() if _all(self._environ).get(name)]
        return sorted({*every.values(), *(name.removeprefix("nanobot.") for name in old)})

    def _named(self) -> Iterator[Name]:
        for name, value in _all(self._environ).items():
            if value.strip() and (parts := _of_variable(name)):
                yield parts

    def _variables(self) -> dict[Name, str]:
        every = _all(self._environ).items()
        return {_plain(_of_variable(name)): value.strip() for name, value in every if is_secret(name)}

    def _in_folder(self) -> Iterator[Name]:
        for file in self._credentials().values():
            yield tuple(file.name.split(".")[1:])

    def _credentials(self) -> dict[Name, Path]:
        where = folder(self._environ)
        try:
            files = list(where.iterdir()) if where else []
        except OSError:
            return {}
        named = ((tuple(file.name.split(".")), file) for file in files)
        return {
            _plain(parts[1:]): file for parts, file in named if parts[0] == "nanobot" and _fits(parts[1:])
        }


def _all(environ: Mapping[str, str]) -> Mapping[str, str]:
    return {**_taken, **environ} if environ is os.environ else environ


def _of_variable(name: str) -> Name:
    """The place that a variable names; empty for others."""
    upper = name.upper()
    if not upper.startswith("NANOBOT_"):
        return ()
    parts = tuple(part.lower() for part in upper.removeprefix("NANOBOT_").split("__"))
    return parts if _fits(parts) else ()


def _fits(parts: Name) -> bool:
    if not parts or _PARTS.get(parts[0]) != len(parts) or not all(parts):
        return False
    return parts[0] not in ("providers", "search") or _plain(parts[-1:]) == ("apikey",)


def _plain(parts: Name) -> Name:
    """For comparing: letters and digits only, in small letters."""
    return tuple(re.sub(r"[^a-z0-9]", "", part.lower()) for part in parts)


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(_LARGEST).decode("utf-8", "replace").strip()
    except OSError:
        return ""
