"""quit: the running program of this home ends, in order. What installs another version asks for that.

It is done when the process has gone and the home is free, for until then its files are in use.
"""

import asyncio
import math
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from desktop.cli import options
from desktop.cli.output import emit, say
from desktop.cli.run import run
from desktop.errors import AppError, UsageError
from desktop.ipc.connection import NoOwnerError, ask
from desktop.ipc.ownership import QUIT, STATUS, Ownership
from desktop.paths import Home
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    import psutil

_WAIT_S = 60.0
_ANSWER_S = 2.0
"""The least that a running program has to answer in."""
_END_S = 30.0
"""Of a process that said that it ends."""
_PAUSE_S = 0.05
_LONGEST_S = 7 * 24 * 3600.0


def register(app: click.Group) -> None:
    """Add the command to the command line."""

    @options.verb(
        app, "quit", _("Quit the running Nanobot, with or without a window, once its answers are done.")
    )
    @click.option(
        "--wait",
        type=click.FloatRange(0, _LONGEST_S),
        default=_WAIT_S,
        show_default=True,
        help=_("Wait at most this many seconds for answers under way."),
    )
    @click.option("--now", is_flag=True, help=_("Stop answers under way; the text so far is kept."))
    def quit_command(wait: float, now: bool, *, as_json: bool) -> None:
        if math.isnan(wait):
            raise click.BadParameter("nan", param_hint="--wait")
        run(lambda home: _quit(home, wait, now, as_json), as_json=as_json)


async def _quit(home: Home, wait: float, now: bool, as_json: bool) -> None:
    """Have whoever owns the home end until nobody does: another may have waited for it."""
    clock = asyncio.get_running_loop().time
    deadline, patience = clock() + wait, clock() + max(_ANSWER_S, min(wait, _END_S))
    ended: list[int] = []
    while not await in_thread(_free, home):
        try:
            pid, process = await _owner(home, patience)
            await _tell(home, None if now else max(deadline, clock() + _ANSWER_S))
        except NoOwnerError:  # it is coming up or going down
            if clock() > patience:
                raise _silent() from None
            await asyncio.sleep(_PAUSE_S)
            continue
        await _gone(process)
        ended.append(pid)
        patience = clock() + _END_S
    if as_json:
        emit({"ended": ended})
    else:
        say(_("Nanobot has quit.") if ended else _("Nanobot is not running."))


def _free(home: Home) -> bool:
    """Whether no process owns the home. Raises OSError."""
    if (ownership := Ownership.take(home)) is None:
        return False
    ownership.release()
    return True


async def _owner(home: Home, patience: float) -> "tuple[int, psutil.Process | None]":
    """The process that owns the home; None where it is out of sight. Raises NoOwnerError, AppError."""
    import psutil

    try:
        async with asyncio.timeout_at(patience):
            pid = int((await ask(home, STATUS))["pid"])
    except TimeoutError:
        raise _silent() from None
    try:
        return pid, psutil.Process(pid)
    except psutil.NoSuchProcess:
        return pid, None


async def _tell(home: Home, deadline: float | None) -> None:
    """Tell it to end, and wait until it does. `deadline`: for answers under way, which None stops. Raises
    NoOwnerError, AppError."""
    if deadline is None:
        deadline, now = asyncio.get_running_loop().time() + _END_S, True
    else:
        now = False
    try:
        async with asyncio.timeout_at(deadline):
            await ask(home, QUIT, {"now": now})
    except TimeoutError:
        if now:
            raise _silent() from None
        raise AppError(
            _("Nanobot is still answering, so it did not quit."),
            _("Wait until it is done, or stop its answers with: nanobot-desktop quit --now"),
        ) from None
    except UsageError:
        raise AppError(
            _("The running Nanobot is an older version, which can’t be told to quit."),
            _("Quit it from its icon’s menu, or with Ctrl+C in its terminal."),
        ) from None
    except AppError:
        return  # it ended while it was asked, or its process will be found alive


async def _gone(process: "psutil.Process | None") -> None:
    """Wait until a process has gone; nobody may have asked yet how it ended. Raises AppError."""
    import psutil

    if process is None:
        return
    with suppress(psutil.NoSuchProcess):
        for _attempt in range(int(_END_S / _PAUSE_S)):
            if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
                return
            await asyncio.sleep(_PAUSE_S)
        raise AppError(
            _("Nanobot was told to quit, but its process {pid} is still running.").format(pid=process.pid),
            _("Wait a moment, then try again."),
        )


def _silent() -> AppError:
    return AppError(
        _("Another Nanobot is using this home but doesn’t answer."),
        _("Quit it, or wait until it has finished, then try again."),
    )
