"""Files of encrypted rooms: what matrix-nio encrypts is opened here, and the other way round."""

import random
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from nio.crypto.attachments import decrypt_attachment, encrypt_attachment

from desktop.channels.matrix.sealed import Opening, sealing
from desktop.channels.newfile import NewFile, NotFetched
from desktop.files import Place

SIZES = (0, 1, 15, 65_536, 65_537, 1_000_003)
LARGE = 20_000_000


def noise(size: int) -> bytes:
    return random.Random(size).randbytes(size)


async def in_pieces(data: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(data), 10_007):
        yield data[start : start + 10_007]


async def opened(folder: Path, data: bytes, keys: dict[str, Any]) -> bytes:
    file = NewFile(Place(folder), "opened", 50_000_000)
    await file.write(Opening.of(keys).pieces(in_pieces(data)))
    return file.path.read_bytes()


@pytest.mark.parametrize("size", SIZES)
async def test_what_others_encrypt_is_opened(tmp_path: Path, size: int) -> None:
    assert await opened(tmp_path, *encrypt_attachment(noise(size))) == noise(size)


@pytest.mark.parametrize("size", SIZES)
async def test_others_open_what_is_encrypted_here(tmp_path: Path, size: int) -> None:
    path, keys = tmp_path / "a.bin", dict[str, Any]()
    path.write_bytes(noise(size))
    with path.open("rb") as file:
        sent = b"".join([piece async for piece in sealing(file, size, keys)])
    assert len(sent) == size
    assert decrypt_attachment(sent, keys["key"]["k"], keys["hashes"]["sha256"], keys["iv"]) == noise(size)


async def test_of_a_file_that_is_another_one_nothing_stays(tmp_path: Path) -> None:
    data, keys = encrypt_attachment(noise(3_000_000))
    with pytest.raises(NotFetched):
        await opened(tmp_path, data[:-1] + bytes([data[-1] ^ 1]), keys)
    with pytest.raises(NotFetched):
        await opened(tmp_path, data[:-1], keys)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", [7, None, "", "x", "é", [], {}, {"k": 7}, "AAAA", "=" * 99])
@pytest.mark.parametrize("field", ["key", "iv", "hashes", "k"])
async def test_odd_keys_open_nothing(tmp_path: Path, field: str, wrong: object) -> None:
    data, keys = encrypt_attachment(b"hello")
    changed = {"key": {"k": wrong}} if field == "k" else {field: wrong}
    with pytest.raises(NotFetched):
        await opened(tmp_path, data, keys | changed)


async def test_a_file_that_became_shorter_is_not_sent(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(noise(100_000))
    with path.open("rb") as file, pytest.raises(OSError, match="The file a\\.bin was changed just now"):
        [piece async for piece in sealing(file, 100_001, {})]


async def test_a_large_file_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    path, keys = tmp_path / "a.bin", dict[str, Any]()
    path.write_bytes(noise(LARGE))
    sealed = NewFile(Place(tmp_path), "sealed", 50_000_000)
    plain = NewFile(Place(tmp_path), "plain", 50_000_000)

    async def read() -> AsyncIterator[bytes]:
        with sealed.path.open("rb") as file:
            while data := file.read(65_536):
                yield data

    tracemalloc.start()
    with path.open("rb") as file:
        await sealed.write(sealing(file, LARGE, keys))
    await plain.write(Opening.of(keys).pieces(read()))
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000
    assert plain.path.read_bytes() == noise(LARGE)
    assert sealed.path.read_bytes() != noise(LARGE)
