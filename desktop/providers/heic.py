"""Pictures as phones take them (HEIC), made into JPEG: no server takes them as they are.

libheif and libde265 decode them (pi-heif's wheels bring both, LGPL-3.0, as libraries of their own). They
are large and written in C++, and the file may be a stranger's: so a child of the program does it, with
limits of memory and time, started for the one picture. The brands: ISO/IEC 23008-12, annexes B and D.
"""

import contextlib
import io
import os
import signal
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from desktop.paths import self_command

HIDDEN_ARGUMENT = "--heic"
SIDE = 3072
"""Pixels of the longer side of what is made; models take less."""
_BRANDS = frozenset(b"heic heix heim heis hevc hevx hevm hevs mif1 msf1".split())
_MOST_PIXELS = 120_000_000
_MOST_MEMORY = 1 << 30
_SECONDS = 20.0
_NOT_HERE = 3
"""The child's exit code where the library is missing."""
_ENVIRONMENT = ("PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "TEMP", "TMP", "LD_LIBRARY_PATH")
_KEPT = 32 * 1024 * 1024


class MissingError(Exception):
    """This computer has nothing that reads such pictures."""


def is_heic(head: bytes) -> bool:
    """Whether a file that begins so is one."""
    return head[4:8] == b"ftyp" and head[8:12] in _BRANDS


def as_jpeg(data: bytes, state: tuple[Any, ...] = (), command: Sequence[str] = ()) -> bytes | None:
    """The picture as a JPEG file; None where it is broken. Blocks, up to half a minute where it is hostile.
    `state`: what tells that the file is still the same; it is made once for each. `command`: starts the
    child, another one than usual. Raises MissingError."""
    with _lock:
        if state in _made:
            _made.move_to_end(state)
            return _made[state]
    made = _converted(data, command or self_command(HIDDEN_ARGUMENT))
    with _lock:
        if state and made is not None:
            _made[state] = made
        while sum(map(len, _made.values())) > _KEPT:
            _made.popitem(last=False)
    return made


_lock = threading.Lock()
_made: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()


def _converted(data: bytes, command: Sequence[str]) -> bytes | None:
    try:
        done = subprocess.run(
            command,
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            timeout=_SECONDS,
            check=False,
            **_apart(),
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode == _NOT_HERE:
        raise MissingError
    return done.stdout if done.returncode == 0 and done.stdout.startswith(b"\xff\xd8\xff") else None


def _apart() -> dict[str, Any]:
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


def main() -> None:
    """The child: a HEIC file comes in, a JPEG file goes out."""
    wire = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not get into the picture
    data = sys.stdin.buffer.read()
    _fence()
    try:
        made = _jpeg(data)
    except ImportError:
        os._exit(_NOT_HERE)
    except Exception:  # the library raises anything on damaged files
        os._exit(1)
    with os.fdopen(wire, "wb") as out:
        out.write(made)
    os._exit(0)


def _fence() -> None:
    """No more memory than this, and no longer than this even if the program is gone."""
    if sys.platform == "win32":
        return
    import resource

    signal.alarm(int(_SECONDS) + 5)
    for limit, most in ((resource.RLIMIT_AS, _MOST_MEMORY), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(OSError, ValueError):  # not every system has each
            resource.setrlimit(limit, (most, most))


def _jpeg(data: bytes) -> bytes:
    from pi_heif import HeifImagePlugin  # noqa: F401  Pillow reads HEIC from here on
    from PIL import Image, ImageOps

    with Image.open(io.BytesIO(data), formats=("HEIF",)) as picture:
        if picture.width * picture.height > _MOST_PIXELS:
            raise ValueError
        upright = ImageOps.exif_transpose(picture)
    upright.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS, reducing_gap=2.0)
    if "A" in upright.getbands():
        ground = Image.new("RGB", upright.size, "white")
        ground.paste(upright, mask=upright.getchannel("A"))
        upright = ground
    file = io.BytesIO()
    upright.convert("RGB").save(file, "jpeg", quality=90)
    return file.getvalue()
