"""How a command reaches the core: as the owner of the home, or through whoever owns it.

A command without an owner becomes the owner, answers other clients too while it is at work, and lets go
when it and they are done.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from desktop.api.client import Api
from desktop.api.remote import Remote
from desktop.cli.output import hint
from desktop.errors import AppError
from desktop.ipc.connection import NoOwnerError, ask
from desktop.ipc.ownership import Ownership
from desktop.paths import Home
from desktop.tasks import cancel, in_thread, spawn
from desktop.text import _

_PATIENCE = 40


@asynccontextmanager
async def connect(home: Home, front: str, *, eager: bool = False) -> AsyncIterator[Api]:
    """The api of this home, here or in the process that owns it. `eager`: the model host is needed at once.
    Raises AppError."""
    for attempt in range(_PATIENCE):
        if ownership := await in_thread(Ownership.take, home):
            from desktop.cli.owner import Owner

            owner = Owner(home, front, ownership, end=ending())
            await owner.start(eager=eager)
            try:
                yield Api(owner)
                await owner.finish()
            finally:
                await owner.stop()
            return
        try:
            await ask(home, "status")
        except NoOwnerError:
            # The owner is coming up or going down; neither takes long.
            await asyncio.sleep(0.02 * 1.15**attempt)
            continue
        yield Api(Remote(home))
        return
    raise AppError(
        _("Another Nanobot is using this home but doesn’t answer."),
        _("Quit it, or wait until it has finished, then try again."),
    )


def ending() -> Callable[[], object]:
    """How to end the command that is carried out by this task, as a signal does it."""
    command = asyncio.current_task()

    def end() -> None:
        if command is not None and not command.cancelling():
            hint(_("Nanobot was told to quit."))
            command.cancel()

    return end


async def until_gone(home: Home) -> bool:
    """Wait until the owner of the home goes, however it ends; whether all of the program is to quit."""
    with suppress(NoOwnerError, AppError):
        return "quit" in await ask(home, "wait")
    return False


@asynccontextmanager
async def quits_along(home: Home) -> AsyncIterator[None]:
    """Meanwhile this command ends where the whole program is told to quit, whoever owns the home."""
    watch = spawn(_watch(home, ending()), name="quit:watch")
    try:
        yield
    finally:
        await cancel(watch)


async def _watch(home: Home, end: Callable[[], object]) -> None:
    if await until_gone(home):
        end()


def ended[End](end: End | None) -> End:
    """What a stream came to. Raises AppError where it broke off before."""
    if end is None:
        raise AppError(_("The running Nanobot quit during the request."))
    return end
