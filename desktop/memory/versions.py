"""Every change of the memory is a commit, in a repository of its own, memory/.versions.

It is plain git, with the workspace as its work tree, and any git can read it; but none is needed, and no
settings or hooks of one are looked at. The workspace may have a .git of its own. A repository that is
damaged is kept aside and a new one begun.
"""

import difflib
import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.errors import StorageError, UsageError, explain
from desktop.memory.files import NOTES, ChangedMeanwhile, Marks, decoded, marks, put, read
from desktop.tasks import in_thread, see_through
from desktop.text import _

if TYPE_CHECKING:
    from dulwich.object_store import DiskObjectStore
    from dulwich.objects import Commit, ObjectID
    from dulwich.refs import DiskRefsContainer, Ref

DREAM, PERSON, AGENT, RESTORE = CAUSES = ("dream", "person", "agent", "restore")
_WHO = b"Nanobot Desktop <memory@nanobot.invalid>"
_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = false\n\tbare = false\n\tworktree = ../..\n"
_ODD = (NotADirectoryError, IsADirectoryError)
"""A folder where a file should be is damage; a full or shut disk is none."""
_PLAIN = 0o100644
_LOCK_S = 20.0
_TRIES = 5
_MOST_LINES = 5_000
"""Lines of a file up to which a difference is worked out."""
_log = logging.getLogger(__name__)

