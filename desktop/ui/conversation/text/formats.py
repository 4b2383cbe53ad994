"""The styles of a message as Qt's formats, made once for each palette from the tokens."""

from dataclasses import replace
from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextFrameFormat,
    QTextLength,
    QTextOption,
    QTextTableCellFormat,
    QTextTableFormat,
)

from desktop.ui.conversation.text.blocks import Paragraph, Run
from desktop.ui.theme.theme import code_font, text_font
from desktop.ui.theme.tokens import Colors, Space

INDENT = 24
LINE, CODE_LINE = 22, 19
"""Heights of a line, in pixels, at the least."""
HEAD = 34
"""Height of the line above code that names its language."""
BOX_GAP = 12
"""Under a box or a table: Qt leaves out the gap above a paragraph there."""
_PARAGRAPH_GAP, _HEADING_GAP, _ITEM_GAP = 12, 20, 5
_ALIGN = {
    "center": Qt.AlignmentFlag.AlignHCenter,
    "right": Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute,
}
_RAISED = {
    "sub": QTextCharFormat.VerticalAlignment.AlignSubScript,
    "sup": QTextCharFormat.VerticalAlignment.AlignSuperScript,
}
_MINIMUM = int(QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
_PLAIN = Run("")


@lru_cache(8)
def formats(colors: Colors, muted: bool = False) -> "Formats":
    """The styles in one palette; `muted` is how reasoning looks."""
    return Formats(colors, muted)


class Formats:
    """Block, character and table formats; the same object for the same style."""

    def __init__(self, colors: Colors, muted: bool) -> None:
        self.colors, self._muted = colors, muted
        self._characters: dict[tuple[Run, bool], QTextCharFormat] = {}

    def characters(self, run: Run = _PLAIN, heading: bool = False) -> QTextCharFormat:
        """How a run looks."""
        if run.href:
            return self._made(run, heading)
        key = (replace(run, text="", image=""), heading)
        if key not in self._characters:
            self._characters[key] = self._made(run, heading)
        return self._characters[key]

    def _made(self, run: Run, heading: bool) -> QTextCharFormat:
        made = QTextCharFormat()
        font = code_font() if run.code else text_font()
        if run.bold or heading:
            font.setWeight(QFont.Weight.DemiBold)
        font.setItalic(run.italic)
        font.setStrikeOut(run.strike)
        made.setFont(font, QTextCharFormat.FontPropertiesInheritanceBehavior.FontPropertiesAll)
        made.setForeground(QColor(self.colors.muted if self._muted else self.colors.text))
        if run.code or run.more == "mark":
            made.setBackground(QColor(self.colors.code if run.code else self.colors.quote))
        if run.more in _RAISED:
            made.setVerticalAlignment(_RAISED[run.more])
        made.setFontUnderline(run.more == "under")
        if run.href:
            made.setAnchor(True)
            made.setAnchorHref(run.href)
            made.setForeground(QColor(self.colors.link))
        return made

    def marker(self, *, hidden: bool) -> QTextCharFormat:
        """In front of a list item; a box to tick is drawn over its characters."""
        if not hidden:
            return self.characters()
        made = QTextCharFormat(self.characters())
        made.setForeground(Qt.GlobalColor.transparent)
        return made

    def code_characters(self) -> QTextCharFormat:
        """How code looks before it is coloured."""
        if not hasattr(self, "_code"):
            self._code = QTextCharFormat()
            font = code_font()
            font.setFeature(QFont.Tag("calt"), 0)  # -> is two characters
            self._code.setFont(font)
            self._code.setForeground(QColor(self.colors.text))
        return self._code

    @staticmethod
    def paragraph(block: Paragraph, first: bool) -> QTextBlockFormat:
        """How a paragraph stands; nothing is above the first."""
        made = QTextBlockFormat()
        made.setLineHeight(LINE, _MINIMUM)
        if not first:
            gap = _HEADING_GAP if block.heading else _ITEM_GAP if block.tight else _PARAGRAPH_GAP
            made.setTopMargin(0 if block.plain and block.tight else gap)
        if not block.plain:
            made.setLayoutDirection(_direction(block.rtl))
        if block.rtl:
            made.setRightMargin(block.indent * INDENT)
        else:
            made.setLeftMargin(block.indent * INDENT)
        if block.center:
            made.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        if block.marker:
            made.setTextIndent(-block.hang * INDENT)
            tab = QTextOption.Tab()
            tab.position = block.hang * INDENT
            if block.rtl:  # which Qt turns around
                tab.type = QTextOption.TabType.RightTab
            made.setTabPositions([tab])
        return made

    @staticmethod
    def code_line() -> QTextBlockFormat:
        """How a line of code stands."""
        made = QTextBlockFormat()
        made.setLineHeight(CODE_LINE, _MINIMUM)
        return made

    @staticmethod
    def rule(indent: float, first: bool) -> QTextBlockFormat:
        """The place of a line across."""
        made = QTextBlockFormat()
        made.setLineHeight(1, int(QTextBlockFormat.LineHeightTypes.FixedHeight.value))
        made.setTopMargin(0 if first else Space.L)
        made.setBottomMargin(Space.XS)
        made.setLeftMargin(indent * INDENT)
        return made

    @staticmethod
    def box(indent: float, fresh: bool, *, more: bool = False) -> QTextTableFormat:
        """A box across the column, of code or of a quotation; `fresh`: under another box, or the first."""
        made = _bare_table(indent, fresh)
        made.setBottomMargin(0 if more else BOX_GAP)
        made.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        return made

    @staticmethod
    def code_cell(head: bool, more: bool) -> QTextTableCellFormat:
        """The room around code."""
        made = QTextTableCellFormat()
        made.setLeftPadding(Space.M + 2)
        made.setRightPadding(Space.M + 2)
        made.setTopPadding(HEAD if head else 0)
        made.setBottomPadding(0 if more else Space.M)
        return made

    @staticmethod
    def quote_cell(rtl: bool) -> QTextTableCellFormat:
        """The room around a quotation; the bar is drawn in it."""
        made = QTextTableCellFormat()
        if rtl:
            made.setRightPadding(Space.L)
        else:
            made.setLeftPadding(Space.L)
        made.setTopPadding(2)
        made.setBottomPadding(2)
        return made

    @staticmethod
    def table(indent: float, fresh: bool, rtl: bool) -> QTextTableFormat:
        """A table with thin lines."""
        made = _bare_table(indent, fresh)
        if rtl:
            made.setLeftMargin(0)
            made.setRightMargin(indent * INDENT)
            made.setAlignment(Qt.AlignmentFlag.AlignRight)
        made.setHeaderRowCount(1)
        return made

    def table_cell(self, first_column: bool, head: bool, beside: int, rtl: bool) -> QTextTableCellFormat:
        """One cell: a line below it, and room beside it."""
        made = QTextTableCellFormat()
        made.setPadding(7)
        before, after = (made.setRightPadding, made.setLeftPadding)[:: 1 if rtl else -1]
        before(2 if first_column else beside)
        after(beside)
        made.setBottomBorder(1)
        made.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        color = self.colors.border_strong if head else self.colors.border
        made.setBottomBorderBrush(QBrush(QColor(color)))
        return made

    @staticmethod
    def cell_text(alignment: str, rtl: bool) -> QTextBlockFormat:
        """The text of one cell."""
        made = QTextBlockFormat()
        made.setLayoutDirection(_direction(rtl))
        made.setLineHeight(20, _MINIMUM)
        if alignment in _ALIGN:
            made.setAlignment(_ALIGN[alignment])
        return made


def _direction(rtl: bool) -> Qt.LayoutDirection:
    return Qt.LayoutDirection.RightToLeft if rtl else Qt.LayoutDirection.LeftToRight


def _bare_table(indent: float, fresh: bool) -> QTextTableFormat:
    made = QTextTableFormat()
    made.setBorder(0)
    made.setCellSpacing(0)
    made.setCellPadding(0)
    made.setMargin(0)
    made.setTopMargin(0 if fresh else BOX_GAP)
    made.setBottomMargin(BOX_GAP)
    made.setLeftMargin(indent * INDENT)
    return made
