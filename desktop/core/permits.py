"""The verbs of permissions: questions and their answers, modes, standing answers, granted folders.

An answer to a call that still waits reaches it through the gate. A later one begins a turn of its own,
whose message is on disk before the question is closed: what is lost in between is asked again, never done
twice.
"""

import asyncio
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.agent.gate import Answer
from desktop.agent.scope import AUTONOMOUS, mode_of
from desktop.agent.turn import Inbound, Late
from desktop.agent.view import view_of
from desktop.config.permissions import Folder, Rule
from desktop.core.told import told
from desktop.core.verbs import Json, Send, Verb
from desktop.errors import UsageError
from desktop.inbox.inbox import APPROVAL, OPEN, Notice
from desktop.origin import TRUSTED, mark_of, sentence
from desktop.session.model import now
from desktop.tasks import in_thread
from desktop.text import _
from desktop.tools.form import filled

if TYPE_CHECKING:
    from desktop.core.core import Core

_IN_VIEW_TOKENS = 200_000
MODES = ("ask", "risky", AUTONOMOUS)


class Permits:
    """Acts on what the agent may do."""

    def __init__(self, core: "Core") -> None:
        self._core = core
        self._answering = asyncio.Lock()

    def verbs(self) -> dict[str, Verb]:
        """Each under its name."""
        return {
            "permit": self.permit,
            "later": self.later,
            "permissions": self.permissions,
            "mode": self.mode,
            "folder": self.folder,
            "grant": self.grant,
            "revoke": self.revoke,
            "forget_rule": self.forget_rule,
            "vouch": self.vouch,
            "unvouch": self.unvouch,
        }

    async def permit(self, arguments: Json, send: Send) -> Json:
        """Answer a question: `question`, `yes`, and where wanted `reason`, `network`, `always`.

        `late` in the result tells that its turn had ended: the answer began a new one; with `wait`, its
        events are told and its end waited for. What that one asks, such as about a call that changed since,
        waits in the inbox at once where `approve` is never. A form also takes its `content`; what is wrong
        with that is in `faults`, by field, and the question stays open. Raises UsageError if it is not open
        any more.
        """
        with self._core.bus.subscribe() as events:
            turn, faults = await self._answer(arguments)
            if faults:
                return {"late": False, "faults": faults}
            if turn and arguments.get("wait"):
                await told(events, turn, send)
        return {"late": bool(turn)}

    async def later(self, arguments: Json, _send: Send) -> Json:
        """Leave a question for later: the turn goes on without it, the inbox keeps it."""
        return {"parked": self._core.gate.park(str(arguments["question"]))}

    async def _answer(self, arguments: Json) -> tuple[str, dict[str, str]]:
        """The turn that a late answer began, empty where a call had waited for it; and what is wrong with
        what was filled in."""
        async with self._answering:
            notice = await self._core.inbox.get(str(arguments["question"]))
            if notice is None or notice.kind != APPROVAL or notice.state != OPEN:
                raise UsageError(_("This question is not open any more."))
            answer = Answer(
                bool(arguments["yes"]),
                str(arguments.get("reason") or ""),
                bool(arguments.get("network")),
                front=str(arguments.get("front") or "window"),
            )
            if "form" in (notice.body.get("card") or {}):
                return "", await self._fill(notice, answer, arguments)
            if answer.yes and arguments.get("always"):
                await self._keep(notice)
            if self._core.gate.answer(notice.id, answer):
                return "", {}
            approve = "never" if arguments.get("approve") == "never" else "ask"
            turn = await self._core.loop.submit(
                replace(_late(notice, answer, answer.front), approve=approve)
            )
            await self._core.inbox.settle(notice.id, "yes" if answer.yes else "no")
            return turn, {}

    async def _fill(self, notice: Notice, answer: Answer, arguments: Json) -> dict[str, str]:
        """Hand what was filled in to the call that waits for it. Raises UsageError where none does."""
        form = self._core.gate.form(notice.id)
        content, faults = filled(form, dict(arguments.get("content") or {})) if form else ({}, {})
        if form and answer.yes and faults:
            return faults
        if not self._core.gate.answer(notice.id, replace(answer, content=content)):
            await self._core.inbox.settle(notice.id, "withdrawn")
            raise UsageError(
                _("The server does not wait for this answer any more."),
                _("Ask for the same again, if you still want it."),
            )
        return {}

    async def _keep(self, notice: Notice) -> None:
        """Store what "always like this" stands for."""
        given = notice.body.get("rule")
        if given is None:
            raise UsageError(_("This cannot be allowed for good."))
        rule = Rule.model_validate(given)
        rules = self._core.store.config.permissions.rules
        await self._store_rules((*(kept for kept in rules if _what(kept) != _what(rule)), rule))

    async def permissions(self, arguments: Json, _send: Send) -> Json:
        """Standing answers, folders, the sandbox; with `session`, that conversation's mode and folders."""
        from desktop.tools.permissions import rules

        permissions = self._core.store.config.permissions
        metadata = await self._metadata(arguments)
        until = metadata.get("mode_until")
        works, about = await self._core.workshop.sandbox()
        return {
            "mode": mode_of(metadata, permissions.mode),
            "usual": permissions.mode,
            "until": until if mode_of(metadata, "") == AUTONOMOUS else None,
            "minutes": permissions.autonomous_minutes,
            "folder": str(metadata.get("folder") or ""),
            "rules": [{**_plain(rule), "sentence": rules.sentence(rule)} for rule in permissions.rules],
            "folders": [_plain(folder) for folder in permissions.folders],
            "session_folders": list(metadata.get("folders") or []),
            "sandbox": {"works": works, "text": about},
            "autonomous": works or not self._core.store.config.tools.commands.enable,
            "vouched": await self._core.marks.vouched(),
            "marked": await self._marked(arguments),
        }

    async def _marked(self, arguments: Json) -> Json | None:
        """What untrusted or unknown text a conversation has in view; None where it has none."""
        key = str(arguments.get("session") or "")
        if not key:
            return None
        session = await self._core.sessions.open(key)
        mark = view_of(session.history(_IN_VIEW_TOKENS), session.metadata).mark
        if mark.trusted:
            return None
        return {"origin": mark.origin.value, "sources": list(mark.sources), "text": sentence(mark)}

    async def vouch(self, arguments: Json, _send: Send) -> Json:
        """The person says that files are theirs: those that a conversation (`session`) has in view, with
        `folder` also all in the folder where it works; or all of a folder (`path`)."""
        path = str(arguments.get("path") or "")
        if key := str(arguments.get("session") or ""):
            session = await self._core.sessions.open(key)
            await session.set_metadata(vouched=now())
            if arguments.get("folder"):
                path = str(session.metadata.get("folder") or self._core.workspace)
        if path:
            real = await in_thread(lambda: Path(_folder(path)).resolve())
            await self._core.marks.vouch(real)
        if key:
            places = (session.metadata.get("folder") or "", self._core.workspace)
            folders = await in_thread(lambda: [Path(place).resolve() for place in places if place])
            await self._core.marks.settle(session.key, folders)
        return {}

    async def unvouch(self, arguments: Json, _send: Send) -> Json:
        """They do not vouch for a folder any more."""
        await self._core.marks.unvouch(str(arguments["path"]))
        return {}

    async def mode(self, arguments: Json, _send: Send) -> Json:
        """How one conversation asks: `mode` ask, risky or autonomous; empty for the usual way."""
        mode = str(arguments.get("mode") or "")
        if mode and mode not in MODES:
            raise UsageError(_("There is no such mode: {mode}.").format(mode=mode))
        if mode == AUTONOMOUS:
            await self._may_be_autonomous()
        minutes = self._core.store.config.permissions.autonomous_minutes
        until = time.time() + 60 * minutes if mode == AUTONOMOUS else None
        session = await self._core.sessions.open(str(arguments["session"]))
        await session.set_metadata(mode=mode or None, mode_until=until)
        return {"mode": mode, "until": until}

    async def _may_be_autonomous(self) -> None:
        """Raises UsageError where a command could do whatever the person can."""
        works, about = await self._core.workshop.sandbox()
        if not works and self._core.store.config.tools.commands.enable:
            raise UsageError(
                _("Without a sandbox the agent asks before each command. {why}").format(why=about),
                _("Install bubblewrap and switch the sandbox on, or switch commands off."),
            )

    async def folder(self, arguments: Json, _send: Send) -> Json:
        """Give a conversation its working folder; an empty one is the workspace again."""
        folder = str(arguments.get("folder") or "")
        path = await in_thread(_folder, folder) if folder else ""
        session = await self._core.sessions.open(str(arguments["session"]))
        await session.set_metadata(folder=path or None)
        return {"folder": path}

    async def grant(self, arguments: Json, _send: Send) -> Json:
        """Grant a folder, with `write` for writing too; for all, or for one conversation (`session`)."""
        path = await in_thread(_folder, str(arguments["path"]))
        granted = Folder(path=path, write=bool(arguments.get("write")))
        return await self._change_folders(arguments, path, granted)

    async def revoke(self, arguments: Json, _send: Send) -> Json:
        """Take a granted folder back."""
        return await self._change_folders(arguments, str(arguments["path"]), None)

    async def _change_folders(self, arguments: Json, path: str, granted: Folder | None) -> Json:
        more = [granted] if granted else []
        if arguments.get("session"):
            session = await self._core.sessions.open(str(arguments["session"]))
            kept = [f for f in session.metadata.get("folders") or [] if f.get("path") != path]
            await session.set_metadata(folders=[*kept, *(_plain(folder) for folder in more)] or None)
            return {}
        folders = [f for f in self._core.store.config.permissions.folders if f.path != path]
        await self._core.change({"permissions.folders": [_plain(folder) for folder in [*folders, *more]]})
        return {}

    async def forget_rule(self, arguments: Json, _send: Send) -> Json:
        """Take a standing answer back: `rule` as the list gave it."""
        rule = Rule.model_validate({k: v for k, v in dict(arguments["rule"]).items() if k != "sentence"})
        rules = self._core.store.config.permissions.rules
        await self._store_rules(tuple(kept for kept in rules if kept != rule))
        return {}

    async def _store_rules(self, rules: tuple[Rule, ...]) -> None:
        await self._core.change({"permissions.rules": [_plain(rule) for rule in rules]})

    async def _metadata(self, arguments: Json) -> Any:
        key = str(arguments.get("session") or "")
        return (await self._core.sessions.open(key)).metadata if key else {}


