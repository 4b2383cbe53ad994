"""Where Tab goes: through a window in the order of its layouts, whenever its widgets were made or shown.

Qt's own order is that in which they were made, which is none where parts come later. This one is found anew
when the keyboard leaves a widget, and costs nothing until then.
"""

from collections.abc import Iterable, Iterator
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QLayout, QScrollArea, QWidget


@runtime_checkable
class Ordered(Protocol):
    """A widget whose parts have another order than its layout, or no layout."""

    def keyboard_parts(self) -> Iterable[QWidget]:
        """The widgets to look into, in order; nothing else in it is looked at."""


@runtime_checkable
class Scrolled(Protocol):
    """An area that places what is in it by hand."""

    def viewport(self) -> QWidget:
        """What it is in."""

    def into_sight(self, rect: QRect) -> None:
        """Show this part of the viewport, which may be beyond its edges."""


def go_on(window: QWidget, *, forward: bool) -> bool:
    """Give the keyboard to the next widget of the window, or the one before; whether there was one."""
    here = window.focusWidget()
    every = list(dict.fromkeys(stops(window, here)))
    if not forward:
        every.reverse()
    after = every.index(here) + 1 if here in every else 0
    for stop in every[after:] + every[:after]:
        if stop is not here and stop.isVisible() and stop.isEnabled():
            reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
            stop.setFocus(reason)
            bring_into_sight(stop)
            return True
    return False


def stops(root: QWidget, here: QWidget | None = None) -> Iterator[QWidget]:
    """What the keyboard can reach, in order. `here` is among it even where it is just being hidden."""
    if root is here or _takes_tab(root):
        yield root
    for child in root.keyboard_parts() if isinstance(root, Ordered) else _children(root):
        if not child.isHidden() or (here is not None and (child is here or child.isAncestorOf(here))):
            yield from stops(child, here)


def _takes_tab(widget: QWidget) -> bool:
    tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return tab and not widget.isWindow() and widget.focusProxy() is None


def _children(widget: QWidget) -> list[QWidget]:
    """As they are laid out; behind them what floats over the layout."""
    layout = widget.layout()
    laid = list(laid_out(layout)) if layout is not None else []
    others = [child for child in widget.children() if isinstance(child, QWidget) and not child.isWindow()]
    return list(dict.fromkeys([*laid, *others]))


def laid_out(layout: QLayout) -> Iterator[QWidget]:
    """The widgets of a layout and of those in it, in order."""
    for number in range(layout.count()):
        item = layout.itemAt(number)
        if item is None:
            continue
        if (widget := item.widget()) is not None:
            yield widget
        elif (inner := item.layout()) is not None:
            yield from laid_out(inner)


def bring_into_sight(stop: QWidget) -> None:
    """Scroll all that is around it."""
    around = stop.parentWidget()
    while around is not None:
        if isinstance(around, QScrollArea):
            around.ensureWidgetVisible(stop)
        elif isinstance(around, Scrolled) and around.viewport().isAncestorOf(stop):
            around.into_sight(QRect(stop.mapTo(around.viewport(), QPoint(0, 0)), stop.size()))
        around = around.parentWidget()
