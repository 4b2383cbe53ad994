"""The program's window as a person without eyes uses it: found, read and operated over AT-SPI.

Nothing here sleeps for a fixed time: what is asked for is looked for again and again until a deadline,
and what fails then shows the accessible tree.
"""

import os
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO

import psutil

from tests.desktop.accessible import Name, Node, applications, read_tree
from tests.desktop.bus import Bus, BusError
from tests.desktop.noise import harmless
from tests.stories.program import Program

TITLE = "Nanobot Desktop"
SECONDS = 60.0


def until[T](check: Callable[[], T | None], what: str, seconds: float = SECONDS) -> T:
    """What check() gives as soon as that is something. Fails with `what` at the deadline."""
    started = time.monotonic()
    pause = 0.02
    while not (found := check()):
        if time.monotonic() > started + seconds:
            raise AssertionError(f"not within {seconds:.0f} s: {what}")
        time.sleep(pause)
        pause = min(pause * 1.3, 0.2)  # looking is work for the program too
    return found


class Window:
    """All windows of one process. Names are accessible names, or patterns that are searched for in them."""

    def __init__(
        self,
        process: subprocess.Popen[str],
        environment: Mapping[str, str] | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self.process = process
        self.pid = process.pid
        self.stderr: list[str] = []
        self.stdout: list[str] = []
        self.seconds = seconds
        address = (environment or os.environ)["DBUS_SESSION_BUS_ADDRESS"]
        with Bus(address) as session:
            where = session.call("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus.GetAddress")
        self._bus = Bus(where, seconds)

    def close(self) -> None:
        """Stop looking. The window stays as it is."""
        self._bus.close()

    def tree(self, hidden: bool = False) -> list[Node]:
        """All windows as they are now; empty while the program has none, or does not answer. `hidden`: also
        what is in things that a person cannot see."""
        return self._tree(hidden) or []

    def _tree(self, hidden: bool) -> list[Node] | None:
        """The same; None while the program does not answer, which says nothing of what it shows."""
        if self.process.poll() is not None:
            raise AssertionError(f"the program ended with {self.process.poll()}:\n{''.join(self.stderr)}")
        try:
            roots = applications(self._bus, self.pid)
            return [read_tree(self._bus, *root, hidden=hidden) for root in roots]
        except BusError:
            return None

    def drawing(self) -> str:
        """The accessible tree as text."""
        return "\n".join(root.drawing() for root in self.tree(hidden=True))

    def all(
        self,
        name: Name | None = None,
        role: str | None = None,
        within: Name | None = None,
        hidden: bool = False,
    ) -> list[Node]:
        """What matches right now, in the order of reading. `hidden`: also what a person cannot see."""
        return self._all(self.tree(hidden), name, role, within, hidden)

    @staticmethod
    def _all(
        tree: list[Node], name: Name | None, role: str | None, within: Name | None, hidden: bool = False
    ) -> list[Node]:
        found = [node for root in tree for node in root.walk()]
        if within is not None:
            around = [node for node in found if node.matches(within, None) and (hidden or node.showing)]
            found = [node for place in around[:1] for node in place.walk() if node is not place]
        return [node for node in found if node.matches(name, role) and (hidden or node.showing)]

    def find(
        self,
        name: Name | None = None,
        role: str | None = None,
        within: Name | None = None,
        hidden: bool = False,
    ) -> Node | None:
        """The first that matches right now."""
        return next(iter(self.all(name, role, within, hidden)), None)

    def until[T](self, check: Callable[[], T | None], what: str, seconds: float | None = None) -> T:
        """Wait until check() gives something. The failure shows the tree."""
        try:
            return until(check, what, seconds or self.seconds)
        except AssertionError as failure:
            if self.process.poll() is None:
                failure.add_note(self.drawing())
            raise

    def wait(
        self,
        name: Name | None = None,
        role: str | None = None,
        within: Name | None = None,
        *,
        states: str = "",
        hidden: bool = False,
        seconds: float | None = None,
    ) -> Node:
        """The first that matches and has these states ("enabled focused"), as soon as there is one."""
        needed = set(states.split())

        def look() -> Node | None:
            found = self.all(name, role, within, hidden)
            return next((node for node in found if needed <= node.states), None)

        return self.until(look, _what(name, role, within, states), seconds)

    def gone(
        self,
        name: Name,
        role: str | None = None,
        within: Name | None = None,
        *,
        seconds: float | None = None,
    ) -> None:
        """Wait until nothing of this name shows."""

        def look() -> bool:
            tree = self._tree(hidden=False)
            return tree is not None and not self._all(tree, name, role, within)

        self.until(look, f"{_what(name, role, within)} gone", seconds)

    def press(self, name: Name, role: str | None = None, within: Name | None = None) -> None:
        """Wait for something that can be pressed, and press it."""
        self.wait(name, role, within, states="enabled").press()

    def focus(self, name: Name, role: str | None = None, within: Name | None = None) -> None:
        """Give it the keyboard, and wait until it has it."""
        self.wait(name, role, within, states="enabled").focus()
        self.wait(name, role, within, states="focused")

    def set_text(self, name: Name, text: str, within: Name | None = None) -> None:
        """Replace the text of something editable."""
        self.wait(name, within=within, states="editable enabled").set_text(text)

    def text(self, name: Name, role: str | None = None, within: Name | None = None) -> str:
        """The text of something, once it is there."""
        return self.wait(name, role, within).text

    def wait_text(self, name: Name, text: Name, within: Name | None = None) -> str:
        """Wait until one of this name has this in its text; the whole text."""
        wanted = text if isinstance(text, re.Pattern) else re.compile(re.escape(text))

        def look() -> str | None:
            return next((t for t in self.texts(name, within=within) if wanted.search(t)), None)

        return self.until(look, f"{name!r} with the text {text!r}")

    def texts(
        self, name: Name | None = None, role: str | None = None, within: Name | None = None
    ) -> list[str]:
        """The texts of all of this name or role, from top to bottom."""
        return [node.text for node in self.all(name, role, within)]

    def names(self, role: str, within: Name | None = None, hidden: bool = False) -> list[str]:
        """The names of all of a role, from top to bottom."""
        return [node.name for node in self.all(None, role, within, hidden)]

    def select(self, name: str, within: Name) -> None:
        """Wait for an entry of a list, and select it, also one that has to be scrolled to."""
        self.wait(name, within=within, hidden=True)
        self.wait(within).select(name)

    def states(self, name: Name, role: str | None = None) -> frozenset[str]:
        """What something is: focused, enabled, checked, expanded, selected..."""
        return self.wait(name, role).states

    def value(self, name: Name, role: str | None = None) -> float:
        """The number of a slider, a progress bar, a spin box."""
        return self.wait(name, role).value

    def extents(self, name: Name, role: str | None = None) -> tuple[int, int, int, int]:
        """x, y, width and height on the screen."""
        return self.wait(name, role).extents


def _what(name: Name | None, role: str | None, within: Name | None, states: str = "") -> str:
    parts = [
        f"{role or 'something'} {name!r}" if name else f"a {role}",
        f"within {within!r}" if within else "",
        f"that is {states}" if states else "",
    ]
    return " ".join(part for part in parts if part)


@contextmanager
def running_window(
    program: Program,
    *arguments: str,
    shown: bool = True,
    seconds: float = 300,
    says: str = "",
    may_die: bool = False,
) -> Iterator[Window]:
    """The program with its window, which is asked to end after the block, if it has not by itself.

    `shown`: wait for the window first. `says`: a pattern for what it may write on stderr, which must
    otherwise stay empty. `may_die`: the block kills it. After `seconds` it is killed, come what may.
    """
    with program.started(*arguments, seconds=seconds) as process:
        window = Window(process, program.full_environment)
        readers = [
            _reading(process.stderr, window.stderr),
            _reading(process.stdout, window.stdout),
        ]
        try:
            if shown:
                window.wait(TITLE, "frame")
            yield window
        except BaseException as failure:
            if process.poll() is None:
                failure.add_note(window.drawing())
            failure.add_note(f"stderr of the program:\n{''.join(window.stderr)}")
            raise
        finally:
            window.close()
        family = [] if process.poll() is not None else psutil.Process(process.pid).children(recursive=True)
    for reader in readers:
        reader.join(10)
    assert may_die or process.returncode in {0, -15}, f"it ended with {process.returncode}, not by itself"
    _gone, left = psutil.wait_procs(family, timeout=10)
    assert may_die or not left, f"it left behind: {left}"
    surprises = [
        line for line in window.stderr if not harmless(line) and not (says and re.search(says, line))
    ]
    assert not surprises, "unexpected on stderr:\n" + "".join(surprises)


def _reading(stream: IO[str] | None, lines: list[str]) -> threading.Thread:
    """Keep reading, so that the program never waits for us to."""
    assert stream is not None

    def read() -> None:
        for line in stream:
            lines.append(line)  # noqa: PERF402 - whoever looks meanwhile shall see each line

    thread = threading.Thread(target=read, name="reads the program", daemon=True)
    thread.start()
    return thread
