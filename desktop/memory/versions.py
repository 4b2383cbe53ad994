"""Every change of the memory is a commit, in a repository of its own, memory/.versions.

It is plain git, with the workspace as its work tree, and any git can read it; but none is needed, and no
settings or hooks of one are looked at. The workspace may have a .git of its own. A repository that is
damaged is kept aside and a new one begun.
"""

import difflib
import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.errors import StorageError, UsageError, explain
from desktop.files import Place
from desktop.memory.files import NOTES, ChangedMeanwhile, Marks, decoded, marks, put, read
from desktop.memory.repository import VERSIONS, Files, Repository, Tree
from desktop.tasks import in_thread, see_through
from desktop.text import _

if TYPE_CHECKING:
    from dulwich.objects import Commit

DREAM, PERSON, AGENT, RESTORE = CAUSES = ("dream", "person", "agent", "restore")
_ODD = (NotADirectoryError, IsADirectoryError)
"""A folder where a file should be is damage; a full or shut disk is none."""
_LOCK_S = 20.0
_TRIES = 5
_MOST_LINES = 5_000
"""Lines of a file up to which a difference is worked out."""
_SEEN = f"{VERSIONS}/nanobot-seen.json"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Version:
    """One commit."""

    id: str
    at: datetime
    """Aware, UTC."""
    cause: str
    """One of CAUSES."""
    message: str
    files: tuple[str, ...]
    """The paths in the workspace that it changed."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One file that differs between two versions; None where a version does not have it."""

    name: str
    before: str | None
    after: str | None
    diff: str
    """In unified form; empty where the file is too long for it."""


