"""Keeps a foreign program from outliving ours.

A llama-server does not watch who started it, so it is started through this guard: our own executable with
the hidden argument --guard, whose stdin is a pipe held open by the program. When the program dies, however
that happens, the pipe ends and the guard ends the command and all that it started.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import NoReturn

_GRACE = 3.0
_PR_SET_PDEATHSIG = 1


def main(argv: Sequence[str]) -> NoReturn:
    """Run a command until it ends or our stdin does, and exit with its code."""
    asked = threading.Event()
    signal.signal(
        signal.SIGTERM, lambda _signal, _frame: asked.set()
    )  # it may come before there is a child
    try:
        child = subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_die_with_guard if sys.platform == "linux" else None,
        )
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        raise SystemExit(127) from None
    threading.Thread(target=_watch, args=(asked,), daemon=True).start()
    threading.Thread(target=_end, args=(child, asked), daemon=True).start()
    code = child.wait()
    _signal_tree(child, force=True)
    raise SystemExit(code if code >= 0 else 128 - code)


def _watch(asked: threading.Event) -> None:
    # os.read: a buffered read would hold a lock that the interpreter wants at exit.
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    asked.set()


def _end(child: subprocess.Popen[bytes], asked: threading.Event) -> None:
    """End the command once that is asked for, and made to where it takes too long."""
    asked.wait()
    _signal_tree(child, force=False)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(_GRACE)
    _signal_tree(child, force=True)


def _signal_tree(child: subprocess.Popen[bytes], *, force: bool) -> None:
    if sys.platform == "win32":
        child.kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL if force else signal.SIGTERM)


def _die_with_guard() -> None:
    """Where the kernel offers it, the command dies even when the guard itself is killed."""
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
