"""What a backup is: a zip file of plain files under home/ and workspace/, with a manifest that has each
one's size and SHA-256, and nothing secret."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from desktop.config import document
from desktop.config.base import normal
from desktop.errors import StorageError
from desktop.logs import masked
from desktop.text import _

FORMAT, VERSION, MANIFEST = "nanobot-desktop-backup", 1, "manifest.json"
SUFFIX = ".zip"
HOME, WORKSPACE = "home/", "workspace/"
CONFIG, DATABASE, WINDOW = "home/config.json", "home/state.db", "home/window.json"
SESSIONS, JOBS, VERSIONS = "workspace/sessions/", "workspace/cron/jobs.json", "workspace/memory/.versions/"
OWN_GIT = f"{VERSIONS}config"
"""The program writes it anew."""
CHUNK = 1024 * 1024
_SECRET = ("key", "token", "secret", "password", "authorization", "cookie", "credentials")


_LONGEST_NAME, _DEEPEST = 1_000, 60


class NoBackupError(StorageError):
    """A file that is no backup, or one that is not whole; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Packed:
    """One file of a backup."""

    size: int
    sha256: str
    modified: float
    """When it was changed last, Unix time, seconds."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself."""

    program: str
    """The version of the program that made it."""
    made: str
    """When: aware, UTC."""
    why: str
    """hand, import, restore or migration."""
    files: Mapping[str, Packed]

    def as_json(self) -> dict[str, Any]:
        """As it stands in the file."""
        files = {
            name: {"size": file.size, "sha256": file.sha256, "modified": file.modified}
            for name, file in self.files.items()
        }
        return {
            "format": FORMAT,
            "version": VERSION,
            "program": self.program,
            "made": self.made,
            "why": self.why,
            "files": files,
        }


def manifest_of(data: object) -> Manifest:
    """The manifest in parsed JSON. Raises NoBackupError."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise foreign()
    if not isinstance(data.get("version"), int) or data["version"] > VERSION:
        raise NoBackupError(
            _("The backup was made by a newer version of this program."), _("Update this program first.")
        )
    try:
        files = {
            str(name): Packed(int(file["size"]), str(file["sha256"]), float(file["modified"]))
            for name, file in data["files"].items()
        }
        return Manifest(str(data["program"]), str(data["made"]), str(data["why"]), files)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise damaged() from None


def foreign() -> NoBackupError:
    """The error for another kind of file."""
    return NoBackupError(
        _("This file is not a backup of this program."), _("Choose a file created with “Back up now”.")
    )


def damaged() -> NoBackupError:
    """The error for a backup that is not whole."""
    return NoBackupError(
        _("The backup is damaged or incomplete."), _("Nothing was changed. Use another backup.")
    )


def unsafe() -> NoBackupError:
    """The error for a file that is made to do harm."""
    return NoBackupError(
        _("Unpacking this file would do harm. It is not a backup of this program."),
        _("Nothing was changed. Don’t trust its source."),
    )


def without_secrets(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings without any text under a name that sounds secret, and without any value that is known to be
    one."""
    kept: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            kept[name] = without_secrets(value)
        elif not (_is_secret(name, value) or _has_secret(value)):
            kept[name] = value
    return kept


def is_safe(name: str) -> bool:
    """Whether a name in a backup is one of this program's files, or below the workspace, and leads nowhere
    else, nor to what another program runs (hooks of git)."""
    if name in (CONFIG, DATABASE, WINDOW):
        return True
    parts = name.split("/")
    if not name.startswith(WORKSPACE) or "\\" in name or "\0" in name:
        return False
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:  # a name that is no text
        return False
    if len(name) > _LONGEST_NAME or len(parts) > _DEEPEST or ".git" in map(str.casefold, parts):
        return False
    return not any(part in ("", ".", "..") or (os.name == "nt" and _is_odd(part)) for part in parts)


def is_taken(name: str) -> bool:
    """Whether a restore takes a file: of the repository of the memory's versions only what it stores. Its
    settings, its hooks and what leads to other repositories would have git run or read something."""
    folded = name.casefold()
    if not folded.startswith(VERSIONS):
        return True
    inside = folded.removeprefix(VERSIONS)
    plain = inside in ("head", "packed-refs") or inside.startswith(("refs/", "objects/"))
    return plain and not inside.startswith("objects/info/")


def _is_odd(part: str) -> bool:
    """Whether Windows takes a name for another one."""
    return part != part.strip(" ") or part.endswith(".") or any(sign in part for sign in '<>:"|?*')


def _is_secret(name: str, value: object) -> bool:
    if not isinstance(value, str) or not value or document.is_reference(value):
        return False
    return normal(name).endswith(_SECRET)


def _has_secret(value: object) -> bool:
    return any(masked(text) != text for _key, text in document.texts(value))
