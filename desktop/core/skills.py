"""The verbs of skills: list, read, write, delete and bring back, switch off and on."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop.config.needed import skill_entry
from desktop.core.verbs import Json, Send, Verb
from desktop.errors import UsageError
from desktop.skills import files
from desktop.skills.loader import Skill
from desktop.tasks import in_thread, see_through
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core

_DISABLED, _KEYS = "agents.defaults.disabled_skills", "agents.defaults.skill_keys"


class SkillVerbs:
    """Acts on the skills of the workspace."""

    def __init__(self, core: "Core") -> None:
        self._core = core
        self._in_order = asyncio.Lock()
        """Changes do not overtake one another."""

    def verbs(self) -> dict[str, Verb]:
        """All of them, by name."""
        own = (self.skills, self.skill, self.skill_save, self.skill_delete, self.skill_restore)
        return {verb.__name__: verb for verb in (*own, self.skill_switch, self.skill_key)}

    async def skills(self, _arguments: Json, _send: Send) -> Json:
        """All skills, whatever their state, and where the person's own are."""
        found = await in_thread(self._core.skills.all)
        return {"skills": [line(skill) for skill in found], "folder": str(self._core.skills.folder)}

    async def skill(self, arguments: Json, _send: Send) -> Json:
        """One skill with its whole SKILL.md; `editable` where it is the workspace's and all was read."""
        found = await in_thread(files.known, self._core.skills, str(arguments["name"]))
        text, complete = await in_thread(files.whole, found)
        return {**line(found), "text": text, "editable": complete and found.source == "workspace"}

    async def skill_save(self, arguments: Json, _send: Send) -> Json:
        """Write a SKILL.md. Raises UsageError, StorageError; then nothing changed."""
        name, text = str(arguments["name"]).strip(), str(arguments["text"])
        await self._change(
            lambda: files.save(self._core.skills, name, text, new=bool(arguments.get("new")))
        )
        return {"name": name}

    async def skill_delete(self, arguments: Json, _send: Send) -> Json:
        """Put a skill of the workspace away; `undo` brings it back."""
        name = str(arguments["name"])
        return {"undo": await self._change(lambda: files.put_away(self._core.skills, name))}

    async def skill_restore(self, arguments: Json, _send: Send) -> Json:
        """Bring a deleted skill back."""
        token = str(arguments["undo"])
        return {"name": await self._change(lambda: files.bring_back(self._core.skills, token))}

    async def skill_switch(self, arguments: Json, _send: Send) -> Json:
        """Let the agent know of a skill, or not."""
        async with self._in_order:
            found = await in_thread(files.known, self._core.skills, str(arguments["name"]))
            off = self._core.store.config.agents.defaults.disabled_skills
            kept = [name for name in off if name.casefold() != found.name.casefold()]
            if not arguments["on"]:
                kept.append(found.name)
            await self._core.change({_DISABLED: kept})
        return {}

    async def skill_key(self, arguments: Json, _send: Send) -> Json:
        """Keep the value (`key`) of a `variable` that a skill (`name`) needs in the keychain; an empty one
        removes it. Raises UsageError, KeychainError."""
        variable, key = str(arguments["variable"]), str(arguments.get("key") or "").strip()
        async with self._in_order:
            found = await in_thread(files.known, self._core.skills, str(arguments["name"]))
            if variable not in found.variables:
                raise UsageError(
                    _("The skill {name} does not need {variable}.").format(
                        name=found.name, variable=variable
                    ),
                    _("It needs: {names}.").format(names=", ".join(found.variables) or _("nothing")),
                )
            known = self._core.store.config.agents.defaults.skill_keys
            stored = {name: set(names) for name, names in known.items()}
            kept = stored.setdefault(found.name, set())
            if key:
                await self._core.keychain.set(skill_entry(found.name, variable), key)
                kept.add(variable)
            else:
                await self._core.keychain.delete(skill_entry(found.name, variable))
                kept.discard(variable)
            await self._core.change(
                {_KEYS: {name: sorted(names) for name, names in stored.items() if names}}
            )
        return {}

    async def _change[T](self, work: Callable[[], T]) -> T:
        async with self._in_order:
            return await see_through(in_thread(work), name="skills:change")


def line(skill: Skill) -> Json:
    """A skill as lists have it."""
    return {
        "name": skill.name,
        "description": skill.description,
        "source": skill.source,
        "path": str(skill.path),
        "always": skill.always,
        "emoji": skill.emoji,
        "enabled": skill.enabled,
        "available": skill.available,
        "missing": list(skill.missing),
        "variables": list(skill.variables),
        "unset": list(skill.unset),
        "problem": skill.problem,
        "remedy": skill.remedy,
        "shadows": skill.shadows,
    }
