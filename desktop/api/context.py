"""How full the context of a conversation is, and with what."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop.agent.context import RECENT_TOKENS
from desktop.providers.chooser import named_in
from desktop.session.model import text_tokens
from desktop.tasks import in_thread

if TYPE_CHECKING:
    from desktop.agent.context import Context as Prompt
    from desktop.config.schema import Config
    from desktop.memory.tokens import Meter
    from desktop.providers.chooser import ModelChooser
    from desktop.session.sessions import Sessions
    from desktop.tools.toolbox import Toolbox


@dataclass(frozen=True, slots=True)
class ContextUsage:
    """Tokens of the `window`, `used` of them, and how many an `answer` may take."""

    window: int
    used: int
    answer: int
    parts: Mapping[str, int]
    """What fills it: system, memory, skills, recent, tools, history."""


class Context:
    """Counts what the next request would begin with."""

    def __init__(
        self,
        chooser: "ModelChooser",
        sessions: "Sessions",
        prompt: "Prompt",
        toolbox: "Toolbox",
        meter: "Meter",
        config: "Callable[[], Config]",
    ) -> None:
        self._chooser, self._sessions, self._prompt = chooser, sessions, prompt
        self._toolbox, self._meter, self._config = toolbox, meter, config

    async def usage(self, session: str = "") -> ContextUsage:
        """Of a conversation; of a new one without `session`. Raises AppError where no model is chosen."""
        opened = await self._sessions.open(session) if session else None
        chosen = self._chooser.choice(*named_in(opened.metadata if opened else {}))
        window, small_model = await self._chooser.window(chosen), chosen.spec.small_model
        recent = min(RECENT_TOKENS, window // 8)
        sections = await in_thread(lambda: self._prompt.sections(recent, small_model=small_model))
        parts = {name: text_tokens(text) for name, text in sections.items()}
        if not small_model:  # most questions to a small model go without them
            toolset = await self._toolbox.own(small_model=False)
            parts["tools"] = sum(text_tokens(str(schema)) for schema in toolset.schemas)
        parts["history"] = opened.tokens if opened else 0
        factor = self._meter.factor(chosen.model)
        parts = {name: int(tokens * factor) for name, tokens in parts.items()}
        used = min(sum(parts.values()), window)
        return ContextUsage(
            window, used, min(self._config().agents.defaults.max_tokens, window // 4), parts
        )
