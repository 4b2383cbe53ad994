"""A document made of blocks, each written at the end; what comes after some block can be taken away again.

What a document shows depends on its blocks only, never on how they came there: that is what makes an answer
that was streamed equal to the same answer read at once.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import (
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextImageFormat,
    QTextLength,
    QTextTable,
    QTextTableFormat,
)

from desktop.text import _
from desktop.ui.conversation.text.blocks import Block, Code, Paragraph, Quote, Rule, Run, Table, images
from desktop.ui.conversation.text.columns import Columns, measure, padding, widths
from desktop.ui.conversation.text.formats import INDENT, Formats
from desktop.ui.conversation.text.maths import maths
from desktop.ui.conversation.text.maths_rules import is_formula, typed
from desktop.ui.theme.theme import text_font
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.plain import shown


@dataclass(slots=True)
class Piece:
    """One outermost block as it stands in the document."""

    block: Block
    start: int
    before: QTextBlockFormat
    """Of the document's last paragraph before this one was written."""
    fresh: bool
    """Whether that paragraph was there to be written into."""
    boxes: int = 0
    """In the page up to here."""
    coloured: dict[int, str] = field(default_factory=dict)
    """By the number in `codes` of a box with which code begins: the text that has its colours."""
    codes: list[tuple[Code, int]] = field(default_factory=list)
    """With the position inside their box: Qt's tables are looked up when needed, as they may be gone."""
    quotes: list[tuple[int, bool]] = field(default_factory=list)
    """With the position inside their box, whether they are read from right to left."""
    tasks: list[tuple[int, bool]] = field(default_factory=list)
    """Positions of boxes to tick, and whether they are."""
    pictures: list[tuple[int, str, QSize]] = field(default_factory=list)
    tables: list[tuple[int, Columns, int]] = field(default_factory=list)
    """With the position inside them, what they need, and what the quotations around them take."""
    rules: list[int] = field(default_factory=list)
    """Positions of lines across."""


