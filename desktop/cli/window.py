"""nanobot-desktop without a verb, and quick: the window, or a sentence where there can be none."""

import importlib.util
import os
import sys

from desktop.config import given


def main(*, hidden: bool, quick: str | None = None) -> int:
    """Run the window; the exit code. Imports nothing that its first picture does not need. `quick`: with
    the quick chat open; see Quick.open_with()."""
    given.tidy()
    if trouble := _trouble():
        from desktop.cli.output import complain
        from desktop.errors import AppError

        complain(AppError(*trouble))
        return 1
    from desktop.ui.start import main as window

    return window(hidden=hidden, quick=quick)


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
        from desktop.text import _

        return (
            _("The window is not installed: PySide6 is missing."),
            _('Install it with: pip install "nanobot-desktop[window]"'),
        )
    return None
