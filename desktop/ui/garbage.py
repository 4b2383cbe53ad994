"""Garbage is collected in the window's thread alone.

Python collects in whatever thread happens to allocate. In a worker it takes widgets and their connections
apart there: Qt holds a lock of its own then and waits for the interpreter's, while the window's thread has
that one and waits for Qt's. Neither ever goes on (seen: PySide's callback of a weak reference, within
QObject::disconnect). So Python's own collecting is off while the loop runs, and the loop collects between
two turns, as often as Python would have.
"""

import gc

_SHARE = 4
"""All is looked through once what may have come is this part of what there is, as Python does it."""


class Garbage:
    """Collects when it is asked to look, from construction to stop()."""

    def __init__(self) -> None:
        self._on = gc.isenabled()
        self._young, self._middle, self._old = gc.get_threshold()
        self._whole = self._old
        gc.disable()

    def look(self) -> None:
        """Collect where enough has come since the last time. Costs next to nothing where it has not."""
        young, middle, old = gc.get_count()
        if young <= self._young or not self._on:
            return
        if old > self._whole:
            gc.collect()
            kept = len(gc.get_objects(generation=2))
            self._whole = max(self._old, kept // (_SHARE * self._young * self._middle))
        else:
            gc.collect(1 if middle > self._middle else 0)

    def stop(self) -> None:
        """Leave it to Python again."""
        if self._on:
            gc.enable()
