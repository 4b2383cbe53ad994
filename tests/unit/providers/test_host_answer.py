"""How chunks of many dialects become one answer."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.providers.host.answer import Answer
from desktop.providers.host.call import ANSWER_LIMIT, Failure

NAMES = [
    "choices",
    "delta",
    "message",
    "content",
    "reasoning",
    "tool_calls",
    "function",
    "arguments",
    "index",
    "id",
    "name",
    "finish_reason",
    "thinking_blocks",
    "type",
    "thinking",
    "usage",
]


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def test_an_id_and_a_name_are_taken_once_and_arguments_joined() -> None:
    answer = Answer()
    for arguments in ('{"a"', ": 1}"):
        call = {"index": 0, "id": "call_9", "function": {"name": "add", "arguments": arguments}}
        answer.add(chunk(tool_calls=[call]))
    answer.add(chunk("tool_calls"))
    assert answer.result()["tool_calls"] == [{"id": "call_9", "name": "add", "arguments": '{"a": 1}'}]


def test_calls_without_index_or_id_are_told_apart_by_position() -> None:
    answer = Answer()
    calls = [{"function": {"name": name, "arguments": "{}"}} for name in ("one", "two")]
    answer.add(chunk("stop", tool_calls=calls))
    result = answer.result()
    assert [(call["id"], call["name"]) for call in result["tool_calls"]] == [
        ("call_0", "one"),
        ("call_1", "two"),
    ]
    assert result["finish"] == "tool_calls"


def test_content_may_be_a_list_of_parts() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert Answer().add(chunk(content=parts)) == ("ab", "")


def test_letters_escaped_in_halves_are_joined_and_lone_halves_replaced() -> None:
    answer = Answer()
    pieces = ["a \ud83d", "\ude00 b", "\ude00", " c\ud83d"]
    assert [answer.add(chunk(content=piece))[0] for piece in pieces] == [
        "a ",
        "\U0001f600 b",
        "\ufffd",
        " c",
    ]
    assert answer.add(chunk(content="d")) == ("\ufffdd", "")
    assert answer.add(chunk(reasoning="中")) == ("", "中")


def test_thoughts_end_with_their_signature_and_hidden_ones_stay_as_they_are() -> None:
    answer = Answer()
    answer.add(
        chunk(thinking_blocks=[{"type": "thinking", "thinking": "a", "signature": None, "index": 0}])
    )
    answer.add(chunk(thinking_blocks=[{"type": "thinking", "thinking": "b"}]))
    answer.add(chunk(thinking_blocks=[{"type": "thinking", "thinking": "", "signature": "s1"}]))
    answer.add(chunk(thinking_blocks=[{"type": "redacted_thinking", "data": "xyz"}]))
    answer.add(chunk(thinking_blocks=[{"type": "thinking", "thinking": "c"}]))
    answer.add(chunk("stop", content="done", thinking_blocks=[{"type": "thinking", "signature": "s2"}]))
    assert answer.result()["thinking_blocks"] == [
        {"type": "thinking", "thinking": "ab", "signature": "s1"},
        {"type": "redacted_thinking", "data": "xyz"},
        {"type": "thinking", "thinking": "c", "signature": "s2"},
    ]


def test_usage_may_tell_money_and_cache_in_several_ways() -> None:
    answer = Answer()
    answer.add(chunk("stop", content="x"))
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "cost": 0.5, "prompt_cache_hit_tokens": 4}
    answer.add({"choices": [], "usage": usage})
    assert answer.result()["usage"] == {
        "input_tokens": 9,
        "output_tokens": 2,
        "cached_tokens": 4,
        "cache_write_tokens": 0,
        "reasoning_tokens": 0,
        "cost": 0.5,
    }


@pytest.mark.parametrize("chunks", [[], [chunk(content="half")], [chunk("stop")], [{"choices": None}]])
def test_no_end_or_nothing_in_it_is_no_answer(chunks: list[dict[str, Any]]) -> None:
    answer = Answer()
    for one in chunks:
        answer.add(one)
    with pytest.raises(Failure) as caught:
        answer.result()
    assert caught.value.kind == "broken_off"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
)


@given(st.lists(st.dictionaries(st.sampled_from(NAMES), JSON, max_size=4), max_size=3))
def test_whatever_a_server_sends_is_an_answer_or_a_failure(chunks: list[dict[str, Any]]) -> None:
    answer = Answer()
    with contextlib.suppress(Failure):
        for one in chunks:
            answer.add(one)
        json.dumps(answer.result())


def test_arguments_given_as_an_object_become_text() -> None:
    answer = Answer()
    answer.add(chunk("stop", tool_calls=[{"id": 7, "function": {"name": "f", "arguments": {"a": 1}}}]))
    assert answer.result()["tool_calls"] == [{"id": "7", "name": "f", "arguments": '{"a": 1}'}]


def test_arguments_count_towards_the_limit() -> None:
    answer = Answer()
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": "x" * (ANSWER_LIMIT // 2)}}
    answer.add(chunk(tool_calls=[call]))
    answer.add(chunk(tool_calls=[call]))
    with pytest.raises(Failure) as caught:
        answer.add(chunk(content="y"))
    assert caught.value.kind == "answer_too_long"
