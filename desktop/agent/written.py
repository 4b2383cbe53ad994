"""Calls that a model wrote into its answer as text.

Servers without the right template, and models that fall back into what they were trained on, write the call
where the person reads: `<tool_call>{...}</tool_call>` after a sentence. It is carried out as the call that
it is. What cannot be understood becomes a call all the same, so that the model is told what was wrong with
it; raw it is never shown. In code and quotations such marks are only talked about, and stay.
"""

import ast
import json
import re
import warnings
from collections.abc import Mapping
from typing import Any

from desktop.providers.base import ToolCall

type Parameters = Mapping[str, Mapping[str, Any]]
"""By the name of a tool: its parameters as JSON Schema has them."""

_OPENINGS = (
    "<tool_call>",  # Hermes, Qwen, GLM
    "<tool_calls>",
    "<function_call>",
    "<function_calls>",
    "<function=",  # Qwen3-Coder
    "<invoke name=",
    "<|tool_call|>",  # Granite, Phi
    "<|tool_calls|>",
    "<|tool_call_start|>",  # LFM2
    "<|tool_call_begin|>",  # Kimi
    "<|tool_calls_begin|>",
    "<|tool_calls_section_begin|>",
    "<|python_tag|>",  # Llama
    "[TOOL_CALLS]",  # Mistral
    "<｜tool▁calls▁begin｜>",  # DeepSeek
    "<｜tool▁call▁begin｜>",
)
_OPENING = re.compile("|".join(re.escape(opening) for opening in sorted(_OPENINGS, key=len, reverse=True)))
_CLOSING = re.compile(
    r"(?:</(?:tool_calls?|function_calls?|function|invoke)>|<\|/?tool_calls?(?:_section)?(?:_end)?\|>"
    r"|<｜tool▁calls?▁end｜>|\[/TOOL_CALLS\]|<\|eom_id\|>|<\|eot_id\|>|```)"
)
_HEAD = re.compile(
    r"\s{0,40}(?:function<｜tool▁sep｜>)?(?:functions\.)?([\w.-]{1,64})(?::\d+)?\s{0,40}"
    r"(?:\[CALL_ID\][^\[{]*)?(?:\[ARGS\]|<｜tool▁sep｜>|<\|tool_call_argument_begin\|>)?\s{0,40}"
    r"(?:```(?:json)?\s{0,40})?(?=\{)"
)
_FENCE = re.compile(r"\s*```(?:json)?\s*(?=[\[{])")
_BLOCK = re.compile(
    r'\s*<(?:function=|invoke name=)"?([\w.-]{1,64})"?\s*>(.*?)(?:</(?:function|invoke)>|\Z)', re.DOTALL
)
_PARAMETER = re.compile(
    r'<parameter(?:=|\s{1,9}name=)"?([\w.-]{1,64})"?[^>]{0,200}>(.*?)</parameter>', re.DOTALL
)
_PAIRS = re.compile(
    r"\s*([\w.-]{1,64})\s*((?:<arg_key>[^<]*</arg_key>\s*<arg_value>.*?</arg_value>\s*)+)", re.DOTALL
)
_PAIR = re.compile(r"<arg_key>([^<]*)</arg_key>\s*<arg_value>(.*?)</arg_value>", re.DOTALL)
_MAY_GO_ON = re.compile(r"[\w.:-]{0,80}\s*(?:[\[{<(`].*)?", re.DOTALL)
_CERTAIN = re.compile(r"(?:[\[{`]|[\w.:-]{1,80}\s*(?:[{(]|\[ARGS|\[CALL|<arg_key>|<\||<｜))")
_NAME = re.compile(r'"name"\s*:\s*"([^"\\]{1,64})"')
_GIVEN = re.compile(r'"(?:arguments|parameters|args)"\s*:\s*')
_SPACE = re.compile(r"\s*")
_NEXT = re.compile(r"[\s,;]*(?=[\[{])")
_JSON = json.JSONDecoder(strict=False)
_FENCES = ("```", "~~~")
_MOST = 64
"""Calls of one answer."""
_PYTHON = 60_000
"""Characters of a call in Python's words; its tree takes several hundred times their memory."""
UNNAMED = "tool_call"


