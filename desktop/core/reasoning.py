"""How much the model of a conversation shall think: what it can be asked for, and what the person chose."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from desktop.core.verbs import Json, Send, Verb
from desktop.errors import AppError, UsageError
from desktop.providers.behaviour import LEVELS, level_of
from desktop.providers.healing import unlearned
from desktop.providers.registry import described
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core


class Reasoning:
    """A choice of one conversation; the settings have that of all others."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    def verbs(self) -> dict[str, Verb]:
        """Each under its name."""
        return {"reasoning": self.reasoning, "choose_reasoning": self.choose_reasoning}

    async def reasoning(self, arguments: Json, _send: Send) -> Json:
        """What can be chosen for a conversation, and what is; without `session`, for one with `model`,
        `provider` and `level`. See reasoning_of."""
        if key := str(arguments.get("session") or ""):
            return await reasoning_of(self._core, (await self._core.sessions.open(key)).metadata)
        return await reasoning_of(self._core, arguments | {"reasoning": arguments.get("level")})

    async def choose_reasoning(self, arguments: Json, _send: Send) -> Json:
        """Have this conversation's model think so much, a `level` of behaviour.LEVELS; "" as the settings
        say. Raises UsageError, StorageError."""
        level = str(arguments.get("level") or "")
        if level and level not in LEVELS:
            raise UsageError(
                _("There is no reasoning level {level}.").format(level=level),
                _("The levels are: {levels}").format(levels=", ".join(LEVELS)),
            )
        session = await self._core.sessions.open(str(arguments["session"]))
        await session.set_metadata(reasoning=level or None)
        return await reasoning_of(self._core, session.metadata)


async def reasoning_of(core: "Core", metadata: Mapping[str, Any]) -> Json:
    """For a conversation of this metadata: `levels` that its model has, none where it thinks as it likes;
    `level`, the chosen one as the model has it, "" for none; `usual`, what the settings come to."""
    named = (str(metadata.get(name) or "") for name in ("model", "provider"))
    try:
        target = described(core.models.choice(*named), core.store.config)
    except AppError:
        return {"levels": [], "level": "", "usual": ""}  # the next question will say what is wrong
    behaviour = unlearned(target, await core.lessons.of(target))
    return {
        "levels": list(behaviour.levels),
        "level": level_of(behaviour, str(metadata.get("reasoning") or "")),
        "usual": level_of(behaviour, core.store.config.agents.defaults.reasoning_effort),
    }
