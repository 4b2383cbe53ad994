"""A git repository made of plain files with dulwich: no index, no hooks, no settings of any git.

Everything blocks, and raises nearly anything where it meets damage: who calls it decides what that means.
"""

import logging
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.files import Place, walk

if TYPE_CHECKING:
    from dulwich.object_store import DiskObjectStore
    from dulwich.objects import Commit, ObjectID
    from dulwich.refs import DiskRefsContainer, Ref

VERSIONS = "memory/.versions"
"""Where it is in the workspace."""
_log = logging.getLogger(__name__)
_WHO = b"Nanobot Desktop <memory@nanobot.invalid>"
_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = false\n\tbare = false\n\tworktree = ../..\n"
_PLAIN = 0o100644

type Files = dict[str, bytes]
"""What the files of a version hold, by their path in the workspace."""
type Tree = dict[str, "ObjectID"]
"""The same by the ids of what they hold."""


class Repository:
    """One line of commits. One caller at a time."""

    def __init__(self, place: Place, name: str) -> None:
        """`name`: its folder in the workspace."""
        self.folder = place.named(name)
        self._around, self._name = place, name
        self._place = place / name
        self._store: DiskObjectStore
        self._refs: DiskRefsContainer
        self._open = False

    def begin(self) -> None:
        """Open the repository, or make it."""
        if self._open and self._place.exists("HEAD"):
            return
        from dulwich.object_store import DiskObjectStore
        from dulwich.refs import DiskRefsContainer

        place, there = self._place, self._around.taken(self._name)
        if there and not place.is_dir():
            raise ValueError("no folder")
        if there:
            _no_links(place)
        if there and not place.exists("HEAD") and any(len(name) == 2 for name in place.names("objects")):
            raise ValueError("no HEAD")
        for name in ("objects/info", "objects/pack", "refs/heads"):
            place.mkdir(name)
        for name, text in (("config", _CONFIG), ("HEAD", "ref: refs/heads/main\n")):
            if not place.exists(name):
                place.write(name, text.encode("ascii"))
        for left in walk(place, "", lambda _path: True, lambda _found: True):
            if left.name.endswith(".lock") and left.name.count("/") < 4:
                place.unlink(left.name, missing_ok=True)  # of a kill: nobody else has the lock that we have
        self._store = DiskObjectStore(str(self.folder / "objects"), fsync_object_files=True)
        self._refs = DiskRefsContainer(str(self.folder))
        if (head := self.head()) is not None:
            self.files(head)  # what cannot be read shall be known before anything is built upon it
        self._open = True

    def there(self) -> bool:
        """Whether something has its name."""
        try:
            return self._around.taken(self._name)
        except OSError:
            return True  # a link that leads out

    def sound(self) -> bool:
        """Whether the last commit can be read, without changing anything."""
        from dulwich.object_store import DiskObjectStore
        from dulwich.refs import DiskRefsContainer

        try:
            if not self._place.exists("HEAD"):
                return False
            _no_links(self._place)
            self._store = DiskObjectStore(str(self.folder / "objects"))
            self._refs = DiskRefsContainer(str(self.folder))
            self.files(self.head())
        except Exception as error:  # dulwich raises nearly anything
            _log.info("%s cannot be read: %r", self.folder, error)
            return False
        return True

    def set_aside(self) -> Path:
        """Keep what is there under another name, which is given."""
        stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
        aside, number = f"{self._name}.damaged-{stamp}", 1
        while self._around.taken(aside):
            number += 1
            aside = f"{self._name}.damaged-{stamp}-{number}"
        self._open = False
        self._around.move(self._name, aside)
        return self._around.named(aside)

    def head(self) -> "Commit | None":
        """The last commit."""
        name = self._refs.read_ref(_ref(b"HEAD"))
        id_ = self._refs.read_ref(_ref(name[5:])) if name and name.startswith(b"ref: ") else name
        if not id_:
            if self._place.exists("refs/heads/main"):
                raise ValueError("an empty branch")
            return None
        return self._known(_id(id_))

    def parent(self, commit: "Commit") -> "Commit | None":
        """The one before."""
        return self._known(commit.parents[0]) if commit.parents else None

    def _known(self, id_: "ObjectID") -> "Commit":
        from dulwich.objects import Commit

        found = self._store[id_]
        if not isinstance(found, Commit):
            raise TypeError(f"{id_!r} is no commit")
        return found

    def tree(self, commit: "Commit | None") -> Tree:
        """All files of a commit."""
        if commit is None:
            return {}
        entries = self._store.iter_tree_contents(commit.tree)
        return {entry.path.decode("utf-8", "surrogateescape"): entry.sha for entry in entries if entry.path}

    def blob(self, id_: "ObjectID") -> bytes:
        """What was stored under an id."""
        return bytes(self._store[id_].as_raw_string())

    def files(self, commit: "Commit | None") -> Files:
        """All files of a commit with what they hold."""
        return {name: self.blob(id_) for name, id_ in self.tree(commit).items()}

    def add(self, data: bytes) -> "ObjectID":
        """Store what a file holds."""
        from dulwich.objects import Blob

        blob = Blob.from_string(data)
        self._store.add_object(blob)
        return blob.id

    def commit(self, tree: Tree, message: str, head: "Commit | None") -> str:
        """Put a commit upon the last one; its id."""
        from dulwich.index import commit_tree
        from dulwich.objects import Commit

        commit = Commit()
        entries = [(name.encode("utf-8", "surrogateescape"), id_, _PLAIN) for name, id_ in tree.items()]
        commit.tree = commit_tree(self._store, entries)
        commit.parents = [head.id] if head else []
        commit.author = commit.committer = _WHO
        commit.author_time = commit.commit_time = int(time.time())
        commit.author_timezone = commit.commit_timezone = 0
        commit.encoding = b"UTF-8"
        commit.message = message.encode("utf-8", "replace")
        self._store.add_object(commit)
        self._refs.set_if_equals(_ref(b"refs/heads/main"), None, commit.id)
        return commit.id.decode("ascii")


def _no_links(place: Place) -> None:
    """Raises ValueError where a link lies in a repository: dulwich would follow it."""
    for found in walk(place, "", lambda _path: True, lambda _found: True):
        if found.kind == "link":
            raise ValueError(f"a link: {found.name}")


def _ref(name: bytes) -> "Ref":
    from dulwich.refs import Ref

    return Ref(name)


def _id(value: bytes) -> "ObjectID":
    from dulwich.objects import ObjectID

    return ObjectID(value)
