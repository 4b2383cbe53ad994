"""Any stored history becomes a request that the server accepts; old work is not done again.

The validator here is written from what servers demand, not from the normaliser.
"""

import base64
import json
import re
import time
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.providers.base import Message
from desktop.providers.behaviour import WireRules
from desktop.providers.normalise import Normaliser, WireCache
from tests.unit.providers.samples import PNG

BACK = {
    "content": "reasoning_content",
    "blocks": "thinking_blocks",
    "details": "reasoning_details",
    "items": "reasoning_items",
}
RULES = [
    WireRules(),
    WireRules(text_only=True, tool_id_pattern="[A-Za-z0-9]{9}", user_after_tool=False),
    WireRules(system_role="user", reasoning="content", user_after_tool=False),
    WireRules(cache_marks="messages", reasoning="blocks", author="a/b", pictures=True),
    WireRules(cache_marks="parts", reasoning="details", user_after_tool=False),
    WireRules(reasoning="items", pictures=True),
]
KNOWN = {"role", "content", "tool_calls", "tool_call_id", *BACK.values()}

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | st.text(st.characters(), max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
IDS = st.sampled_from(["call_1", "call_2", "abcDEF123", "a b", "", "é", "x" * 70, "c00000001"]) | JSON
NAMES = st.sampled_from(["read_file", "web.search", "", " ", "ünï", "n" * 80]) | JSON
ARGUMENTS = (
    st.sampled_from(["{}", '{"a": 1}', '{"a": "\\ud800"}', "{bad", "[1]", "NaN", '{"a": NaN}', '{"ä": 1}'])
    | JSON
)
CALLS = st.lists(
    st.fixed_dictionaries(
        {"id": IDS, "function": st.fixed_dictionaries({"name": NAMES, "arguments": ARGUMENTS})}
    )
    | JSON,
    max_size=3,
)
PARTS = st.lists(
    st.fixed_dictionaries({"type": st.just("text"), "text": JSON})
    | st.fixed_dictionaries({"type": st.just("image_url"), "image_url": JSON | st.just({"url": "data:x"})})
    | JSON,
    max_size=3,
)
BLOCKS = st.lists(
    st.fixed_dictionaries({"type": st.just("thinking"), "thinking": JSON, "signature": JSON | st.just("s")})
    | st.fixed_dictionaries(
        {"type": st.just("reasoning"), "encrypted_content": JSON | st.just("seal")},
        optional={"id": JSON, "summary": JSON, "content": JSON, "after": JSON | st.integers(0, 3)},
    )
    | JSON,
    max_size=2,
)
WILD = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "assistant", "tool", "tool", "system", "odd"]) | JSON},
    optional={
        "content": st.sampled_from(["hi", "more", "", " \n", "half \ud800"]) | PARTS | JSON,
        "tool_calls": CALLS | JSON,
        "tool_call_id": IDS,
        "name": NAMES,
        "reasoning_content": JSON,
        "thinking_blocks": BLOCKS | JSON,
        "timestamp": JSON,
        "media": JSON,
        "_runtime": st.just("now: Monday") | JSON,
        "_hidden": st.just(True),
        "_turn": st.just("t1"),
    },
)
ID = st.sampled_from(["call_1", "call_2", "abcDEF123"])
TAME = (
    st.fixed_dictionaries({"role": st.just("user"), "content": st.sampled_from(["hi", "there", ""])})
    | st.fixed_dictionaries({"role": st.just("assistant"), "content": st.sampled_from(["yes", None])})
    | st.fixed_dictionaries(
        {
            "role": st.just("assistant"),
            "content": st.sampled_from(["let me see", None]),
            "tool_calls": st.lists(
                st.fixed_dictionaries({"id": ID, "function": st.just({"name": "read", "arguments": "{}"})}),
                min_size=1,
                max_size=2,
            ),
        }
    )
    | st.fixed_dictionaries({"role": st.just("tool"), "tool_call_id": ID, "content": st.just("done")})
)
HISTORY = st.lists(TAME, max_size=12) | st.lists(TAME | WILD, max_size=12) | st.lists(WILD, max_size=12)
slow = settings(deadline=None, max_examples=300)


