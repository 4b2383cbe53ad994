"""What the file tools share: work apart from the loop, failures as sentences for the model."""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from desktop.files import Seen
from desktop.paths import persons_umask
from desktop.tasks import in_daemon
from desktop.tools.base import ToolContext, ToolFailure
from desktop.tools.files.opening import Refusal, exact, reason, refused, shown

_SECONDS = 60.0


@contextlib.contextmanager
def failures(path: Path) -> Iterator[None]:
    """Turn what goes wrong with a file into a result for the model."""
    try:
        yield
    except Refusal as refusal:
        raise ToolFailure(str(refusal)) from None
    except TimeoutError:
        raise ToolFailure(f"{shown(str(path))} did not answer for {_SECONDS:.0f} seconds.") from None
    except OSError as error:
        raise ToolFailure(reason(path, error)) from error


async def apart[T](path: Path, work: Callable[..., T], *arguments: object) -> T:
    """Run work on a file in a thread that holds up nobody if a disk hangs. Raises ToolFailure."""
    with failures(path):
        return await in_daemon(work, *arguments, seconds=_SECONDS)


def write_whole(path: Path, data: bytes, mode: int | None = None, digest: str = "") -> Seen:
    """Put a file in place by its real path, whole or not at all; an old one keeps its mode unless
    `mode` is given. `digest`: the SHA-256 of the data, where that is known. Raises Refusal, OSError."""
    with refused(path):
        return exact(path).write(path, data, mode=mode, digest=digest)


def usual_mode(path: Path, context: ToolContext) -> int | None:
    """The permissions of a new file: outside the workspace those that the person's own files get."""
    umask = persons_umask()
    inside = path.is_relative_to(os.path.realpath(context.workspace))
    return None if inside or umask < 0 else 0o666 & ~umask


def utf8(text: str, what: str) -> bytes:
    """Text as it goes into a file. Raises Refusal for halves of characters."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Refusal(f"{what} has half a character (a lone surrogate) in it.") from None
