"""An answer that was streamed, however it was cut, ends as the same page as when it is read at once."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from desktop.ui.conversation.text.blocks import Paragraph, Run
from tests.soak.fuzz_paper import Paper
from tests.ui.conversation.documents import cuts, document

DOCUMENTS = int(os.environ.get("NANOBOT_TEST_DOCUMENTS", "300"))
"""How many documents by chance are read; a long run asks for 10,000."""

pytestmark = pytest.mark.usefixtures("qapp")


def at_once(text: str) -> str:
    return Paper().finish(text)


def streamed(deltas: Iterator[str] | list[str]) -> str:
    paper, text = Paper(), ""
    for delta in deltas:
        text += delta
        paper.grow(text)
    return paper.finish(text)


@pytest.mark.parametrize("first", range(0, DOCUMENTS, 50))
def test_random_documents_end_as_when_read_at_once(first: int) -> None:
    for seed in range(first, first + 50):
        text = document(seed)
        assert streamed(cuts(text, seed)) == at_once(text), f"document {seed}"


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(st.text("ab *_`#->|[]()!:\n\t~\\1.x", max_size=25), max_size=12),
)
@example(["a | b\n-", " | -\n1 | 2"])
@example(["Title\n", "=", "==\nmore"])
@example(["[ref] text\n\nmore\n\n", "[ref]: https://x.org\n"])
@example(["- a\n- b\n", "\n- c\n"])
@example(["para\n", "#", "x"])
@example(["\r", "\n\r\n"])
@example(["see https://", "ex"])
@example(["BOM ", "\ufeff\ufeffin ", "\ufeffit"])
def test_any_text_in_any_pieces_ends_as_when_read_at_once(deltas: list[str]) -> None:
    assert streamed(deltas) == at_once("".join(deltas))


@pytest.mark.parametrize("size", [1, 7])
def test_a_long_answer_token_by_token(size: int) -> None:
    text = "\n\n".join(document(seed) for seed in range(900, 930))
    deltas = [text[at : at + 37 * size] for at in range(0, len(text), 37 * size)]
    assert streamed(deltas) == at_once(text)


def test_a_long_list_and_long_code_are_not_lost_while_they_grow() -> None:
    text = "".join(f"- item {n} with some words\n" for n in range(400)) + "\n```py\n"
    text += "".join(f"value_{n} = {n}\n" for n in range(400)) + "```\n\nend"
    paper = Paper()
    for at in range(0, len(text), 997):
        paper.grow(text[:at])
    paper.grow(text)
    plain = paper.document.toPlainText()
    assert "item 399 with" in plain
    assert "value_399 = 399" in plain
    assert plain.endswith("end")
    assert paper.finish(text) == at_once(text)


def test_what_is_finished_is_not_written_again() -> None:
    paper = Paper()
    text = "first paragraph\n\nsecond paragraph\n\nthird paragraph\n\nfourth"
    paper.grow(text)
    paper.document.documentLayout()
    changed: list[int] = []
    paper.document.contentsChange.connect(lambda position, removed, added: changed.append(position))
    paper.grow(text + " goes on\n\nfifth")
    assert min(changed) >= paper.document.toPlainText().index("fourth")


def test_a_definition_at_the_end_makes_the_link_at_the_beginning() -> None:
    assert "https://example.org/late" in streamed(
        ["see [this]\n\nmore\n\n", "[this]: https://example.org/late"]
    )


def test_what_a_later_line_can_change_is_not_finished() -> None:
    paper = Paper()
    for begun in ("para\n#", "para\n-", "para\n\n- a\n-"):
        paper.grow(begun)
        assert paper.grow(f"{begun}x y") == at_once(f"{begun}x y")


def test_what_no_later_line_can_change_is_read_only_once() -> None:
    paper = Paper()
    text = "first\n\nsecond\n\nthird\n\nfourth"
    paper.grow(text)
    assert paper.stream.done == text.index("third")


def test_a_text_that_has_become_shorter_leaves_nothing_behind() -> None:
    paper = Paper()
    paper.finish("one\n\ntwo\n\n```\nthree\n```\n\n- four")
    assert paper.finish("one\n\ntwo") == at_once("one\n\ntwo")


@pytest.mark.parametrize("box", ["> a\n\nb\n\n", "```\na\n```\n\n", "|a|\n|-|\n|b|\n\n"])
def test_a_page_has_only_so_many_boxes_and_yet_all_words(box: str) -> None:
    paper = Paper()
    paper.finish(box * 700)
    frames = paper.document.rootFrame().childFrames()
    assert 100 < len(frames) <= 220
    assert paper.document.toPlainText().count("a") == 700


@pytest.mark.parametrize(
    ("begun", "looks"),
    [
        ("so **bold wor", [Run("so "), Run("bold wor", bold=True)]),
        ("**a", [Run("a", bold=True)]),
        ("so **", [Run("so ")]),
        ("- run `pip ins", [Run("run "), Run("pip ins", code=True)]),
        ("*it* and `", [Run("it", italic=True), Run(" and ")]),
        ("2 ** 3", [Run("2 ** 3")]),
        ("x**y", [Run("x**y")]),
        ("**done** and `done`", [Run("done", bold=True), Run(" and "), Run("done", code=True)]),
    ],
)
def test_a_mark_that_is_not_closed_yet_is_not_seen(begun: str, looks: list[Run]) -> None:
    paper = Paper()
    paper.grow("before\n\n")
    paper.grow("before\n\n" + begun)
    block = paper.page.pieces[-1].block
    assert isinstance(block, Paragraph)
    assert list(block.runs) == looks
    assert paper.finish("before\n\n" + begun) == at_once("before\n\n" + begun)
