"""Whose words the result of a call is, and the marks of the files that the call made.

A tool's own text comes from where the tool says. What files brought into it counts as those files do; what
a command printed may have anything in it that the command could read.
"""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from desktop.agent.approvals import Ruling
from desktop.agent.call import Done
from desktop.agent.scope import Scope
from desktop.agent.turn import Turn
from desktop.errors import StorageError
from desktop.files import Place, Seen
from desktop.marks import Marks
from desktop.origin import AGENT, TRUSTED, UNKNOWN, Mark, untrusted
from desktop.paths import resource, temporary
from desktop.tasks import in_thread
from desktop.tools.permissions.places import memory, resolve

_MOST_READ = 16 << 20


@dataclass(frozen=True, slots=True)
class Begun:
    """A call that is being carried out."""

    made: Mark
    """The mark of what it makes."""
    printed: Mark = TRUSTED
    """The mark of all that it may have read by itself."""
    command: str = ""
    """Its number among the commands, while files may be changed by it."""
    quiet: bool = False
    """Where the mark came from is not stored."""


class Provenance:
    """Follows calls."""

    def __init__(self, scope: Scope, marks: Marks) -> None:
        self._scope, self._marks = scope, marks

    async def begin(self, turn: Turn, done: Done) -> Begun:
        """A call is about to be carried out. Raises StorageError."""
        assert done.plan
        assert done.ruling
        claim, made = done.plan.claim, AGENT | turn.mark
        quiet = temporary(turn.home)  # of such a conversation nothing is kept but the origin
        session, made = ("", Mark(made.origin)) if quiet else (turn.home, made)
        if claim.service:
            printed = untrusted("" if quiet else claim.service)
            return Begun(
                made, printed, await self._marks.begin_command(session, [Path("/")], made | printed), quiet
            )
        if not claim.command:
            return Begun(made, quiet=quiet)
        situation = await in_thread(self._scope.situation, turn)
        seen = await in_thread(_seen_by, done.ruling, self._scope.workspace)
        if done.ruling.network or (claim.network and not situation.sandboxed):
            printed = untrusted("network")
        elif situation.sandboxed:
            printed = await self._marks.of_folders(seen)
        else:
            printed = UNKNOWN
        writable = seen if situation.sandboxed else [Path("/")]
        return Begun(
            made, printed, await self._marks.begin_command(session, writable, made | printed), quiet
        )

    async def end(self, done: Done, begun: Begun) -> None:
        """The call is at its end: mark what it said and what it made."""
        assert done.plan
        assert done.tool
        try:
            if begun.command:
                await self._marks.end_command(begun.command)
            read: Sequence[Seen] = done.result.read
            if done.outcome != "ok" and done.plan.claim.reads:  # a failure may quote what it read
                read = await in_thread(_look, done.plan.claim.reads)
            workspace = await in_thread(lambda: resolve(self._scope.workspace)[0])
            own = [seen for seen in read if not memory(seen.path, workspace)]
            files = await self._marks.of_files(own)
            done.mark = done.result.mark | done.tool.mark | begun.printed | files
            mark = begun.made | done.mark
            await self._marks.keep(done.result.wrote, Mark(mark.origin) if begun.quiet else mark)
        except StorageError:
            done.mark |= UNKNOWN

    async def kept(self, path: Path, text: str, mark: Mark) -> None:
        """A long result was kept in a file. Raises StorageError."""
        data = text.encode("utf-8", "replace")
        seen = Seen(path, 0, 0, len(data), 0, 0, hashlib.sha256(data).hexdigest())
        await self._marks.keep([seen], mark)


def _seen_by(ruling: Ruling, workspace: Path) -> list[Path]:
    """The folders that a sandboxed command can read, the system's and the program's own aside."""
    folders = (*(() if ruling.apart else (workspace,)), *ruling.writable, *ruling.readable)
    own = resolve(resource("skills"))[0]
    return [real for real in (resolve(folder)[0] for folder in folders) if real != own]


def _look(paths: Sequence[Path]) -> list[Seen]:
    found = []
    for path in paths:
        with suppress(OSError, ValueError), Place(path.parent).open(path.name) as file:
            found.append(file.seen(hashlib.sha256(file.stream.read(_MOST_READ)).hexdigest()))
    return found