def _late(notice: Notice, answer: Answer, front: str) -> Inbound:
    """The message that tells of an answer given after the turn had ended, and carries the call out."""
    body, card = notice.body, notice.body.get("card") or {}
    # The title holds what the model wanted, which marked text may have put there.
    marks = {"_origin": card.get("trust"), "_sources": card.get("sources")}
    mark = mark_of(marks) if card.get("outside") else TRUSTED
    if answer.yes:
        text = _("You can do it now, I allow it: {what}").format(what=notice.title)
        late = Late(
            notice.id,
            str(body["tool"]),
            str(body["arguments"]),
            str(body["digest"]),
            answer.network,
            json.loads(body.get("files") or "{}"),
        )
        return Inbound(notice.session, text, front, note=True, late=late, mark=mark)
    text = _("No, do not do this: {what}").format(what=notice.title)
    if answer.reason:
        text = f"{text}\n\n{answer.reason}"
    return Inbound(notice.session, text, front, note=True, mark=mark)


def _what(rule: Rule) -> Rule:
    """A rule without what it covered when it was given."""
    return rule.model_copy(update={"files": {}, "at": 0.0})


def _plain(section: Rule | Folder) -> Json:
    return section.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def _folder(name: str) -> str:
    """The absolute path of a folder that is there. Raises UsageError."""
    path = Path(name).expanduser()
    if not path.is_absolute() or not path.is_dir():
        raise UsageError(_("There is no folder {path}.").format(path=name), _("Give its full path."))
    return str(path)
