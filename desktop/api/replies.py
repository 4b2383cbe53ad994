"""What the commands of a conversation do. Each gives its reply as Markdown; a failure is a reply, too."""

import logging
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.agent.commands import COMMANDS, parse, unknown
from desktop.agent.loop import Reply
from desktop.agent.turn import Inbound
from desktop.api import memory_commands
from desktop.errors import AppError, explain
from desktop.files import Place
from desktop.providers.choices import known_level
from desktop.providers.chooser import named_in
from desktop.providers.ready import ModelWanted, Ready
from desktop.services.status import ServiceState
from desktop.session.export import export
from desktop.session.model import Message, replayable
from desktop.session.title import title_of
from desktop.tasks import in_thread
from desktop.text import _, mark, ngettext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from desktop.agent.loop import Loop
    from desktop.agent.subagents import Subagents
    from desktop.api.memory import Memory
    from desktop.config.schema import Config
    from desktop.inbox.inbox import Inbox
    from desktop.memory.consolidator import Consolidator
    from desktop.providers.choices import ModelChoices, ModelLine
    from desktop.providers.chooser import ModelChooser
    from desktop.services.status import Status
    from desktop.session.log import Session
    from desktop.session.sessions import Sessions
    from desktop.skills.loader import Skills

_SHOWN, _MOST = 10, 100
_LONGEST = 300
_PARTS = {
    "model_host": mark("Models"),
    "builtin-model": mark("Built-in model"),
    "dream": "Dream",
    "cron": mark("Reminders and tasks"),
    "heartbeat": mark("Heartbeat"),
}
_STATES = {
    "starting": mark("starting"),
    "running": mark("running"),
    "degraded": mark("retrying"),
    "needs_sign_in": mark("sign-in needed"),
    "failed": mark("failed"),
    "queued": mark("queued"),
    "done": mark("done"),
    "stopped": mark("stopped"),
    "interrupted": mark("interrupted"),
}
_log = logging.getLogger(__name__)


type Deed = Callable[["Session", str], Awaitable[Reply]]
"""What one command does, told what follows its word."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What commands act on."""

    sessions: "Sessions"
    loop: "Loop"
    subagents: "Subagents"
    inbox: "Inbox"
    consolidator: "Consolidator"
    models: "ModelChooser"
    choices: "ModelChoices"
    skills: "Skills"
    workspace: Path
    config: "Callable[[], Config]"
    halt: Callable[[str], Awaitable[bool]]
    """Ends what is under way in a conversation."""
    statuses: "Callable[[], Sequence[Status]]"
    listed: Callable[[Collection[str]], Awaitable[dict[str, list[str]]]]
    """The names of all models of some providers, as each lists them now."""


