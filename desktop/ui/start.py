"""The first step of the window: Python's own import back in place, before any module of ours is loaded.

PySide6 puts a function of its own in the place of `import` that reads the source of every module loaded
after it, in search of a feature that this program does not use (snake_case names). For this program that
takes 0.3 s of CPU and 10 MB of memory.
"""

import builtins
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop.ui.program import Greeting, Own


def main(own: "Own", wanted: "Greeting | None", *, hidden: bool, activated: bool) -> int:
    """As desktop.ui.app.main()."""
    import PySide6.QtCore  # noqa: F401 - it changes `import` when it is loaded

    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
    from desktop.ui.app import main as window

    return window(own, wanted, hidden=hidden, activated=activated)
