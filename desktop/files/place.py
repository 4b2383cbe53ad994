"""A folder that tools may write, as the program itself uses it: read, write, list and remove by handle.

Names are paths below the folder. The folder itself may be a link of the person's, which is followed once;
below it none is, but for those that the judge of links lets through (links.py). All of it blocks.
"""

import contextlib
import errno
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath

from desktop.files import system
from desktop.files.mounted import is_mounted, put_within, refuse_removal
from desktop.files.opened import READ, NotPlain, Opened, WriteProtected, opened
from desktop.files.seen import Seen, seen
from desktop.files.ways import Name, Ways, parts_of, straight
from desktop.text import _

UNFINISHED = re.compile(r"\.[0-9a-f]{16}\.tmp")
"""The name of a file that is being written, or was when the program was killed."""
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a folder."""

    name: str
    kind: str
    """file, folder, link or other."""


class Place(Ways):
    """One folder, or one below it; cheap to make. Every method may raise Astray, NotPlain and OSError."""

    __slots__ = ()

    def __truediv__(self, name: str) -> "Place":
        return Place(self.root, *self._below, *parts_of(name), judge=self._judge, modern=self._modern)

    def named(self, name: Name) -> Path:
        """The path of something in it, for words."""
        return self.path / name

    # What is there

    def stat(self, name: Name = "") -> os.stat_result:
        """The status of what is there, of a link's target where that may be used."""
        path = self._full(name)
        try:
            return system.status_of(path, self._modern)
        except system.Linked:
            led = self._led(path, writing=False)
        with straight(led=True):
            return system.status_of(led, self._modern)

    def exists(self, name: Name = "") -> bool:
        """Whether something is there that may be used."""
        return self._mode(name) is not None

    def is_file(self, name: Name) -> bool:
        """Whether a plain file is there."""
        mode = self._mode(name)
        return mode is not None and stat.S_ISREG(mode)

    def is_dir(self, name: Name = "") -> bool:
        """Whether a folder is there."""
        mode = self._mode(name)
        return mode is not None and stat.S_ISDIR(mode)

    def is_link(self, name: Name) -> bool:
        """Whether a link has the name, wherever it leads."""
        folder, last = self._split(name)
        try:
            with self._folder(folder, writing=False) as at:
                return stat.S_ISLNK(at.stat(last).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return False

    def taken(self, name: Name) -> bool:
        """Whether the name is taken, be it by a link that leads nowhere."""
        folder, last = self._split(name)
        try:
            with self._folder(folder, writing=False) as at:
                at.stat(last)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def writable(self, name: Name) -> bool:
        """Whether the system lets this account write what is there."""
        return self._at(name, False, lambda at, last: at.writable(last))

    def _mode(self, name: Name) -> int | None:
        try:
            return self.stat(name).st_mode
        except OSError:
            return None

    def scan(self, name: Name = "") -> list[Entry]:
        """What is in a folder, by name."""
        with self._folder(self._full(name), writing=False) as at:
            return sorted((Entry(*found) for found in at.scan()), key=lambda entry: entry.name)

    def names(self, name: Name = "") -> list[str]:
        """The names of what is in a folder, in order; none where there is no folder."""
        try:
            return [entry.name for entry in self.scan(name)]
        except (FileNotFoundError, NotADirectoryError):
            return []

    def look(self, leaf: str, name: Name = "") -> dict[str, os.stat_result]:
        """By the name of each folder in a folder: the status of one file in it, where that is there. For
        seeing what changed, not for deciding: a folder may become a link while this looks."""
        found: dict[str, os.stat_result] = {}
        with self._folder(self._full(name), writing=False) as at:
            for entry, kind in at.scan():
                with contextlib.suppress(OSError):
                    if kind == "folder":
                        found[entry] = at.stat(f"{entry}/{leaf}")
                    if kind == "link" or stat.S_ISLNK(found[entry].st_mode):
                        found[entry] = self.stat(PurePath(name, entry, leaf))
        return found

    # Reading

    def open(self, name: Name) -> Opened:
        """A plain file for reading."""
        path = self._full(name)
        try:
            return self._opened(path)
        except system.Linked:
            return self._opened(self._led(path, writing=False), led=True)

    def _opened(self, path: str, led: bool = False) -> Opened:
        with straight(led):
            handle = system.open_file(path, READ, self._modern)
        return opened(handle, path)

    def read(self, name: Name, most: int = -1) -> bytes:
        """What a plain file holds, `most` bytes of it."""
        with self.open(name) as file:
            return file.stream.read(most)

    # Writing

    def write(
        self,
        name: Name,
        data: bytes | Iterable[bytes],
        *,
        mode: int | None = None,
        fresh: bool = False,
        durable: bool = True,
        modified: int | None = None,
        digest: str = "",
        check: Callable[[], None] | None = None,
    ) -> Seen:
        """Put a file in place, whole or not at all, and its folders. An old one's permissions stay unless
        `mode` says others. `fresh`: raise FileExistsError where something has the name. `durable`: wait
        until it is on the disk. `modified`: when it was changed, in nanoseconds since 1970. `digest`:
        the SHA-256 of the data, where that is known. `check` is called just before the file gets its name,
        and may raise."""

        def put(at: system.Folder, last: str) -> Seen:
            how = _How(_permissions(at, last, mode, fresh), fresh, durable, modified, digest, check)
            return _put(at, last, (data,) if isinstance(data, bytes) else data, how)

        return self._at(name, True, put, make=True, follow=not fresh)

    def append(self, name: Name) -> int:
        """A handle to read a file and to write at its end; the file and its folders are made."""
        return self._at(name, True, _appending, make=True)

    def mkdir(self, name: Name = "") -> None:
        """Make a folder and those above it, where they are not there yet."""
        with self._folder(self._full(name), writing=True, make=True):
            pass

    def sync(self) -> None:
        """Make new names in it durable."""
        with self._folder(self._full(""), writing=True) as at:
            at.sync()

    def unlink(self, name: Name, missing_ok: bool = False) -> None:
        """Remove a file, or a link itself."""
        folder, last = self._split(name)
        try:
            with self._folder(folder, writing=True) as at:
                refuse_removal(at.named(last))
                at.unlink(last)
                at.sync()
        except FileNotFoundError:
            if not missing_ok:
                raise

    def rmdir(self, name: Name) -> None:
        """Remove an empty folder."""
        folder, last = self._split(name)
        with self._folder(folder, writing=True) as at:
            at.rmdir(last)

    def remove_tree(self, name: Name) -> None:
        """Remove what is there with all that is in it; of links only themselves. Nothing there is fine."""
        folder, last = self._split(name)
        with contextlib.suppress(FileNotFoundError), self._folder(folder, writing=True) as at:
            _remove(at, last)

    def move(self, name: Name, new: Name) -> None:
        """Give a file, a folder or a link itself another name in this place, in place of what has it."""
        (folder, last), (other, end) = self._split(name), self._split(new)
        with self._folder(folder, writing=True) as at, self._folder(other, writing=True, make=True) as to:
            at.move(last, to, end)
            to.sync()


def _permissions(at: system.Folder, name: str, mode: int | None, fresh: bool) -> int:
    """The permissions of a file that takes this name. Raises OSError where none may."""
    try:
        old = at.stat(name).st_mode
    except FileNotFoundError:
        return 0o600 if mode is None else mode
    if fresh:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), at.named(name))
    if not stat.S_ISREG(old):
        raise NotPlain(old, at.named(name))
    if not at.writable(name):
        raise WriteProtected(errno.EACCES, _("it is read-only"), at.named(name))
    return stat.S_IMODE(old) if mode is None else mode


