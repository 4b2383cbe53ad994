"""The same as posix.py on Windows, where a file is not opened in the handle of its folder.

A handle of the folder is held open without leave to rename or delete it: as long as it is, neither the
folder nor one above it can be exchanged. Where the handle really is (GetFinalPathNameByHandle) must be
where it was looked for, else a link or a junction is on the way.
"""

import ctypes
import errno
import functools
import os
import stat
import sys
from typing import Any

assert sys.platform == "win32"

_READ, _WRITE, _APPEND, _ATTRIBUTES = 0x80000000, 0x40000000, 0x0004, 0x0080
_SHARE_READ, _SHARE_WRITE, _SHARE_DELETE = 1, 2, 4
_CREATE_NEW, _OPEN_EXISTING, _OPEN_ALWAYS = 1, 3, 4
_BACKUP_SEMANTICS, _OPEN_REPARSE_POINT = 0x02000000, 0x00200000
_TAG_INFO, _REPARSE_POINT, _SYMLINK, _MOUNT_POINT = 9, 0x400, 0xA000000C, 0xA0000003
_INVALID = ctypes.c_void_p(-1).value


class Linked(OSError):
    """There is a link on the way."""


def has_openat2() -> bool:
    """Windows has no such call."""
    return False


@functools.cache
def _kernel() -> Any:
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel.CreateFileW.restype = ctypes.c_void_p
    kernel.CreateFileW.argtypes = (
        *(ctypes.c_wchar_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p),
        *(ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p),
    )
    kernel.GetFinalPathNameByHandleW.argtypes = (
        *(ctypes.c_void_p, ctypes.c_wchar_p, ctypes.c_uint32, ctypes.c_uint32),
    )
    kernel.GetFileInformationByHandleEx.argtypes = (
        *(ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32),
    )
    kernel.CloseHandle.argtypes = (ctypes.c_void_p,)
    return kernel


def _create(path: str, access: int, share: int, how: int, flags: int) -> int:
    """A handle, of a link itself. Raises OSError."""
    handle = _kernel().CreateFileW(path, access, share, None, how, flags | _OPEN_REPARSE_POINT, None)
    if handle in (None, _INVALID):
        number = ctypes.get_last_error()
        raise ctypes.WinError(number)
    return int(handle)


def _final(handle: int) -> str:
    """Where a handle really is. Raises OSError."""
    room = 512
    while True:
        text = ctypes.create_unicode_buffer(room)
        length = _kernel().GetFinalPathNameByHandleW(handle, text, room, 0)
        if not length:
            raise OSError(errno.EIO, "no final path")
        if length < room:
            break
        room = length + 1
    found = text.value
    if found.startswith("\\\\?\\UNC\\"):
        return "\\\\" + found[8:]
    return found.removeprefix("\\\\?\\")


def _checked(handle: int, path: str) -> int:
    """The handle, if it is where it was looked for and no link itself. Raises Linked."""
    try:
        if os.path.normcase(_final(handle)) != os.path.normcase(path) or _is_link(handle):
            raise Linked(errno.ELOOP, os.strerror(errno.ELOOP), path)
    except BaseException:
        _kernel().CloseHandle(handle)
        raise
    return handle


def _is_link(handle: int) -> bool:
    """Whether it is a link or a junction itself. Raises OSError."""
    told = (ctypes.c_uint32 * 2)()  # attributes, kind of reparse point
    if not _kernel().GetFileInformationByHandleEx(handle, _TAG_INFO, ctypes.byref(told), 8):
        raise ctypes.WinError(ctypes.get_last_error())
    return bool(told[0] & _REPARSE_POINT and told[1] in (_SYMLINK, _MOUNT_POINT))


