"""Garbage is collected in the window's thread alone.

Python collects in whatever thread happens to allocate. In a worker it takes widgets and their connections
apart there: Qt holds a lock of its own then and waits for the interpreter's, while the window's thread has
that one and waits for Qt's. Neither ever goes on (seen: PySide's callback of a weak reference, within
QObject::disconnect). So Python's own collecting is off once there is a loop, and the loop collects between
two turns, as often as Python would have. It stays off when the loop has ended: widgets are still taken
apart then, and threads may still run.
"""

import gc

_SHARE = 4
"""All is looked through once what may have come is this part of what there is, as Python does it."""


class Garbage:
    """From its construction on, garbage is collected when this is asked to look, and at no other moment."""

    def __init__(self) -> None:
        self._young, self._middle, self._old = gc.get_threshold()
        self._whole = self._old
        gc.disable()

    def look(self) -> None:
        """Collect where enough has come since the last time. Costs next to nothing where it has not."""
        young, middle, old = gc.get_count()
        if young <= self._young:
            return
        if old > self._whole:
            gc.collect()
            kept = len(gc.get_objects(generation=2))
            self._whole = max(self._old, kept // (_SHARE * self._young * self._middle))
        else:
            gc.collect(1 if middle > self._middle else 0)
