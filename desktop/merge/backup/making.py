"""Making a backup: every file as it is at that moment, the database by SQLite's own way, the settings
without what is secret. It appears under its name once it is whole."""

import hashlib
import json
import logging
import os
import sqlite3
import stat
import zipfile
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from desktop import __version__
from desktop.config import document
from desktop.errors import ConfigError
from desktop.merge.backup import form
from desktop.pace import Pace, gently
from desktop.paths import Home, sync
from desktop.session.pasted import MARK, mark_of

_log = logging.getLogger(__name__)
_KNOWN = ("sessions", "memory", "cron", "skills", "files", "prompts")
"""Of a workspace that lies elsewhere only these and its *.md: the rest is the person's own."""
_PASSING = (".part", ".new", ".lock", ".tmp", MARK)
_KEPT = 5


@dataclass(frozen=True, slots=True)
class Made:
    """A backup that was made: bytes, and files in it."""

    path: Path
    size: int
    files: int


@dataclass(frozen=True, slots=True)
class What:
    """What there is to back up. `light`: only what the program itself changes in a migration."""

    home: Home
    workspace: Path
    why: str = "hand"
    light: bool = False


def make(what: What, target: Path, pace: Pace) -> Made:
    """Put a backup at this path, replacing what is there. Blocks. Raises OSError, CalledOffError; then
    nothing is left behind."""
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = target.with_name(f".{target.name}.part")
    try:
        found = list(_files(what, target))
        pace.begin("pack", sum(_size(path) for _name, path in gently(found)))
        with _new(part) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            packing = _Packing(archive, pace)
            packing.config(what.home.config)
            packing.database(what.home.database, part.with_name(f".{target.name}.db.part"))
            for name, path in found:
                packing.file(name, path)
            packing.manifest(what.why)
        part.replace(target)
        sync(target.parent)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(target)) from error
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return Made(target, target.stat().st_size, len(packing.packed))


def name_of_now() -> str:
    """A file name for a backup of today."""
    return f"nanobot-backup-{datetime.now().astimezone():%Y-%m-%d-%H%M%S}{form.SUFFIX}"


def keep_last(folder: Path, most: int = _KEPT) -> None:
    """Remove all but the newest automatic backups. Blocks."""
    found = sorted(folder.glob(f"auto-*{form.SUFFIX}"), key=lambda path: path.name)
    for path in found[:-most]:
        with suppress(OSError):
            path.unlink()


def size_of(what: What) -> int:
    """About how many bytes a backup would have to read. Blocks."""
    return sum(_size(path) for _name, path in gently(_files(what, Path())))


def _files(what: What, target: Path) -> Iterator[tuple[str, Path]]:
    """Each plain file with its name in the backup; refs of the memory's versions before their objects."""
    if (window := what.home.root / "window.json").is_file():
        yield form.WINDOW, window
    root = what.workspace
    if what.light:
        if (jobs := root / "cron/jobs.json").is_file():
            yield form.JOBS, jobs
        return
    own = root.is_relative_to(what.home.root)
    tops = [root] if own else [root / name for name in _KNOWN]
    found = [path for top in tops for path in _walk(top) if path != target]
    if not own:
        found += [path for path in root.glob("*.md") if _is_plain(path)]
    for path in gently(sorted(found, key=lambda path: "objects" in path.parts)):
        name = form.WORKSPACE + path.relative_to(root).as_posix()
        if form.is_safe(name):
            yield name, path


def _walk(top: Path) -> Iterator[Path]:
    for folder, _folders, names in os.walk(top):
        known = set(names)
        for name in gently(names):
            path = Path(folder, name)
            passing = name.endswith(_PASSING) or name.startswith(".import-") or mark_of(path).name in known
            if not passing and _is_plain(path):
                yield path


def _is_plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


class _Packing:
    """One zip file being filled."""

    def __init__(self, archive: zipfile.ZipFile, pace: Pace) -> None:
        self._archive, self._pace = archive, pace
        self.packed: dict[str, form.Packed] = {}

    def config(self, path: Path) -> None:
        """The settings without secrets; where they are damaged, the last good ones."""
        for source in (path, path.with_name(f"{path.name}.bak")):
            try:
                stored = document.parse(source.read_bytes(), source.name)
            except (FileNotFoundError, ConfigError):
                continue
            data = document.render(form.without_secrets(stored))
            modified = source.stat().st_mtime
            with self._entry(form.CONFIG, modified) as entry:
                entry.write(data)
            self._note(form.CONFIG, len(data), hashlib.sha256(data), modified)
            return

    def database(self, path: Path, copy: Path) -> None:
        """A copy that SQLite made: whole, whatever is written meanwhile. A damaged one is left out."""
        if not path.exists():
            return
        try:
            with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
                source.backup(target, pages=256, progress=lambda *_: self._pace.advance(0))
                target.execute("PRAGMA journal_mode = DELETE")
            self.file(form.DATABASE, copy, path.stat().st_mtime)
        except sqlite3.OperationalError as error:
            if "full" in str(error):
                raise OSError(28, str(error), str(path)) from error
            _log.warning("%s is not in the backup: %s", path, error)
        except sqlite3.Error as error:
            _log.warning("%s is not in the backup: %s", path, error)
        finally:
            for left in (copy, copy.with_name(f"{copy.name}-journal"), copy.with_name(f"{copy.name}-wal")):
                left.unlink(missing_ok=True)

    def file(self, name: str, path: Path, modified: float | None = None) -> None:
        """A file as far as it was written when it was opened; one that has gone is none."""
        try:
            source = path.open("rb")
        except (FileNotFoundError, PermissionError) as error:
            _log.info("%s is not in the backup: %s", path, error)
            return
        with source:
            seen = os.fstat(source.fileno())
            changed = seen.st_mtime if modified is None else modified
            digest, left = hashlib.sha256(), seen.st_size
            with self._entry(name, changed, seen.st_mode) as entry:
                while left and (data := source.read(min(form.CHUNK, left))):
                    digest.update(data)
                    entry.write(data)
                    left -= len(data)
                    self._pace.advance(len(data))
        self._note(name, seen.st_size - left, digest, changed)

    def manifest(self, why: str) -> None:
        """What is in it; the last entry."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        made = form.Manifest(__version__, now, why, self.packed)
        self._archive.writestr(form.MANIFEST, json.dumps(made.as_json(), indent=1))

    def _entry(self, name: str, modified: float, mode: int = 0) -> IO[bytes]:
        moment = datetime.fromtimestamp(max(modified, 315_619_200), UTC)  # zip begins with 1980
        info = zipfile.ZipInfo(name, moment.timetuple()[:6])
        kept = stat.S_IFREG | (0o700 if mode & stat.S_IXUSR else 0o600)
        info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, kept << 16
        return self._archive.open(info, "w", force_zip64=True)

    def _note(self, name: str, size: int, digest: "hashlib._Hash", modified: float) -> None:
        self.packed[name] = form.Packed(size, digest.hexdigest(), modified)


def _new(path: Path) -> IO[bytes]:
    flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, 0o600), "w+b")