def normalised(messages: list[Message], rules: WireRules) -> list[Message]:
    made = Normaliser(rules)
    for message in messages:
        made.feed(message)
    return made.messages()


def unmarked(messages: list[Message]) -> tuple[list[Message], list[int]]:
    """The messages without marks for a cache, and which had one; they stand at the end of a content."""
    bare, places = [], []
    for place, message in enumerate(messages):
        content = message["content"]
        marked = {name: value for name, value in message.items() if name != "cache_control"}
        if isinstance(content, list) and "cache_control" in content[-1]:
            *before, last = content
            plain = {name: value for name, value in last.items() if name != "cache_control"}
            marked["content"] = (
                plain["text"] if not before and plain["type"] == "text" else [*before, plain]
            )
        if marked != message:
            places.append(place)
        bare.append(marked)
    assert "cache_control" not in json.dumps(bare)
    return bare, places


def check_marks(messages: list[Message], places: list[int], rules: WireRules) -> None:
    """The system prompt, and the ends of the last two runs of what is not the model's."""
    asking = [message["role"] in ("user", "tool") for message in messages]
    ends = [n for n, asks in enumerate(asking) if asks and not any(asking[n + 1 : n + 2])]
    first = [0] if messages[0]["role"] == "system" else []
    assert places == (first + ends[-2:] if rules.cache_marks else [])


def check(data: bytes, rules: WireRules) -> None:
    """Fail unless every server of this kind would take the request."""
    messages, places = unmarked(json.loads(data.decode("utf-8"), parse_constant=pytest.fail))
    assert messages
    check_marks(messages, places, rules)
    assert not re.search(r"\\u[dD][89a-fA-F]", data.decode("utf-8").replace("\\\\", ""))
    rest = messages[1:] if messages[0]["role"] == "system" else messages
    if rest is not messages:
        check_content(messages[0]["content"], text_only=rules.text_only)
    assert [m["role"] for m in rest[:1]] == ["user"]
    assert rest[-1]["role"] in ("user", "tool")
    open_calls: set[str] = set()
    used: set[str] = set()
    before = ""
    for message in rest:
        role = message["role"]
        assert role in ("user", "assistant", "tool")
        assert set(message) <= KNOWN
        sent = set(BACK.values()) & set(message)
        assert sent <= {
            BACK.get(rules.reasoning),
            "reasoning_content" if rules.reasoning == "blocks" else "",
        }
        if rules.reasoning == "content" and role == "assistant":
            assert isinstance(message["reasoning_content"], str)
        if role == "tool":
            assert message["tool_call_id"] in open_calls
            open_calls.remove(message["tool_call_id"])
            check_text(message["content"])
        else:
            assert role != before
            assert not open_calls
            assert role == "user" or before in ("user", "tool")
        if role == "user":
            assert before != "tool" or rules.user_after_tool
            assert set(message) == {"role", "content"}
            check_content(message["content"], text_only=rules.text_only)
        if role == "assistant":
            calls = message.get("tool_calls", [])
            assert "tool_calls" not in message or calls
            if message["content"] is not None or not calls:
                check_text(message["content"])
            check_calls(calls, used, rules)
            open_calls = {call["id"] for call in calls}
            check_reasoning(message)
        before = role
    assert not open_calls


def check_calls(calls: list[Any], used: set[str], rules: WireRules) -> None:
    for call in calls:
        assert set(call) == {"id", "type", "function"}
        assert call["type"] == "function"
        assert re.fullmatch(rules.tool_id_pattern, call["id"])
        assert call["id"] not in used
        used.add(call["id"])
        assert set(call["function"]) == {"name", "arguments"}
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", call["function"]["name"])
        assert isinstance(json.loads(call["function"]["arguments"], parse_constant=pytest.fail), dict)


def check_reasoning(message: Message) -> None:
    if message.get("reasoning_content"):
        check_text(message["reasoning_content"])
    for block in message.get("thinking_blocks", []):
        assert all(isinstance(value, str) and value for value in block.values())


