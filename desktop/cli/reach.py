"""How a command reaches the core: as the owner of the home, or through whoever owns it.

A verb without an owner becomes the owner, answers other clients too while it is at work, and lets go when
it and they are done.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from desktop.errors import AppError, explain
from desktop.ipc import NoOwnerError, Ownership, Server, call
from desktop.paths import Home
from desktop.tasks import cancel, in_thread, spawn
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.door import Door

type Json = dict[str, Any]
type Verb = Callable[[str, Json], AsyncGenerator[Json]]
"""verb, arguments -> its events, then {"result": ...}; raises AppError."""

_PATIENCE = 40


@asynccontextmanager
async def reach(home: Home, front: str, *, eager: bool = False) -> AsyncIterator[Verb]:
    """A way to call verbs of this home. `eager`: the model host is needed at once. Raises AppError."""
    for attempt in range(_PATIENCE):
        if ownership := await in_thread(Ownership.take, home):
            try:
                async with _owner(home, front, eager) as verb:
                    yield verb
            finally:
                ownership.release()
            return
        try:
            await result(lambda name, arguments: call(home, name, arguments), "status")
        except NoOwnerError:
            # The owner is coming up or going down; neither takes long.
            await asyncio.sleep(0.02 * 1.15**attempt)
            continue
        yield lambda name, arguments: call(home, name, arguments)
        return
    raise AppError(
        _("Another Nanobot holds this home but does not answer."),
        _("End it, or wait until it has finished, and try again."),
    )


@asynccontextmanager
async def _owner(home: Home, front: str, eager: bool) -> AsyncIterator[Verb]:
    from desktop.bus.bus import Bus
    from desktop.providers.host_process import ModelHost

    bus = Bus()
    host = ModelHost(bus)
    async with AsyncExitStack() as ends:
        ends.push_async_callback(host.stop)
        if eager:
            spawn(host.start(), name="host:start")  # what fails here, the question meets again and tells
        from desktop.core.core import Core
        from desktop.core.door import Door

        core = await Core.start(home, host, bus)
        ends.push_async_callback(core.stop)
        if eager:
            core.models.prepare()
        door = Door(core, front)
        server = Server(home, door.handle)
        ends.push_async_callback(server.stop)
        await server.start()
        yield lambda name, arguments: _direct(door, name, arguments)
        await server.finish()


async def _direct(door: "Door", name: str, arguments: Json) -> AsyncGenerator[Json]:
    lines: asyncio.Queue[Json | None] = asyncio.Queue()
    work = spawn(door.handle(name, arguments, lines.put_nowait), name=f"verb:{name}")
    work.add_done_callback(lambda _task: lines.put_nowait(None))
    try:
        while (line := await lines.get()) is not None:
            yield line
        try:
            done = work.result()
        except Exception as error:  # told as through ipc; spawn() has logged what is no AppError
            raise explain(error) from error
        yield {"result": done}
    finally:
        await cancel(work)


async def result(verb: Verb, what: str, /, **arguments: Any) -> Json:
    """Call a verb for its result alone."""
    async for line in verb(what, arguments):
        if "result" in line:
            return dict(line["result"])
    raise AppError(_("The running Nanobot ended in the middle of the request."))
