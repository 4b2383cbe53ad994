"""A file that comes with a message: written as it comes, and through no link.

Commands of the agent may write in the folder, too, and put a link where the file is going to be.
"""

import os
from collections.abc import AsyncIterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from desktop.errors import AppError
from desktop.files import Place
from desktop.tasks import in_thread
from desktop.text import _

PIECE = 65_536
"""Bytes that are asked for at once."""
_BLOCK = 1 << 20
_MOST_NAME = 240
"""Bytes of UTF-8: most systems take 255."""


class NotFetched(AppError):
    """A file that no later try gets: it is too large, or gone, or not for the bot."""


class NotNow(Exception):
    """The app went down while a file was fetched: its message has to come again."""


@dataclass(frozen=True, slots=True)
class NewFile:
    """Where it goes."""

    place: Place
    name: str
    """Below the place."""
    most: int
    """Bytes that it may have."""

    @property
    def path(self) -> Path:
        """Where it is then."""
        return self.place.named(self.name)

    async def write(self, pieces: AsyncIterable[bytes]) -> None:
        """Write it while it comes; nothing is left of one that did not come whole. Raises NotFetched where
        there is more of it than may be, OSError, and what `pieces` does."""
        file = await in_thread(self._begun)
        try:
            size, held = 0, bytearray()
            async for piece in pieces:
                size += len(piece)
                if size > self.most:
                    raise _too_large()
                held += piece
                if len(held) >= _BLOCK:
                    await in_thread(file.write, bytes(held))
                    held.clear()
            await in_thread(file.write, bytes(held))
            await in_thread(file.close)
        except BaseException:
            await in_thread(self._given_up, file)
            raise

    def _begun(self) -> BinaryIO:
        handle = self.place.append(self.name)
        os.ftruncate(handle, 0)  # of a try before
        return os.fdopen(handle, "wb")

    def _given_up(self, file: BinaryIO) -> None:
        with suppress(OSError):
            file.close()
        with suppress(OSError):
            self.place.unlink(self.name)


def reading(path: Path) -> BinaryIO:
    """A file to send, read while it goes. Blocks. Raises OSError."""
    return path.open("rb")


def _too_large() -> NotFetched:
    return NotFetched(_("The file is too large."))


def shortened(stem: str, ending: str, taken: int) -> str:
    """A name that fits into a folder beside so many bytes that it begins with."""
    left = _MOST_NAME - taken - len(ending.encode())
    return stem.encode()[: max(0, left)].decode("utf-8", "ignore") + ending
