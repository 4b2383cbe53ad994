"""How a name below a folder becomes an open folder: by a way without links, or by one that was judged.

First the way is tried as it is, by calls that refuse links. Where they find one, the path that it really
leads to is judged, and then opened by a way on which there must be no link any more: what is changed
meanwhile is refused, never followed.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path, PurePath

from desktop.files import system
from desktop.files.links import Judge, may_lead
from desktop.text import _

type Name = str | PurePath
"""A path below a place; an absolute one must lie in it."""


class Astray(OSError):
    """A way that leads out of its place by a link, or is no way below it at all."""


class Ways:
    """The ways below one folder."""

    __slots__ = ("_below", "_judge", "_modern", "_real", "root")

    def __init__(
        self, root: Path, *below: str, judge: Judge | None = None, modern: bool | None = None
    ) -> None:
        """`root`: what tools may write, as the person named it. `below`: where names start in it.
        `judge`: of links, instead of the one that was registered. `modern`: whether to use openat2;
        None where the kernel has it."""
        self.root, self._below, self._judge = root, below, judge
        self._modern = system.has_openat2() if modern is None else modern
        self._real = ""

    @property
    def path(self) -> Path:
        """Where it is, as the person named it."""
        return self.root.joinpath(*self._below)

    def _full(self, name: Name) -> str:
        if isinstance(name, PurePath) and name.is_absolute():
            name = self._within(str(name))
        return os.path.join(self._root(), *self._below, *parts_of(name))

    def _within(self, path: str) -> str:
        """An absolute path as one below this. Raises Astray where it is none."""
        own = str(self.path).rstrip(os.sep)
        above, rest = path[: len(own)], path[len(own) :]
        if os.path.normcase(above) == os.path.normcase(own) and rest[:1] in (os.sep, ""):
            return rest[1:]
        raise _astray(path, _("it is not in {path}").format(path=own))

    def _split(self, name: Name) -> tuple[str, str]:
        full = self._full(name)
        if full == self._root():
            raise _astray(full, _("it is the folder itself"))
        folder, last = os.path.split(full)
        return folder, last

    def _root(self) -> str:
        if not self._real:
            real = os.path.realpath(self.root)
            if not os.path.lexists(real):
                return real  # it may still become a link
            self._real = real
        return self._real

    def _at[T](
        self,
        name: Name,
        writing: bool,
        work: Callable[["system.Folder", str], T],
        *,
        make: bool = False,
        follow: bool = True,
    ) -> T:
        """Do something in the folder of a file; for a link that may be followed, in that of its target."""
        full = self._full(name)
        folder, last = os.path.split(full)
        with self._folder(folder, writing=writing, make=make) as at:
            try:
                is_link = bool(last) and follow and stat.S_ISLNK(at.stat(last).st_mode)
            except FileNotFoundError:
                is_link = False
            if not is_link:
                return work(at, last or ".")
        folder, last = os.path.split(self._led(full, writing))
        with straight(led=True), self._strict(folder, make=make) as at:
            return work(at, last)

    def folder(self, name: Name) -> "system.Folder":
        """A folder by its handle, for reading what is in it. Raises Astray, OSError."""
        return self._folder(self._full(name), writing=False)

    def _folder(self, path: str, *, writing: bool, make: bool = False) -> "system.Folder":
        try:
            return self._strict(path, make=make)
        except system.Linked:
            led = self._led(path, writing)
        with straight(led=True):
            return self._strict(led, make=make)

    def _strict(self, path: str, *, make: bool) -> "system.Folder":
        """A folder on whose way there is no link."""
        try:
            return system.open_folder(path, self._modern)
        except FileNotFoundError:
            if not make:
                raise
        above, name = os.path.split(path)
        with self._strict(above, make=True) as at:
            with contextlib.suppress(FileExistsError):
                at.mkdir(name, 0o700)
            return at.enter(name)

    def _led(self, path: str, writing: bool) -> str:
        """The real path that a link on a way leads to. Raises Astray where it may not lead there."""
        real = os.path.realpath(path)
        if not self._may_lead(real, writing):
            raise _astray(path, _("a link leads to {place}").format(place=real))
        return real

    def _may_lead(self, real: str, writing: bool) -> bool:
        if self._judge is not None:
            return self._judge(Path(real), writing)
        return may_lead(self._root(), real, writing)


@contextlib.contextmanager
def straight(led: bool) -> Iterator[None]:
    """A link on a way that was judged has been put there since."""
    try:
        yield
    except system.Linked as error:
        if not led:
            raise
        raise _astray(str(error.filename), _("a link in the path was changed meanwhile")) from None


def parts_of(name: Name) -> list[str]:
    text = str(name) if isinstance(name, PurePath) else name
    if os.sep != "/":
        text = text.replace(os.sep, "/")
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if text.startswith("/") or ".." in parts or "\0" in text or (os.name == "nt" and ":" in text):
        raise _astray(text, _("it is not a path inside the folder"))
    return parts


def _astray(path: str, why: str) -> Astray:
    return Astray(errno.ELOOP, why, path)
