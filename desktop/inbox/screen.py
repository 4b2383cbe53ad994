"""What can show a notice on the screen: the seam between the inbox and the desktop's own notifications."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

DIGEST = "digest"
"""Begins the id of a toast that stands for several notices: what is done with it is done with the inbox."""

type Acted = Callable[[str, str, str], None]
"""Called with the id of the notice (or that of a digest), the action, and a text.

The actions: "open" (also a click on the toast), "done", "snooze", "reply" (the text is empty where nothing
could be typed there), "approve", "deny", "do" and "skip" (a job that was missed), "dismissed".
"""


@dataclass(frozen=True, slots=True)
class Toast:
    """What is to be seen of a notice. All text is plain, of any length."""

    notice: str
    kind: str
    title: str
    body: str
    actions: tuple[tuple[str, str], ...] = ()
    """Name and label of each button. A click on the toast is "open" always."""
    reply: bool = False
    """Whether it can be answered: in place where there is a field for it, else by a button "reply"."""
    session: str = ""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the desktop's notifications can do, as far as it is known by now."""

    name: str = ""
    """Of the program that shows them; empty where none answered."""
    buttons: bool = False
    reply: bool = False


class Screen(Protocol):
    """The desktop's notifications. Nothing here raises, and nothing waits longer than a few seconds."""

    acted: Acted | None
    appeared: Callable[[], None] | None
    """Called when there is somebody to show notices again, where that can be known."""

    @property
    def capabilities(self) -> Capabilities:
        """What was known after the last call."""

    async def reach(self) -> bool:
        """Ask whether anybody would show a toast, and what they can do, without showing one."""

    async def show(self, toast: Toast) -> bool:
        """Show it, in the place of an earlier one of the same notice; False where nobody took it."""

    async def clear(self, notice: str) -> None:
        """Take the toast of this notice from the screen, if it is there."""

    async def stop(self) -> None:
        """Hang up. Toasts with a question of permission are taken from the screen."""
