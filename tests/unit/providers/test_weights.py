"""Getting a model file: whole, resumed, refused, and never believed without its checksum."""

import asyncio
import hashlib
import os
import random
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from filelock import FileLock

from desktop.errors import AppError, StorageError, explain
from desktop.providers import weights
from desktop.providers.catalogue import Model
from desktop.tasks import spawn

BYTES = random.Random(7).randbytes(5_000_000)


class _Server(ThreadingHTTPServer):
    def handle_error(self, *arguments: object) -> None:
        """The client hung up, as these tests make it do."""


class Hub:
    """A file server on a socket: honours Range, unless told to misbehave."""

    def __init__(self) -> None:
        self.body = BYTES
        self.ranges = True
        self.status = 0
        self.cut_at: int | None = None
        self.hold_at: int | None = None
        """Stop sending here until `released`."""
        self.released = threading.Event()
        self.asked: list[str | None] = []
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def model(self, body: bytes = BYTES) -> Model:
        url = f"http://127.0.0.1:{self._server.server_address[1]}/files/small.gguf"
        return Model("small", "Small", "MIT", len(body), hashlib.sha256(body).hexdigest(), url)

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    hub: Hub

    def do_GET(self) -> None:
        hub, wanted = self.hub, self.headers.get("Range")
        hub.asked.append(wanted)
        if hub.status:
            self.send_error(hub.status)
            return
        start = int(re.findall(r"\d+", wanted)[0]) if wanted and hub.ranges else 0
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(hub.body) - 1}/{len(hub.body)}")
        self.send_header("Content-Length", str(len(hub.body) - start))
        self.end_headers()
        self._send(start)

    def _send(self, start: int) -> None:
        hub = self.hub
        stops = [at for at in (hub.cut_at, hub.hold_at) if at is not None and at > start]
        first = min(stops, default=len(hub.body))
        self.wfile.write(hub.body[start:first])
        if first == hub.hold_at:
            hub.released.wait()
        if first != hub.cut_at and not hub.released.is_set():
            self.wfile.write(hub.body[first:])

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub()
    yield hub
    hub.close()


def part(folder: Path) -> Path:
    return folder / "small.gguf.part"


def ignore(_done: int, _total: int) -> None:
    pass