def check_content(content: object, *, text_only: bool) -> None:
    if isinstance(content, str) or text_only:
        check_text(content)
        return
    assert isinstance(content, list)
    assert content
    for part in content:
        if part["type"] == "text":
            check_text(part["text"])
        else:
            assert part["type"] == "image_url"
            assert part["image_url"]["url"]


def check_text(text: object) -> None:
    assert isinstance(text, str)
    assert text.strip()


@slow
@given(HISTORY, st.sampled_from(RULES))
def test_any_history_becomes_a_valid_request(messages: list[Message], rules: WireRules) -> None:
    made = Normaliser(rules)
    check(made.json(), rules)
    for message in messages:
        made.feed(message)
        check(made.json(), rules)


@slow
@given(HISTORY, st.sampled_from(RULES))
def test_going_on_gives_the_same_bytes_as_starting_over(messages: list[Message], rules: WireRules) -> None:
    cache = WireCache()
    for end in range(len(messages) + 1):
        whole = Normaliser(rules)
        for message in messages[:end]:
            whole.feed(message)
        assert cache.json(messages[:end], rules, "c") == whole.json()


@slow
@given(HISTORY, st.sampled_from(RULES))
def test_what_is_closed_never_changes(messages: list[Message], rules: WireRules) -> None:
    made = Normaliser(rules)
    closed = b""
    for message in messages:
        made.feed(message)
        assert made._closed.startswith(closed)
        closed = bytes(made._closed)
        assert rules.cache_marks or closed.rstrip(b",") in made.json()


@slow
@given(HISTORY, st.sampled_from(RULES))
def test_nothing_that_the_person_said_is_lost(messages: list[Message], rules: WireRules) -> None:
    said = [f"remark {number}" for number in range(len(messages) + 1)]
    mixed: list[Message] = [{"role": "user", "content": said[-1]}]
    for remark, message in zip(said, messages, strict=False):
        mixed += [message, {"role": "user", "content": remark}]
    sent = [m for m in normalised(mixed, rules) if m["role"] == "user"]
    text = json.dumps([m["content"] for m in sent])
    assert all(re.search(rf"{remark}\b", text) for remark in said)


def call(stored: object, name: str = "read") -> Message:
    return {"id": stored, "type": "function", "function": {"name": name, "arguments": "{}"}}


def answer(*ids: object, text: str | None = None) -> Message:
    return {"role": "assistant", "content": text, "tool_calls": [call(stored) for stored in ids]}


def user(text: str, **rest: Any) -> Message:
    return {"role": "user", "content": text, **rest}


def result(stored: object, text: Any = "done") -> Message:
    return {"role": "tool", "tool_call_id": stored, "content": text}


PLAIN = WireRules()


def test_an_ordinary_conversation_goes_out_as_it_is_without_our_fields() -> None:
    system = {"role": "system", "content": "Be good."}
    talk = [user("a", timestamp="x", _turn="1"), answer("call_1"), result("call_1"), user("b")]
    bare = [
        {"role": "user", "content": "a"},
        answer("call_1"),
        result("call_1"),
        {"role": "user", "content": "b"},
    ]
    assert normalised([system, *talk], PLAIN) == [system, *bare]


def test_people_who_speak_twice_are_joined_and_the_runtime_block_follows_their_words() -> None:
    talk = [
        user("one", _runtime="Monday"),
        user("two"),
        {"role": "assistant", "content": "x"},
        user("three"),
    ]
    assert [m["content"] for m in normalised(talk, PLAIN)] == ["one\n\nMonday\n\ntwo", "x", "three"]


def test_commands_and_hidden_markers_stay_home() -> None:
    talk = [
        user("a"),
        user("/status", _command=True),
        user("m", _hidden_history=True),
        user("n", _hidden=1),
    ]
    assert normalised(talk, PLAIN) == [user("a")]


def test_a_call_without_a_result_reads_interrupted() -> None:
    talk = [user("go"), answer("1", "2"), result("2"), {"role": "assistant", "content": "so"}, user("next")]
    sent = normalised(talk, PLAIN)
    assert [(m["tool_call_id"], m["content"]) for m in sent if m["role"] == "tool"] == [
        ("2", "done"),
        ("1", "interrupted"),
    ]
    assert normalised([user("go"), answer("1")], PLAIN)[-1] == result("1", "interrupted")


