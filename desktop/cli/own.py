"""How the window comes to own its home. Loaded behind the first picture."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop.cli.owner import Owner
from desktop.ipc.ownership import WINDOW, Greeting, take_over

if TYPE_CHECKING:
    from desktop.api.requests import Request
    from desktop.bus.bus import Bus
    from desktop.paths import Home


async def own(
    home: "Home",
    bus: "Bus",
    requests: "dict[str, Request]",
    waits: Callable[[], object],
    greeting: Greeting | None,
    end: Callable[[], object],
) -> Owner | None:
    """Own the home and start the core; None where another window has it, which is asked for something then
    (`greeting`).

    `requests`: what the window can do besides. `waits` is called when a command has the home and was asked
    to leave, `end` when this window is told to quit. Raises AppError or OSError.
    """
    ownership = await take_over(home, waits, greeting=greeting)
    if ownership is None:
        return None
    owner = Owner(home, WINDOW, ownership, bus, end=end)
    await owner.start(requests=requests)
    return owner
