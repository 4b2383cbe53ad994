"""Calls in the text of an answer, as many models write them, and what only looks like one."""

import json
from typing import Any

import pytest

from desktop.agent.written import Written, split

TOOLS: dict[str, dict[str, Any]] = {
    "read_file": {"path": {"type": "string"}, "lines": {"type": "integer"}},
    "write_file": {"path": {"type": "string"}, "content": {"type": "string"}},
}
CALL = '{"name": "read_file", "arguments": {"path": "a.txt"}}'
GIVEN = '{"path": "a.txt"}'
KIMI = f"<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{GIVEN}<|tool_call_end|>"
DEEPSEEK_R1 = (
    f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{GIVEN}\n```<｜tool▁call▁end｜>"
)
DEEPSEEK_V3 = f"<｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{GIVEN}<｜tool▁call▁end｜>"
WRITTEN = [
    f"<tool_call>{CALL}</tool_call>",
    f"<tool_call>\n{CALL}\n</tool_call>",
    f"<tool_call>{CALL}",
    f"<tool_call>```json\n{CALL}\n```</tool_call>",
    f"<tool_calls>[{CALL}]</tool_calls>",
    f"<function_call>{CALL}</function_call>",
    f"<|tool_call|>[{CALL}]<|/tool_call|>",
    f"<|python_tag|>{CALL}<|eom_id|>",
    f"[TOOL_CALLS][{CALL}]",
    '[TOOL_CALLS]read_file[ARGS]{"path": "a.txt"}',
    '[TOOL_CALLS]read_file{"path": "a.txt"}',
    "<tool_call>\n<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>",
    '<function_calls><invoke name="read_file"><parameter name="path">a.txt</parameter></invoke>',
    "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.txt</arg_value>\n</tool_call>",
    "<|tool_call_start|>[read_file(path='a.txt')]<|tool_call_end|>",
    f"<|tool_calls_section_begin|>{KIMI}<|tool_calls_section_end|>",
    f"<｜tool▁calls▁begin｜>{DEEPSEEK_R1}<｜tool▁calls▁end｜>",
    f"<｜tool▁calls▁begin｜>{DEEPSEEK_V3}<｜tool▁calls▁end｜>",
]


def streamed(text: str, size: int) -> tuple[str, str, list[tuple[str, Any]]]:
    """What is said while it streams in pieces, what at the end, and the calls."""
    written = Written(TOOLS)
    said = "".join(written.feed(text[at : at + size]) for at in range(0, len(text), size))
    rest, calls = written.end()
    return said, rest, [(call.name, json.loads(call.arguments)) for call in calls]


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("text", WRITTEN)
def test_a_call_after_prose_is_a_call_and_nothing_of_it_is_shown(text: str, size: int) -> None:
    said, rest, calls = streamed(f"Let me look.\n{text}", size)
    assert (said.strip(), rest.strip()) == ("Let me look.", "")
    assert calls == [("read_file", {"path": "a.txt"})]


def test_several_calls_and_the_words_around_them() -> None:
    other = '{"name": "read_file", "arguments": {"path": "b </tool_call> c"}}'
    text, calls = split(
        f"First.<tool_call>{CALL}</tool_call> Then.\n<tool_call>{other}</tool_call>Done.", TOOLS
    )
    assert text == "First.\n\nThen.\n\nDone."
    assert [json.loads(call.arguments)["path"] for call in calls] == ["a.txt", "b </tool_call> c"]
    _text, two = split(f"<tool_call>{CALL}\n{other}</tool_call>", TOOLS)
    assert len(two) == 2


def test_values_that_came_as_text_are_what_the_tool_wants() -> None:
    body = "<parameter=path>3</parameter><parameter=lines>3</parameter>"
    _text, (call,) = split(f"<function=read_file>{body}</function>", TOOLS)
    assert json.loads(call.arguments) == {"path": "3", "lines": 3}
    body = '<parameter=path>a</parameter><parameter=content>{"a": 1}</parameter>'
    _text, (call,) = split(f"<function=write_file>{body}</function>", TOOLS)
    assert json.loads(call.arguments)["content"] == '{"a": 1}'


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('<tool_call>{"name": "read_file", "arguments": {"path": "a', "read_file"),
        ("<tool_call>{broken}</tool_call>", "tool_call"),
        ('<tool_call>{"path": "a"}</tool_call>', "tool_call"),
        ('<tool_call>{"name": "no_such_tool", "arguments": {}}</tool_call>', "no_such_tool"),
        ("<tool_call>[1, 2]</tool_call>", "tool_call"),
    ],
)
def test_what_cannot_be_understood_is_a_call_that_will_be_refused(text: str, name: str) -> None:
    said, calls = split(f"So. {text}", TOOLS)
    assert said == "So."
    assert {call.name for call in calls} == {name}


@pytest.mark.parametrize(
    "text",
    [
        "Qwen puts calls between <tool_call> and </tool_call> marks.",
        f"Like this:\n```xml\n<tool_call>{CALL}</tool_call>\n```\nThat is all.",
        f"Like `<tool_call>{CALL}</tool_call>` it is.",
        f"> <tool_call>{CALL}</tool_call>",
        "a < b and [TOOL",
        "The tag <function= is one.",
        "<tool_call>",
        "<tool_call> ",
    ],
)
@pytest.mark.parametrize("size", [1, 5, 10_000])
def test_what_only_talks_of_calls_is_text(text: str, size: int) -> None:
    said, rest, calls = streamed(text, size)
    assert (said + rest, calls) == (text, [])


def test_without_tools_all_is_text() -> None:
    assert split(WRITTEN[0], {}) == (WRITTEN[0], ())


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "first", ["", "<function=read_file>", "<tool_call>read_file", "<|python_tag|>a(", "[TOOL_CALLS]a"]
)
@pytest.mark.parametrize(
    "piece",
    [
        *("<tool_call> x ", "<function=a>", "<tool_call>a<arg_key>", "[TOOL_CALLS]{", "<tool_call>", "1,"),
        *("<parameter=x>", '<parameter name="x" ', "<arg_key>a</arg_key><arg_value>", "\n", "<arg_key>a"),
        *("\t", " {", "`"),
    ],
)
def test_a_long_row_of_marks_takes_no_time(first: str, piece: str) -> None:
    assert split(first + piece * 50_000, TOOLS)


@pytest.mark.parametrize(
    "call",
    [
        WRITTEN[0],
        "<function=read_file\n>\n<parameter=path>\na.txt\n</parameter></function>",
        "<tool_call>" + '<invoke name="read_file" ><parameter name="path">a.txt</parameter></invoke>',
    ],
)
def test_a_call_letter_by_letter_comes_whole(call: str) -> None:
    said, reading = "", Written(TOOLS)
    for letter in f"Now. {call}":
        said += reading.feed(letter)
    rest, calls = reading.end()
    assert (said + rest).strip() == "Now."
    assert [(call.name, call.arguments) for call in calls] == [("read_file", GIVEN)]
