"""nanobot-desktop without a verb, quick, and links: the window, or a sentence where there can be none."""

import importlib.util
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from desktop.config import given
from desktop.paths import home, persons_umask, self_command

if TYPE_CHECKING:
    from desktop.ui.program import Greeting, Own, Owned


def main(*, hidden: bool, activated: bool = False, wanted: "Greeting | None" = None) -> int:
    """Run the window; the exit code. Imports nothing that its first picture does not need. `wanted`: what
    it is to do besides, or a window that runs already in its place. `activated`: the session bus starts it,
    and says what it is to do once it has its name."""
    given.tidy()
    if trouble := _trouble():
        from desktop.cli.output import complain, ready
        from desktop.errors import AppError

        ready()
        complain(AppError(*trouble))
        return 1
    if wanted is None and not hidden:
        wanted = ("show", {})
    if _another(wanted):
        return 0
    from desktop import crashes
    from desktop.ui.start import main as window

    crashes.begin(home().logs)
    try:
        code = window(_own, None if activated else wanted, hidden=hidden, activated=activated)
    except Exception as error:
        crashes.died(error)
        raise
    finally:
        crashes.ended()
    from desktop.ui.program import RESTART

    if code == RESTART:
        _begin_anew()
    return code


def _begin_anew() -> None:
    """Be the program that is there now, in the same process; returns where there is none any more."""
    os.umask(persons_umask())
    command = self_command()
    with suppress(OSError):
        os.execv(command[0], command)  # noqa: S606 - there is no shell


def _another(greeting: "Greeting | None") -> bool:
    """Whether a window of this home runs already, and has taken the greeting."""
    place = home()
    if not place.ipc.exists():
        return False
    from desktop.ipc.ownership import window_runs

    return window_runs(place, greeting)


async def _own(*parts: Any) -> "Owned | None":
    """As own() in desktop.cli.own, which is loaded behind the first picture: that takes half a second, in
    which the window stays usable."""
    from desktop.tasks import in_thread

    return await (await in_thread(_load))(*parts)


def _load() -> "Own":
    import desktop.api.requests
    import desktop.core.core
    import desktop.core.subjects  # noqa: F401
    from desktop.cli.own import own

    return own


def _trouble() -> tuple[str, str] | None:
    """Why there can be no window here, and the remedy."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in screens):
        from desktop.text import _

        return (
            _("There is no screen to show the window on."),
            _("Chat in the terminal instead: nanobot-desktop chat"),
        )
    if importlib.util.find_spec("PySide6") is None:
        from desktop import remedies
        from desktop.text import _

        return _("The window is not installed: PySide6 is missing."), remedies.window()
    return None