type Files = dict[str, bytes]
"""What the files of a version hold, by their path in the workspace."""
type Tree = dict[str, "ObjectID"]


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
        self._told, self._news = told, list[str]()
        self._lock = threading.RLock()
        self._store: DiskObjectStore
        self._refs: DiskRefsContainer
        self._open = False

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
        return await self._do(lambda: self._files(self._find(id_)).get(name))

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
                    self._begin()
                    return work(*arguments)
                except (UsageError, StorageError):
                    raise
                except Exception as error:  # dulwich raises nearly anything where it meets damage
                    if isinstance(error, OSError) and not isinstance(error, _ODD):
                        raise
                    self._set_aside(error)
                    self._begin()
                    return work(*arguments)
        except OSError as error:
            raise explain(error) from error

    @contextmanager
    def _locked(self) -> Iterator[None]:
        from filelock import FileLock, Timeout

        self.folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            with self._lock, FileLock(self.folder.parent / ".versions.lock", timeout=_LOCK_S):
                yield
        except Timeout:
            raise StorageError(
                _("Another program holds {path}.").format(path=self.folder), _("Close it and try again.")
            ) from None

    def _begin(self) -> None:
        """Open the repository, or make it."""
        if self._open and (self.folder / "HEAD").exists():
            return
        from dulwich.object_store import DiskObjectStore
        from dulwich.refs import DiskRefsContainer

        fresh = not self.folder.exists()
        if not fresh and not self.folder.is_dir():
            raise ValueError("no folder")
        if not fresh and not (self.folder / "HEAD").exists() and any((self.folder / "objects").glob("??")):
            raise ValueError("no HEAD")
        for name in ("objects/info", "objects/pack", "refs/heads"):
            (self.folder / name).mkdir(parents=True, exist_ok=True, mode=0o700)
        for name, text in (("config", _CONFIG), ("HEAD", "ref: refs/heads/main\n")):
            if not (self.folder / name).exists():
                (self.folder / name).write_text(text, "ascii")
        for left in (*self.folder.glob("*.lock"), *self.folder.glob("refs/**/*.lock")):
            left.unlink(missing_ok=True)  # of a kill: nobody else has the lock that we have
        self._store = DiskObjectStore(str(self.folder / "objects"), fsync_object_files=True)
        self._refs = DiskRefsContainer(str(self.folder))
        if (head := self._head()) is not None:
            self._files(head)  # what cannot be read shall be known before anything is built upon it
        self._open = True

    def _set_aside(self, error: Exception) -> None:
        stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
        aside = self.folder.with_name(f".versions.damaged-{stamp}")
        number = 1
        while aside.exists():
            number += 1
            aside = self.folder.with_name(f".versions.damaged-{stamp}-{number}")
        _log.warning("the repository of the memory is damaged (%r) and kept as %s", error, aside)
        self._open = False
        self.folder.rename(aside)
        self._news.append(
            _(
                "The versions of the memory were damaged; they are kept in {path}, and new ones begin."
            ).format(path=aside)
        )

    def _head(self) -> "Commit | None":
        name = self._refs.read_ref(_ref(b"HEAD"))
        id_ = self._refs.read_ref(_ref(name[5:])) if name and name.startswith(b"ref: ") else name
        if not id_:
            return None
        return self._known(_id(id_))

    def _parent(self, commit: "Commit") -> "Commit | None":
        return self._known(commit.parents[0]) if commit.parents else None

    def _known(self, id_: "ObjectID") -> "Commit":
        from dulwich.objects import Commit

        found = self._store[id_]
        if not isinstance(found, Commit):
            raise TypeError(f"{id_!r} is no commit")
        return found

    def _tree(self, commit: "Commit | None") -> Tree:
        if commit is None:
            return {}
        entries = self._store.iter_tree_contents(commit.tree)
        return {entry.path.decode("utf-8", "surrogateescape"): entry.sha for entry in entries if entry.path}

    def _blob(self, id_: "ObjectID") -> bytes:
        return bytes(self._store[id_].as_raw_string())

    def _files(self, commit: "Commit | None") -> Files:
        return {name: self._blob(id_) for name, id_ in self._tree(commit).items()}

    def _find(self, id_: str) -> "Commit":
        """The version with this id, or the one that begins with it."""
        wanted, commit = id_.strip().lower(), self._head()
        while commit is not None:
            if len(wanted) >= 4 and commit.id.decode("ascii").startswith(wanted):
                return commit
            commit = self._parent(commit)
        raise UsageError(
            _("There is no version {id}.").format(id=id_), _("All of them: nanobot-desktop memory log")
        )

    def _now(self, before: Tree) -> tuple[Tree, Marks]:
        """What the files hold now, stored; one that cannot be read stays as it was."""
        from dulwich.objects import Blob

        seen, tree = marks(self.workspace), {}
        for name in {*seen, *before}:
            try:
                data = read(self.workspace / name)
            except OSError as error:
                _log.info("%s is not taken into the versions: %s", name, error)
                if name in before:
                    tree[name] = before[name]
                continue
            if data is not None:
                blob = Blob.from_string(data)
                tree[name] = blob.id
                if before.get(name) != blob.id:
                    self._store.add_object(blob)
        return tree, seen

    def _commit(self, cause: str, message: str = "") -> str:
        from dulwich.index import commit_tree
        from dulwich.objects import Commit

        head = self._head()
        before = self._tree(head)
        tree, seen = self._now(before)
        if head is not None and tree == before:
            self._note(seen)
            return ""
        commit = Commit()
        entries = [(name.encode("utf-8", "surrogateescape"), id_, _PLAIN) for name, id_ in tree.items()]
        commit.tree = commit_tree(self._store, entries)
        commit.parents = [head.id] if head else []
        commit.author = commit.committer = _WHO
        commit.author_time = commit.commit_time = int(time.time())
        commit.author_timezone = commit.commit_timezone = 0
        commit.encoding = b"UTF-8"
        commit.message = f"{cause}: {' '.join(message.split())}".rstrip(" ").encode("utf-8", "replace")
        self._store.add_object(commit)
        self._refs.set_if_equals(_ref(b"refs/heads/main"), None, commit.id)
        self._note(seen)
        return commit.id.decode("ascii")

    def _note(self, seen: Marks) -> None:
        """Remember how the files looked when they were kept last."""
        with suppress(OSError):
            (self.folder / "nanobot-seen.json").write_text(json.dumps(seen), "utf-8")

    def _changed(self) -> bool:
        try:
            kept = json.loads((self.folder / "nanobot-seen.json").read_bytes())
        except (OSError, ValueError):
            return True
        now = {name: list(mark) for name, mark in marks(self.workspace).items()}
        return bool(kept != now)

    def _log_of(self, limit: int) -> list[Version]:
        found: list[Version] = []
        commit = self._head()
        while commit is not None and len(found) < limit:
            parent = self._parent(commit)
            cause, _colon, message = commit.message.decode("utf-8", "replace").partition(":")
            at = datetime.fromtimestamp(commit.commit_time, UTC)
            files = tuple(_differing(self._tree(parent), self._tree(commit)))
            known = cause if cause in CAUSES else PERSON
            found.append(Version(commit.id.decode("ascii"), at, known, message.strip(), files))
            commit = parent
        return found

    def _diff(self, a: str, b: str) -> list[Difference]:
        first = self._tree(self._find(a))
        if b:
            return self._differences(first, self._tree(self._find(b)))
        return self._differences(first, self._now(self._tree(self._head()))[0])

    def _made(self, id_: str) -> list[Difference]:
        commit = self._find(id_)
        return self._differences(self._tree(self._parent(commit)), self._tree(commit))

    def _differences(self, first: Tree, second: Tree) -> list[Difference]:
        found = []
        for name in _differing(first, second):
            before, after = (
                decoded(self._blob(tree[name])) if name in tree else None for tree in (first, second)
            )
            found.append(Difference(name, before, after, unified(name, before or "", after or "")))
        return found

    def _restore(self, id_: str, name: str) -> str:
        wanted = self._files(self._find(id_))
        short = id_.strip().lower()[:8]
        only = {NOTES.get(name, name)} if name else None
        if only and not only <= {*wanted, *self._tree(self._head())}:
            raise UsageError(_("There is no {name} in the versions.").format(name=name))
        return self._bring(wanted, only, f"{short} {name}")

    def _undo(self) -> str:
        self._commit(PERSON)
        head = self._head()
        parent = self._parent(head) if head else None
        if head is None or parent is None:
            raise UsageError(_("There is no change to take back."))
        only = set(_differing(self._tree(parent), self._tree(head)))
        return self._bring(self._files(parent), only, f"undo {head.id.decode('ascii')[:8]}")

    def _bring(self, wanted: Files, only: set[str] | None, message: str) -> str:
        """Put files in place as they shall be; what is there is a version before that."""
        for _try in range(_TRIES):
            self._commit(PERSON)
            now = self._files(self._head())
            try:
                for name in sorted({*wanted, *now} if only is None else only):
                    if wanted.get(name) != now.get(name):
                        put(self.workspace / name, wanted.get(name), now.get(name))
            except ChangedMeanwhile:
                continue  # somebody writes at this moment: that is a version of its own
            return self._commit(RESTORE, message)
        raise StorageError(
            _("The files of the memory are being changed by another program."), _("Try again in a moment.")
        )


def unified(name: str, before: str, after: str) -> str:
    """The difference of two texts in unified form; empty where they are too long for that."""
    first, second = before.splitlines(), after.splitlines()
    if len(first) + len(second) > 2 * _MOST_LINES:
        return ""
    return "\n".join(difflib.unified_diff(first, second, name, name, lineterm=""))


def _differing(first: Tree, second: Tree) -> list[str]:
    return sorted(name for name in {*first, *second} if first.get(name) != second.get(name))


def _ref(name: bytes) -> "Ref":
    from dulwich.refs import Ref

    return Ref(name)


def _id(value: bytes) -> "ObjectID":
    from dulwich.objects import ObjectID

    return ObjectID(value)