class Versions:
    """The versions of one workspace. Its public methods do not block; all raise StorageError."""

    def __init__(self, workspace: Path, told: Callable[[str], object] = lambda _text: None) -> None:
        """`told` is called with a sentence for the person."""
        self.workspace = workspace
        self.folder = workspace / "memory" / ".versions"
        self._place = Place(workspace)
        self._told, self._news = told, list[str]()
        self._lock = threading.RLock()
        self._repository = Repository(self._place, VERSIONS)

    async def commit(self, cause: str, message: str = "") -> str:
        """Keep what the files hold now; the new version's id, empty where nothing had changed."""
        return await self._do(self._commit, cause, message)

    async def changed(self) -> bool:
        """Whether a file was touched since the last commit. Cheap: a look at each file."""
        return await in_thread(self._changed)

    async def log(self, limit: int = 100) -> list[Version]:
        """The newest versions first."""
        return await self._do(self._log_of, limit)

    async def diff(self, a: str, b: str = "") -> list[Difference]:
        """What differs from version `a` to `b`; without `b`, to what the files hold now. Raises UsageError
        for an id that there is not."""
        return await self._do(self._diff, a, b)

    async def made(self, id_: str) -> list[Difference]:
        """What a version changed. Raises UsageError."""
        return await self._do(self._made, id_)

    async def file(self, id_: str, name: str) -> bytes | None:
        """What a file held in a version; None where it was not there. Raises UsageError."""
        return await self._do(lambda: self._repository.files(self._find(id_)).get(name))

    async def restore(self, id_: str, name: str = "") -> str:
        """Bring one file, or all, back to what a version had; the new version's id, empty where nothing
        changed by it. What the files held is a version before. Raises UsageError."""
        return await self._do(self._restore, id_, name)

    async def undo(self) -> str:
        """Take back the last change; a second time brings it back. Raises UsageError if there is none."""
        return await self._do(self._undo)

    async def _do[T](self, work: Callable[..., T], *arguments: Any) -> T:
        """Do work on the repository in a thread, to its end, and tell what there is to tell."""
        try:
            return await see_through(in_thread(self._guarded, work, *arguments), name="versions")
        finally:
            while self._news:
                self._told(self._news.pop())

    # ---- in a thread

    def _guarded[T](self, work: Callable[..., T], *arguments: Any) -> T:
        """Do work on the repository; anew in a new one where the old one turns out to be damaged."""
        try:
            with self._locked():
                try:
                    self._repository.begin()
                    return work(*arguments)
                except (UsageError, StorageError):
                    raise
                except Exception as error:  # dulwich raises nearly anything where it meets damage
                    if isinstance(error, OSError) and not isinstance(error, _ODD):
                        raise
                    aside = self._repository.set_aside()
                    _log.warning("the repository of the memory is damaged (%r), kept as %s", error, aside)
                    self._news.append(
                        _(
                            "The versions of memory were damaged. They are kept in {path}; new versions "
                            "start now."
                        ).format(path=aside)
                    )
                    self._repository.begin()
                    return work(*arguments)
        except OSError as error:
            raise explain(error) from error

    @contextmanager
    def _locked(self) -> Iterator[None]:
        from filelock import FileLock, Timeout

        self._place.mkdir("memory")
        try:
            with self._lock, FileLock(self.folder.parent / ".versions.lock", timeout=_LOCK_S):
                yield
        except Timeout:
            raise StorageError(
                _("Another program is using {path}.").format(path=self.folder), _("Close it and try again.")
            ) from None

    def _find(self, id_: str) -> "Commit":
        """The version with this id, or the one that begins with it."""
        wanted, commit = id_.strip().lower(), self._repository.head()
        while commit is not None:
            if len(wanted) >= 4 and commit.id.decode("ascii").startswith(wanted):
                return commit
            commit = self._repository.parent(commit)
        raise UsageError(
            _("There is no version {id}.").format(id=id_),
            _("List all versions with: nanobot-desktop memory log"),
        )

    def _now(self, before: Tree) -> tuple[Tree, Marks]:
        """What the files hold now, stored; one that cannot be read stays as it was."""
        seen, tree = marks(self._place), {}
        for name in {*seen, *before}:
            try:
                data = read(self._place, name)
            except OSError as error:
                _log.info("%s is not taken into the versions: %s", name, error)
                if name in before:
                    tree[name] = before[name]
                continue
            if data is not None:
                tree[name] = self._repository.add(data)
        return tree, seen

    def _commit(self, cause: str, message: str = "") -> str:
        head = self._repository.head()
        before = self._repository.tree(head)
        tree, seen = self._now(before)
        made = ""
        if head is None or tree != before:
            made = self._repository.commit(tree, f"{cause}: {' '.join(message.split())}".rstrip(), head)
        self._note(seen)
        return made

    def _note(self, seen: Marks) -> None:
        """Remember how the files looked when they were kept last."""
        with suppress(OSError):
            self._place.write(_SEEN, json.dumps(seen).encode(), durable=False)

    def _changed(self) -> bool:
        try:
            kept = json.loads(self._place.read(_SEEN))
        except (OSError, ValueError):
            return True
        now = {name: list(mark) for name, mark in marks(self._place).items()}
        return bool(kept != now)

    def _log_of(self, limit: int) -> list[Version]:
        found: list[Version] = []
        commit = self._repository.head()
        while commit is not None and len(found) < limit:
            parent = self._repository.parent(commit)
            cause, _colon, message = commit.message.decode("utf-8", "replace").partition(":")
            at = datetime.fromtimestamp(commit.commit_time, UTC)
            files = tuple(_differing(self._repository.tree(parent), self._repository.tree(commit)))
            known = cause if cause in CAUSES else PERSON
            found.append(Version(commit.id.decode("ascii"), at, known, message.strip(), files))
            commit = parent
        return found

    def _diff(self, a: str, b: str) -> list[Difference]:
        first = self._repository.tree(self._find(a))
        if b:
            return self._differences(first, self._repository.tree(self._find(b)))
        return self._differences(first, self._now(self._repository.tree(self._repository.head()))[0])

    def _made(self, id_: str) -> list[Difference]:
        commit = self._find(id_)
        return self._differences(
            self._repository.tree(self._repository.parent(commit)), self._repository.tree(commit)
        )

    def _differences(self, first: Tree, second: Tree) -> list[Difference]:
        found = []
        for name in _differing(first, second):
            before, after = (
                decoded(self._repository.blob(tree[name])) if name in tree else None
                for tree in (first, second)
            )
            found.append(Difference(name, before, after, unified(name, before or "", after or "")))
        return found

    def _restore(self, id_: str, name: str) -> str:
        wanted = self._repository.files(self._find(id_))
        short = id_.strip().lower()[:8]
        only = {NOTES.get(name, name)} if name else None
        if only and not only <= {*wanted, *self._repository.tree(self._repository.head())}:
            raise UsageError(_("No version contains {name}.").format(name=name))
        return self._bring(wanted, only, f"{short} {name}")

    def _undo(self) -> str:
        self._commit(PERSON)
        head = self._repository.head()
        parent = self._repository.parent(head) if head else None
        if head is None or parent is None:
            raise UsageError(_("There is no change to undo."))
        only = set(_differing(self._repository.tree(parent), self._repository.tree(head)))
        return self._bring(self._repository.files(parent), only, f"undo {head.id.decode('ascii')[:8]}")

    def _bring(self, wanted: Files, only: set[str] | None, message: str) -> str:
        """Put files in place as they shall be; what is there is a version before that."""
        for _try in range(_TRIES):
            self._commit(PERSON)
            now = self._repository.files(self._repository.head())
            try:
                for name in sorted({*wanted, *now} if only is None else only):
                    if wanted.get(name) != now.get(name):
                        put(self._place, name, wanted.get(name), now.get(name))
            except ChangedMeanwhile:
                continue  # somebody writes at this moment: that is a version of its own
            return self._commit(RESTORE, message)
        raise StorageError(_("Another program is changing the memory files."), _("Try again in a moment."))


def unified(name: str, before: str, after: str) -> str:
    """The difference of two texts in unified form; empty where they are too long for that."""
    first, second = before.splitlines(), after.splitlines()
    if len(first) + len(second) > 2 * _MOST_LINES:
        return ""
    return "\n".join(difflib.unified_diff(first, second, name, name, lineterm=""))


def _differing(first: Tree, second: Tree) -> list[str]:
    return sorted(name for name in {*first, *second} if first.get(name) != second.get(name))
