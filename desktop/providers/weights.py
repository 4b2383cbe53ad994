"""The files of the built-in models: how to get one whole, how to know that one is right.

A file is believed by its SHA-256 alone, never by where it came from. A download goes to NAME.part and can
be broken off and taken up again; only a verified file gets its real name. Checking half a gigabyte at every
start would cost seconds, so a stamp beside the file records which size and time were checked.
"""

import hashlib
import json
import logging
import os
import re
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from desktop.errors import AppError, StorageError, UsageError
from desktop.net import way_out
from desktop.providers import gguf
from desktop.providers.catalogue import Model
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    import httpx

_log = logging.getLogger(__name__)
_CHUNK = 1 << 20
_SPARE = 64 << 20  # bytes of free disk that a download leaves alone

type Progress = Callable[[int, int], None]
"""Called with the bytes there are and the bytes there will be."""


async def verified(model: Model, folder: Path) -> Path | None:
    """The model's file, known to be whole; None if there is none. Raises AppError for a damaged one."""
    return await in_thread(_verified, model, folder)


def _verified(model: Model, folder: Path) -> Path | None:
    path = folder / model.file
    if model.own:
        own(path)
        return path
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return None
    if size == model.size and _stamped(path, model):
        return path
    if size != model.size or _digest(path) != model.sha256:
        raise _damaged(model)
    _stamp(path, model)
    return path


def own(path: Path) -> tuple[Model, gguf.Head]:
    """A model file of the person's own, and what it says of itself. Raises UsageError where it cannot be
    one that answers. Blocks."""
    try:
        size, head = path.stat().st_size, gguf.read(path)
    except FileNotFoundError:
        raise UsageError(
            _("There is no file {path}.").format(path=path), _("Check the path, or choose another model.")
        ) from None
    except gguf.Damaged as error:
        _log.info("%s: %s", path, error)
        raise UsageError(
            _("{file} is not a complete model file: it was cut off, or is not in the GGUF format.").format(
                file=path.name
            ),
            _("Download it again, and choose a file whose name ends in .gguf."),
        ) from None
    except OSError as error:
        raise UsageError(
            _("{path} can’t be read: {reason}.").format(path=path, reason=error.strerror or error),
            _("Check its read permission."),
        ) from None
    if head.parts > 1:
        raise UsageError(
            _("{file} is one of {n} parts of a model.").format(file=path.name, n=head.parts),
            _("Choose a model in a single file, or join the parts with llama-gguf-split --merge."),
        )
    if not head.template:
        raise UsageError(
            _("{file} is not a chat model: it has no chat template.").format(file=path.name),
            _("Choose one with “instruct” or “chat” in its name."),
        )
    name = head.name or path.stem
    found = Model(
        id=str(path),
        name=" ".join(name.split())[:80],
        licence="",
        size=size,
        sha256="",
        place=str(path),
        architecture=head.architecture,
        window=head.window or 2048,
        own=True,
    )
    return found, head


def accept(path: Path, model: Model, folder: Path) -> Path:
    """Move a local file, from wherever it came, into the models folder if its hash is right."""
    if path.stat().st_size != model.size or _digest(path) != model.sha256:
        raise _damaged(model)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / model.file
    with _alone(target):
        shutil.move(path, _part(target))
        return _finish(target, model)


async def bring(model: Model, folder: Path, progress: Progress) -> Path:
    """A model's file, fetched where it is missing or damaged. Raises as fetch() does, BrokenOff among
    it."""
    try:
        path = await verified(model, folder)
    except AppError:
        if model.own:
            raise
        await in_thread((folder / model.file).unlink)
        path = None
    return path or await fetch(model, folder, progress)


def begun(model: Model, folder: Path) -> int:
    """Bytes that an earlier download left. Blocks."""
    try:
        return _part(folder / model.file).stat().st_size
    except OSError:
        return 0


async def fetch(model: Model, folder: Path, progress: Progress) -> Path:
    """Download the model's file from its own hub, or take up a download that was broken off.

    Cancelling keeps what came. Raises AppError, and StorageError when the disk is full or read-only.
    """
    await in_thread(folder.mkdir, parents=True, exist_ok=True)
    target = folder / model.file
    with _alone(target):
        part = _part(target)
        sink = _Sink(part)
        try:
            await in_thread(sink.take_up, model.size)
            if sink.done < model.size:
                _check_space(folder, model.size - sink.done)
                await _download(model, sink, progress)
        finally:
            sink.close()
        if sink.done != model.size:
            raise _broken_off(model)
        if sink.digest() != model.sha256:
            await in_thread(part.unlink)
            raise AppError(
                _("The file from {host} is not {name}: its checksum is wrong. It was discarded.").format(
                    host=_host(model), name=model.name
                ),
                _("Try again later, or on another network."),
            )
        return await in_thread(_finish, target, model)


