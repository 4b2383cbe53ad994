"""Layouts in one line of code: parts beside one another, or under one another."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from desktop.ui.theme.tokens import Space

type Part = QWidget | QLayout | tuple[QWidget | QLayout, int | Qt.AlignmentFlag] | None
"""None takes the room that is left; with a number a part takes that share of it."""
type Edges = tuple[int, int, int, int]

NO_EDGES: Edges = (0, 0, 0, 0)


def across(
    *parts: Part, gap: int = Space.S, edges: Edges = NO_EDGES, of: QWidget | None = None
) -> QHBoxLayout:
    """Parts from left to right, as the layout `of` a widget or to be put into another one."""
    made = QHBoxLayout()
    _fill(made, parts, gap, edges, of)
    return made


def down(
    *parts: Part, gap: int = Space.S, edges: Edges = NO_EDGES, of: QWidget | None = None
) -> QVBoxLayout:
    """The same from top to bottom."""
    made = QVBoxLayout()
    _fill(made, parts, gap, edges, of)
    return made


def _fill(box: QBoxLayout, parts: tuple[Part, ...], gap: int, edges: Edges, of: QWidget | None) -> None:
    if of is not None:
        of.setLayout(box)
    box.setContentsMargins(*edges)
    box.setSpacing(gap)
    for part in parts:
        if part is None:
            box.addStretch(1)
            continue
        inner, how = part if isinstance(part, tuple) else (part, 0)
        share, place = (0, how) if isinstance(how, Qt.AlignmentFlag) else (how, Qt.AlignmentFlag(0))
        if isinstance(inner, QLayout):
            box.addLayout(inner, share)
        else:
            box.addWidget(inner, share, place)


@contextmanager
def laid_out_once(parent: QWidget) -> Iterator[None]:
    """Put widgets into the layout of `parent` and show them in here: all are laid out once, after it.

    By itself each show() lays out everything that is around the widget, so that a list of many rows costs
    the square of them.
    """
    layout = parent.layout()
    assert layout is not None
    layout.setEnabled(False)
    try:
        yield
    finally:
        layout.setEnabled(True)
