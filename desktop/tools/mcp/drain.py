"""Takes what a server prints to its stderr into its log, through a limit and while it runs.

The log never grows beyond a size, little is written in a second, and a server that floods is slowed down:
it costs no disk, no memory and hardly any time. The guard of a server runs this, so it imports little.
"""

import os
import select
import sys
import time

LARGEST = 1_000_000
"""Bytes of a log; then it is begun anew, and says so."""
_CHUNK = 1 << 16
_PER_SECOND = 1 << 18
"""Bytes that are written in a second; of more, only the last are."""
_REST = 0.01
"""Seconds between two readings of a flood."""
_LATE = 0.5


def drain(source: int, log: int) -> None:
    """Until the last who could write to `source` has ended (blocks); `log` is open for appending."""
    began, written, held, left_out = time.monotonic(), 0, b"", 0
    while True:
        data = None if held and not _waits(source) else os.read(source, _CHUNK)
        now = time.monotonic()
        if not data or now - began >= 1.0:
            if left_out:
                _write(log, f"\n[{left_out:,} bytes of a flood were left out here]\n".encode())
            _write(log, held)
            began, written, held, left_out = now, 0, b"", 0
        if data == b"":
            return
        if data and written < _PER_SECOND:
            written += len(data)
            _write(log, data)
        elif data:
            left_out += len(held)
            held = data
            time.sleep(_REST)


def _waits(source: int) -> bool:
    """Whether something comes soon."""
    if sys.platform == "win32":
        return True
    return bool(select.select([source], [], [], _LATE)[0])


def _write(log: int, data: bytes) -> None:
    """Append; a full disk costs the lines, not the server."""
    try:
        if data and os.fstat(log).st_size + len(data) > LARGEST:
            os.ftruncate(log, 0)
            os.write(log, b"[the log had grown large and was begun anew]\n")
        os.write(log, data)
    except OSError:
        return