class Folder:
    """An open folder, which keeps its place while it is open."""

    __slots__ = ("handle", "path")

    def __init__(self, handle: int, path: str) -> None:
        self.handle, self.path = handle, path

    def __enter__(self) -> "Folder":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the handle back."""
        _kernel().CloseHandle(self.handle)

    def named(self, name: str) -> str:
        """The path of something in it."""
        return os.path.join(self.path, name)

    def open(self, name: str, flags: int, _mode: int = 0o600) -> int:
        """Open a file in it. Raises Linked, OSError."""
        return _descriptor(self.named(name), flags)

    def stat(self, name: str) -> os.stat_result:
        """The status of an entry, of a link itself. Raises OSError."""
        return os.lstat(self.named(name))

    def target(self, name: str) -> str:
        """What a link says. Raises OSError."""
        return os.readlink(self.named(name))

    def writable(self, name: str) -> bool:
        """Whether it is not write-protected."""
        return os.access(self.named(name), os.W_OK)

    def enter(self, name: str) -> "Folder":
        """A folder in it. Raises Linked, OSError."""
        return open_folder(self.named(name), modern=False)

    def mkdir(self, name: str, mode: int) -> None:
        """Make a folder in it. Raises OSError."""
        os.mkdir(self.named(name), mode)

    def unlink(self, name: str) -> None:
        """Remove a file, or a link itself. Raises OSError."""
        path = self.named(name)
        os.rmdir(path) if os.path.isjunction(path) else os.unlink(path)

    def rmdir(self, name: str) -> None:
        """Remove an empty folder. Raises OSError."""
        os.rmdir(self.named(name))

    def move(self, name: str, to: "Folder", new: str) -> None:
        """Give an entry another name, in place of what has that now. Raises OSError."""
        os.replace(self.named(name), to.named(new))

    def scan(self) -> list[tuple[str, str]]:
        """What is in it: names, and file, folder, link or other. Raises OSError."""
        with os.scandir(self.path) as entries:
            return [(entry.name, _kind(entry)) for entry in entries]

    def sync(self) -> None:
        """Windows has nothing to ask for."""


def _kind(entry: "os.DirEntry[str]") -> str:
    if entry.is_symlink() or entry.is_junction():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"


def open_folder(path: str, modern: bool) -> Folder:
    """A folder by its absolute path. Raises Linked where a link is on the way, OSError."""
    share = _SHARE_READ | _SHARE_WRITE  # not to be renamed or deleted while it is open
    handle = _checked(_create(path, _ATTRIBUTES | 1, share, _OPEN_EXISTING, _BACKUP_SEMANTICS), path)
    if not os.path.isdir(path):
        _kernel().CloseHandle(handle)
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
    return Folder(handle, path)


def open_file(path: str, flags: int, modern: bool) -> int:
    """A file that is there, by its absolute path. Raises Linked where a link is on the way, OSError."""
    return _descriptor(path, flags)


def _descriptor(path: str, flags: int) -> int:
    import msvcrt

    writing = flags & (os.O_WRONLY | os.O_RDWR)
    access = (0 if flags & os.O_WRONLY else _READ) | (_WRITE if writing else 0)
    if flags & os.O_APPEND:
        access = (access & ~_WRITE) | _APPEND | _ATTRIBUTES
    how = _OPEN_EXISTING
    if flags & os.O_CREAT:
        how = _CREATE_NEW if flags & os.O_EXCL else _OPEN_ALWAYS
    share = _SHARE_READ | _SHARE_WRITE | _SHARE_DELETE
    handle = _checked(_create(path, access, share, how, 0), path)
    kept = flags & (os.O_APPEND | os.O_RDWR | os.O_WRONLY)
    return msvcrt.open_osfhandle(handle, kept | getattr(os, "O_BINARY", 0))


def status_of(path: str, modern: bool) -> os.stat_result:
    """The status of what is there, by its absolute path. Raises Linked where a link is on the way or at its
    end, OSError."""
    share = _SHARE_READ | _SHARE_WRITE  # not to be exchanged while it is open
    handle = _checked(_create(path, _ATTRIBUTES, share, _OPEN_EXISTING, _BACKUP_SEMANTICS), path)
    try:
        return os.lstat(path)
    finally:
        _kernel().CloseHandle(handle)


def name_open(folder: Folder, handle: int, temporary: str, name: str, fresh: bool) -> os.stat_result:
    """Give a new file, which is open, its name; its status after that. Closes it. Raises OSError,
    FileExistsError where it is to be `fresh` and something has the name."""
    os.close(handle)  # an open file keeps its name here
    if fresh:
        os.rename(folder.named(temporary), folder.named(name))  # refused where something has it
    else:
        folder.move(temporary, folder, name)
    return folder.stat(name)


def set_time(handle: int, modified: int) -> None:
    """Set when an open file was changed, in nanoseconds since 1970."""
    ticks = ctypes.c_uint64(modified // 100 + 116_444_736_000_000_000)
    import msvcrt

    _kernel().SetFileTime(ctypes.c_void_p(msvcrt.get_osfhandle(handle)), None, None, ctypes.byref(ticks))


def set_mode(handle: int, mode: int) -> None:
    """There is only one permission: whether it may be written."""
    if sys.version_info >= (3, 13) and not mode & stat.S_IWRITE:
        os.fchmod(handle, mode)
