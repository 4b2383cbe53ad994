"""What a model wrote as a call, and what is made of it."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.agent.arguments import LONGEST, arguments_of, may_be_call, written_call
from desktop.agent.small_model import wanted
from desktop.tools.base import ToolFailure
from desktop.tools.toolset import Toolset
from tests.unit.agent.tools import Look, Put

NAMES = ("write_file", "read_file")


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "read_file", "arguments": {"path": "a"}}',
        '{"name": "read_file", "parameters": {"path": "a"}}',
        '{"tool": "read_file", "args": {"path": "a"}}',
        '{"function": {"name": "read_file", "arguments": "{\\"path\\": \\"a\\"}"}}',
        '```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```',
        'read_file(path="a")',
        'read_file({"path": "a"})',
    ],
)
def test_a_written_call_is_a_call(text: str) -> None:
    found = written_call(text, NAMES)
    assert found is not None
    name, arguments = found
    assert (name, arguments.replace(" ", "")) == ("read_file", '{"path":"a"}')
    for end in range(len(text)):
        assert may_be_call(text[:end], NAMES)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "read_file",
        "I use read_file(path='a') for that.",
        '{"name": "delete_all", "arguments": {}}',
        '{"path": "a"}',
        "{not json}",
        "read_file(open('a'))",
        "read_file('a', __import__('os'))",
        '[{"name": "read_file"}]',
    ],
)
def test_other_text_is_none(text: str) -> None:
    assert written_call(text, NAMES) is None


@given(st.text(max_size=200))
def test_no_text_is_too_odd(text: str) -> None:
    written_call(text, NAMES)
    may_be_call(text, NAMES)
    for tool in (Look(), Put()):
        with contextlib.suppress(ToolFailure):
            arguments_of(tool, text)


def test_what_is_broken_is_mended_for_reading_only() -> None:
    assert arguments_of(Look(), "{'word': 'a', }") == Look.arguments(word="a")
    with pytest.raises(ToolFailure, match="Nothing was done"):
        arguments_of(Put(), "{'word': 'a', }")
    with pytest.raises(ToolFailure, match="the most"):
        arguments_of(Look(), "x" * (LONGEST + 1))
    with pytest.raises(ToolFailure, match="word"):
        arguments_of(Look(), '{"other": 1}')


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", ['{"a": x, ' * 9_000, "{" * 90_000, "'" + '\\"' * 90_000])
def test_what_is_broken_and_long_is_not_mended(text: str) -> None:
    with pytest.raises(ToolFailure, match="not valid JSON"):
        arguments_of(Look(), text)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        "```\n" + "\n" * 500_000 + "x",
        "```\n" + "```\n" * 200_000 + "x",
        "read_file(path=[" + "1," * 500_000 + "])",
        "read_file(" + ") " * 200_000,
    ],
)
def test_a_long_text_that_is_nearly_a_call_takes_no_time(text: str) -> None:
    assert written_call(text, NAMES) is None


def test_odd_escapes_in_a_call_warn_nobody(recwarn: pytest.WarningsRecorder) -> None:
    assert written_call(r"read_file(path='\o')", NAMES) == ("read_file", r'{"path": "\\o"}')
    assert not recwarn.list


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("Hello!", False),
        ("Thanks, that is all.", False),
        ("What is the capital of France?", False),
        ("Wie geht es dir?", False),
        ("Write a long story about a robot, e.g. in a lighthouse. List three names.", False),
        ("你好", False),
        ("Write hello into greeting.txt", True),
        ("Schreib hallo in gruss.txt", True),
        ("Fasse https://example.org zusammen", True),
        ("What is in ~/notes?", True),
        ("把你好保存到文件里", True),
    ],
)
def test_a_small_model_gets_tools_for_tasks_only(text: str, task: bool) -> None:
    assert wanted(text).tools is task


def test_a_tool_is_found_under_a_name_that_only_it_can_mean() -> None:
    toolset = Toolset({"mcp_a_test-tool": Look(), "mcp_a_two-x": Look(), "mcp_a_two_x": Put()})
    assert toolset.named("mcp_a_test_tool") == "mcp_a_test-tool"
    assert toolset.named("MCP_A_Test-Tool") == "mcp_a_test-tool"
    assert toolset.named("mcp_a_two_x") == "mcp_a_two_x"
    assert toolset.named("MCP_a_two_x") == "MCP_a_two_x", "two could be meant"
    assert toolset.named("other") == "other"
