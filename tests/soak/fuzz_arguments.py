"""Arguments of calls as models write them: strict JSON, nearly JSON, calls in the text of an answer.

Each text is read for every built-in tool and for the calls that may stand in it. What is strict JSON must
come through as it is; a call that acts is never made from half a text; what the model is told stays short.
"""

import importlib
import json
from pathlib import Path
from random import Random
from typing import Any

from desktop.agent.arguments import arguments_of, may_be_call, written_call
from desktop.agent.written import Written, split
from desktop.tools.base import Arguments, Effect, Tool, ToolFailure
from tests.soak.fuzz_kit import Round, damaged, twisted
from tests.unit.agent.tools import Look

_MODULES = (
    *("exec.toolbox", "files.toolbox", "web.toolbox", "cron", "memory", "message", "spawn", "mcp.servers"),
)
"""Where the built-in tools are."""
_TOLD = 4_000
"""Characters of a refusal at the most."""
_MARKS = (
    *(
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        "'",
        "\\",
        "\\u",
        "\\ud83d",
        "```",
        "```json\n",
        "```\n",
        "\n",
        "(",
    ),
    *("<tool_call>", "</tool_call>", "<function=look>", "<parameter=path>", "</parameter>", "<arg_key>"),
    *(
        "</arg_key>",
        "<arg_value>",
        "</arg_value>",
        "[TOOL_CALLS]",
        "[ARGS]",
        "<|python_tag|>",
        "None",
        "NaN",
    ),
    *("<｜tool▁calls▁begin｜>", "<｜tool▁sep｜>", "<invoke name=", "look(", "True", "9", "-", "not ", "b'"),
    *(")", "//", "/*", "\t", " ", "`", "null", '{"a":', "'''", "#", "1e9", "lambda: "),
)
_PARAMETERS = {"look": {"what": {"type": "string"}}, "put": {"what": {"type": "string"}, "n": {}}}
_VALUES: tuple[dict[str, Any], ...] = (
    {"path": "a.txt", "content": 'line\n"two" {three}\n', "what": "x"},
    {"path": "/home/x/é 中文.md", "old": "a", "new": "b", "all": True, "n": 5},
    {"command": "echo 'hi' && ls | wc -l", "timeout": 60, "what": "y"},
    {"items": [{"id": 1, "text": "one"}, {"id": 2, "text": None}], "query": "a b", "what": ""},
)


def arguments(tools: tuple[Tool[Any], ...]) -> Round:
    """The JSON of one call, for tools that read and tools that act."""

    def one(chance: Random) -> list[str]:
        value = chance.choice(_VALUES)
        value = twisted(chance, value) if chance.random() < 0.5 else value
        text = json.dumps(value, ensure_ascii=chance.random() < 0.5)
        text = text.replace('"', "'") if chance.random() < 0.1 else text
        text = damaged(chance, text, _MARKS) if chance.random() < 0.7 else text
        tool = chance.choice(tools)
        try:
            made = arguments_of(tool, text)
        except ToolFailure as failure:
            told = str(failure)
            return [f"{len(told)} characters are told"] if len(told) > _TOLD else []
        if tool.effect is not Effect.READ and not _sound(text):
            return [f"{tool.name} acts by half a text: {text[:200]!r} is {made!r:.200}"]
        return []

    return one


def _sound(text: str) -> bool:
    try:
        value = json.loads(text, strict=False)
        value = json.loads(value, strict=False) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return not text.strip()
    return value is None or isinstance(value, dict)


def written(chance: Random) -> list[str]:
    """A call in the text of an answer; in pieces it is the same as whole, and no word before it is lost."""
    value = json.dumps(chance.choice(_VALUES), ensure_ascii=False)
    name = chance.choice(("look", "put", "other"))
    call = chance.choice(
        (
            f'<tool_call>{{"name": "{name}", "arguments": {value}}}</tool_call>',
            f"<function={name}><parameter=what>\nx\n</parameter></function>",
            f"[TOOL_CALLS]{name}[ARGS]{value}",
            f"<tool_call>{name}\n<arg_key>what</arg_key><arg_value>x</arg_value></tool_call>",
            f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{value}\n```",
            f'```json\n{{"name": "{name}", "arguments": {value}}}\n```',
            f"{name}(what='x', n=[1, 2])",
            f"<|python_tag|>[{name}(what='x')]",
            f"{name}({value})",
        )
    )
    text = chance.choice(("", "", "I look now.\n")) + damaged(chance, call, _MARKS)
    written_call(text, ("look", "put"))
    may_be_call(text, ("look", "put"))
    said, calls = split(text, _PARAMETERS)
    pieces, at, reading = "", 0, Written(_PARAMETERS)
    while at < len(text):
        size = chance.choice((1, 3, 20, 500)) if len(text) < 5_000 else 5_000
        pieces += reading.feed(text[at : at + size])
        at += size
    rest, later = reading.end()
    wrong = [] if later == calls else [f"in pieces {later!r:.200}, whole {calls!r:.200}"]
    if not calls and (said, pieces + rest) != (text, text):
        wrong.append(f"text is lost: {text[:200]!r} is {said[:200]!r} and {(pieces + rest)[:200]!r}")
    return wrong


class _Reads(Look):
    """A tool with the arguments of a built-in one."""

    def __init__(self, model: type[Arguments], effect: Effect) -> None:
        super().__init__()
        self.name, self.arguments, self.effect = model.__name__, model, effect  # type: ignore[assignment]


def rounds(_folder: Path) -> dict[str, Round]:
    """The readers by name."""
    for name in _MODULES:
        importlib.import_module(f"desktop.tools.{name}")
    models = sorted(Arguments.__subclasses__(), key=lambda model: model.__name__)
    tools = [_Reads(model, effect) for model in models for effect in (Effect.READ, Effect.WRITE)]
    return {"arguments": arguments(tuple(tools)), "written calls": written}
