"""A child process for work on files that may never end or eat all memory: documents and searches.

The program starts itself with a hidden argument, writes one JSON request to the child's stdin, and reads
one JSON answer. A zip bomb, an endless document or a pattern that never comes to an end takes only the
child with it. The child's half imports nothing but the standard library and what it is asked for.
"""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any

from desktop.paths import self_command
from desktop.tools.files.opening import Refusal, open_plain, reason

HIDDEN_ARGUMENT = "--file-worker"
_MOST_MEMORY = 1 << 30
_ENVIRONMENT = (
    *("PATH", "HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"),
    *("LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT", "TEMP", "TMP"),
)


async def in_worker(seconds: float, handle: int = -1, **request: Any) -> dict[str, Any]:
    """Have a child do it, on the open file `handle` where there is one. Raises Refusal, also when it takes
    longer than `seconds`."""
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":  # the child opens the path itself, by the same opener
        apart, handle = {"creationflags": subprocess.CREATE_NO_WINDOW}, -1
    elif handle >= 0:
        apart["pass_fds"] = (handle,)
    child = await asyncio.create_subprocess_exec(
        *self_command(HIDDEN_ARGUMENT),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        **apart,
    )
    body = json.dumps({**request, "seconds": seconds, "handle": handle}).encode()
    try:
        async with asyncio.timeout(seconds):
            answer, _nothing = await child.communicate(body)
    except TimeoutError:
        raise Refusal(f"This took longer than {seconds:.0f} seconds and was stopped.") from None
    finally:
        await _end(child)
    return _unpacked(answer)


async def _end(child: asyncio.subprocess.Process) -> None:
    from desktop.tasks import end_child  # not needed by the child's half

    end_child(child)
    await child.wait()


def _unpacked(answer: bytes) -> dict[str, Any]:
    try:
        reply: dict[str, Any] = json.loads(answer)
    except ValueError:
        raise Refusal("It could not be read: too large, or damaged.") from None
    if "refusal" in reply:
        raise Refusal(reply["refusal"])
    return reply


def main() -> None:
    """The child's half: one request, one answer."""
    wire = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not get into the answer
    request: Mapping[str, Any] = json.loads(sys.stdin.buffer.read())
    _fence(request["seconds"])
    answer = json.dumps(_answer(request)).encode()
    with os.fdopen(wire, "wb") as out:
        out.write(answer)
    os._exit(0)  # nothing is left to tidy up, and a library's threads shall not keep it


def _fence(seconds: float) -> None:
    """No more memory than this, and no longer than this even if the program is gone."""
    if sys.platform == "win32":
        return
    import resource

    signal.alarm(int(seconds) + 5)
    for limit, most in ((resource.RLIMIT_AS, _MOST_MEMORY), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(OSError, ValueError):  # not every system has each
            resource.setrlimit(limit, (most, most))


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    path = Path(request["path"])
    try:
        return _done(request, path)
    except Refusal as refusal:
        return {"refusal": str(refusal)}
    except MemoryError:
        return {"refusal": "It is too large: it needs more memory than it may have."}
    except OSError as error:
        return {"refusal": reason(path, error)}
    except Exception as error:  # the libraries raise anything on damaged files
        what = f"{type(error).__name__}: {error}"
        return {"refusal": f"It is damaged, too large or of a kind that cannot be read ({what})."}


def _done(request: Mapping[str, Any], path: Path) -> dict[str, Any]:
    if request["op"] == "document":
        from desktop.tools.files import documents
        from desktop.tools.files.lines import numbered

        with _stream(request["handle"], path) as stream:
            texts, note = documents.text_lines(stream, request["pages"])
            text, following = numbered(texts, request["offset"], request["limit"])
        return {"text": text, "note": note, "next": following}
    from desktop.tools.files import searching

    search = searching.grep if request["op"] == "grep" else searching.find
    return search(dict(request), request["seconds"] * 0.75)


def _stream(handle: int, path: Path) -> BufferedReader:
    """The file that was judged: by the handle that was given along, else by its real path."""
    if handle < 0:
        return open_plain(path).stream
    stream = os.fdopen(handle, "rb")
    stream.seek(0)
    return stream
