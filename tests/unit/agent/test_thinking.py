"""Thinking aloud, split from the answer however the stream was cut."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.agent.thinking import Thinking, split

PIECES = st.lists(st.sampled_from(["<think>", "</think>", "<", "think", ">", " ", "\n", "a", "</", "b<c"]))


def streamed(pieces: list[str]) -> tuple[str, str]:
    thinking = Thinking()
    parts = [thinking.feed(piece) for piece in pieces] + [thinking.end()]
    return "".join(text for text, _ in parts), "".join(thought for _, thought in parts)


def test_a_thought_before_the_answer_is_no_part_of_it() -> None:
    assert split("<think>hm</think>\n\nYes.") == ("Yes.", "hm")
    assert split("  <think>\nhm") == ("", "\nhm")
    assert split("No thought. <think>x</think>") == ("No thought. <think>x</think>", "")
    assert split("<thin") == ("<thin", "")


@given(PIECES)
def test_a_stream_ends_as_the_whole_does(pieces: list[str]) -> None:
    whole = split("".join(pieces))
    text, thought = streamed(pieces)
    assert thought == whole[1]
    assert text.lstrip() == whole[0].lstrip()