class Written:
    """Splits an answer as it streams: text goes through, from the first call on it is held back."""

    def __init__(self, parameters: Parameters) -> None:
        """`parameters`: the tools that the model was told of; without any, all is text."""
        self._parameters = parameters
        self._held = ""
        self._later: list[str] = []
        """What came after that, once a call has begun."""
        self._calling = False
        self._fenced, self._ticks, self._head = False, 0, ""

    def feed(self, text: str) -> str:
        """What is certain to be text by now."""
        if not self._parameters:
            return text
        if self._calling:
            self._later.append(text)
            return ""
        text, at, sure = self._held + text, 0, 0
        while not self._calling:
            found = _OPENING.search(text, at)
            if found is None:
                sure = self._note(text, at, len(text) - _overlap(text[at:]))
                break
            sure = self._note(text, at, found.start())
            begins = False if self._quoted() else _begins(found[0], text[found.end() : found.end() + 200])
            if begins is None:
                break  # nothing but the mark so far
            self._calling = begins
            if not begins:
                sure = at = self._note(text, found.start(), found.end())
        said, self._held = text[:sure], text[sure:]
        return said

    def end(self) -> tuple[str, tuple[ToolCall, ...]]:
        """The text that was held back, and the calls."""
        held, self._held, self._later = "".join([self._held, *self._later]), "", []
        if not self._calling:
            return held, ()
        return _read(held, self._parameters)

    def _note(self, text: str, start: int, end: int) -> int:
        """Take a stretch for text, with an eye on whether it stands in code or a quotation; its end."""
        *lines, last = text[start:end].split("\n")
        for line in lines:
            if (self._head + line)[:16].lstrip().startswith(_FENCES):
                self._fenced = not self._fenced
            self._head, self._ticks = "", 0
        self._head = (self._head + last)[:16]
        self._ticks += last.count("`")
        return end

    def _quoted(self) -> bool:
        head = self._head.lstrip()
        return self._fenced or self._ticks % 2 == 1 or head.startswith((*_FENCES, ">"))


def split(text: str, parameters: Parameters) -> tuple[str, tuple[ToolCall, ...]]:
    """A whole answer as its text and the calls written into it."""
    written = Written(parameters)
    said = written.feed(text)
    rest, calls = written.end()
    return (
        f"{said.rstrip()}\n\n{rest}".strip() if calls and rest else said.rstrip() if calls else said + rest
    ), calls


def _begins(opening: str, rest: str) -> bool | None:
    """Whether a call begins with an opening; None while that cannot be told."""
    if opening in ("<function=", "<invoke name="):
        return (
            True
            if re.match(r'"?[\w.-]{1,64}"?\s*>', rest)
            else None
            if len(rest) < 200 and re.fullmatch(r'"?[\w.-]{0,64}"?\s*', rest)
            else False
        )
    start = rest.lstrip()
    if not start:
        return None
    if start[0] == "<":
        if _OPENING.match(start):
            return True
        return None if any(one.startswith(start) for one in _OPENINGS) else False
    if _CERTAIN.match(start):
        return True
    return None if _MAY_GO_ON.fullmatch(start) and len(start) < 120 else False


def _overlap(text: str) -> int:
    """How many characters at the end may begin an opening."""
    longest = max(map(len, _OPENINGS)) - 1
    for size in range(min(longest, len(text)), 0, -1):
        if any(opening.startswith(text[-size:]) for opening in _OPENINGS):
            return size
    return 0


def _read(text: str, parameters: Parameters) -> tuple[str, tuple[ToolCall, ...]]:
    """The calls of a text that begins with an opening, and what else it says."""
    at, rest, found = 0, list[str](), list[ToolCall]()
    while at < len(text):
        opening = _OPENING.search(text, at)
        if opening is None or len(found) >= _MOST:
            rest.append(text[at:])
            break
        rest.append(text[at : opening.start()])
        body = opening.start() if opening[0] in ("<function=", "<invoke name=") else opening.end()
        after = _SPACE.match(text, body)
        if after and _OPENING.match(text, after.end()) and body != opening.start():
            at = body
            continue
        calls, at = _body(text, body, parameters)
        found += calls
        at = _closed(text, at)
    told = "\n\n".join(part.strip() for part in rest if part.strip())
    return told, tuple(found)


def _closed(text: str, at: int) -> int:
    """Where the marks end that close a call."""
    while (space := _SPACE.match(text, at)) and (closing := _CLOSING.match(text, space.end())):
        at = closing.end()
    return at