def test_what_is_said_while_a_tool_runs_comes_after_its_result() -> None:
    talk = [user("go"), answer("1"), user("and also"), result("1"), {"role": "assistant", "content": "ok"}]
    sent = normalised([*talk, user("bye")], PLAIN)
    assert [m["role"] for m in sent] == ["user", "assistant", "tool", "user", "assistant", "user"]
    assert sent[2]["content"] == "done"
    assert sent[3]["content"] == "and also"


def test_where_the_person_may_not_follow_a_result_an_answer_is_put_between() -> None:
    history = [user("go"), answer("a"), result("a"), user("and?")]
    roles = [m["role"] for m in normalised(history, WireRules(user_after_tool=False))]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]


def test_orphan_and_second_results_are_dropped() -> None:
    talk = [result("0"), user("go"), answer("1"), result("1", "first"), result("1", "second"), result("9")]
    assert [m["content"] for m in normalised(talk, PLAIN)] == ["go", None, "first"]


def test_ids_are_renamed_in_pairs_where_a_server_would_refuse_them() -> None:
    mistral = WireRules(tool_id_pattern="[A-Za-z0-9]{9}")
    talk = [user("go"), answer("call_1", "abcDEF123"), result("abcDEF123", "b"), result("call_1", "a")]
    sent = normalised(
        [*talk, answer("call_1", "call_1"), result("call_1", "c"), result("call_1", "d")], mistral
    )
    names = {c["id"]: m for m in sent for c in m.get("tool_calls", [])}
    assert len(names) == 4
    assert "abcDEF123" in names
    assert [m["content"] for m in sent if m["role"] == "tool"] == ["b", "a", "c", "d"]
    check(json.dumps(sent).encode(), mistral)


def test_broken_arguments_and_names_are_made_harmless_and_good_ones_kept_to_the_letter() -> None:
    good = '{"path":  "文.txt"}'
    calls = [
        {"id": str(n), "function": {"name": "a.b", "arguments": arguments}}
        for n, arguments in enumerate(
            [good, "{bad", None, {"x": [1]}, "[]", '{"a": Infinity}', '{"a": "\\ud800"}']
        )
    ]
    sent = normalised([user("go"), {"role": "assistant", "content": "", "tool_calls": calls}], PLAIN)
    made = [c["function"] for c in sent[1]["tool_calls"]]
    assert {function["name"] for function in made} == {"a_b"}
    arguments = [function["arguments"] for function in made]
    assert arguments[0] == good
    assert arguments[1:6] == ["{}", "{}", '{"x": [1]}', "{}", "{}"]
    assert json.loads(arguments[6]) == {"a": "\N{REPLACEMENT CHARACTER}"}


def test_images_are_parts_or_a_note() -> None:
    data = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    image = {"type": "image_url", "image_url": {"url": data}}
    message = {
        "role": "user",
        "content": [{"type": "text", "text": "See"}, image, {"type": "text", "text": ""}],
    }
    (sent,) = normalised([message], PLAIN)
    assert sent["content"] == [{"type": "text", "text": "See"}, image]
    (flat,) = normalised([message], WireRules(text_only=True))
    assert flat["content"] == "See\n\n[image]"
    (text,) = normalised([{"role": "user", "content": [{"type": "text", "text": "a"}, "b"]}], PLAIN)
    assert text["content"] == "a\n\nb"


def test_a_tool_result_of_any_shape_is_a_text() -> None:
    values = [None, "", [], [{"type": "text", "text": "x"}], 5, {"text": "y"}]
    for value, text in zip(values, ["(no output)"] * 3 + ["x", "5", "y"], strict=True):
        assert normalised([user("go"), answer("1"), result("1", value)], PLAIN)[-1]["content"] == text


