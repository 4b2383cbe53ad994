"""What changed in a text: in one column, or before and after beside one another."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextLength,
    QTextTableFormat,
)

from desktop.text import _
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.code_field import CodeField
from desktop.ui.widgets.plain import shown

_LINES = 24
_MOST = 300
"""Lines that are shown: more is looked at in the file."""

_AT_ONCE, _PAIRS_AT_ONCE = 40, 12
"""Lines drawn in one go: more would be felt."""

type Pair = tuple[str, str]


class DiffView(CodeField):
    """Shows a unified diff; a long one comes in small steps."""

    grown = Signal()
    """More of it is there, and it needs another height."""

    def __init__(self) -> None:
        super().__init__(_LINES)
        self._given: list[str] = []
        self._beside = False
        self._left: list[Sequence[Pair]] = []
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._step)
        theme().changed.connect(self._draw)

    def show_diff(self, diff: str, *, beside: bool = False) -> None:
        """Show this; `beside`: the old text at the left, the new one at the right."""
        lines = list(_lines(diff))
        if (lines, beside) != (self._given, self._beside):
            self._given, self._beside = lines, beside
            self._draw()

    def _draw(self) -> None:
        self.clear()
        cut, at_once = self._given[:_MOST], _PAIRS_AT_ONCE if self._beside else _AT_ONCE
        drawn = list(pairs(cut)) if self._beside else [(line, "") for line in cut]
        self._left = [drawn[at : at + at_once] for at in range(0, len(drawn), at_once)]
        self._step()

    def _step(self) -> None:
        if self._left:
            part = self._left.pop(0)
            cursor = QTextCursor(self.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.beginEditBlock()
            if self._beside:
                _write_beside(cursor, part)
            else:
                _write_lines(cursor, [line for line, _other in part])
            more = len(self._given) - _MOST
            if not self._left and more > 0:
                cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())
                cursor.insertText(_("… {count} more lines").format(count=more))
            cursor.endEditBlock()
        self._heights.clear()
        self.updateGeometry()
        self.grown.emit()
        if self._left:
            self._timer.start()


def _write_lines(cursor: QTextCursor, lines: Sequence[str]) -> None:
    for line in lines:
        form, letters = QTextBlockFormat(), QTextCharFormat()
        if (ground := _ground(line[:1])) is not None:
            form.setBackground(ground)
        if line.startswith("@"):
            letters.setForeground(QColor(theme().colors.faint))
        if cursor.position():
            cursor.insertBlock(form, letters)
        else:
            cursor.setBlockFormat(form)
        cursor.insertText(_said(line), letters)


def _write_beside(cursor: QTextCursor, given: Sequence[Pair]) -> None:
    form = QTextTableFormat()
    form.setBorder(0)
    form.setCellSpacing(0)
    form.setCellPadding(2)
    form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    half = QTextLength(QTextLength.Type.PercentageLength, 50)
    form.setColumnWidthConstraints([half, half])
    flat = QTextBlockFormat()
    flat.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    cursor.setBlockFormat(flat)  # Qt has a line before and after each table
    table = cursor.insertTable(len(given), 2, form)
    for number, pair in enumerate(given):
        for side, line in enumerate(pair):
            cell = table.cellAt(number, side)
            if (ground := _ground(line[:1])) is not None:
                filled = cell.format()
                filled.setBackground(ground)
                cell.setFormat(filled)
            inner = cell.firstCursorPosition()
            inner.setBlockFormat(QTextBlockFormat())
            inner.insertText(_said(line))
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.setBlockFormat(flat)


def pairs(lines: Sequence[str]) -> Iterator[Pair]:
    """The lines of a diff, those before the change with those after it; "" where there is none."""
    gone: list[str] = []
    come: list[str] = []
    for line in [*lines, ""]:
        if line.startswith("-") and not come:
            gone.append(line)
            continue
        if line.startswith("+"):
            come.append(line)
            continue
        for number in range(max(len(gone), len(come))):
            yield (
                gone[number] if number < len(gone) else "",
                come[number] if number < len(come) else "",
            )
        gone, come = [line] if line.startswith("-") else [], []
        if line and not line.startswith("-"):
            yield line, line


def _lines(diff: str) -> Iterator[str]:
    """The lines that say what changed: without the heads of files, and a bare @ between two places."""
    begun = False
    for line in shown(diff).split("\n"):
        if line.startswith("@@"):
            if begun:
                yield "@"
            begun = True
        elif begun and line and not line.startswith("\\"):
            yield line


def _said(line: str) -> str:
    """The sign apart from the text, which may begin with a dash of its own."""
    return "⋯" if line.startswith("@") else f"{line[:1]} {line[1:]}" if line else ""


def _ground(sign: str) -> QColor | None:
    colors = theme().colors
    if sign == "-":
        return QColor(colors.danger_soft)
    if sign != "+":
        return None
    over, under = QColor(colors.success), QColor(colors.code)
    share = 0.16
    return QColor(
        *(
            round(share * top + (1 - share) * ground)
            for top, ground in (
                (over.red(), under.red()),
                (over.green(), under.green()),
                (over.blue(), under.blue()),
            )
        )
    )
