"""What a restore brings switched off: settings that loosen, jobs with a mode, skills; and what it does not
bring, what conversations were granted. The person says yes to each (desktop/config/loosening.py)."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from desktop.config.base import normal
from desktop.config.loosening import Loose, part
from desktop.config.migrations import migrate
from desktop.config.schema import Config
from desktop.merge import logs
from desktop.merge.backup import form
from desktop.merge.items import Item
from desktop.merge.settings import there, told
from desktop.session.grants import granted, without_grants
from desktop.skills.loader import FOLDER

_ELSEWHERE = ("agents", "defaults", "workspace")
"""Where the files of another computer were."""
_KEYED = "keystored"
_SKILLS = f"{form.WORKSPACE}{FOLDER}/"
LATER_S = 2.0
"""File systems tell times this roughly."""


def settings(
    stored: Mapping[str, Any], here: Mapping[str, Any], newer: bool, config: Config
) -> tuple[dict[tuple[str, ...], Any], list[Item], list[Loose], list[str]]:
    """What a backup's settings come to beside those `here`, which may be `newer`: values to be written,
    what is told of each, what waits, and the providers that had a key."""
    items: list[Item] = []
    keyed: list[str] = []
    wanted: dict[tuple[str, ...], Any] = {}
    for keys, value in _leaves(migrate(stored)):
        if normal(keys[-1]) == _KEYED:
            keyed += [keys[1]] if value is True and len(keys) > 1 else []
            continue
        mine = there(here, keys)
        if mine == value or keys == _ELSEWHERE:
            continue
        if mine is None or not newer:
            wanted[keys] = value
        else:
            items.append(Item("setting", ".".join(keys), "keep"))
    found = part(wanted, config)
    items += [Item("setting", ".".join(keys), "add") for keys in found.safe]
    items += told(found, stored)
    return found.safe, items, found.loose, keyed


def skills(staged: Path, manifest: form.Manifest, workspace: Path) -> list[str]:
    """The folders of skills that the backup would add or change. Blocks. Raises OSError."""
    found = []
    for name in filter(form.is_taken, manifest.files):
        folder, slash, _rest = name.removeprefix(_SKILLS).partition("/")
        if not name.startswith(_SKILLS) or not slash or folder in found:
            continue
        packed, place = manifest.files[name], workspace / name.removeprefix(form.WORKSPACE)
        with suppress(FileNotFoundError, NotADirectoryError):
            seen = place.stat()
            if seen.st_mtime >= packed.modified - LATER_S:
                continue  # what is here is as new, and stays
            if seen.st_size == packed.size and place.read_bytes() == (staged / name).read_bytes():
                continue
        found.append(folder)
    return found


def strip(path: Path) -> bool:
    """Take what it grants out of a conversation's file; whether there was anything. Blocks. Raises
    OSError."""
    if not any(granted(record) for record in logs.read(path)):
        return False
    made = path.with_name(f"{path.name}.stripped")
    found = logs.read(path)
    logs.write(made, (without_grants(record) if granted(record) else record for record in found))
    made.replace(path)
    return True


def _leaves(settings_: Mapping[str, Any], above: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    found: list[tuple[tuple[str, ...], Any]] = []
    for name, value in settings_.items():
        keys = (*above, str(name))
        whole = not isinstance(value, Mapping) or (len(keys) > 2 and normal(keys[1]) == "mcpservers")
        found += [(keys, value)] if whole else _leaves(value, keys)
    return found
