"""The settings: what is set, by whom, and changing it."""

import errno
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.config.base import Section, normal
from desktop.errors import explain
from desktop.tasks import in_thread

if TYPE_CHECKING:
    from desktop.config.store import ConfigStore


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with the file, and what can be done about it."""

    text: str
    remedy: str


@dataclass(frozen=True, slots=True)
class AllSettings:
    """All values by dotted snake_case name, of which tuples are lists where they come from another process;
    those that the environment fixes with its variable."""

    values: Mapping[str, Any] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    file: str = ""


class Settings:
    """Reads and changes values of config.json."""

    def __init__(
        self,
        store: "ConfigStore",
        change: Callable[[Mapping[str, Any]], Awaitable[None]],
        apply: Callable[[], Awaitable[None]],
    ) -> None:
        """`change` sets values that the running parts then obey, `apply` has them obey the file."""
        self._store, self._change, self._apply = store, change, apply

    async def all(self) -> AllSettings:
        """The file, read anew. What the program does not know, maybe secrets, is not among the values."""
        store = self._store
        before = store.config
        if await store.refresh() != before:
            await self._apply()
        values = dict(_flat(store.config, ""))
        variables = store.fixed
        fixed = {name: variables[normal(name)] for name in values if normal(name) in variables}
        if os.environ.get("NANOBOT_DESKTOP_LANGUAGE"):
            fixed["appearance.language"] = "NANOBOT_DESKTOP_LANGUAGE"
        problems = tuple(Problem(problem.text, problem.remedy) for problem in store.problems)
        return AllSettings(values, fixed, problems, str(store.path))

    async def change(self, values: Mapping[str, Any]) -> None:
        """Change values by dotted path; None is the default. Raises ConfigError naming the field, or
        StorageError; then nothing changed."""
        if folder := values.get("agents.defaults.workspace"):
            try:
                await in_thread(_prepare, str(folder))
            except OSError as error:
                raise explain(error) from error
        await self._change(values)


def _prepare(folder: str) -> None:
    """Make a folder that can be written to: a workspace that cannot would end the next start."""
    path = Path(folder).expanduser().absolute()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _flat(section: Section, prefix: str) -> Iterator[tuple[str, Any]]:
    """Each known value with its dotted name; sections of a person's own names are walked too."""
    for name in type(section).model_fields:
        value = getattr(section, name)
        inner = value if isinstance(value, dict) else {}
        if isinstance(value, Section):
            yield from _flat(value, f"{prefix}{name}.")
        elif inner and all(isinstance(item, Section) for item in inner.values()):
            for key, item in inner.items():
                yield from _flat(item, f"{prefix}{name}.{key}.")
        elif isinstance(value, tuple) and any(isinstance(item, Section) for item in value):
            yield f"{prefix}{name}", [item.model_dump(mode="json") for item in value]
        else:
            yield f"{prefix}{name}", value
