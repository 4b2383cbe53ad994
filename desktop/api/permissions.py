"""What the agent may do: modes, standing answers, granted folders, files the person vouches for."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop import remedies
from desktop.agent.scope import AUTONOMOUS, mode_of
from desktop.agent.view import view_of
from desktop.config.permissions import Folder, Rule
from desktop.errors import UsageError
from desktop.origin import sentence
from desktop.session.model import now
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.config.schema import Config
    from desktop.marks import Marks
    from desktop.session.sessions import Sessions

_IN_VIEW_TOKENS = 200_000
MODES = ("ask", "risky", AUTONOMOUS)


@dataclass(frozen=True, slots=True)
class StandingAnswer:
    """An answer given for all calls of a kind."""

    rule: dict[str, Any]
    """As it stands in the settings."""
    sentence: str


@dataclass(frozen=True, slots=True)
class GrantedFolder:
    """A folder outside the workspace."""

    path: str
    write: bool = False


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Whether commands run in one, and a sentence on it."""

    works: bool
    text: str


@dataclass(frozen=True, slots=True)
class Marked:
    """Untrusted or unknown text that a conversation has in view."""

    origin: str
    sources: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Permitted:
    """What holds, for good and in one conversation."""

    mode: str
    """One of MODES."""
    usual: str
    """The mode where a conversation has none of its own."""
    until: float | None
    """When the autonomous mode ends, in Unix time."""
    minutes: int
    """How long it lasts."""
    folder: str
    """Where the conversation works; "" for the workspace."""
    rules: tuple[StandingAnswer, ...]
    folders: tuple[GrantedFolder, ...]
    session_folders: tuple[GrantedFolder, ...]
    sandbox: Sandbox
    autonomous: bool
    """Whether that mode is offered."""
    vouched: tuple[str, ...]
    """Folders whose files are the person's."""
    marked: Marked | None


@dataclass(frozen=True, slots=True)
class Mode:
    """How a conversation asks now; `until` in Unix time."""

    mode: str
    until: float | None


type Change = Callable[[Mapping[str, Any]], Awaitable[None]]


