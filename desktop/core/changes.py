"""The verbs of what a turn changed in files: list it, compare it, take it back, do it again."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.core.verbs import Json, Send, Verb
from desktop.errors import UsageError
from desktop.tasks import in_thread, see_through
from desktop.text import _
from desktop.tools.files.kept import Kept
from desktop.tools.files.undo import Standing, Touched, difference, take_back, touched

if TYPE_CHECKING:
    from desktop.core.core import Core

_CALLS = 500
"""So many calls of a conversation are looked through for commands."""


class Changes:
    """Acts on the files that the tools kept."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    @property
    def _kept(self) -> Kept:
        return self._core.workshop.kept

    def verbs(self) -> dict[str, Verb]:
        """All of them, by name."""
        return {"changes": self.changes, "change_diff": self.diff, "take_back": self.take_back}

    async def changes(self, arguments: Json, _send: Send) -> Json:
        """The `files` that a `turn` of a `session` changed (path, name, where, new, standing: done,
        undone, changed or lost), and the `commands` that it ran, whose changes nobody knows. Without one:
        `turns`, the newest ones first that changed files."""
        turn, session = str(arguments.get("turn") or ""), str(arguments.get("session") or "")
        if not turn:
            return {"turns": await in_thread(self._turns, session)}
        files = await in_thread(touched, self._kept, turn)
        calls = await self._core.audit.latest(_CALLS, session) if session else []
        commands = [
            c.gist for c in reversed(calls) if c.turn == turn and c.tool == "exec" and c.verdict != "deny"
        ]
        return {"files": self._lines(files), "commands": commands}

    def _turns(self, session: str) -> list[Json]:
        found: dict[str, Json] = {}
        for change in self._kept.changes():
            if session in ("", change.session):
                line = found.setdefault(
                    change.turn, {"turn": change.turn, "session": change.session, "files": []}
                )
                line["at"] = change.at
                if change.path not in line["files"]:
                    line["files"].append(change.path)
        return sorted(found.values(), key=lambda line: -float(line["at"]))

    async def diff(self, arguments: Json, _send: Send) -> Json:
        """What a `turn` changed in the file `path`, as a unified `diff`; null where that is no text."""
        turn, path = str(arguments["turn"]), str(arguments["path"])
        return {"diff": await in_thread(difference, self._kept, turn, path)}

    async def take_back(self, arguments: Json, _send: Send) -> Json:
        """Bring the files that a `turn` changed back to what they were; with `again`, take that back. The
        `files` as they stand then, and those `left` as they were, with why. Raises UsageError where there
        is nothing to do."""
        turn, again = str(arguments["turn"]), bool(arguments.get("again"))
        work = in_thread(lambda: take_back(self._kept, turn, again=again))
        results = await see_through(work, name=f"undo:{turn}")
        if not results:
            raise UsageError(
                _("There is nothing to take back."),
                _("The files were changed since, or their old text is no longer kept."),
            )
        files = await in_thread(touched, self._kept, turn)
        left = [{"path": file.path, "why": why} for file, why in results if why]
        left += [
            {"path": file.path, "why": _why(file)}
            for file in files
            if file.standing in (Standing.CHANGED, Standing.LOST)
            and not any(file.path == one["path"] for one in left)
        ]
        return {"files": self._lines(files), "left": left}

    def _lines(self, files: Iterable[Touched]) -> list[Json]:
        return [
            {
                "path": file.path,
                "name": Path(file.path).name,
                "where": _short(Path(file.path).parent, self._core.workspace),
                "new": file.new,
                "standing": file.standing.value,
            }
            for file in files
        ]


def _short(folder: Path, workspace: Path) -> str:
    """A folder as seen from the workspace, where it is in it, else from the person's home."""
    for base, sign in ((workspace, ""), (Path.home(), "~")):
        if folder.is_relative_to(base):
            inside = folder.relative_to(base)
            return sign if inside == Path() else str(Path(sign) / inside)
    return str(folder)


def _why(file: Touched) -> str:
    if file.standing is Standing.CHANGED:
        return _("It was changed since.")
    return _("What it was before was too large to be kept, or is kept no longer.")
