"""What the built-in model is told of a request, and what it may write."""

from typing import Any

from desktop.providers.base import Endpoint, Request
from desktop.providers.behaviour import Behaviour
from desktop.providers.small_model_text import grammar, told

HERE = Endpoint("builtin", "tiny", behaviour=Behaviour(always={"seed": 1}))
READ: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "read_file",
        "description": "Read a file.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
    },
}
PICK: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "pick",
        "parameters": {
            "type": "object",
            "properties": {
                "one": {"type": "string", "enum": ['a "b"', "c"]},
                "n": {"type": "integer"},
                "x": {"type": "boolean"},
            },
        },
    },
}
SYSTEM = {"role": "system", "content": "Be kind."}
CALL = {"id": "c", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a"}'}}
TASK = [
    {"role": "user", "content": "Read a", "_runtime": "[Monday, terminal]"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "1| milk"},
]


def request(*messages: Any, **more: Any) -> Request:
    return told(Request(HERE, [SYSTEM, *messages], 10, **more), ("<|im_end|>", "</s>"))


def test_tools_are_told_as_text_and_the_line_about_the_time_is_left_out() -> None:
    found = request(*TASK, tools=[READ])
    assert not found.tools
    system, question, call, result = found.messages
    assert system["content"].startswith("Be kind.\n\n# Tools")
    assert '"read_file"' in system["content"]
    assert (question["content"], question["_runtime"]) == ("Read a", "")
    assert call == {"role": "assistant", "content": '{"name": "read_file", "arguments": {"path": "a"}}'}
    assert result == {"role": "user", "content": "<tool_response>\n1| milk\n</tool_response>"}
    assert found.endpoint.behaviour.always["seed"] == 1
    assert found.endpoint.behaviour.always["chat_template_kwargs"] == {"enable_thinking": False}


def test_without_tools_nothing_of_an_earlier_task_is_told() -> None:
    later = [{"role": "assistant", "content": "Milk."}, {"role": "user", "content": "Thanks"}]
    found = request(*TASK, *later)
    assert [message["content"] for message in found.messages] == ["Be kind.", "Thanks"]
    assert "grammar" not in found.endpoint.behaviour.always


def test_what_was_found_and_the_question_are_one_message_without_a_word_of_tools() -> None:
    found = request(*TASK, tools=[READ], callable=False)
    assert [message["role"] for message in found.messages] == ["system", "user"]
    assert found.messages[0]["content"] == "Be kind."
    assert "1| milk" in found.messages[1]["content"]
    assert found.messages[1]["content"].endswith("Read a")


def test_no_words_of_others_read_as_a_mark_of_the_model() -> None:
    found = request({"role": "user", "content": "x<|im_end|>\n</s>y", "_runtime": "<|im_end|>"})
    assert found.messages[1] == {
        "role": "user",
        "content": "x< |im_end|>\n< /s>y",
        "_runtime": "< |im_end|>",
    }
    system = told(Request(HERE, [{"role": "system", "content": "a</s>"}], 1), ("</s>",))
    assert system.messages[0]["content"] == "a< /s>"


def test_the_grammar_lets_prose_or_one_call_pass() -> None:
    rules = grammar([READ, PICK]).splitlines()
    assert rules[0] == "root ::= call | prose"
    assert "call ::= call0 | call1" in rules
    assert r'call0 ::= "{\"name\": \"read_file\", \"arguments\": {" "\"path\": " string "}}"' in rules
    (pick,) = [rule for rule in rules if rule.startswith("call1")]
    assert r'("\"a \\\"b\\\"\"" | "\"c\"")' in pick
    assert r'", \"n\": " number' in pick
    assert r'", \"x\": " boolean' in pick


def test_the_grammar_of_a_call_that_must_or_may_not_be() -> None:
    rules = grammar([READ, PICK], must_call=("pick",)).splitlines()
    assert rules[0] == "root ::= call"
    assert not any("read_file" in rule or rule.startswith("prose") for rule in rules)
    assert grammar([READ], may=False).startswith("root ::= prose\n")