def test_the_first_and_the_last_word_is_never_the_models() -> None:
    reminder = {"role": "assistant", "content": "Water the plants."}
    sent = normalised([reminder, user("Done")], PLAIN)
    assert [m["role"] for m in sent] == ["user", "assistant", "user"]
    assert sent[1] == reminder
    assert [m["role"] for m in normalised([user("a"), reminder], PLAIN)] == ["user", "assistant", "user"]


def test_system_messages_are_one_and_first_and_marked_where_it_pays() -> None:
    talk = [{"role": "system", "content": "A"}, {"role": "system", "content": "B"}, user("a")]
    later = {"role": "system", "content": "By the way"}
    sent = normalised([*talk, later], PLAIN)
    assert sent == [{"role": "system", "content": "A\n\nB"}, user("a\n\nBy the way")]
    cached = normalised(talk, WireRules(cache_marks="parts"))
    assert cached[0]["content"] == [
        {"type": "text", "text": "A\n\nB", "cache_control": {"type": "ephemeral"}}
    ]


def test_thinking_goes_back_only_where_it_is_wanted_and_only_whole() -> None:
    whole = {"type": "thinking", "thinking": "hm", "signature": "s"}
    broken = {"type": "thinking", "thinking": "hm"}
    thought = {
        "role": "assistant",
        "content": "x",
        "reasoning_content": "hm",
        "thinking_blocks": [whole, broken, 3],
    }
    talk = [user("a"), thought, user("b")]
    assert normalised(talk, PLAIN)[1] == {"role": "assistant", "content": "x"}
    kept = normalised(talk, WireRules(reasoning="blocks"))[1]
    assert kept == {
        "role": "assistant",
        "content": "x",
        "reasoning_content": "hm",
        "thinking_blocks": [whole],
    }


@pytest.mark.parametrize("rules", RULES, ids=repr)
def test_the_prompt_of_a_turn_begins_with_the_prompt_before(rules: WireRules) -> None:
    talk: list[Message] = [{"role": "system", "content": "S"}]
    cache = WireCache()
    prompts = []
    for turn in range(5):
        talk.append(user(f"question {turn}", _runtime=f"minute {turn}"))
        prompts.append(cache.json(talk, rules, "c"))
        talk += [answer("1", "2"), result("1"), result("2")]
        prompts.append(cache.json(talk, rules, "c"))
        talk.append({"role": "assistant", "content": "Answer"})
    assert len(set(prompts)) == 10
    for before, after in pairwise([unmarked(json.loads(prompt))[0] for prompt in prompts]):
        assert after[: len(before)] == before
    if not rules.cache_marks:
        assert all(after.startswith(before[:-1]) for before, after in pairwise(prompts))


def test_conversations_and_rules_do_not_mix_and_memory_is_bounded() -> None:
    cache = WireCache(kept=2)
    for name in ("a", "b", "c", "a"):
        assert json.loads(cache.json([user(name)], PLAIN, name)) == [user(name)]
    assert json.loads(cache.json([user("other")], PLAIN, "a")) == [user("other")]
    both = [user("other"), {"role": "assistant", "content": "x", "reasoning_content": "r"}, user("z")]
    assert b"reasoning" not in cache.json(both, PLAIN, "a")
    assert b"reasoning" in cache.json(both, WireRules(reasoning="content"), "a")
    assert json.loads(cache.json(both[:1], PLAIN, "a")) == both[:1]
    assert len(cache._entries) <= 2
    cache.json([user("x")], PLAIN, "")
    assert "" not in cache._entries


def test_the_next_turn_of_a_long_conversation_costs_its_new_messages_only() -> None:
    """Against doing all anew in the same run: at least ten times cheaper (measured: 100 to 200 times)."""
    talk = [user("s")] + [
        {"role": ("user", "assistant")[n % 2], "content": "word " * 40} for n in range(10_000)
    ]
    cache = WireCache()
    began = time.process_time()
    cache.json(talk, PLAIN, "c")
    whole = time.process_time() - began
    turns = []
    for number in range(10):
        talk = [*talk, {"role": ("user", "assistant")[number % 2], "content": "x"}]
        began = time.process_time()
        cache.json(talk, PLAIN, "c")
        turns.append(time.process_time() - began)
    assert sorted(turns)[5] < whole / 10
