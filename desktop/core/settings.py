"""The verbs of the settings pages: what is set, by whom, and changing it."""

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.config.base import Section, normal
from desktop.core.verbs import Json, Send
from desktop.errors import explain
from desktop.tasks import in_thread

if TYPE_CHECKING:
    from desktop.core.core import Core


class Settings:
    """Shows and changes single values of config.json."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    async def settings(self, _arguments: Json, _send: Send) -> Json:
        """All values by dotted snake_case name, those the environment fixes with its variable, and what is
        wrong with the file; read anew. What the program does not know, maybe secrets, is not among them."""
        store = self._core.store
        before = store.config
        if await store.refresh() != before:
            await self._core.apply()
        values = dict(_flat(store.config, ""))
        fixed = {name: store.fixed[normal(name)] for name in values if normal(name) in store.fixed}
        if os.environ.get("NANOBOT_DESKTOP_LANGUAGE"):
            fixed["appearance.language"] = "NANOBOT_DESKTOP_LANGUAGE"
        return {
            "values": values,
            "fixed": fixed,
            "problems": [{"text": p.text, "remedy": p.remedy} for p in store.problems],
            "file": str(store.path),
        }

    async def set(self, arguments: Json, _send: Send) -> Json:
        """Change values by dotted path; None is the default. Raises ConfigError naming the field, or
        StorageError; then nothing changed."""
        values = dict(arguments["values"])
        if folder := values.get("agents.defaults.workspace"):
            try:
                await in_thread(_prepare, str(folder))
            except OSError as error:
                raise explain(error) from error
        await self._core.change(values)
        return {}


def _prepare(folder: str) -> None:
    """Make a folder that can be written to: a workspace that cannot would end the next start."""
    path = Path(folder).expanduser().absolute()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _flat(section: Section, prefix: str) -> list[tuple[str, Any]]:
    """Each known value with its dotted name; sections of a person's own names are walked too."""
    found: list[tuple[str, Any]] = []
    for name in type(section).model_fields:
        value = getattr(section, name)
        inner = value if isinstance(value, dict) else {}
        if isinstance(value, Section):
            found += _flat(value, f"{prefix}{name}.")
        elif inner and all(isinstance(item, Section) for item in inner.values()):
            for key, item in inner.items():
                found += _flat(item, f"{prefix}{name}.{key}.")
        elif isinstance(value, tuple) and any(isinstance(item, Section) for item in value):
            found.append((f"{prefix}{name}", [item.model_dump(mode="json") for item in value]))
        else:
            found.append((f"{prefix}{name}", value))
    return found