async def test_a_download_tells_its_progress_and_ends_verified(hub: Hub, tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    path = await weights.fetch(hub.model(), tmp_path / "new", lambda *step: steps.append(step))
    assert path.read_bytes() == BYTES
    assert steps[0] == (0, len(BYTES))
    assert steps[-1] == (len(BYTES), len(BYTES))
    assert steps == sorted(steps)
    assert len(steps) > 3
    assert await weights.verified(hub.model(), tmp_path / "new") == path
    assert not part(tmp_path / "new").exists()


@pytest.mark.expected_log("download of small")
async def test_a_cut_download_is_resumed_where_it_ended(hub: Hub, tmp_path: Path) -> None:
    hub.cut_at = 3_000_000
    with pytest.raises(AppError, match="could not be downloaded") as failure:
        await weights.fetch(hub.model(), tmp_path, ignore)
    assert "What was downloaded so far is kept" in failure.value.remedy
    kept = part(tmp_path).stat().st_size
    assert 0 < kept <= 3_000_000
    hub.cut_at = None
    await weights.fetch(hub.model(), tmp_path, ignore)
    assert hub.asked == [None, f"bytes={kept}-"]


async def test_a_server_that_ignores_the_range_starts_anew(hub: Hub, tmp_path: Path) -> None:
    hub.ranges = False
    part(tmp_path).write_bytes(BYTES[:1000])
    path = await weights.fetch(hub.model(), tmp_path, ignore)
    assert path.read_bytes() == BYTES


async def test_a_part_longer_than_the_file_is_dropped(hub: Hub, tmp_path: Path) -> None:
    part(tmp_path).write_bytes(bytes(len(BYTES) + 1))
    await weights.fetch(hub.model(), tmp_path, ignore)
    assert hub.asked == [None]


async def test_a_complete_part_is_only_checked(hub: Hub, tmp_path: Path) -> None:
    part(tmp_path).write_bytes(BYTES)
    await weights.fetch(hub.model(), tmp_path, ignore)
    assert hub.asked == []


async def test_a_cancelled_download_keeps_what_came(hub: Hub, tmp_path: Path) -> None:
    hub.hold_at = 2_500_000
    arrived = asyncio.Event()

    def progress(done: int, _total: int) -> None:
        if done >= 2_000_000:
            arrived.set()

    download = spawn(weights.fetch(hub.model(), tmp_path, progress), name="download")
    await arrived.wait()
    download.cancel()
    with pytest.raises(asyncio.CancelledError):
        await download
    kept = part(tmp_path).stat().st_size
    assert kept >= 2_000_000
    hub.hold_at = None
    path = await weights.fetch(hub.model(), tmp_path, ignore)
    assert hub.asked[-1] == f"bytes={kept}-"
    assert path.read_bytes() == BYTES


async def test_a_wrong_file_is_thrown_away(hub: Hub, tmp_path: Path) -> None:
    hub.body = bytes(len(BYTES))
    with pytest.raises(AppError, match="checksum is wrong") as failure:
        await weights.fetch(hub.model(), tmp_path, ignore)
    assert failure.value.remedy
    assert not part(tmp_path).exists()
    assert not (tmp_path / "small.gguf").exists()


async def test_a_file_that_never_ends_is_ended(hub: Hub, tmp_path: Path) -> None:
    hub.body = BYTES * 2
    with pytest.raises(AppError, match="sent more data"):
        await weights.fetch(hub.model(BYTES), tmp_path, ignore)
    assert part(tmp_path).stat().st_size == 0


@pytest.mark.expected_log("download of small")
@pytest.mark.parametrize("status", [404, 416, 500])
async def test_a_refusal_is_told(hub: Hub, tmp_path: Path, status: int) -> None:
    hub.status = status
    with pytest.raises(AppError, match=r"could not be downloaded from 127\.0\.0\.1"):
        await weights.fetch(hub.model(), tmp_path, ignore)


async def test_a_full_disk_is_told(hub: Hub, tmp_path: Path) -> None:
    part(tmp_path).symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as failure:
        await weights.fetch(hub.model(), tmp_path, ignore)
    assert "disk is full" in explain(failure.value).text


async def test_a_disk_too_small_is_told_before_the_download(hub: Hub, tmp_path: Path) -> None:
    huge = Model("huge", "Huge", "MIT", 10**18, "", hub.model().url)
    with pytest.raises(StorageError, match="disk space"):
        await weights.fetch(huge, tmp_path, ignore)
    assert hub.asked == []


async def test_two_programs_do_not_write_one_file(hub: Hub, tmp_path: Path) -> None:
    with FileLock(tmp_path / "small.gguf.lock"), pytest.raises(AppError, match="already downloading"):
        await weights.fetch(hub.model(), tmp_path, ignore)


async def test_a_checked_file_is_not_read_again(hub: Hub, tmp_path: Path) -> None:
    path = await weights.fetch(hub.model(), tmp_path, ignore)
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    path.write_bytes(bytes(len(BYTES)))
    os.utime(path, ns=times)
    assert await weights.verified(hub.model(), tmp_path) == path  # same size and time: trusted


async def test_a_file_of_unknown_history_is_read(hub: Hub, tmp_path: Path) -> None:
    assert await weights.verified(hub.model(), tmp_path) is None
    (tmp_path / "small.gguf").write_bytes(BYTES)
    assert await weights.verified(hub.model(), tmp_path)
    (tmp_path / "small.gguf.checked").write_text("not JSON")
    assert await weights.verified(hub.model(), tmp_path)


@pytest.mark.parametrize("body", [BYTES[:-1], bytes(len(BYTES))], ids=["cut", "wrong"])
async def test_a_damaged_file_is_told(hub: Hub, tmp_path: Path, body: bytes) -> None:
    (tmp_path / "small.gguf").write_bytes(body)
    with pytest.raises(AppError, match="damaged") as failure:
        await weights.verified(hub.model(), tmp_path)
    assert "local setup" in failure.value.remedy


async def test_a_local_file_is_accepted_by_its_checksum_alone(hub: Hub, tmp_path: Path) -> None:
    source = tmp_path / "from anywhere"
    source.write_bytes(BYTES[::-1])
    with pytest.raises(AppError, match="damaged"):
        weights.accept(source, hub.model(), tmp_path / "models")
    source.write_bytes(BYTES)
    path = weights.accept(source, hub.model(), tmp_path / "models")
    assert path == tmp_path / "models/small.gguf"
    assert await weights.verified(hub.model(), tmp_path / "models") == path
