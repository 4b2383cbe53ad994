"""Tables: their columns share the room so that as few words as can be are broken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextTable

from desktop.ui.conversation.text import markdown
from desktop.ui.conversation.text.blocks import Run, Table
from desktop.ui.conversation.text.body import Body
from desktop.ui.conversation.text.columns import Columns, measure, widths
from desktop.ui.conversation.view import ConversationView
from tests.ui.conversation.conftest import said
from tests.ui.conversation.test_reading import fill

TABLE = """
| Name | Provider | Window | Price | Released | Remark |
|---|---|--:|--:|---|---|
| Alpha | OpenRouter | 128,000 | 1.25 | 2026-03-01 | the largest that there is, and quick as well |
| Beta | `anthropic` | 200,000 | 3.00 | 2026-01-12 | none of the others knows as many languages |
"""


def table_of(*rows: tuple[str, ...]) -> Table:
    cells = tuple(tuple((Run(text),) for text in row) for row in rows)
    return Table(cells, ("",) * len(rows[0]))


def lines(body: Body, text: str) -> int:
    """In how many lines a cell stands."""
    return body.document().find(text[:3]).block().layout().lineCount()


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("width", [560, 640, 800])
def test_words_are_whole_where_there_is_room(view: ConversationView, width: int, quoted: bool) -> None:
    view.resize(width + 30 * quoted, 600)
    fill(view, [said(TABLE.replace("\n|", "\n> |") if quoted else TABLE, 1)])
    body = view.cells[0].body
    for word in ("Provider", "Released", "Alpha", "OpenRouter", "128,000", "2026-03-01", "anthropic"):
        assert lines(body, word) == 1, word
    assert body.document().size().width() <= body.width()


def test_another_width_shares_anew(view: ConversationView) -> None:
    fill(view, [said(TABLE, 1)])
    body = view.cells[0].body
    tall: dict[int, int] = {}
    for width in (500, 700, 500, 1_000):
        view.resize(width, 600)
        assert body.document().size().width() <= body.width()
        assert tall.setdefault(width, body.height()) == body.height()
    assert tall[500] > tall[700]


def test_a_table_that_fits_is_no_wider_than_its_words(view: ConversationView) -> None:
    fill(view, [said("| a | b |\n|---|---|\n| 1 | two words |", 1)])
    body = view.cells[0].body
    (table,) = body.document().rootFrame().childFrames()
    assert isinstance(table, QTextTable)
    assert body.document().documentLayout().frameBoundingRect(table).width() < 200


def test_what_counts_as_a_word() -> None:
    long, broken, wide = (
        measure(table_of((text,))).least[0]
        for text in ("internationalisation", "inter-nation/alisation", "语言模型")
    )
    assert long > broken > wide


def test_who_needs_little_has_all_of_it() -> None:
    assert widths(Columns((40, 50, 900), (40, 60, 950)), 300) == [40, 50, 210]
    assert widths(Columns((40, 50), (100, 150)), 170) == [70, 100]
    assert widths(Columns((40, 50), (100, 150)), 250) is None


@given(
    st.lists(st.tuples(st.floats(1, 500), st.floats(0, 900)), min_size=1, max_size=16),
    st.integers(60, 2_000),
)
def test_columns_are_never_wider_than_the_room(needs: list[tuple[float, float]], room: int) -> None:
    columns = Columns(tuple(a for a, _ in needs), tuple(a + b for a, b in needs))
    found = widths(columns, room)
    assert found is None or (sum(found) <= room and min(found) >= 0)


def test_a_table_at_the_end_is_not_scrolled(view: ConversationView) -> None:
    fill(view, [said("Begin\n\n" + TABLE, 1)])
    body = view.cells[0].body
    body.selectAll()
    body.ensureCursorVisible()
    assert body.verticalScrollBar().value() == 0
    assert body.verticalScrollBar().maximum() == 0


def test_the_words_of_a_table_are_runs() -> None:
    (table,) = [block for block in markdown.read(TABLE) if isinstance(block, Table)]
    assert table.rows[2][1] == (Run("anthropic", code=True),)
