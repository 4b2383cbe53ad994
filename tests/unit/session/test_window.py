"""What a model is shown of a conversation: within the budget, from a question on, steady between turns."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.session.model import HIDDEN, Message, marked, message_tokens, text_tokens, withdrawal
from desktop.session.title import title_of
from desktop.session.window import Window


def message(role: str, size: int = 10, **extra: object) -> Message:
    return {"role": role, "content": "x" * size, **extra}


def window(messages: list[Message], limit: int = 10**9) -> Window:
    result = Window(limit)
    for item in messages:
        result.add(item)
    return result


def cost(messages: list[Message]) -> int:
    return sum(map(message_tokens, messages))


ROLES = st.lists(
    st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.integers(0, 200)), min_size=1, max_size=40
)


@settings(deadline=None)
@given(ROLES, st.integers(20, 600))
def test_history_starts_at_a_question_and_fits_or_is_the_last_question(
    talk: list[tuple[str, int]], budget: int
) -> None:
    messages = [message(role, size) for role, size in talk]
    shown = window(messages).history(budget)
    questions = [item for item in messages if item["role"] == "user"]
    if not questions:
        assert shown == []
        return
    assert shown[0]["role"] == "user"
    assert all(a is b for a, b in zip(shown, messages[len(messages) - len(shown) :], strict=True))
    assert cost(shown) <= budget or shown[0] is questions[-1]


@settings(deadline=None)
@given(ROLES, st.integers(100, 600))
def test_the_start_moves_only_when_the_budget_is_passed_and_then_leaves_room(
    talk: list[tuple[str, int]], budget: int
) -> None:
    shown_before: list[Message] = []
    grown = window([])
    for role, size in [("user", 5), *talk]:
        new = message(role, size)
        grown.add(new)
        shown = grown.history(budget)
        if shown_before and cost([*shown_before, new]) <= budget:
            assert shown[0] is shown_before[0]
        elif shown_before and shown[0] is not shown_before[0]:
            assert cost(shown) <= budget * 0.6 or shown[0] is [m for m in shown if m["role"] == "user"][-1]
        shown_before = shown


def test_slash_commands_and_hidden_markers_are_not_shown() -> None:
    marks = [
        message("user", _command=True),
        message("user", _hidden_history=True),
        message("user", _hidden=1),
    ]
    talk = [message("user"), *marks, message("assistant")]
    assert window(talk).history(1000) == [talk[0], talk[-1]]


def test_a_reminder_just_before_the_first_question_is_shown() -> None:
    reminder = message("assistant", _channel_delivery=True)
    talk = [message("user", 2000), message("assistant", 2000), reminder, message("user")]
    assert window(talk).history(100)[0] is reminder


def test_an_answer_to_a_question_no_longer_shown_does_not_move_the_start() -> None:
    grown = window([message("user", 1000, _turn="1"), message("user", 300, _turn="2")])
    shown = grown.history(150)
    assert [m["_turn"] for m in shown] == ["2"]
    grown.add(message("assistant", 10, _turn="1"))
    assert grown.history(150) == shown


def test_a_larger_budget_shows_more() -> None:
    talk = [message(("user", "assistant")[n % 2], 100) for n in range(40)]
    grown = window(talk)
    assert cost(grown.history(400)) <= 400
    assert len(grown.history(10_000)) == 40


def test_memory_is_bounded_and_the_prompt_is_not_moved_by_it() -> None:
    grown = Window(2000)
    for number in range(2000):
        grown.add(message(("user", "assistant")[number % 2], 100))
        shown = grown.history(1000)
        if number % 2 == 0 and number > 100:
            assert 400 < cost(shown) <= 1000
    assert grown.tokens <= 4100


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("The quick brown fox jumps over the lazy dog. " * 20, 180, 280),
        ("今天天气很好，我们去公园吧。" * 20, 200, 300),
        ("Съешь же ещё этих мягких французских булок. " * 20, 250, 480),
        ("", 0, 0),
    ],
)
def test_tokens_are_estimated_by_script_not_by_bytes(text: str, low: int, high: int) -> None:
    assert low <= text_tokens(text) <= high


def test_tool_calls_images_and_the_runtime_block_count() -> None:
    plain = message_tokens({"role": "assistant", "content": "x"})
    call = {"id": "1", "function": {"name": "read", "arguments": "y" * 360}}
    assert message_tokens({"role": "assistant", "content": "x", "tool_calls": [call]}) >= plain + 100
    assert message_tokens({"role": "user", "content": "x", "_runtime": "y" * 360}) >= plain + 100
    image = {"type": "image_url", "image_url": {"url": "data:" + "A" * 1_000_000}}
    assert 500 < message_tokens({"role": "user", "content": [image]}) < 5000
    odd: list[Message] = [{}, {"content": 7}, {"content": [None, 3]}, {"tool_calls": [1, {"function": 2}]}]
    assert all(message_tokens(item) >= 4 for item in odd)


def test_a_title_is_the_first_line_that_says_something() -> None:
    assert title_of({"content": "\n  Hello there \nmore"}) == "Hello there"
    assert (
        title_of({"content": [{"type": "image_url"}, {"type": "text", "text": "See this"}]}) == "See this"
    )
    assert len(title_of({"content": "long " * 100})) == 60
    assert title_of({"content": None}) == ""


def test_a_message_that_was_taken_back_is_gone_and_what_came_after_it_stays() -> None:
    talk = [
        message("user", _turn="a"),
        message("user", 40, _turn="b"),
        message("user", 20, _turn="c"),
        message("assistant", 30, _turn="a"),
        withdrawal("b"),
    ]
    held = window(talk)
    assert [item.get("_turn") for item in held.history(10**6)] == ["a", "a", "c"]
    assert held.tokens == cost(held.history(10**6))
    assert [HIDDEN in item for item in marked(talk)] == [False, True, False, False, True]
    held.add(message("assistant", 5, _turn="c"))
    assert [item.get("_turn") for item in held.history(10**6)] == ["a", "a", "c", "c"]
