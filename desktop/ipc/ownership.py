"""Who owns a home, and how it changes hands.

One process owns a home: it holds the lock beside the file `ipc`. The lock goes with the process, however it
dies. The window takes a home over from a command that has it: the command is asked to leave, ends what is
under way, and goes on as a client where it has more to do.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from desktop.errors import AppError, no_place
from desktop.ipc.connection import NoOwnerError, ask
from desktop.paths import Home
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from filelock import FileLock

type Json = dict[str, Any]

WINDOW, SERVE = "window", "serve"
"""Fronts that stay, and do what is due by itself: the window as soon as a question can be asked. The others
end with what they were asked for."""
_PATIENCE_S = 0.1

type Greeting = tuple[str, Json]
"""A request and its arguments: what a second window wants of the first."""
SHOW: Greeting = ("show", {})
STATUS, QUIT = "status", "quit"
"""Who owns the home, and that its process is to end: asked by name, like hand_over, so that versions of the
program know one another."""


class Ownership:
    """The lock on a home. Released by release() or by the death of the process."""

    def __init__(self, lock: "FileLock") -> None:
        self._lock = lock

    @classmethod
    def take(cls, home: Home) -> "Ownership | None":
        """Become the owner, or None if another process is. Raises OSError for an unusable folder, AppError
        where there is none and none can be made."""
        from filelock import FileLock, Timeout

        try:
            home.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise no_place(home.root, error) from error
        lock = FileLock(home.ipc.with_suffix(".lock"), mode=0o600, thread_local=False)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return None
        return cls(lock)

    def release(self) -> None:
        """Let the next process own the home."""
        self._lock.release()


async def take_over(
    home: Home,
    waits: Callable[[], object] = lambda: None,
    *,
    front: str = WINDOW,
    greeting: Greeting | None = SHOW,
) -> Ownership | None:
    """Own the home: at once if it is free, else as soon as the command that owns it has left, which is
    asked to; then `waits` is called.

    None if a window owns it: another window (`front`) has asked it for something then (`greeting`).
    Raises OSError; AppError, also where another process serves already.
    """
    asked = failed = ""
    while True:
        if ownership := await in_thread(Ownership.take, home):
            return ownership
        address = await in_thread(_address, home)
        try:
            if address != asked:  # another command may have come in between
                owner = await ask(home, STATUS)
                if owner["front"] == WINDOW:
                    if front == WINDOW and greeting is not None:
                        await ask(home, *greeting)
                    return None
                if owner["front"] == front:
                    raise AppError(_("Already served by process {pid}.").format(pid=owner["pid"]))
                await ask(home, "hand_over")
                asked = address
                waits()
        except NoOwnerError:
            pass  # it is coming up or going down
        except AppError:
            if address == failed:
                raise
            failed = address  # it ended in the middle of the request
        await asyncio.sleep(_PATIENCE_S)


def _address(home: Home) -> str:
    """What the owner has published; each has a token of its own."""
    try:
        return home.ipc.read_text("utf-8")
    except OSError:
        return ""


def window_runs(home: Home, greeting: Greeting | None) -> bool:
    """Whether a window owns this home, asked by a process that has no event loop yet; it is asked for
    something then (`greeting`)."""

    async def asked() -> bool:
        try:
            if (await ask(home, STATUS))["front"] != WINDOW:
                return False
            if greeting is not None:
                await ask(home, *greeting)
        except (NoOwnerError, AppError):
            return False
        return True

    return asyncio.run(asked())
