"""Formulas in messages: what is one and what is money, how they stand, streamed and copied."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QTextCharFormat
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.text import markdown
from desktop.ui.conversation.text.blocks import Block, Paragraph, images
from desktop.ui.conversation.text.maths import Maths, maths
from desktop.ui.conversation.transcript import Author, Entry, State, Transcript
from desktop.ui.conversation.view import ConversationView
from desktop.ui.theme.theme import theme

ROOTS = r"\frac{-b \pm \sqrt{b^2-4ac}}{2a}"


def read(text: str) -> list[Block]:
    return [block for block in markdown.read(text) if block is not None]


def formulas(text: str) -> list[str]:
    return [source for block in read(text) for source in images(block)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is $x^2$ then.", ["math:i:x^2"]),
        (r"It is \(x^2\) then.", ["math:i:x^2"]),
        ("$$a+b$$", ["math:d:a+b"]),
        ("$$\na\n= b\n$$", ["math:d:a\n= b"]),
        ("\\[\nx\n\\]", ["math:d:x"]),
        (r"so \[x\] here", ["math:d:x"]),
        ("- one $a$\n- two\n\n  $$\n  b\n  $$", ["math:i:a", "math:d:b"]),
        ("| a | b |\n|---|---|\n| $x$ | 1 |", ["math:i:x"]),
        ("> $q$", ["math:i:q"]),
        ("It costs $5 and $10.", []),
        ("Between $ 5 and 6 $ it is.", []),
        ("From US$5 to US$6", []),
        (r"\$x\$ stays", []),
        ("`$x$` is code", []),
        ("```\n$$\nx\n$$\n```", []),
        ("$$\nnever closed", []),
        ("$$\n\n$$", []),
        ("$" + "x" * 2_000 + "$", []),
        ("当$x$时，$[0,1)$ and $f(x)$", ["math:i:x", "math:i:[0,1)", "math:i:f(x)"]),
        ("It is $50 (US$) or $40 (CA$).", []),
        ("Set $HOME/bin:$PATH or ${A}:${B} or $(a)/$(b)", []),
        ("$AAPL/$MSFT and $foo,$bar, US$5/AU$7", []),
        ("echo $1$2 and $a-$(b)", []),
    ],
)
def test_what_is_a_formula(text: str, found: list[str]) -> None:
    assert formulas(text) == found


def test_what_is_no_formula_is_shown_as_typed() -> None:
    (block,) = read("It costs $5 and $10.")
    assert isinstance(block, Paragraph)
    assert "".join(run.text for run in block.runs) == "It costs $5 and $10."


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[ConversationView]:
    theme()
    made = ConversationView(Transcript())
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show()
    yield made
    made.transcript.fill([])


def shown(view: ConversationView, text: str, qtbot: QtBot) -> ConversationView:
    view.transcript.fill([Entry("1/answer", Author.NANOBOT, text)])
    return view


def pictures(view: ConversationView) -> int:
    return sum(len(piece.pictures) for piece in view.cells[0].body.page.pieces)


def test_a_formula_is_set_and_its_height_counts(view: ConversationView, qtbot: QtBot) -> None:
    shown(view, f"The roots:\n\n$$\n{ROOTS}\n$$\n\nwhere $x^2$.", qtbot)
    qtbot.waitUntil(lambda: pictures(view) == 2)
    qtbot.waitUntil(lambda: view.cells[0].height() > 110)
    big, small = maths().get(f"math:d:{ROOTS}"), maths().get("math:i:x^2")
    assert big is not None
    assert small is not None
    assert big.size.height() > 2 * small.size.height()
    image = big.image
    inked = {image.pixelColor(x, y).alpha() for x in range(image.width()) for y in range(image.height())}
    assert max(inked) == 255, "something is drawn"
    kinds = QTextCharFormat.VerticalAlignment
    assert maths().vertical("math:i:x^2") == kinds.AlignBaseline
    assert maths().vertical(f"math:d:{ROOTS}") == kinds.AlignMiddle


def test_a_formula_that_is_wanted_again_while_it_is_being_set_is_set_once(qtbot: QtBot) -> None:
    made, heard = Maths(), list[str]()
    made.arrived.connect(heard.extend)
    for source in ("math:i:w+1", "math:i:w+1", "math:i:w+2"):
        made.get(source)
    qtbot.waitUntil(lambda: "math:i:w+2" in heard)
    assert heard == ["math:i:w+1", "math:i:w+2"]


def test_what_cannot_be_set_stays_as_typed(view: ConversationView, qtbot: QtBot) -> None:
    shown(view, r"Broken: $\frac{1}{$ and fine: $x$", qtbot)
    qtbot.waitUntil(lambda: pictures(view) == 1)
    assert r"$\frac{1}{$" in view.cells[0].body.toPlainText()


def test_a_streamed_formula_ends_as_the_whole_one(view: ConversationView, qtbot: QtBot) -> None:
    text = "First $a_1$ then\n\n$$\nb^2\n$$\n\nand $c$ at the end."
    entry = Entry("1/answer", Author.NANOBOT, state=State.STREAMING)
    view.transcript.fill([entry])
    for end in range(1, len(text) + 1):
        entry.text = text[:end]
        view.transcript.touch(entry.id)
        view.flush()
    entry.state = State.DONE
    view.transcript.touch(entry.id)
    qtbot.waitUntil(lambda: pictures(view) == 3)
    streamed = [piece.block for piece in view.cells[0].body.page.pieces]
    assert streamed == read(text)


def test_copied_it_is_what_was_typed(view: ConversationView, qtbot: QtBot) -> None:
    shown(view, "So $x^2$ and $y$.", qtbot)
    qtbot.waitUntil(lambda: pictures(view) == 2)
    body = view.cells[0].body
    body.selectAll()
    assert body.createMimeDataFromSelection().text() == "So $x^2$ and $y$."


def test_who_cannot_see_a_formula_is_told_how_it_is_written(view: ConversationView, qtbot: QtBot) -> None:
    shown(view, "With $x^2$ and\n\n$$a+b$$", qtbot)
    [cell] = view.cells
    qtbot.waitUntil(lambda: pictures(view) == 2)
    qtbot.waitUntil(lambda: cell.body.accessibleDescription() == "Formulas: $x^2$; $$a+b$$")
    shown(view, "No formula", qtbot)
    assert view.cells[0].body.accessibleDescription() == ""
