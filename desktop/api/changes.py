"""What a turn changed in files: list it, compare it, take it back, do it again."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.errors import UsageError
from desktop.tasks import in_thread, see_through
from desktop.text import _
from desktop.tools.files.undo import Standing, Touched, difference, take_back, touched

if TYPE_CHECKING:
    from desktop.tools.audit import Audit
    from desktop.tools.files.kept import Kept

_CALLS = 500
"""So many calls of a conversation are looked through for commands."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that a turn changed. `where`: its folder, short; `new`: it was made."""

    path: str
    name: str
    where: str
    new: bool
    standing: str
    """done, undone, changed or lost."""


@dataclass(frozen=True, slots=True)
class TurnChanges:
    """What one turn changed; what its commands changed nobody knows."""

    files: tuple[ChangedFile, ...]
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangedTurn:
    """A turn that changed files, by their paths; `at` in Unix time, of the last of them."""

    turn: str
    session: str
    files: tuple[str, ...]
    at: float


@dataclass(frozen=True, slots=True)
class Left:
    """A file that was left as it is, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The files of a turn as they stand then, and those that were left."""

    files: tuple[ChangedFile, ...]
    left: tuple[Left, ...]


class Changes:
    """Acts on the files that the tools kept."""

    def __init__(self, kept: "Kept", audit: "Audit", workspace: Path) -> None:
        self._kept, self._audit, self._workspace = kept, audit, workspace

    async def of(self, turn: str, session: str = "") -> TurnChanges:
        """What a turn changed, and where its session is given, the commands that it ran."""
        files = await in_thread(touched, self._kept, turn)
        calls = await self._audit.latest(_CALLS, session) if session else []
        commands = tuple(
            c.gist for c in reversed(calls) if c.turn == turn and c.tool == "exec" and c.verdict != "deny"
        )
        return TurnChanges(self._files(files), commands)

    async def turns(self, session: str = "") -> tuple[ChangedTurn, ...]:
        """The turns that changed files, of one session or of all, the newest first."""
        return await in_thread(self._turns, session)

    def _turns(self, session: str) -> tuple[ChangedTurn, ...]:
        found: dict[str, ChangedTurn] = {}
        for change in self._kept.changes():
            if session in ("", change.session):
                before = found.get(change.turn)
                paths = dict.fromkeys((*(before.files if before else ()), change.path))
                of = before.session if before else change.session
                found[change.turn] = ChangedTurn(change.turn, of, tuple(paths), change.at)
        return tuple(sorted(found.values(), key=lambda turn: -turn.at))

    async def diff(self, turn: str, path: str) -> str | None:
        """What a turn changed in a file, as a unified difference; None where that is no text."""
        return await in_thread(difference, self._kept, turn, path)

    async def take_back(self, turn: str, *, again: bool = False) -> TakenBack:
        """Bring the files that a turn changed back to what they were; with `again`, take that back. Raises
        UsageError where there is nothing to do."""
        work = in_thread(lambda: take_back(self._kept, turn, again=again))
        results = await see_through(work, name=f"undo:{turn}")
        if not results:
            raise UsageError(
                _("There is nothing to undo."),
                _("The files have changed since, or their old versions are no longer kept."),
            )
        files = await in_thread(touched, self._kept, turn)
        left = {file.path: why for file, why in results if why}
        for file in files:
            if file.standing in (Standing.CHANGED, Standing.LOST):
                left.setdefault(file.path, _why(file))
        return TakenBack(self._files(files), tuple(Left(path, why) for path, why in left.items()))

    def _files(self, files: Iterable[Touched]) -> tuple[ChangedFile, ...]:
        return tuple(
            ChangedFile(
                file.path,
                Path(file.path).name,
                _short(Path(file.path).parent, self._workspace),
                file.new,
                file.standing.value,
            )
            for file in files
        )


def _short(folder: Path, workspace: Path) -> str:
    """A folder as seen from the workspace, where it is in it, else from the person's home."""
    for base, sign in ((workspace, ""), (Path.home(), "~")):
        if folder.is_relative_to(base):
            inside = folder.relative_to(base)
            return sign if inside == Path() else str(Path(sign) / inside)
    return str(folder)


def _why(file: Touched) -> str:
    if file.standing is Standing.CHANGED:
        return _("It has changed since.")
    return _("The old version was too large to keep, or is no longer kept.")
