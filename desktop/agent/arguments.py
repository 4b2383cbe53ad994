"""From what a model wrote as arguments to a tool's own model of them.

Strict JSON first. What is broken is repaired, but only for calls that read: a side effect whose text was
cut off must not happen with half of it. Small models write a whole call as text; it is taken for the call.
"""

import json
import re
from collections.abc import Collection
from typing import Any

from pydantic import ValidationError

from desktop.agent.written import json_call, python
from desktop.tools.base import Arguments, Effect, Tool, ToolFailure

type Json = dict[str, Any]

LONGEST = 2_000_000
"""Characters of arguments that are looked at; a longer call is refused."""
_REPAIRED = 4_000
"""Characters of broken JSON that are repaired: the time that it takes grows with their square."""
_FENCE = re.compile(r"```[a-z]*[ \t]*\n")
_PYTHON = re.compile(r"^\s*([a-z_]+)\((.*)\)\s*$", re.DOTALL)


def arguments_of(tool: Tool[Any], text: str) -> Arguments:
    """The arguments of a call. Raises ToolFailure saying what is wrong with them."""
    if len(text) > LONGEST:
        raise ToolFailure(
            f"The arguments have {len(text):,} characters, {LONGEST:,} are the most. Nothing was done."
        )
    given = _object(text)
    if given is None:
        given = _repaired(tool, text)
    try:
        checked: Arguments = tool.arguments.model_validate(given)
    except ValidationError as error:
        raise ToolFailure(_explained(tool, error)) from None
    return checked


def _object(text: str) -> Json | None:
    if not text.strip():
        return {}
    try:
        value = json.loads(text, strict=False)
        if isinstance(value, str):
            value = json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return None
    if value is None:
        return {}
    return value if isinstance(value, dict) else None


def _repaired(tool: Tool[Any], text: str) -> Json:
    if tool.effect is not Effect.READ:
        raise ToolFailure(
            "The arguments are not valid JSON, maybe cut off. Nothing was done: repeat the call with "
            "complete arguments, in smaller parts if they are long."
        )
    if len(text) > _REPAIRED:
        raise ToolFailure(
            "The arguments are not valid JSON. Repeat the call with one complete JSON object."
        )
    if _several(text):
        raise ToolFailure("The arguments are several JSON objects. Make one call for each.")
    import json_repair

    try:
        value = json_repair.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ToolFailure("The arguments are not a JSON object. Repeat the call with one.")
    return value


def _several(text: str) -> bool:
    """Whether a whole JSON value is followed by another: a repair would pick one of them."""
    try:
        end = json.JSONDecoder(strict=False).raw_decode(text.lstrip())[1]
    except (ValueError, RecursionError):
        return False
    return text.lstrip()[end:].lstrip()[:1] in ("{", "[")


def _explained(tool: Tool[Any], error: ValidationError) -> str:
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    lines = [
        f"{'.'.join(str(part) for part in fault['loc']) or 'arguments'}: {fault['msg']}" for fault in faults
    ]
    known = ", ".join(tool.schema["function"]["parameters"].get("properties", {}))
    return f"{tool.name} cannot take these arguments: {'; '.join(lines[:5])}. Its parameters: {known}."


def written_call(text: str, names: Collection[str]) -> tuple[str, str] | None:
    """A call that was written as text: the tool's name and its arguments as JSON; None if it is none."""
    body = text.strip()
    if (match := _FENCE.match(body)) and body.endswith("```"):
        body = body[match.end() : -3].strip()
    if body.startswith("{"):
        return _json_call(body, names)
    if (match := _PYTHON.match(body)) and match[1] in names:
        return _python_call(match[1], match[2])
    return None


def may_be_call(text: str, names: Collection[str]) -> bool:
    """Whether the beginning of an answer may still turn out to be a written call."""
    start = text.lstrip()
    if not start or start[0] in "{`":
        return True
    openings = [f"{name}(" for name in names]
    return any(start.startswith(opening) or opening.startswith(start) for opening in openings)


def _json_call(body: str, names: Collection[str]) -> tuple[str, str] | None:
    value = _object(body)
    if value is None:
        return None
    call = json_call(value)
    return call if call and call[0] in names else None


def _python_call(name: str, inside: str) -> tuple[str, str] | None:
    """`write_file(path="a.txt", content="b")` or `write_file({...})`: literal values only."""
    import ast

    if isinstance(given := _object(inside), dict) and inside.strip():
        return name, json.dumps(given, ensure_ascii=False)
    try:
        call = python(f"f({inside})")
        if not isinstance(call, ast.Call) or call.args:
            return None
        given = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg}
        return name, json.dumps(given, ensure_ascii=False)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