def _body(text: str, at: int, parameters: Parameters) -> tuple[list[ToolCall], int]:
    """The calls after an opening, at least one, and where they end."""
    if block := _BLOCK.match(text, at):
        # without what is never closed: a search for its end would go through the rest each time
        closed = block[2].rpartition("</parameter>")
        pairs = dict(_PARAMETER.findall(closed[0] + closed[1]))
        return [_named(block[1], pairs, parameters)], block.end()
    next_one = _OPENING.search(text, at)
    stop = next_one.start() if next_one else len(text)
    if pairs_found := _PAIRS.match(text, at, stop):
        pairs = {key.strip(): value for key, value in _PAIR.findall(pairs_found[2])}
        return [_named(pairs_found[1], pairs, parameters)], pairs_found.end()
    if head := _HEAD.match(text, at):
        end = _json_end(text, head.end())
        if end is not None:
            return [ToolCall("", head[1], text[head.end() : end])], end
    fence = _FENCE.match(text, at)
    calls, end = _json_calls(text, fence.end() if fence else at)
    if calls:
        return calls, end
    closing = _CLOSING.search(text, at, stop)
    end = closing.start() if closing else stop
    return _python_calls(text[at:end]) or [_broken(text[at:end].strip())], end


def _json_end(text: str, at: int) -> int | None:
    try:
        return _JSON.raw_decode(text, at)[1]
    except (ValueError, RecursionError):
        return None


def _json_calls(text: str, at: int) -> tuple[list[ToolCall], int]:
    """The calls of the JSON objects, or lists of them, that stand one behind the other."""
    calls, end = list[ToolCall](), at
    while (begun := _NEXT.match(text, end)) and len(calls) < _MOST:
        try:
            value, end = _JSON.raw_decode(text, begun.end())
        except (ValueError, RecursionError):
            break
        for one in value if isinstance(value, list) else [value]:
            calls.append(_of(one))
    return calls, end


def _of(value: Any) -> ToolCall:
    """The call that a JSON value is."""
    if isinstance(value, Mapping) and (call := json_call(value)):
        return ToolCall("", *call)
    return _broken(json.dumps(value, ensure_ascii=False))


def json_call(value: Mapping[str, Any]) -> tuple[str, str] | None:
    """Name and arguments of a call that was written as a JSON object, under whatever names; None if it is
    none."""
    function = value.get("function")
    inner = function if isinstance(function, Mapping) else value
    name = inner.get("name") or value.get("tool") or (function if isinstance(function, str) else None)
    if not isinstance(name, str) or not name.strip():
        return None
    given = inner.get("arguments", inner.get("parameters", inner.get("args")))
    if isinstance(given, str):
        return name, given
    return name, json.dumps(given if isinstance(given, Mapping) else {}, ensure_ascii=False)


def _named(name: str, pairs: Mapping[str, str], parameters: Parameters) -> ToolCall:
    """A call whose arguments came as texts: what the tool does not want as text is read as JSON."""
    known = parameters.get(name, {})
    given = {key: _value(value.strip("\n"), known.get(key)) for key, value in pairs.items()}
    return ToolCall("", name, json.dumps(given, ensure_ascii=False))


def _value(text: str, schema: Any) -> Any:
    if '"string"' in json.dumps(schema or {"type": "string"}, default=str):
        return text
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return text


def _python_calls(text: str) -> list[ToolCall]:
    """`[read_file(path='a'), ...]`: literal values only."""
    try:
        tree = python(text.strip())
        calls = tree.elts if isinstance(tree, ast.List) else [tree]
        return [
            ToolCall(
                "",
                ast.unparse(call.func),
                json.dumps({word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg}),
            )
            for call in calls
            if isinstance(call, ast.Call) and not call.args
        ]
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return []


def python(text: str) -> ast.expr:
    """The tree of an expression in Python's words. Raises ValueError where it is too long, and what the
    parser raises."""
    if len(text) > _PYTHON:
        raise ValueError
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of odd escapes in its texts: no business of the person's terminal
        return ast.parse(text, mode="eval").body


def _broken(text: str) -> ToolCall:
    """A call that cannot be read, with the name that it seems to have: the model is told so."""
    name, given = _NAME.search(text), _GIVEN.search(text)
    return ToolCall("", name[1] if name else UNNAMED, text[given.end() :] if given else text or "{}")
