"""The verbs of a conversation's model: which one answers, what it costs, what can be chosen."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from desktop.agent.commands import COMMANDS
from desktop.agent.context import RECENT_TOKENS
from desktop.core.verbs import Json, Send, Verb
from desktop.errors import AppError
from desktop.providers.catalogue import titled
from desktop.providers.local import installed
from desktop.providers.registry import Choice
from desktop.providers.registry_table import BUILTIN, PROVIDERS
from desktop.session.model import text_tokens
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core


class Conversations:
    """Acts on sessions."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    def verbs(self) -> dict[str, Verb]:
        """Each under its name."""
        return {
            "prepare": self.prepare,
            "choose_model": self.choose_model,
            "models": self.models,
            "model": self.model,
            "completions": self.completions,
            "context": self.context,
        }

    async def completions(self, _arguments: Json, _send: Send) -> Json:
        """What can be typed at the beginning of a message: commands, and the skills that can be used."""
        skills = [skill for skill in await in_thread(self._core.skills.all) if skill.usable]
        return {
            "commands": [
                {"name": f"/{command.word}", "usage": command.usage, "about": _(command.about)}
                for command in COMMANDS
            ],
            "skills": [{"name": skill.name, "description": skill.description} for skill in skills],
        }

    async def context(self, arguments: Json, _send: Send) -> Json:
        """How full the context of a conversation is: tokens of the `window`, `used` of them, how many an
        `answer` may take, and what fills it (`parts`: system, memory, skills, recent, tools, history)."""
        core, metadata = self._core, await self._metadata(arguments)
        chosen = core.models.choice(str(metadata.get("model") or ""), str(metadata.get("provider") or ""))
        window, lean = await core.models.window(chosen), chosen.spec.lean
        toolset = await core.toolbox.own(lean=lean)
        recent = min(RECENT_TOKENS, window // 8)
        sections = await in_thread(lambda: core.context.sections(recent, lean=lean))
        parts = {name: text_tokens(text) for name, text in sections.items()}
        parts["tools"] = sum(text_tokens(str(schema)) for schema in toolset.schemas)
        key = str(arguments.get("session") or "")
        parts["history"] = (await core.sessions.open(key)).tokens if key else 0
        if lean:
            del parts["tools"]  # most questions to it go without them
        factor = core.memory.meter.factor(chosen.model)
        parts = {name: int(tokens * factor) for name, tokens in parts.items()}
        used = min(sum(parts.values()), window)
        answer = min(core.store.config.agents.defaults.max_tokens, window // 4)
        return {"window": window, "used": used, "answer": answer, "parts": parts}

    async def model(self, arguments: Json, _send: Send) -> Json:
        """Which model answers a conversation; without `session`, a new one with `model` and `provider`."""
        return self._model(await self._metadata(arguments) or arguments)

    async def _metadata(self, arguments: Json) -> Any:
        key = str(arguments.get("session") or "")
        return (await self._core.sessions.open(key)).metadata if key else {}

    async def prepare(self, arguments: Json, _send: Send) -> Json:
        """Wake what a question in this conversation will need; waits for nothing."""
        metadata = await self._metadata(arguments)
        model, provider = str(metadata.get("model") or ""), str(metadata.get("provider") or "")
        self._core.models.prepare(model, provider)
        with suppress(AppError):  # the question will say what is wrong
            self._core.toolbox.wake(lean=self._core.models.choice(model, provider).spec.lean)
        return {}

    def _model(self, metadata: Any) -> Json:
        model, provider = str(metadata.get("model") or ""), str(metadata.get("provider") or "")
        return {"chosen": bool(model or provider), **self._answering(model, provider)}

    def _answering(self, model: str = "", provider: str = "") -> Json:
        """What these names mean now; as they stand where nobody has them any more, for a conversation is
        read all the same. The next question will say what is wrong."""
        try:
            return self._shown(self._core.models.choice(model, provider))
        except AppError:
            usual = self._core.store.config.agents.defaults
            model, provider = (model, provider) if model or provider else (usual.model, usual.provider)
            title = " ".join((model or provider).split())
            return {"provider": provider, "model": model, "title": title, "provider_title": provider}

    def _shown(self, chosen: Choice) -> Json:
        builtin, maker = chosen.spec.kind == "builtin", _(chosen.spec.display)
        usual = self._core.builtin.model
        title, model = chosen.model or maker, chosen.model
        if builtin:
            title = usual.name if model in ("", usual.id) else titled(model)
            model = "" if model == usual.id else model
        return {
            "provider": chosen.spec.name,
            "model": model,
            "title": " ".join(title.split()),
            "provider_title": maker,
        }

    async def choose_model(self, arguments: Json, _send: Send) -> Json:
        """Answer this conversation with that model; empty names mean the usual one."""
        model, provider = str(arguments.get("model") or ""), str(arguments.get("provider") or "")
        self._core.models.choice(model, provider)
        session = await self._core.sessions.open(str(arguments["session"]))
        await session.set_metadata(model=model or None, provider=provider or None)
        return self._model(session.metadata)

    async def models(self, _arguments: Json, _send: Send) -> Json:
        """The models to choose from: the usual one first, then one of each provider that could answer, and
        those of this computer."""
        core = self._core
        usual = self._answering()
        found: list[Choice] = []
        ready = core.models.known_keys()
        for spec in PROVIDERS:
            given = core.store.config.provider(spec.name).api_base
            if spec.suggestion and (spec.name in ready if spec.needs_key else given):
                found.append(core.models.choice(spec.suggestion, spec.name))
        here = [model.id for model in (await installed(core.home.models)).models]
        found += [
            core.models.choice(name, BUILTIN.name) for name in (*here, *core.store.config.local.files)
        ]
        lines = [usual, *(self._shown(choice) for choice in found)]
        return {
            "usual": usual,
            "models": list({(line["provider"], line["model"]): line for line in lines}.values()),
        }