class Replies:
    """Answers commands."""

    def __init__(self, parts: Parts, memory: "Memory") -> None:
        self._parts = parts
        self._deeds: dict[str, Deed] = {
            "help": self._help,
            "new": self._new,
            "compact": self._compact,
            "stop": self._stop,
            "status": self._status,
            "model": self._model,
            "reasoning": self._reasoning,
            "skill": self._skill,
            "history": self._history,
            "export": self._export,
            "dream": lambda _session, _rest: memory_commands.dream(memory),
            "dream-log": lambda _session, rest: memory_commands.log(memory, rest),
            "dream-restore": lambda _session, rest: memory_commands.restore(memory, rest),
        }

    async def answer(self, inbound: Inbound) -> Reply:
        """Do what it says."""
        typed = parse(inbound.text)
        assert typed
        deed = self._deeds.get(typed.word)
        if deed is None:
            return Reply(unknown(typed.word))
        try:
            return await deed(await self._parts.sessions.open(inbound.session), typed.rest)
        except Exception as error:
            told = explain(error)
            if not isinstance(error, AppError | OSError):
                _log.error("command %s failed", typed.word, exc_info=error)
            return Reply(str(told))

    async def _help(self, _session: "Session", _rest: str) -> Reply:
        lines = [f"- `{command.usage}` {_(command.about)}" for command in COMMANDS]
        skills = _("Type `$name` in a message to load a skill.")
        return Reply("\n".join([*lines, "", skills]))

    async def _new(self, session: "Session", _rest: str) -> Reply:
        await self._parts.halt(session.key)
        await self._cover(session, anyway=True)
        await session.set_metadata(last_archived=await session.count())
        return Reply(_("New session. Messages above stay readable, but I no longer see them."), anew=True)

    async def _compact(self, session: "Session", _rest: str) -> Reply:
        ready = await self._ready(session)
        await self._parts.consolidator.cover(session, ready)
        done = await self._parts.consolidator.make_room(session, ready, 0, "", force=True)
        if not done:
            return Reply(_("There is nothing to summarize yet."))
        return Reply(_("Older messages are now summarized in memory. I still see the recent ones in full."))

    async def _cover(self, session: "Session", *, anyway: bool) -> None:
        """Keep what was said in the memory before it is no longer seen, whatever becomes of the model."""
        try:
            ready = await self._ready(session)
        except AppError as error:
            _log.info("no model to sum up %s: %s", session.key, error)
            return
        await self._parts.consolidator.cover(session, ready, anyway=anyway)

    async def _ready(self, session: "Session") -> Ready:
        return await self._parts.models.ready(ModelWanted(*named_in(session.metadata), session.key, ""))

    async def _stop(self, session: "Session", _rest: str) -> Reply:
        stopped = await self._parts.halt(session.key)
        return Reply(_("Stopped.") if stopped else _("Nothing to stop."))

    async def _status(self, session: "Session", _rest: str) -> Reply:
        parts = self._parts
        lines = [_("Model: {model}").format(model=self._answering(session))]
        n, subagents = len(parts.loop.turns(session.key)), parts.subagents.of(session.key)
        under_way = ngettext("{n} answer in progress.", "{n} answers in progress.", n).format(n=n)
        lines.append(under_way if n else _("No answers in progress."))
        lines += [
            _("Subagent {label}").format(label=one.label) + f": {_(_STATES[one.state])}"
            for one in subagents
        ]
        lines += [
            f"{_part(status.name)}: {_(_STATES[status.state.value])} {status.detail}".rstrip()
            for status in parts.statuses()
            if status.state is not ServiceState.OFF
        ]
        if n := await parts.inbox.count():
            lines.append(
                ngettext(
                    "{n} question is waiting for you.", "{n} questions are waiting for you.", n
                ).format(n=n)
            )
        return Reply("\n".join(f"- {line}" for line in lines))

    def _answering(self, session: "Session") -> str:
        line = self._parts.choices.line(*named_in(session.metadata))
        return f"{line.title} ({line.provider_title})"

    async def _model(self, session: "Session", rest: str) -> Reply:
        known = await self._parts.choices.all()
        if rest:
            model, provider = await self._choice(rest, known)
            self._parts.models.choice(model, provider)
            await session.set_metadata(model=model or None, provider=provider or None)
            found = self._parts.choices.line(model, provider)
            return Reply(
                _("This conversation now uses {model} ({provider}).").format(
                    model=found.title, provider=found.provider_title
                )
            )
        lines = [_("This conversation uses {model}.").format(model=self._answering(session)), ""]
        lines += [f"- `{line.model or line.provider}` {line.provider_title}" for line in known]
        every = await self._parts.listed({line.provider for line in known})
        for line in known:
            if names := every.pop(line.provider, []):
                shown = ", ".join(f"`{name}`" for name in names[:_MOST])
                more = f" … ({len(names)})" if len(names) > _MOST else ""
                lines += ["", f"**{line.provider_title}**: {shown}{more}"]
        how = _("Choose one with /model and a name. /model auto returns to the default model.")
        return Reply("\n".join([*lines, "", how]))

    async def _choice(self, named: str, known: "Sequence[ModelLine]") -> tuple[str, str]:
        """Model and provider that a person means: one of those they were shown, one that a provider lists,
        or any other model's name."""
        if named.lower() in ("auto", "default"):
            return "", ""
        for line in known:
            if named.lower() in (line.model.lower(), line.provider.lower(), line.title.lower()):
                return line.model, line.provider
        for provider, names in (await self._parts.listed({line.provider for line in known})).items():
            if named in names:
                return named, provider
        return named, ""

    async def _reasoning(self, session: "Session", rest: str) -> Reply:
        if rest:
            level = "" if rest.lower() == "auto" else rest.lower()
            await session.set_metadata(reasoning=known_level(level) or None)
        found = await self._parts.choices.reasoning(session.metadata)
        if not found.levels:
            return Reply(_("This model has no reasoning levels."))
        now = found.level or found.usual
        told = (
            _("Reasoning level: {level}.").format(level=now)
            if now
            else _("The model decides how much to reason.")
        )
        how = _("Choose with /reasoning and one of: {levels}. /reasoning auto returns to the default.")
        return Reply(f"{told}\n\n{how.format(levels=', '.join(found.levels))}")

    async def _skill(self, _session: "Session", rest: str) -> Reply:
        skills = await in_thread(self._parts.skills.all)
        if rest:
            named = next((skill for skill in skills if skill.name == rest.lstrip("$").lower()), None)
            if named is None:
                return Reply(
                    _("There is no skill named {name}. List all skills with /skill").format(name=rest)
                )
            why = "\n".join(filter(None, [*named.missing, named.problem, named.remedy]))
            return Reply("\n\n".join(filter(None, [f"**{named.name}**", named.description, why])))
        lines = []
        for skill in skills:
            state = "" if skill.usable else f" ({_('unavailable')})"
            lines.append(f"- `${skill.name}`{state} {skill.description}")
        return Reply("\n".join(lines) or _("No skills yet."))

    async def _history(self, session: "Session", rest: str) -> Reply:
        number = min(int(rest), _MOST) if rest.isdecimal() and int(rest) else _SHOWN
        said = [message for message in await session.everything() if _is_said(message)]
        lines, name = [], self._parts.config().agents.defaults.bot_name
        for message in said[-number:]:
            who = _("You") if message["role"] == "user" else name
            text = " ".join(str(message["content"]).split())
            lines.append(f"**{who}**: {text if len(text) <= _LONGEST else f'{text[:_LONGEST]}…'}")
        return Reply("\n\n".join(lines) or _("No messages yet."))

    async def _export(self, session: "Session", _rest: str) -> Reply:
        messages = await session.everything()
        if not messages:
            return Reply(_("No messages yet."))
        infos = await self._parts.sessions.list()
        title = next((info.title for info in infos if info.key == session.key), "") or session.key
        text = await in_thread(export, "markdown", session.key, title, messages)
        name = f"files/exports/{datetime.now(UTC):%Y%m%d-%H%M%S}.md"
        await in_thread(Place(self._parts.workspace).write, name, text.encode())
        path = self._parts.workspace / name
        return Reply(_("Conversation saved to {path}").format(path=f"`{path}`"))


def _part(name: str) -> str:
    """What a person calls a part of the program."""
    kind, _colon, server = name.partition(":")
    if server:
        return _("MCP server {name}").format(name=server)
    return _(_PARTS[kind]) if kind in _PARTS else name


def _is_said(message: Message) -> bool:
    return message.get("role") in ("user", "assistant") and replayable(message) and bool(title_of(message))