class Page:
    """The blocks of a document, and where they stand."""

    def __init__(
        self, document: QTextDocument, picture: Callable[[str], QSize | None] = lambda source: None
    ) -> None:
        self.document = document
        self.pieces: list[Piece] = []
        self.picture = picture
        """Gives the size of a picture that may be shown."""
        self._width = 0
        self._fresh = True

    def keep(self, count: int) -> None:
        """Take away all blocks but the first `count`."""
        if count >= len(self.pieces):
            return
        piece = self.pieces[count]
        del self.pieces[count:]
        cursor = QTextCursor(self.document)
        cursor.beginEditBlock()
        cursor.setPosition(piece.start)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.setBlockFormat(piece.before)
        if piece.fresh:
            cursor.setBlockCharFormat(QTextCharFormat())
        cursor.endEditBlock()
        self._fresh = piece.fresh

    def clear(self) -> None:
        """Begin anew; much quicker than taking away."""
        self.pieces.clear()
        self._fresh = True
        self.document.clear()

    def append(self, block: Block, formats: Formats) -> None:
        """Write a block at the end."""
        cursor = QTextCursor(self.document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        piece = Piece(block, cursor.position(), cursor.blockFormat(), self._fresh)
        cursor.beginEditBlock()
        writer = _Writer(self, piece, formats)
        self._fresh = writer.write(cursor, block, self._fresh, not self.pieces)
        cursor.endEditBlock()
        self.pieces.append(piece)

    def write_again(self, pictures: set[str], formats: Formats) -> bool:
        """Write the blocks anew from the first one on that has such a picture; whether there is one."""
        known = (n for n, piece in enumerate(self.pieces) if not pictures.isdisjoint(images(piece.block)))
        first = next(known, len(self.pieces))
        again = [(piece.block, piece.boxes) for piece in self.pieces[first:]]
        self.keep(first)
        for block, count in again:
            self.append(block, formats)
            self.pieces[-1].boxes = count
        return bool(again)

    def box(self, position: int) -> QTextTable:
        """The innermost table around a position."""
        cursor = QTextCursor(self.document)
        cursor.setPosition(position)
        return cursor.currentTable()

    def pictures(self) -> dict[str, str]:
        """Of all pictures in the page: where they are, by the name that the document knows them by."""
        return {_name(source): source for piece in self.pieces for _, source, _size in piece.pictures}

    def formulas(self) -> list[str]:
        """All formulas that stand there as pictures, as they are typed."""
        found = (source for piece in self.pieces for _position, source, _size in piece.pictures)
        return [typed(source) for source in found if is_formula(source)]

    def typed_between(self, start: int, end: int) -> Iterator[str]:
        """What is copied for each picture in a part of the text: a formula as it is typed."""
        for piece in self.pieces:
            for position, source, _size in piece.pictures:
                if start <= position < end:
                    yield typed(source) if is_formula(source) else ""

    def fit(self, width: int) -> None:
        """No picture is wider than this, and no table if it can be helped."""
        self._width = width
        for piece in self.pieces:
            self._fit_tables(piece)
        cursor = QTextCursor(self.document)
        for piece in self.pieces:
            for position, source, size in piece.pictures:
                cursor.setPosition(position)
                cursor.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor)
                cursor.setCharFormat(self.image_format(source, size))

    def _fit_tables(self, piece: Piece) -> None:
        for position, columns, taken in piece.tables:
            table = self.box(position)
            made = QTextTableFormat(table.format().toTableFormat())
            before = made.columnWidthConstraints()
            self.share(made, columns, taken)
            if made.columnWidthConstraints() != before:
                table.setFormat(made)

    def share(self, table: QTextTableFormat, columns: Columns, taken: int) -> None:
        """Give the columns their widths in the room that there is but for what is taken."""
        wanted = (
            widths(columns, self._width - table.leftMargin() - table.rightMargin() - taken)
            if self._width
            else None
        )
        table.clearColumnWidthConstraints()
        if wanted:
            kind = QTextLength.Type.FixedLength
            table.setColumnWidthConstraints([QTextLength(kind, width) for width in wanted])

    def image_format(self, source: str, size: QSize) -> QTextImageFormat:
        """A picture in the size that fits."""
        made = QTextImageFormat()
        most = QSize(max(40, self._width - 40 if self._width else 400), _TALLEST)
        fit = size.scaled(most, Qt.AspectRatioMode.KeepAspectRatio)
        if fit.width() > size.width():
            fit = size
        if is_formula(source):
            made.setFont(text_font())  # its depth is that of the picture
            made.setVerticalAlignment(maths().vertical(source))
        made.setName(_name(source))
        made.setWidth(fit.width())
        made.setHeight(fit.height())
        return made

    def grow(self, block: Block, formats: Formats) -> bool:
        """Make the last block into this one if that only needs more text at its end."""
        if not self.pieces:
            return False
        piece = self.pieces[-1]
        more = _more(piece.block, block)
        if more is None:
            return False
        cursor = QTextCursor(self.document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        if isinstance(block, Code):
            cursor = self.box(piece.codes[0][1]).cellAt(0, 0).lastCursorPosition()
            _write_code(cursor, more, formats)
            piece.codes[0] = (block, piece.codes[0][1])
        elif isinstance(block, Paragraph):
            cursor.insertText(shown(more), formats.characters(block.runs[-1], block.heading))
        cursor.endEditBlock()
        piece.block = block
        return True


def _name(source: str) -> str:
    """Not the address itself, so that Qt cannot go there."""
    return f"picture:{hashlib.sha256(source.encode('utf-8', 'replace')).hexdigest()}"


def _more(old: Block, new: Block) -> str | None:
    """What has to be added to the old block's text to make it the new one; None if that is not all."""
    if isinstance(old, Code) and isinstance(new, Code):
        same = replace(old, text="") == replace(new, text="")
        return new.text[len(old.text) :] if same and new.text.startswith(old.text) else None
    if not (isinstance(old, Paragraph) and isinstance(new, Paragraph) and old.runs and new.runs):
        return None
    a, b = old.runs[-1], new.runs[-1]
    if replace(old, runs=()) != replace(new, runs=()) or old.runs[:-1] != new.runs[:-1]:
        return None
    if a.href or a.image or replace(b, text=a.text) != a or not b.text.startswith(a.text):
        return None
    return b.text[len(a.text) :]


_TALLEST = 480


class _Writer:
    def __init__(self, page: Page, piece: Piece, formats: Formats) -> None:
        self._page, self._piece, self._formats = page, piece, formats
        self._taken = 0
        """By the quotations around what is written."""

    def write(self, cursor: QTextCursor, block: Block, fresh: bool, first: bool) -> bool:
        """Write at the cursor, the end of its frame; tells whether it left an empty paragraph there."""
        match block:
            case Paragraph():
                self._paragraph(cursor, block, fresh, first)
                return False
            case Rule():
                self._begin(cursor, self._formats.rule(block.indent, first), fresh)
                self._piece.rules.append(cursor.position())
                return False
            case Code():
                self._code(cursor, block, fresh)
            case Table():
                self._table(cursor, block, fresh)
            case Quote():
                self._quote(cursor, block, fresh)
        return True

    def _begin(self, cursor: QTextCursor, made: QTextBlockFormat, fresh: bool) -> None:
        characters = self._formats.characters()
        if fresh:
            cursor.setBlockFormat(made)
            cursor.mergeBlockCharFormat(characters)  # that of a cell is kept in there too
        else:
            cursor.insertBlock(made, characters)

    def _paragraph(self, cursor: QTextCursor, block: Paragraph, fresh: bool, first: bool) -> None:
        self._begin(cursor, self._formats.paragraph(block, first), fresh)
        if block.marker:
            if task := block.marker.startswith("["):
                self._piece.tasks.append((cursor.position(), block.marker == "[x]"))
            cursor.insertText(f"{block.marker}\t", self._formats.marker(hidden=task))
        self._runs(cursor, block.runs, block.heading)

    def _runs(self, cursor: QTextCursor, runs: tuple[Run, ...], heading: bool) -> None:
        for run in runs:
            if run.image:
                self._picture(cursor, run)
                continue
            text = shown(run.text or run.image).replace("\n", "\u2028")
            cursor.insertText(text, self._formats.characters(run, heading))

    def _picture(self, cursor: QTextCursor, run: Run) -> None:
        size = self._page.picture(run.image)
        if size is not None:
            self._piece.pictures.append((cursor.position(), run.image, size))
            cursor.insertImage(self._page.image_format(run.image, size))
            return
        if is_formula(run.image):  # it is not set yet, or cannot be
            cursor.insertText(
                shown(run.text).replace("\n", "\u2028"), self._formats.characters(Run("", code=True))
            )
            return
        words = shown(run.text).replace("\n", " ").strip() or run.image.rpartition("/")[2]
        web = run.image.startswith(("http://", "https://"))
        text = words if web else _("[image can’t be shown: {name}]").format(name=words)
        looks = Run(text, run.bold, not web, href=run.image if web else run.href)
        cursor.insertText(text, self._formats.characters(looks))

    def _after(self, cursor: QTextCursor, table: QTextTable) -> None:
        cursor.setPosition(table.lastPosition() + 1)
        cursor.setBlockFormat(QTextBlockFormat())
        cursor.setBlockCharFormat(QTextCharFormat())

    def _code(self, cursor: QTextCursor, block: Code, fresh: bool) -> None:
        table = cursor.insertTable(1, 1, self._formats.box(block.indent, fresh, more=block.more))
        cell = table.cellAt(0, 0)
        cell.setFormat(self._formats.code_cell(block.head, block.more))
        inside = cell.firstCursorPosition()
        inside.setBlockFormat(self._formats.code_line())
        inside.mergeBlockCharFormat(self._formats.code_characters())
        _write_code(inside, block.text, self._formats)
        self._piece.codes.append((block, table.firstPosition()))
        self._after(cursor, table)

    def _quote(self, cursor: QTextCursor, block: Quote, fresh: bool) -> None:
        table = cursor.insertTable(1, 1, self._formats.box(block.indent, fresh))
        cell = table.cellAt(0, 0)
        cell.setFormat(self._formats.quote_cell(block.rtl))
        self._piece.quotes.append((table.firstPosition(), block.rtl))
        inside, fresh = cell.firstCursorPosition(), True
        taken = Space.L + round(block.indent * INDENT)
        self._taken += taken
        for number, child in enumerate(block.blocks):
            fresh = self.write(inside, child, fresh, number == 0)
        self._taken -= taken
        self._after(cursor, table)

    def _table(self, cursor: QTextCursor, block: Table, fresh: bool) -> None:
        columns, beside = max(1, len(block.alignments)), padding(block)
        if block.rtl:  # Qt's tables begin at the left
            block = _mirrored(block)
        begins = columns - 1 if block.rtl else 0
        made, needs = self._formats.table(block.indent, fresh, block.rtl), measure(block)
        self._page.share(made, needs, self._taken)
        table = cursor.insertTable(len(block.rows), columns, made)
        for row, cells in enumerate(block.rows):
            for column in range(columns):
                cell = table.cellAt(row, column)
                cell.setFormat(self._formats.table_cell(column == begins, row == 0, beside, block.rtl))
                inside = cell.firstCursorPosition()
                inside.setBlockFormat(self._formats.cell_text(block.alignments[column], block.rtl))
                inside.mergeBlockCharFormat(self._formats.characters())
                self._runs(inside, cells[column] if column < len(cells) else (), row == 0)
        self._piece.tables.append((table.firstPosition(), needs, self._taken))
        self._after(cursor, table)


def _mirrored(block: Table) -> Table:
    """The table with its last column first."""
    count = len(block.alignments)
    rows = ((*cells, *((),) * (count - len(cells))) for cells in block.rows)
    return replace(
        block, rows=tuple(cells[:count][::-1] for cells in rows), alignments=block.alignments[::-1]
    )


def _write_code(cursor: QTextCursor, text: str, formats: Formats) -> None:
    """Lines of code; each is a paragraph, so that one more line costs only itself."""
    cursor.insertText(text, formats.code_characters())
