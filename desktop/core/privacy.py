"""What is stored where, and deleting all of it."""

import json
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.config import mcp_health
from desktop.config.tools import KEYED, search_entry
from desktop.core.verbs import Json, Send, Verb
from desktop.errors import UsageError, explain
from desktop.paths import Home
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core

MARK = ".wipe"
"""In a home that is to be deleted once nothing has it open."""
_OURS = ("sessions", "memory", "cron", "skills")
"""Of a workspace elsewhere; the rest of that folder is the person's own."""
_HELD = ("ipc", "ipc.lock")
_log = logging.getLogger(__name__)


class PrivacyVerbs:
    """A core's home as a person asks for it."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    def verbs(self) -> dict[str, Verb]:
        """Each under its name."""
        return {"places": self.places, "wipe": self.wipe}

    async def places(self, _arguments: Json, _send: Send) -> Json:
        """What is stored where: `places` of title, path, size in bytes; and where the `keys` are."""
        home = self._core.home
        keys = _("Keys are in the keychain of this computer, under the name nanobot-desktop.")
        places = await in_thread(_places, home, self._core.workspace)
        return {"places": places, "keys": keys, "home": str(home.root)}

    async def wipe(self, arguments: Json, _send: Send) -> Json:
        """Delete our entries of the keychain now, and mark the home: it is deleted when the program ends,
        which is for who asks to bring about. `sure` must be true. Raises KeychainError and StorageError;
        then the home is as it was."""
        if arguments.get("sure") is not True:
            raise UsageError(_("Nothing was deleted: it was not confirmed."))
        core = self._core
        config = core.store.config
        names = [name for name, entry in config.providers.items() if entry.key_stored]
        names += map(search_entry, KEYED)
        for name, server in config.tools.mcp_servers.items():
            names += [entry for entry, _key in mcp_health.entries(name, server)]
        for name in dict.fromkeys([*names, *await core.keychain.entries()]):
            await core.keychain.delete(name)
        outside = [] if core.workspace.is_relative_to(core.home.root) else [str(core.workspace)]
        try:
            await in_thread((core.home.root / MARK).write_text, json.dumps(outside), "utf-8")
        except OSError as error:
            raise explain(error) from error
        return {}


def _places(home: Home, workspace: Path) -> list[Json]:
    settings = [home.config, home.config.with_name("config.json.bak"), home.root / "window.json"]
    database = sorted(home.root.glob("state.db*"))
    found = [
        (_("Settings"), settings),
        (_("Conversations"), [workspace / "sessions"]),
        (_("Memory"), [workspace / "memory", *sorted(workspace.glob("*.md"))]),
        (_("Skills"), [workspace / "skills"]),
        (_("Reminders and jobs"), [workspace / "cron"]),
        (_("Files of conversations"), [workspace / "files"]),
        (_("Database: what was used and done, the inbox, the search"), database),
        (_("Log"), [home.logs]),
        (_("Backups"), [home.root / "backups"]),
        (_("Built-in models"), [home.models]),
    ]
    return [
        {"title": title, "path": str(paths[0] if paths else home.root), "size": sum(map(_size, paths))}
        for title, paths in found
    ]


def finish_wipe(home: Home, *, all_of_it: bool = True) -> bool:
    """Delete a home that is marked for it; whether one was. `all_of_it`: nobody has it open any more.
    Blocks; what cannot be deleted is logged."""
    mark = home.root / MARK
    try:
        outside = json.loads(mark.read_bytes())
    except (OSError, ValueError):
        return False
    for folder in outside if isinstance(outside, list) else ():
        for name in _OURS:
            _remove(Path(folder) / name)
    for path in home.root.iterdir():
        if path != mark and (all_of_it or path.name not in _HELD):
            _remove(path)
    _remove(home.models)
    mark.unlink(missing_ok=True)
    if all_of_it:
        with suppress(OSError):
            home.root.rmdir()
    return True


def _remove(path: Path) -> None:
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        _log.warning("%s could not be deleted: %s", path, error)


def _size(path: Path) -> int:
    """Bytes of a file, or of all below a folder."""
    return sum(_files(path))


def _files(path: Path) -> Iterator[int]:
    with suppress(OSError):
        if not path.is_dir():
            yield path.lstat().st_size
            return
    for folder, _folders, names in os.walk(path):
        for name in names:
            with suppress(OSError):
                yield Path(folder, name).lstat().st_size
