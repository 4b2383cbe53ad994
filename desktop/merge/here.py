"""The home that something comes into."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.config.keychain import Keychain
from desktop.config.schema import Config
from desktop.files import Seen
from desktop.origin import Mark
from desktop.paths import Home
from desktop.session.sessions import Sessions

type Keep = Callable[[Sequence[Seen], Mark], Awaitable[object]]
"""Keeps whose words the bytes of files are."""

_DISABLED = ("agents", "defaults", "disabledSkills")


@dataclass(frozen=True, slots=True)
class Here:
    """This home, as far as an import or a restore needs it."""

    home: Home
    workspace: Path
    sessions: Sessions
    keychain: Keychain
    take_settings: Callable[[Mapping[tuple[str, ...], Any]], Awaitable[object]]
    """Puts values into the settings by their places."""
    config: Callable[[], Config]
    """The settings in use."""
    keep_marks: Keep
    zone: Callable[[], str]
    """Tells the person's time zone; called in a thread."""

    async def switch_off(self, skills: Iterable[str]) -> list[str]:
        """Switch skills off that are about to come; those that were not off."""
        off = self.config().agents.defaults.disabled_skills
        known = set(map(str.casefold, off))
        new = [name for name in skills if name.casefold() not in known]
        if new:
            await self.take_settings({_DISABLED: [*off, *new]})
        return new

    async def switch_on(self, skills: Iterable[str]) -> None:
        """Take names off the list of skills that are off."""
        named = set(map(str.casefold, skills))
        off = self.config().agents.defaults.disabled_skills
        await self.take_settings({_DISABLED: [name for name in off if name.casefold() not in named]})
