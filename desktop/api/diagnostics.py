"""What somebody who helps needs to know of this program, in files that the person reads first: no secret,
and nothing that was said or written."""

import json
import os
import platform
import re
import sys
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop import __version__
from desktop.config import document
from desktop.config.workspace import workspace_of
from desktop.doctor import examine
from desktop.doctor.damage import Damages
from desktop.doctor.places import stored
from desktop.errors import ConfigError, UsageError, explain
from desktop.logs import masked
from desktop.merge.backup.form import without_secrets
from desktop.paths import Home
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.database.database import Database
    from desktop.services.status import Status

type Json = dict[str, Any]

_LOG_BYTES = 200_000
_LIBRARIES = ("pydantic", "openai", "litellm", "mcp", "httpx", "keyring", "PySide6-Essentials", "aiosqlite")
_TEXTS = re.compile(r"(prompt|message|text|title|content)", re.IGNORECASE)
"""Names of settings under which somebody's words stand."""


@dataclass(frozen=True, slots=True)
class File:
    """One file of the bundle."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Preview:
    """Every file of the bundle as it would be."""

    files: tuple[File, ...]


@dataclass(frozen=True, slots=True)
class Bundle:
    """One that was made, and the names of what is in it."""

    path: str
    names: tuple[str, ...]


class Diagnostics:
    """The bundle of a home."""

    def __init__(
        self,
        home: Home,
        workspace: Path,
        database: "Database",
        damages: Damages,
        services: "Callable[[], Sequence[Status]]",
    ) -> None:
        """`services`: the states of the parts that can be off."""
        self._home, self._workspace = home, workspace
        self._database, self._damages, self._services = database, damages, services

    async def look(self) -> Preview:
        """What would be in the bundle."""
        return Preview(tuple(File(name, text) for name, text in (await self._files()).items()))

    async def make(self, path: str, *, replace: bool = False) -> Bundle:
        """Put the bundle at this path, where nothing is yet unless `replace`. Raises UsageError,
        StorageError; then there is none."""
        target = await in_thread(new_file, path, replace, "nanobot-diagnostics.zip")
        files = await self._files()
        try:
            await in_thread(_write, target, files)
        except OSError as error:
            raise explain(error) from error
        return Bundle(str(target), tuple(files))

    async def _files(self) -> dict[str, str]:
        findings = await examine(self._home, workspace_of)
        damage, _sound = await self._damages.all(deep=False)
        places = await in_thread(stored, self._home, self._workspace)
        services = [
            {"name": s.name, "state": s.state.value, "detail": s.detail, "last_ok": s.last_ok}
            for s in self._services()
        ]
        tables = await self._tables()
        hurt = [{"part": one.part, "hurt": one.hurt, "whole": one.whole} for one in damage]
        sizes = {"places": [asdict(one) for one in places], "rows": tables}
        files = {
            "about.txt": about(),
            "doctor.json": _json([asdict(finding) for finding in findings]),
            "services.json": _json(services),
            "damage.json": _json(hurt),
            "sizes.json": _json(sizes),
            "settings.json": await in_thread(_settings, self._home.config),
            "log.txt": await in_thread(end_of_log, self._home.logs / "nanobot.log"),
            "crash.txt": await in_thread(end_of_log, self._home.logs / "crash.txt"),
        }
        return {name: clean(text) for name, text in files.items()}

    async def _tables(self) -> Json:
        rows: Json = {}
        for (name,) in await self._database.read("SELECT name FROM sqlite_schema WHERE type = 'table'"):
            if not str(name).startswith(("search_words", "sqlite_")):
                ((rows[name],),) = await self._database.read(f'SELECT count(*) FROM "{name}"')  # noqa: S608
        return rows


def new_file(given: str, replace: bool, name: str) -> Path:
    """Where a file of the person's choice goes, with this name where they chose a folder. Blocks. Raises
    UsageError."""
    path = Path(given).expanduser()
    if not path.is_absolute():
        raise UsageError(_("Enter the full path of a file."))
    if path.is_dir():
        path = path / name
    if path.exists() and not replace:
        raise UsageError(_("The file {path} already exists.").format(path=path), _("Choose another name."))
    return path


def about() -> str:
    """Versions, and what matters of the system."""
    lines = [
        f"Nanobot Desktop {__version__}",
        f"Python {platform.python_version()}, frozen: {hasattr(sys, '_MEIPASS')}",
        platform.platform(),
        f"Desktop: {os.environ.get('XDG_CURRENT_DESKTOP', '')} {os.environ.get('XDG_SESSION_TYPE', '')}",
        f"Language: {os.environ.get('LANG', '')}",
        f"Set in the environment: {', '.join(sorted(n for n in os.environ if n.startswith('NANOBOT_')))}",
    ]
    for name in _LIBRARIES:
        try:
            lines.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            lines.append(f"{name}: not here")
    return "\n".join(lines) + "\n"


def _settings(path: Path) -> str:
    try:
        stored = document.parse(path.read_bytes(), path.name)
    except FileNotFoundError:
        return "{}\n"
    except (OSError, ConfigError) as error:
        return f"{error}\n"
    return _json(_without_words(without_secrets(stored)))


def _without_words(value: Any) -> Any:
    """Settings without what somebody wrote: prompts, values of headers and environments, arguments."""
    if not isinstance(value, dict):
        return value
    kept: Json = {}
    for name, item in value.items():
        if name in ("env", "headers", "extraHeaders", "extra_headers", "args"):
            kept[name] = f"({len(item)})" if isinstance(item, dict | list) else "(…)"
        elif isinstance(item, str) and _TEXTS.search(name):
            kept[name] = "(…)" if item else ""
        else:
            kept[name] = _without_words(item)
    return kept


def end_of_log(path: Path, most: int = _LOG_BYTES) -> str:
    """The end of a log; "" where there is none. Blocks."""
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - most))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def clean(text: str) -> str:
    """Without any value that is known to be secret, and without the person's name in paths."""
    text = masked(text)
    home = str(Path.home())
    return text.replace(home, "~") if len(home) > 1 else text


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, default=str) + "\n"


def _write(path: Path, files: dict[str, str]) -> None:
    part = path.with_name(f".{path.name}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            part.chmod(0o600)
            for name, text in files.items():
                archive.writestr(name, text)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
