"""The verbs of conversations: list, read, name, delete and bring back, choose a model."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import batched
from typing import TYPE_CHECKING, Any

from desktop.agent.commands import COMMANDS
from desktop.agent.context import RECENT_TOKENS
from desktop.agent.loop import FLEETING
from desktop.bus.events import ConversationChanged
from desktop.core.titles import NAMED
from desktop.core.verbs import Json, Send, Verb
from desktop.errors import AppError, UsageError
from desktop.paths import temporary
from desktop.providers.catalogue import titled
from desktop.providers.local import installed
from desktop.providers.registry import Choice
from desktop.providers.registry_table import BUILTIN, PROVIDERS
from desktop.session.log import Session
from desktop.session.model import HIDDEN, Message, SessionInfo, now, text_tokens
from desktop.session.names import new_key
from desktop.session.unkept import kept
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core

_AT_ONCE = 200
"""So many messages are made ready for the disk in one go: more would be felt."""


class Conversations:
    """Acts on sessions."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    def verbs(self) -> dict[str, Verb]:
        """Each under its name."""
        return {
            "prepare": self.prepare,
            "conversations": self.all,
            "conversation": self.one,
            "rename": self.rename,
            "pin": self.pin,
            "archive": self.archive,
            "delete": self.delete,
            "keep": self.keep,
            "restore": self.restore,
            "choose_model": self.choose_model,
            "models": self.models,
            "model": self.model,
            "subagents": self.subagents,
            "subagent_stop": self.subagent_stop,
            "completions": self.completions,
            "context": self.context,
        }

    async def subagents(self, arguments: Json, _send: Send) -> Json:
        """Those that work or wait for a conversation; `started` in Unix time, seconds."""
        found = self._core.subagents.of(str(arguments["session"]))
        names = ("id", "label", "task", "state", "started")
        return {"subagents": [{name: getattr(one, name) for name in names} for one in found]}

    async def subagent_stop(self, arguments: Json, _send: Send) -> Json:
        """End one; its conversation is told."""
        return {"stopped": await self._core.subagents.stop_one(str(arguments["id"]))}

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
        kit = await core.workshop.own(lean=lean)
        recent = min(RECENT_TOKENS, window // 8)
        sections = await in_thread(lambda: core.context.sections(recent, lean=lean))
        parts = {name: text_tokens(text) for name, text in sections.items()}
        parts["tools"] = sum(text_tokens(str(schema)) for schema in kit.schemas)
        key = str(arguments.get("session") or "")
        parts["history"] = (await core.sessions.open(key)).tokens if key else 0
        if lean:
            del parts["tools"]  # most questions to it go without them
        factor = core.meter.factor(chosen.model)
        parts = {name: int(tokens * factor) for name, tokens in parts.items()}
        used = min(sum(parts.values()), window)
        answer = min(core.store.config.agents.defaults.max_tokens, window // 4)
        return {"window": window, "used": used, "answer": answer, "parts": parts}

    async def all(self, _arguments: Json, _send: Send) -> Json:
        """All conversations, the newest first, and what the agent calls itself."""
        return {
            "conversations": [_line(info) for info in await self._core.sessions.list()],
            "assistant": self._core.store.config.agents.defaults.bot_name,
        }

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
            self._core.workshop.wake(lean=self._core.models.choice(model, provider).spec.lean)
        return {}

    async def one(self, arguments: Json, _send: Send) -> Json:
        """A conversation with all its messages; `turns` are those being answered, oldest first."""
        session = await self._core.sessions.open(str(arguments["session"]))
        return {
            "key": session.key,
            "messages": await session.everything(),
            "turns": self._core.loop.turns(session.key),
            "damaged": session.damaged,
            **self._model(session.metadata),
        }

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

    async def rename(self, arguments: Json, _send: Send) -> Json:
        """Give a conversation a title; an empty one is its first words again."""
        session = await self._core.sessions.open(str(arguments["session"]))
        title = " ".join(str(arguments["title"]).split())
        await session.set_metadata(title=title or None, **{NAMED: True})
        self._core.bus.publish(ConversationChanged(session.key, title=title))
        return {}

    async def pin(self, arguments: Json, _send: Send) -> Json:
        """Keep a conversation on top of the list, or (`pinned` false) no longer. Raises UsageError."""
        session, pinned = await self._stored(arguments), bool(arguments.get("pinned", True))
        await session.set_metadata(pinned=pinned or None)
        self._core.bus.publish(ConversationChanged(session.key, pinned=pinned))
        return {}

    async def archive(self, arguments: Json, _send: Send) -> Json:
        """Put a conversation aside until something is said in it, or (`archived` false) bring it back.
        Raises UsageError."""
        session, archived = await self._stored(arguments), bool(arguments.get("archived", True))
        await session.set_metadata(archived_at=now() if archived else None)
        self._core.bus.publish(ConversationChanged(session.key, archived=archived))
        return {}

    async def _stored(self, arguments: Json) -> Session:
        """One that is on disk. Raises UsageError."""
        session = await self._core.sessions.open(str(arguments["session"]))
        if not await in_thread(session.path.exists):
            raise UsageError(_("There is no conversation called {key}.").format(key=session.key))
        return session

    async def delete(self, arguments: Json, _send: Send) -> Json:
        """Stop what is under way and put the conversation away."""
        key = str(arguments["session"])
        await self._core.halt(key)
        await self._core.sessions.delete(key)
        await self._core.inbox.forget(key)
        await self._core.inbox.seen(key)
        return {}

    async def keep(self, arguments: Json, _send: Send) -> Json:
        """Make an ordinary conversation of a temporary one; gives its key, `session`. Raises UsageError,
        StorageError."""
        key = str(arguments["session"])
        if self._core.loop.turns(key):
            raise UsageError(_("An answer is on its way. Keep the conversation when it is there."))
        session = await self._core.sessions.open(key)
        records = await session.everything()
        if not (temporary(key) and records):
            raise UsageError(_("There is nothing in this conversation to be kept."))
        made = await begun(self._core, map(_ordinary, records), session.metadata)
        await in_thread(kept, self._core.workspace, key)
        await self.delete({"session": key}, _send)
        return {"session": made.key}

    async def restore(self, arguments: Json, _send: Send) -> Json:
        """Bring a deleted conversation back."""
        return {"restored": await self._core.sessions.restore(str(arguments["session"]))}

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


def _ordinary(message: Message) -> Message:
    """A message of a temporary conversation as one of an ordinary one."""
    found = {name: value for name, value in message.items() if name != HIDDEN}
    if runtime := found.get("_runtime"):
        found["_runtime"] = str(runtime).replace(FLEETING, "").rstrip()
    return found


async def begun(core: "Core", messages: Iterable[Message], metadata: Mapping[str, Any]) -> Session:
    """A new conversation with these messages and values. Raises StorageError."""
    made = await core.sessions.open(new_key())
    for part in batched(messages, _AT_ONCE):
        await made.append_all(part)
    if metadata:
        await made.set_metadata(**metadata)
    return made


def _line(info: SessionInfo) -> Json:
    return {
        "key": info.key,
        "title": info.title,
        "updated": info.updated.isoformat(timespec="seconds"),
        "damaged": info.damaged,
        "pinned": info.pinned,
        "archived": info.archived,
    }