class Permissions:
    """Reads and changes them. Every method raises UsageError for what cannot be meant, and StorageError."""

    def __init__(
        self,
        config: "Callable[[], Config]",
        change: Change,
        sessions: "Sessions",
        marks: "Marks",
        sandbox: Callable[[], Awaitable[tuple[bool, str]]],
        workspace: Path,
    ) -> None:
        """`change` sets settings by dotted name; `sandbox` looks whether there is one."""
        self._config, self._change, self._sessions = config, change, sessions
        self._marks, self._sandbox, self._workspace = marks, sandbox, workspace

    async def read(self, session: str = "") -> Permitted:
        """What holds for good, and in a conversation."""
        from desktop.tools.permissions import rules

        permissions = self._config().permissions
        metadata = await self._metadata(session)
        works, about = await self._sandbox()
        return Permitted(
            mode=mode_of(metadata, permissions.mode),
            usual=permissions.mode,
            until=metadata.get("mode_until") if mode_of(metadata, "") == AUTONOMOUS else None,
            minutes=permissions.autonomous_minutes,
            folder=str(metadata.get("folder") or ""),
            rules=tuple(StandingAnswer(_plain(rule), rules.sentence(rule)) for rule in permissions.rules),
            folders=tuple(GrantedFolder(folder.path, folder.write) for folder in permissions.folders),
            session_folders=tuple(
                GrantedFolder(str(folder["path"]), bool(folder.get("write")))
                for folder in metadata.get("folders") or []
            ),
            sandbox=Sandbox(works, about),
            autonomous=works or not self._config().tools.commands.enable,
            vouched=tuple(await self._marks.vouched()),
            marked=await self._marked(session),
        )

    async def _marked(self, key: str) -> Marked | None:
        if not key:
            return None
        session = await self._sessions.open(key)
        mark = view_of(session.history(_IN_VIEW_TOKENS), session.metadata).mark
        return None if mark.trusted else Marked(mark.origin.value, tuple(mark.sources), sentence(mark))

    async def vouch(self, *, session: str = "", folder: bool = False, path: str = "") -> None:
        """The person says that files are theirs: those that a conversation has in view, with `folder` also
        all in the folder where it works; or all of the folder `path`."""
        if session:
            opened = await self._sessions.open(session)
            await opened.set_metadata(vouched=now())
            if folder:
                path = str(opened.metadata.get("folder") or self._workspace)
        if path:
            real = await in_thread(lambda: Path(_folder(path)).resolve())
            await self._marks.vouch(real)
        if session:
            places = (opened.metadata.get("folder") or "", self._workspace)
            folders = await in_thread(lambda: [Path(place).resolve() for place in places if place])
            await self._marks.settle(opened.key, folders)

    async def unvouch(self, path: str) -> None:
        """They do not vouch for a folder any more."""
        await self._marks.unvouch(path)

    async def set_mode(self, session: str, mode: str = "") -> Mode:
        """How one conversation asks: one of MODES; "" for the usual way."""
        if mode and mode not in MODES:
            raise UsageError(_("There is no permission mode {mode}.").format(mode=mode))
        if mode == AUTONOMOUS:
            await self._may_be_autonomous()
        minutes = self._config().permissions.autonomous_minutes
        until = time.time() + 60 * minutes if mode == AUTONOMOUS else None
        await (await self._sessions.open(session)).set_metadata(mode=mode or None, mode_until=until)
        return Mode(mode, until)

    async def _may_be_autonomous(self) -> None:
        """Raises UsageError where a command could do whatever the person can."""
        works, about = await self._sandbox()
        if not works and self._config().tools.commands.enable:
            raise UsageError(
                _("Without a sandbox the agent asks before each command. {why}").format(why=about),
                remedies.sandbox(),
            )

    async def set_folder(self, session: str, folder: str = "") -> str:
        """Give a conversation its working folder, "" for the workspace; its full path."""
        path = await in_thread(_folder, folder) if folder else ""
        await (await self._sessions.open(session)).set_metadata(folder=path or None)
        return path

    async def grant(self, path: str, *, write: bool = False, session: str = "") -> None:
        """Grant a folder, with `write` for writing too; for all, or for one conversation."""
        real = await in_thread(_folder, path)
        await self._change_folders(session, real, Folder(path=real, write=write))

    async def revoke(self, path: str, *, session: str = "") -> None:
        """Take a granted folder back."""
        await self._change_folders(session, path, None)

    async def _change_folders(self, key: str, path: str, granted: Folder | None) -> None:
        more = [granted] if granted else []
        if key:
            session = await self._sessions.open(key)
            kept = [f for f in session.metadata.get("folders") or [] if f.get("path") != path]
            await session.set_metadata(folders=[*kept, *(_plain(folder) for folder in more)] or None)
            return
        folders = [f for f in self._config().permissions.folders if f.path != path]
        await self._change({"permissions.folders": [_plain(folder) for folder in [*folders, *more]]})

    async def forget(self, rule: dict[str, Any]) -> None:
        """Take a standing answer back."""
        gone = Rule.model_validate(rule)
        await self._store_rules(tuple(one for one in self._config().permissions.rules if one != gone))

    async def _store_rules(self, rules: tuple[Rule, ...]) -> None:
        await self._change({"permissions.rules": [_plain(rule) for rule in rules]})

    async def _metadata(self, key: str) -> Any:
        return (await self._sessions.open(key)).metadata if key else {}


def with_rule(rules: tuple[Rule, ...], rule: Rule) -> list[dict[str, Any]]:
    """Standing answers with one more, as they stand in the settings; it takes the place of one for the same
    calls."""
    return [_plain(one) for one in (*(kept for kept in rules if _what(kept) != _what(rule)), rule)]


def _what(rule: Rule) -> Rule:
    """A rule without what it covered when it was given."""
    return rule.model_copy(update={"files": {}, "at": 0.0})


def _plain(section: Rule | Folder) -> dict[str, Any]:
    return section.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def _folder(name: str) -> str:
    """The absolute path of a folder that is there. Raises UsageError."""
    path = Path(name).expanduser()
    if not path.is_absolute() or not path.is_dir():
        raise UsageError(_("There is no folder {path}.").format(path=name), _("Enter its full path."))
    return str(path)
