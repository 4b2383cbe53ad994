"""Files that go along with a message: looked at before it is sent, kept where they are no files yet, and
found by their names while the person types one."""

import base64
import binascii
import os
import stat
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.errors import UsageError, explain
from desktop.files import Place
from desktop.paths import temporary
from desktop.providers.pictures import kind
from desktop.session.pasted import mark_of, pasted
from desktop.tasks import in_daemon
from desktop.text import _

if TYPE_CHECKING:
    from desktop.session.sessions import Sessions

_SECONDS = 10.0
"""A network drive may be away."""
_MOST_BYTES = 50 << 20
_MOST_FILES = 20_000
"""So many names of a folder are looked through at most."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """What a message would take along."""

    path: str
    name: str
    bytes: int
    kind: str
    """picture, folder or file."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """One with the words that were typed; `name` as seen from the folder of the conversation."""

    path: str
    name: str


class Attachments:
    """Acts on files of the person. Every method raises UsageError for what is no file, and StorageError."""

    def __init__(self, sessions: "Sessions", workspace: Path) -> None:
        self._sessions, self._workspace = sessions, workspace

    async def look(self, path: str) -> Attachment:
        """At a file or a folder."""
        try:
            return await in_daemon(_look, Path(path), seconds=_SECONDS)
        except TimeoutError:
            raise _away() from None

    async def keep(self, name: str, data: str, session: str = "") -> Attachment:
        """Make a file of bytes (base64) in the workspace; it goes with a conversation that is temporary."""
        try:
            return await in_daemon(self._keep, name, data, session, seconds=_SECONDS)
        except TimeoutError:
            raise _away() from None

    def _keep(self, name: str, data: str, session: str) -> Attachment:
        try:
            content = base64.b64decode(data, validate=True)
        except binascii.Error:
            raise UsageError(_("This is not a file.")) from None
        if len(content) > _MOST_BYTES:
            raise UsageError(_("This file is too large to attach."))
        folder = pasted(self._workspace)
        safe = (
            "".join(c if c.isalnum() or c in "-_." else "-" for c in Path(name).name).lstrip(".") or "file"
        )
        file = f"{datetime.now().astimezone():%Y%m%d-%H%M%S-%f}-{safe}"
        place = folder.named(file)
        try:
            if temporary(session):
                folder.write(mark_of(place).name, session.encode())
            folder.write(file, content, fresh=True)
        except OSError as error:
            raise explain(error) from error
        return replace(_look(place), name=name)

    async def find(self, words: str, *, session: str = "", limit: int = 50) -> tuple[FoundFile, ...]:
        """Files of the folder in which a conversation works (else the workspace) with these words in their
        path, those first whose own name begins with them; none where its drive is away."""
        metadata = (await self._sessions.open(session)).metadata if session else {}
        folder = metadata.get("folder")
        top = Path(folder) if isinstance(folder, str) and folder else self._workspace
        try:
            return await in_daemon(self._find, top, words.casefold(), limit, seconds=_SECONDS)
        except TimeoutError:
            return ()

    def _find(self, top: Path, words: str, limit: int) -> tuple[FoundFile, ...]:
        from desktop.tools.files.walking import Closed, walk

        real = Path(os.path.realpath(top))
        workspace = os.path.realpath(self._workspace)
        closed = Closed(f"{workspace}{os.sep}{name}" for name in ("sessions", "memory", "cron"))
        begin: list[FoundFile] = []
        within: list[FoundFile] = []
        for number, entry in enumerate(walk(real, closed)):
            if number >= _MOST_FILES or len(begin) >= limit:
                break
            last = entry.name.rpartition("/")[2]
            if last.startswith(".") or entry.kind != "file":
                continue
            found = FoundFile(str(top / entry.name), entry.name)
            if last.casefold().startswith(words):
                begin.append(found)
            elif words in entry.name.casefold():
                within.append(found)
        return tuple([*begin, *within][:limit])


def _away() -> UsageError:
    return UsageError(_("The file did not respond in time. Its drive may be disconnected."))


def _look(path: Path) -> Attachment:
    """What is there. Raises UsageError."""
    if not path.is_absolute():
        raise UsageError(_("{path} is not a full path.").format(path=path))
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            return Attachment(str(path), path.name, 0, "folder")
        if not stat.S_ISREG(found.st_mode):
            raise UsageError(_("{name} is a device or a pipe, not a file.").format(name=path.name))
        picture = kind(Place(Path(path.anchor)).read(Path(os.path.normpath(path)), 16))
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError):
            raise UsageError(_("There is no file {path}.").format(path=path)) from None
        raise UsageError(
            _("{name} can’t be read.").format(name=path.name),
            _("Check that you have permission to open it."),
        ) from None
    return Attachment(str(path), path.name, found.st_size, "picture" if picture else "file")
