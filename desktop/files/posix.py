"""Handles of folders and files on Linux and macOS, opened by ways on which no link is followed.

Linux has one call for that (openat2 with RESOLVE_NO_SYMLINKS). Older kernels and macOS open one part after
the other, each in the handle of the one before. A path here is absolute and has no `..`.
"""

import contextlib
import errno
import functools
import os
import stat
import struct
import sys
from collections.abc import Iterator

_SYS_OPENAT2 = 437
"""The same number on every architecture: it came after the numbers were made one."""
_HERE = -100
_NO_MAGICLINKS, _NO_SYMLINKS = 0x02, 0x04
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
_ANY = getattr(os, "O_PATH", os.O_RDONLY) | os.O_CLOEXEC
_ALWAYS = os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK
"""A pipe without a writer must not hang whoever opens it."""


class Linked(OSError):
    """There is a link on the way."""


@functools.cache
def _syscall():  # type: ignore[no-untyped-def]  # a function of ctypes
    import ctypes

    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    return call, ctypes.get_errno, ctypes.c_long, ctypes.c_char_p, ctypes.c_size_t


@functools.cache
def has_openat2() -> bool:
    """Whether this kernel has openat2, and lets this process use it."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        os.close(_openat2("/", _FOLDER, 0))
    except OSError:
        return False
    return True


def _openat2(path: str, flags: int, mode: int) -> int:
    call, failed, long, text, size = _syscall()
    how = struct.pack("=QQQ", flags, mode if flags & os.O_CREAT else 0, _NO_SYMLINKS | _NO_MAGICLINKS)
    while True:
        handle: int = call(
            long(_SYS_OPENAT2), long(_HERE), text(os.fsencode(path)), text(how), size(len(how))
        )
        if handle >= 0:
            return handle
        if (number := failed()) != errno.EINTR:
            break
    raise _error(number, path)


def _error(number: int, path: str) -> OSError:
    kind = Linked if number == errno.ELOOP else OSError
    return kind(number, os.strerror(number), path)


class Folder:
    """An open folder. What is done in it is done in this very folder, whatever its name is now."""

    __slots__ = ("handle", "path")

    def __init__(self, handle: int, path: str) -> None:
        """`path`: its real path, for errors and for whoever wants to know."""
        self.handle, self.path = handle, path

    def __enter__(self) -> "Folder":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the handle back."""
        os.close(self.handle)

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """Open a file in it. Raises Linked, OSError."""
        try:
            return os.open(name, flags | _ALWAYS | os.O_NOFOLLOW, mode, dir_fd=self.handle)
        except OSError as error:
            raise _error(error.errno or errno.EIO, self.named(name)) from None

    def named(self, name: str) -> str:
        """The path of something in it."""
        return os.path.join(self.path, name)

    def stat(self, name: str) -> os.stat_result:
        """The status of an entry, of a link itself. Raises OSError."""
        with self._told(name):
            return os.stat(name, dir_fd=self.handle, follow_symlinks=False)

    def target(self, name: str) -> str:
        """What a link says. Raises OSError."""
        with self._told(name):
            return os.readlink(name, dir_fd=self.handle)

    def writable(self, name: str) -> bool:
        """Whether the system lets this account write it."""
        return os.access(name, os.W_OK, dir_fd=self.handle)

    def enter(self, name: str) -> "Folder":
        """A folder in it. Raises Linked, OSError."""
        with self._told(name):
            try:
                handle = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=self.handle)
            except OSError as error:
                if error.errno in (errno.ENOTDIR, errno.ELOOP) and stat.S_ISLNK(self.stat(name).st_mode):
                    raise Linked(errno.ELOOP, os.strerror(errno.ELOOP), self.named(name)) from None
                raise
        return Folder(handle, self.named(name))

    def mkdir(self, name: str, mode: int) -> None:
        """Make a folder in it. Raises OSError."""
        with self._told(name):
            os.mkdir(name, mode, dir_fd=self.handle)

    def unlink(self, name: str) -> None:
        """Remove a file, or a link itself. Raises OSError."""
        with self._told(name):
            os.unlink(name, dir_fd=self.handle)

    def rmdir(self, name: str) -> None:
        """Remove an empty folder. Raises OSError."""
        with self._told(name):
            os.rmdir(name, dir_fd=self.handle)

    def move(self, name: str, to: "Folder", new: str) -> None:
        """Give an entry another name, in place of what has that now. Raises OSError."""
        with self._told(name):
            os.replace(name, new, src_dir_fd=self.handle, dst_dir_fd=to.handle)

    def give(self, name: str, new: str) -> bool:
        """Give a file a name that nothing has; False where the file system cannot do that in one step, and
        nothing has it. Raises FileExistsError, OSError."""
        with self._told(new):
            try:
                os.link(name, new, src_dir_fd=self.handle, dst_dir_fd=self.handle, follow_symlinks=False)
            except FileExistsError:
                raise
            except OSError:  # a file system without hard links
                with contextlib.suppress(FileNotFoundError):
                    self.stat(new)
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
                return False
            os.unlink(name, dir_fd=self.handle)
        return True

    def scan(self) -> list[tuple[str, str]]:
        """What is in it: names, and file, folder, link or other. Raises OSError."""
        with self._told("."):
            readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self.handle)
        try:
            with os.scandir(readable) as entries:
                return [(entry.name, _kind(entry)) for entry in entries]
        finally:
            os.close(readable)

    def sync(self) -> None:
        """Make new names durable, where the system lets one ask for that."""
        with contextlib.suppress(OSError):
            readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self.handle)
            try:
                os.fsync(readable)
            finally:
                os.close(readable)

    @contextlib.contextmanager
    def _told(self, name: str) -> Iterator[None]:
        """Errors name the whole path."""
        try:
            yield
        except OSError as error:
            error.filename, error.filename2 = self.named(name), None
            raise


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"