class _Sink:
    """The .part file and its running hash. Written from threads, closed by the loop at any moment."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._hash = hashlib.sha256()
        self.done = 0
        self._file = path.open("a+b", buffering=0)

    def take_up(self, limit: int) -> None:
        """Go on from what an earlier download left, unless that is more than `limit` bytes."""
        size = os.fstat(self._file.fileno()).st_size
        if size > limit:
            self.restart()
            return
        self._file.seek(0)
        while self.done < size and self._take_up_chunk():
            pass

    def _take_up_chunk(self) -> bool:
        with self._lock:
            chunk = b"" if self._file.closed else self._file.read(_CHUNK)
            self._add(chunk)
            return bool(chunk)

    def _add(self, chunk: bytes) -> None:
        self._hash.update(chunk)
        self.done += len(chunk)

    def write(self, chunk: bytes) -> None:
        """Append; after close() (a cancelled download) do nothing."""
        with self._lock:
            view = memoryview(chunk)
            while view and not self._file.closed:
                written = self._file.write(view)
                self._add(bytes(view[:written]))
                view = view[written:]

    def restart(self) -> None:
        """Forget what came: the server starts at the beginning."""
        with self._lock:
            self._file.truncate(0)
            self._hash = hashlib.sha256()
            self.done = 0

    def digest(self) -> str:
        return self._hash.hexdigest()

    def close(self) -> None:
        with self._lock:
            self._file.close()


async def _download(model: Model, sink: _Sink, progress: Progress) -> None:
    import httpx

    try:
        async with _answer(model, sink) as response:
            progress(sink.done, model.size)
            async for chunk in response.aiter_raw():  # as it comes: what broke off is not lost
                if sink.done + len(chunk) > model.size:
                    sink.restart()
                    raise AppError(
                        _("{host} sent more data than {name} has, so the download was stopped.").format(
                            host=_host(model), name=model.name
                        ),
                        _("Try again later, or on another network."),
                    )
                await in_thread(sink.write, chunk)
                progress(sink.done, model.size)
    except httpx.HTTPError as error:
        _log.warning("download of %s: %r", model.id, error)
        raise _broken_off(model) from error


@asynccontextmanager
async def _answer(model: Model, sink: _Sink) -> "AsyncIterator[httpx.Response]":
    """The hub's answer, from where the part file ends; a server that cannot do that starts anew."""
    import httpx

    # A compressed body would be measured and resumed in the wrong bytes.
    headers = {"Accept-Encoding": "identity"}
    if sink.done:
        headers["Range"] = f"bytes={sink.done}-"
    async with (
        way_out.client(httpx, follow_redirects=True, timeout=30) as client,
        client.stream("GET", model.url, headers=headers) as response,
    ):
        if response.status_code not in (200, 206):
            _log.warning("download of %s: HTTP %s", model.id, response.status_code)
            if response.status_code == 416:
                sink.restart()
            broken = _broken_off(model)
            if response.status_code in (
                401,
                403,
                404,
                410,
            ):  # it will not come, however often it is asked for
                raise AppError(broken.text, broken.remedy)
            raise broken
        if sink.done and not _continues(response, sink.done):
            sink.restart()
        yield response


def _continues(response: "httpx.Response", start: int) -> bool:
    found = re.match(r"bytes (\d+)-", response.headers.get("content-range", ""))
    return response.status_code == 206 and found is not None and int(found[1]) == start


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """One process at a time writes a model file."""
    from filelock import FileLock, Timeout

    lock = FileLock(f"{target}.lock", blocking=False)
    try:
        lock.acquire()
    except Timeout:
        raise AppError(
            _("Another program is already downloading {file}.").format(file=target.name),
            _("Wait until it is done."),
        ) from None
    try:
        yield
    finally:
        lock.release()


def _check_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed + _SPARE:
        raise StorageError(
            _("The model needs {needed} MB of disk space; {folder} has {free} MB left.").format(
                needed=needed // 10**6, folder=folder, free=free // 10**6
            ),
            _("Free up some space and try again. What was downloaded so far is kept."),
        )


def _part(target: Path) -> Path:
    return target.with_name(f"{target.name}.part")


def _finish(target: Path, model: Model) -> Path:
    """Give a verified part its real name."""
    part = _part(target)
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.replace(target)
    _stamp(target, model)
    return target


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _stamp_of(path: Path, model: Model) -> dict[str, object]:
    found = path.stat()
    return {"sha256": model.sha256, "size": found.st_size, "mtime_ns": found.st_mtime_ns}


def _stamped(path: Path, model: Model) -> bool:
    try:
        stamp = json.loads(path.with_name(f"{path.name}.checked").read_bytes())
    except (OSError, ValueError):
        return False
    return bool(stamp == _stamp_of(path, model))


def _stamp(path: Path, model: Model) -> None:
    try:
        path.with_name(f"{path.name}.checked").write_text(json.dumps(_stamp_of(path, model)))
    except OSError as error:
        _log.warning("no stamp for %s, it will be checked again: %s", path.name, error)


def _host(model: Model) -> str:
    return urlsplit(model.url).hostname or model.url


class BrokenOff(AppError):
    """A download that broke off, or never began: what came is kept, and it can be taken up again."""


def _broken_off(model: Model) -> BrokenOff:
    return BrokenOff(
        _("The model could not be downloaded from {host}.").format(host=_host(model)),
        _("Check the connection and try again. What was downloaded so far is kept."),
    )


def _damaged(model: Model) -> AppError:
    return AppError(
        _("The file of {name} is damaged or incomplete.").format(name=model.name),
        _("Download it again with: nanobot-desktop local setup"),
    )
