"""What changed in a text: in one column, or before and after beside one another."""

from collections.abc import Iterator, Sequence

from PySide6.QtGui import (
    QColor,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextLength,
    QTextTableFormat,
)

from desktop.text import _
from desktop.ui.conversation.plain import shown
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.code_field import CodeField

_LINES = 24
_MOST = 300
"""Lines that are shown: more is looked at in the file."""

type Pair = tuple[str, str]


class DiffView(CodeField):
    """Shows a unified diff."""

    def __init__(self) -> None:
        super().__init__(_LINES)
        self._lines_given: list[str] = []
        self._beside = False
        theme().changed.connect(self._draw)

    def show_diff(self, diff: str, *, beside: bool = False) -> None:
        """Show this; `beside`: the old text at the left, the new one at the right."""
        lines = list(_lines(diff))
        if (lines, beside) != (self._lines_given, self._beside):
            self._lines_given, self._beside = lines, beside
            self._draw()

    def _draw(self) -> None:
        self.clear()
        cut = self._lines_given[:_MOST]
        if self._beside:
            self._draw_pairs(list(pairs(cut)))
        else:
            self._draw_lines(cut)
        if len(cut) < len(self._lines_given):
            more = _("… and {count} more lines").format(count=len(self._lines_given) - len(cut))
            self._end().insertText(f"\n{more}")
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self._heights.clear()
        self.updateGeometry()

    def _end(self) -> QTextCursor:
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return cursor

    def _draw_lines(self, lines: Sequence[str]) -> None:
        cursor = self._end()
        cursor.beginEditBlock()
        for number, line in enumerate(lines):
            form, letters = QTextBlockFormat(), QTextCharFormat()
            if (ground := _ground(line[:1])) is not None:
                form.setBackground(ground)
            if line.startswith("@"):
                letters.setForeground(QColor(theme().colors.faint))
            if number:
                cursor.insertBlock(form, letters)
            else:
                cursor.setBlockFormat(form)
            cursor.insertText(_said(line), letters)
        cursor.endEditBlock()

    def _draw_pairs(self, given: Sequence[Pair]) -> None:
        if not given:
            return
        form = QTextTableFormat()
        form.setBorder(0)
        form.setCellSpacing(0)
        form.setCellPadding(2)
        form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        half = QTextLength(QTextLength.Type.PercentageLength, 50)
        form.setColumnWidthConstraints([half, half])
        cursor = self._end()
        cursor.beginEditBlock()
        table = cursor.insertTable(len(given), 2, form)
        for number, pair in enumerate(given):
            for side, line in enumerate(pair):
                cell = table.cellAt(number, side)
                if (ground := _ground(line[:1])) is not None:
                    filled = cell.format()
                    filled.setBackground(ground)
                    cell.setFormat(filled)
                cell.firstCursorPosition().insertText(_said(line))
        cursor.endEditBlock()


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
    return "⋯" if line.startswith("@") else f"{line[:1]} {line[1:]}"


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