def open_folder(path: str, modern: bool) -> Folder:
    """A folder by its absolute path. Raises Linked where a link is on the way, OSError."""
    if modern:
        return Folder(_openat2(path, _FOLDER, 0), path)
    at = Folder(os.open("/", _FOLDER), "/")
    for part in filter(None, path.split("/")):
        with at:
            following = at.enter(part)
        at = following
    return at


def open_file(path: str, flags: int, modern: bool) -> int:
    """A file that is there, by its absolute path. Raises Linked where a link is on the way, OSError."""
    if modern:
        return _openat2(path, flags | _ALWAYS, 0)
    folder, _slash, name = path.rpartition("/")
    with open_folder(folder or "/", modern) as at:
        return at.open(name or ".", flags)


def status_of(path: str, modern: bool) -> os.stat_result:
    """The status of what is there, by its absolute path. Raises Linked where a link is on the way or at its
    end, OSError."""
    if modern:
        handle = _openat2(path, _ANY, 0)
        try:
            return os.fstat(handle)
        finally:
            os.close(handle)
    folder, _slash, name = path.rpartition("/")
    with open_folder(folder or "/", modern) as at:
        found = at.stat(name or ".")
    if stat.S_ISLNK(found.st_mode):
        raise Linked(errno.ELOOP, os.strerror(errno.ELOOP), path)
    return found


def name_open(folder: Folder, handle: int, temporary: str, name: str, fresh: bool) -> os.stat_result:
    """Give a new file, which is open, its name; its status after that. Closes it. Raises OSError,
    FileExistsError where it is to be `fresh` and something has the name."""
    try:
        if not fresh or not folder.give(temporary, name):
            folder.move(temporary, folder, name)
        return os.fstat(handle)  # a new name changes the ctime
    finally:
        os.close(handle)


def set_mode(handle: int, mode: int) -> None:
    """Set the permissions of an open file."""
    os.fchmod(handle, mode)


def set_time(handle: int, modified: int) -> None:
    """Set when an open file was changed, in nanoseconds since 1970."""
    os.utime(handle, ns=(modified, modified))