@dataclass(frozen=True, slots=True)
class _How:
    """How a file is put in place; see Place.write."""

    mode: int
    fresh: bool = False
    durable: bool = True
    modified: int | None = None
    digest: str = ""
    check: Callable[[], None] | None = None


def _put(at: system.Folder, name: str, blocks: Iterable[bytes], how: _How) -> Seen:
    temporary = f".{secrets.token_hex(8)}.tmp"
    handle = at.open(temporary, _NEW)
    try:
        try:
            digest = _fill(handle, blocks, how.digest)
            system.set_mode(handle, how.mode)
            if how.modified is not None:
                system.set_time(handle, how.modified)
            if how.durable:
                os.fsync(handle)
            if how.check is not None:
                how.check()
        except BaseException:
            os.close(handle)
            raise
        if not how.fresh and is_mounted(at.named(name)) and _has(at, name):
            status = put_within(at, handle, temporary, name)
        else:
            status = system.name_open(at, handle, temporary, name, how.fresh)
    except BaseException:
        with contextlib.suppress(OSError):
            at.unlink(temporary)
        raise
    if how.durable:
        at.sync()
    return seen(Path(at.named(name)), status, digest)


def _has(at: system.Folder, name: str) -> bool:
    try:
        at.stat(name)
    except FileNotFoundError:
        return False
    return True


def _fill(handle: int, blocks: Iterable[bytes], digest: str) -> str:
    """Write everything; its SHA-256, which may be known."""
    made = hashlib.sha256()
    for block in blocks:
        if not digest:
            made.update(block)
        left = memoryview(block)
        while left:
            left = left[os.write(handle, left) :]
    return digest or made.hexdigest()


def _appending(at: system.Folder, name: str) -> int:
    handle = at.open(name, _APPEND)
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise NotPlain(status.st_mode, at.named(name))
    if status.st_nlink < 2:
        return handle
    with os.fdopen(handle, "rb") as shared:  # its other name may be a file of the person's
        data = shared.read()
    _put(at, name, (data,), _How(stat.S_IMODE(status.st_mode)))
    return at.open(name, _APPEND)


def _remove(at: system.Folder, name: str) -> None:
    if not stat.S_ISDIR(at.stat(name).st_mode):
        at.unlink(name)
        return
    with at.enter(name) as inner:
        for found, _kind in inner.scan():
            _remove(inner, found)
    at.rmdir(name)
