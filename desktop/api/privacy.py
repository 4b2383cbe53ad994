"""What is stored where, and deleting all of it."""

import json
import logging
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.config import mcp_health
from desktop.config.tools import KEYED, search_entry
from desktop.doctor.places import Stored, stored
from desktop.errors import UsageError, explain
from desktop.paths import Home
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.config.keychain import Keychain
    from desktop.config.store import ConfigStore

MARK = ".wipe"
"""In a home that is to be deleted once nothing has it open."""
_OURS = ("sessions", "memory", "cron", "skills")
"""Of a workspace elsewhere; the rest of that folder is the person's own."""
_HELD = ("ipc", "ipc.lock")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Places:
    """What is stored where; `keys` says where the keys are."""

    places: tuple[Stored, ...] = ()
    keys: str = ""
    home: str = ""


class Privacy:
    """A home as a person asks for it."""

    def __init__(self, home: Home, workspace: Path, store: "ConfigStore", keychain: "Keychain") -> None:
        self._home, self._workspace = home, workspace
        self._store, self._keychain = store, keychain

    async def places(self) -> Places:
        """What is stored where."""
        keys = _("Keys are in this computer’s keychain, under the name nanobot-desktop.")
        places = await in_thread(stored, self._home, self._workspace)
        return Places(places, keys, str(self._home.root))

    async def wipe(self, *, sure: bool) -> None:
        """Delete our entries of the keychain now, and mark the home: it is deleted when the program ends,
        which is for who asks to bring about. `sure` must be true. Raises KeychainError and StorageError;
        then the home is as it was."""
        if not sure:
            raise UsageError(_("Nothing was deleted because it was not confirmed."))
        config = self._store.config
        names = [name for name, entry in config.providers.items() if entry.key_stored]
        names += map(search_entry, KEYED)
        for name, server in config.tools.mcp_servers.items():
            names += [entry for entry, _key in mcp_health.entries(name, server)]
        for name in dict.fromkeys([*names, *await self._keychain.entries()]):
            await self._keychain.delete(name)
        outside = [] if self._workspace.is_relative_to(self._home.root) else [str(self._workspace)]
        try:
            await in_thread((self._home.root / MARK).write_text, json.dumps(outside), "utf-8")
        except OSError as error:
            raise explain(error) from error


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
