"""Requests to the built-in model, in words that a small model understands.

Small models were taught tools in many ways, and most write a call as plain text whatever the engine
expects. So they are told of tools as text, and a grammar of the engine (GBNF, made of the tools' own
schemas) lets them write either prose or one well-formed call: https://github.com/ggml-org/llama.cpp/tree/master/grammars.
The call comes back as text and is read by the agent.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from desktop.providers.base import Message, Request

_FOUND, _END = "<tool_response>\n", "\n</tool_response>"
_ASKED = "Here is what was found:\n\n{found}\n\nUse it to answer in one sentence: {question}"
_HEAD = "# Tools"
_HOW = """\
# Tools

Answer greetings, thanks and questions in words. Only when something is to be done, call the tool for it. \
The tools:
<tools>
{tools}
</tools>
To call one, answer with nothing but one line of JSON: the tool's name and its arguments, like
{{"name": "...", "arguments": {{...}}}}"""
_STRING = (
    'string ::= "\\"" char* "\\""\n'
    'char ::= [^"\\\\\\x00-\\x1f] | "\\\\" (["\\\\/bfnrt] | "u" hex hex hex hex)\n'
    "hex ::= [0-9a-fA-F]\n"
    'number ::= "-"? [0-9]+ ("." [0-9]+)?\n'
    'boolean ::= "true" | "false"'
)
_PROSE = "prose ::= [^<{` \\n\\t] [^\\x00]*"
_RULES = {"integer": "number", "number": "number", "boolean": "boolean"}

type Schema = Mapping[str, Any]


def told(request: Request, marks: Sequence[str]) -> Request:
    """The request as the built-in model gets it. `marks`: texts that the model would take for marks of its
    own; nobody's words may hold them."""
    options: dict[str, Any] = {"chat_template_kwargs": {"enable_thinking": False}}
    messages = _retold(request.messages, request.tools)
    if request.tools and not request.callable and messages[-1].get("content", "").startswith(_FOUND):
        messages = _asked_of(messages)
    elif request.tools:
        options["grammar"] = grammar(request.tools, may=request.callable, must_call=request.must_call)
    behaviour = request.endpoint.behaviour
    return replace(
        request,
        messages=[_without(marks, message) for message in messages],
        tools=(),
        must_call=(),
        endpoint=replace(
            request.endpoint, behaviour=replace(behaviour, always={**behaviour.always, **options})
        ),
    )


def _asked_of(messages: Sequence[Message]) -> list[Message]:
    """What a tool found and the question, as one message without a word of tools: a model that was told of
    some goes on to call them, or to write like them."""
    at = next(at for at in range(len(messages) - 1, -1, -1) if _is_question(messages[at]))
    found = "\n\n".join(
        str(message["content"]).removeprefix(_FOUND).removesuffix(_END)
        for message in messages[at + 1 :]
        if message.get("role") == "user"
    )
    question = str(messages[at]["content"])
    system = [{**messages[0], "content": str(messages[0]["content"]).partition(_HEAD)[0].rstrip()}]
    return [*system, {"role": "user", "content": _ASKED.format(found=found, question=question)}]


def _is_question(message: Message) -> bool:
    return message.get("role") == "user" and not str(message.get("content")).startswith(_FOUND)


def _retold(messages: Sequence[Message], tools: Sequence[Schema]) -> list[Message]:
    """A small model goes on as it sees itself write: with tools it sees its calls and not the sentences
    after them, without tools nothing of a task that was done with them."""
    lines: list[Message] = []
    task = -1  # where the task began whose calls were just read
    for message in messages:
        role, text = message.get("role"), message.get("content") or ""
        if role == "tool":
            lines.append({"role": "user", "content": f"{_FOUND}{text}{_END}"})
        elif calls := message.get("tool_calls"):
            task = len(lines) - 1 if task < 0 else task
            if tools:
                lines.append({"role": "assistant", "content": "\n".join(map(_written, calls))})
        elif role == "assistant" and task >= 0:
            if not tools:
                del lines[task:]
        else:
            task = -1
            # The program's line about time and place: a small model would write it into the file.
            lines.append({**message, "_runtime": ""} if tools and role == "user" else message)
    if tools and lines and lines[0].get("role") == "system":
        known = "\n".join(json.dumps(tool["function"], ensure_ascii=False) for tool in tools)
        lines[0] = {**lines[0], "content": f"{lines[0]['content']}\n\n{_HOW.format(tools=known)}"}
    return lines


def _written(call: Mapping[str, Any]) -> str:
    function = call.get("function") or {}
    return f'{{"name": "{function.get("name")}", "arguments": {function.get("arguments") or "{}"}}}'


def _without(marks: Sequence[str], message: Message) -> Message:
    """A message in which no text reads as a mark of the model's own."""
    found = dict(message)
    for name in ("content", "_runtime"):
        if isinstance(text := found.get(name), str):
            for mark in marks:
                if mark in text:
                    text = text.replace(mark, f"{mark[0]} {mark[1:]}")
            found[name] = text
    return found


def grammar(tools: Sequence[Schema], *, may: bool = True, must_call: Sequence[str] = ()) -> str:
    """What the model may write: prose, or one call of one of the tools with exactly its parameters; prose
    alone where none may be called, a call alone where one of these must."""
    functions = [tool["function"] for tool in tools]
    must = [function for function in functions if function["name"] in must_call]
    if not may:
        return f"root ::= prose\n{_PROSE}"
    functions = must or functions
    calls = [f"call{number} ::= {_call(function)}" for number, function in enumerate(functions)]
    names = " | ".join(f"call{number}" for number in range(len(functions)))
    root = "root ::= call" if must else "root ::= call | prose"
    return "\n".join([root, *(() if must else (_PROSE,)), f"call ::= {names}", *calls, _STRING])


def _call(function: Schema) -> str:
    properties: Mapping[str, Schema] = (function.get("parameters") or {}).get("properties") or {}
    start = _literal(f'{{"name": {json.dumps(function["name"])}, "arguments": {{')
    members = [
        f"{_literal((', ' if number else '') + json.dumps(name) + ': ')} {_value(schema)}"
        for number, (name, schema) in enumerate(properties.items())
    ]
    return " ".join([start, *members, _literal("}}")])


def _value(schema: Schema) -> str:
    if choices := schema.get("enum"):
        return f"({' | '.join(_literal(json.dumps(one, ensure_ascii=False)) for one in choices)})"
    return _RULES.get(str(schema.get("type")), "string")


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
