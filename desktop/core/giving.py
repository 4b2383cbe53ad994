"""Files that go along with a message: looked at before it is sent, kept where they are no files yet, and
found by their names while the person types one."""

import base64
import binascii
import os
import stat
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.core.verbs import Json, Send
from desktop.errors import UsageError, explain
from desktop.files import Place
from desktop.paths import temporary
from desktop.providers.pictures import kind
from desktop.session.unkept import mark_of, pasted
from desktop.tasks import in_daemon
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core

_SECONDS = 10.0
"""A network drive may be away."""
_MOST_BYTES = 50 << 20
_MOST_FILES = 20_000
"""So many names of a folder are looked through at most."""


class Giving:
    """Acts on files of the person."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    async def give(self, arguments: Json, _send: Send) -> Json:
        """What a message would take along: the file or folder at `path`, or bytes (`data`, base64) that
        become one called `name` in the workspace, which goes with `session` where that is a temporary one.
        Its `path`, `name`, `bytes`, and `kind`: picture, folder
        or file. Raises UsageError, StorageError."""
        try:
            if "data" in arguments:
                name, session = str(arguments.get("name") or "file"), str(arguments.get("session") or "")
                work = self._keep, name, str(arguments["data"]), session
                return await in_daemon(*work, seconds=_SECONDS)
            return await in_daemon(_look, Path(str(arguments["path"])), seconds=_SECONDS)
        except TimeoutError:
            raise UsageError(_("The file did not answer in time; its drive may be away.")) from None

    def _keep(self, name: str, data: str, session: str) -> Json:
        try:
            content = base64.b64decode(data, validate=True)
        except binascii.Error:
            raise UsageError(_("That is no file.")) from None
        if len(content) > _MOST_BYTES:
            raise UsageError(_("That is too large to go along with a message."))
        folder = pasted(self._core.workspace)
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
        return {**_look(place), "name": name}

    async def files(self, arguments: Json, _send: Send) -> Json:
        """Files of the folder in which the conversation `session` works (else the workspace) with these
        `words` in their path: `files` with `path` and `name` (as seen from there), at most `limit` (50),
        those first whose own name begins with the words."""
        key = str(arguments.get("session") or "")
        metadata = (await self._core.sessions.open(key)).metadata if key else {}
        folder = metadata.get("folder")
        top = Path(folder) if isinstance(folder, str) and folder else self._core.workspace
        words, limit = str(arguments.get("words") or ""), int(arguments.get("limit") or 50)
        try:
            found = await in_daemon(self._find, top, words.casefold(), limit, seconds=_SECONDS)
        except TimeoutError:
            found = []
        return {"files": found}

    def _find(self, top: Path, words: str, limit: int) -> list[Json]:
        from desktop.tools.files.walking import Closed, walk

        real = Path(os.path.realpath(top))
        workspace = os.path.realpath(self._core.workspace)
        closed = Closed(f"{workspace}{os.sep}{name}" for name in ("sessions", "memory", "cron"))
        begin: list[Json] = []
        within: list[Json] = []
        for number, entry in enumerate(walk(real, closed)):
            if number >= _MOST_FILES or len(begin) >= limit:
                break
            last = entry.name.rpartition("/")[2]
            if last.startswith(".") or entry.kind != "file":
                continue
            found = {"path": str(top / entry.name), "name": entry.name}
            if last.casefold().startswith(words):
                begin.append(found)
            elif words in entry.name.casefold():
                within.append(found)
        return [*begin, *within][:limit]


def _look(path: Path) -> Json:
    """What is there. Raises UsageError."""
    if not path.is_absolute():
        raise UsageError(_("{path} is no whole path.").format(path=path))
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            return {"path": str(path), "name": path.name, "bytes": 0, "kind": "folder"}
        if not stat.S_ISREG(found.st_mode):
            raise UsageError(_("{name} is a device or a pipe, no file.").format(name=path.name))
        picture = kind(Place(Path(path.anchor)).read(Path(os.path.normpath(path)), 16))
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError):
            raise UsageError(_("There is no file {path}.").format(path=path)) from None
        raise UsageError(
            _("{name} cannot be read.").format(name=path.name), _("Check that you may open it.")
        ) from None
    known = "picture" if picture else "file"
    return {"path": str(path), "name": path.name, "bytes": found.st_size, "kind": known}
