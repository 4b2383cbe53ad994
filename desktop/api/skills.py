"""Skills: list, read, write, delete and bring back, switch off and on."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from desktop.config.needed import skill_entry
from desktop.errors import UsageError
from desktop.skills import files, loader
from desktop.tasks import in_thread, see_through
from desktop.text import _, listed

if TYPE_CHECKING:
    from desktop.config.agents import AgentDefaults
    from desktop.config.keychain import Keychain

_DISABLED, _KEYS = "agents.defaults.disabled_skills", "agents.defaults.skill_keys"


@dataclass(frozen=True, slots=True)
class SkillLine:
    """A skill as lists have it; `source` is workspace or builtin."""

    name: str = ""
    description: str = ""
    source: str = ""
    path: str = ""
    always: bool = False
    emoji: str = ""
    enabled: bool = True
    available: bool = True
    missing: tuple[str, ...] = ()
    """What the machine lacks for it, a sentence each."""
    variables: tuple[str, ...] = ()
    """Those that its commands need, and those of them that have no value."""
    unset: tuple[str, ...] = ()
    problem: str = ""
    remedy: str = ""
    shadows: bool = False
    """It stands in for a built-in one of the same name."""


@dataclass(frozen=True, slots=True)
class SkillFile(SkillLine):
    """A skill with its whole SKILL.md; `editable` where it is the workspace's and all was read."""

    text: str = ""
    editable: bool = False


@dataclass(frozen=True, slots=True)
class AllSkills:
    """All skills, whatever their state, and where the person's own are."""

    skills: tuple[SkillLine, ...] = ()
    folder: str = ""


class Skills:
    """Acts on the skills of the workspace."""

    def __init__(
        self,
        skills: loader.Skills,
        defaults: "Callable[[], AgentDefaults]",
        change: Callable[[Mapping[str, Any]], Awaitable[None]],
        keychain: "Keychain",
    ) -> None:
        """`defaults` are settings, `change` changes some."""
        self._skills, self._defaults, self._change_settings = skills, defaults, change
        self._keychain = keychain
        self._in_order = asyncio.Lock()
        """Changes do not overtake one another."""

    async def all(self) -> AllSkills:
        """All skills."""
        found = await in_thread(self._skills.all)
        return AllSkills(tuple(map(line_of, found)), str(self._skills.folder))

    async def one(self, name: str) -> SkillFile:
        """One skill. Raises UsageError."""
        return await in_thread(file_of, self._skills, name)

    async def save(self, name: str, text: str, *, new: bool = False) -> str:
        """Write a SKILL.md; the name of the skill. Raises UsageError, StorageError; then nothing
        changed."""
        name = name.strip()
        await self._change(lambda: files.save(self._skills, name, text, new=new))
        return name

    async def delete(self, name: str) -> str:
        """Put a skill of the workspace away; what brings it back. Raises UsageError, StorageError."""
        return await self._change(lambda: files.put_away(self._skills, name))

    async def restore(self, undo: str) -> str:
        """Bring a deleted skill back; its name. Raises UsageError, StorageError."""
        return await self._change(lambda: files.bring_back(self._skills, undo))

    async def switch(self, name: str, *, on: bool) -> None:
        """Let the agent know of a skill, or not. Raises UsageError, StorageError."""
        async with self._in_order:
            found = await in_thread(files.known, self._skills, name)
            off = self._defaults().disabled_skills
            kept = [name for name in off if name.casefold() != found.name.casefold()]
            if not on:
                kept.append(found.name)
            await self._change_settings({_DISABLED: kept})

    async def set_key(self, name: str, variable: str, key: str = "") -> None:
        """Keep the value (`key`) of a variable that a skill needs in the keychain; an empty one removes it.
        Raises UsageError, KeychainError."""
        key = key.strip()
        async with self._in_order:
            found = await in_thread(files.known, self._skills, name)
            if variable not in found.variables:
                raise UsageError(
                    _("The skill {name} doesn’t use {variable}.").format(
                        name=found.name, variable=variable
                    ),
                    _("It uses: {names}.").format(names=listed(found.variables) or _("nothing")),
                )
            stored = {name: set(names) for name, names in self._defaults().skill_keys.items()}
            kept = stored.setdefault(found.name, set())
            if key:
                await self._keychain.set(skill_entry(found.name, variable), key)
                kept.add(variable)
            else:
                await self._keychain.delete(skill_entry(found.name, variable))
                kept.discard(variable)
            await self._change_settings(
                {_KEYS: {name: sorted(names) for name, names in stored.items() if names}}
            )

    async def _change[T](self, work: Callable[[], T]) -> T:
        async with self._in_order:
            return await see_through(in_thread(work), name="skills:change")


def file_of(skills: loader.Skills, name: str) -> SkillFile:
    """One skill with its text. Blocks. Raises UsageError."""
    found = files.known(skills, name)
    text, complete = files.whole(found)
    return SkillFile(**_fields(found), text=text, editable=complete and found.source == "workspace")


def line_of(skill: loader.Skill) -> SkillLine:
    """A skill as lists have it."""
    return SkillLine(**_fields(skill))


def _fields(skill: loader.Skill) -> dict[str, Any]:
    fields = {name: getattr(skill, name) for name in SkillLine.__dataclass_fields__}
    return {**fields, "path": str(skill.path)}
