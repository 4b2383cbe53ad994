"""OpenAI's Responses API: a request in chat form becomes one of its own, its events become chat chunks.

So whatever is made of an answer is made in one place, whichever API it came over. Sources: OpenAI's guide
to migrating to Responses and its page on function calling; openai-python, types/responses (the events in
response_stream_event.py, the input in response_input_item_param.py).
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from desktop.providers.host.answer import usage_of
from desktop.providers.host.call import Chunk, Failure
from desktop.providers.host.failures import code_status, kind

type Item = dict[str, Any]

_PLACE = "after"
"""Ours, in a reasoning item: how many calls of the answer came before it. It goes back in that order."""


def request_of(payload: bytes) -> bytes:
    """The body for /responses, of one for /chat/completions whose options are those of Responses."""
    body: dict[str, Any] = json.loads(payload)
    body["input"] = [item for message in body.pop("messages") for item in _items(message)]
    if "tools" in body:
        body["tools"] = [_tool(tool) for tool in body["tools"]]
    choice = body.get("tool_choice")
    if isinstance(choice, dict) and "function" in choice:
        body["tool_choice"] = {"type": "function", "name": choice["function"]["name"]}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def _tool(tool: Mapping[str, Any]) -> Item:
    """A tool is strict here unless it is said not to be, and then a schema that does not fit is refused."""
    function = tool["function"]
    parameters = function.get("parameters") or {"type": "object", "properties": {}}
    return {
        "type": "function",
        **function,
        "parameters": parameters,
        "strict": function.get("strict") is True,
    }


def _items(message: Mapping[str, Any]) -> Iterator[Item]:
    role, content = message["role"], message.get("content")
    if role == "tool":
        yield {"type": "function_call_output", "call_id": message["tool_call_id"], "output": content}
    elif role == "assistant":
        yield from _answer_items(message)
    elif isinstance(content, list):
        yield {"role": role, "content": [_part(part) for part in content]}
    else:
        yield {"role": role, "content": content}


def _part(part: Mapping[str, Any]) -> Item:
    if part["type"] != "image_url":
        return {"type": "input_text", "text": part["text"]}
    image = part["image_url"]
    return {"type": "input_image", "image_url": image["url"], "detail": image.get("detail") or "auto"}


def _answer_items(message: Mapping[str, Any]) -> Iterator[Item]:
    """What was thought goes before what came of it; with nothing after it, it is refused."""
    calls, thoughts = message.get("tool_calls") or [], message.get("reasoning_items") or []
    yield from _thoughts(thoughts, 0)
    if content := message.get("content"):
        yield {"role": "assistant", "content": content}
    for number, call in enumerate(calls):
        if number:
            yield from _thoughts(thoughts, number)
        function = call["function"]
        arguments = function["arguments"]
        yield {
            "type": "function_call",
            "call_id": call["id"],
            "name": function["name"],
            "arguments": arguments,
        }


def _thoughts(items: list[Mapping[str, Any]], place: int) -> Iterator[Item]:
    for item in items:
        if (item.get(_PLACE) or 0) == place:
            kept = {name: value for name, value in item.items() if name != _PLACE}
            yield kept


class Reader:
    """Reads the events of one response. What comes in pieces and then once more whole is told once: servers
    leave out the one or the other, number outputs in ways of their own, or change an output's id."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str, Any]] = set()
        """Texts and thoughts of which something came: text or thought, by id or place, which."""
        self._calls: dict[Any, int] = {}
        """The number of each call, by its own id."""
        self._numbers: dict[tuple[str, Any], int] = {}
        """The same by the id and the place of the output, which is all that its arguments name."""
        self._argued: set[int] = set()
        """The calls whose arguments came."""
        self._items = 0
        """How many outputs came whole."""
        self._part: Any = None
        """The part of a summary that is being told."""

    def chunk(self, event: Mapping[str, Any]) -> Chunk:
        """What an event brings, which may be nothing. Raises Failure for the failure that it tells of, or
        where it has no known form."""
        try:
            return self._read(event)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise Failure("broken_off", f"a piece of the answer has no known form: {error}") from error

    def whole(self, response: Mapping[str, Any]) -> Chunk:
        """A response of a server that does not stream. Raises Failure."""
        return self.chunk({"type": f"response.{response.get('status')}", "response": response})

    def _read(self, event: Mapping[str, Any]) -> Chunk:
        what, _dot, step = str(event.get("type")).removeprefix("response.").rpartition(".")
        match what:
            case "output_text" | "refusal":
                return _chunk(content=self._piece("text", event, step, event.get("content_index")))
            case "reasoning_text" | "reasoning_summary_text":
                part = event.get("summary_index")
                return _chunk(reasoning_content=self._piece("thought", event, step, part))
            case "function_call_arguments":
                return _chunk(tool_calls=self._arguments(event, step))
            case "output_item":
                return _chunk(**self._output(event["item"], event.get("output_index"), step))
            case "":
                return self._state(step, event)
        return {}

    def _state(self, step: str, event: Mapping[str, Any]) -> Chunk:
        match step:
            case "completed" | "incomplete" | "cancelled":
                return self._end(event["response"])
            case "failed":
                response = event["response"]
                raise _failure(response.get("error") or {}, _usage(response.get("usage")))
            case "error":
                flat = {name: value for name, value in event.items() if name != "type"}
                raise _failure(event.get("error") or flat, None)
        return {}

    def _new(self, what: str, id_: Any, place: Any) -> bool:
        """Whether nothing of this output was told before; it counts as told from now on."""
        keys = {(what, "place", place), *([(what, "id", id_)] if id_ else [])}
        new = not keys & self._told
        self._told |= keys
        return new

    def _piece(self, what: str, event: Mapping[str, Any], step: str, part: Any) -> str:
        """A piece of text; of a thought, a blank line before it where it begins another part."""
        new = self._new(what, event.get("item_id"), event.get("output_index"))
        if step != "delta":
            whole = event.get("text") or event.get("refusal")
            return _text(whole) if new and step == "done" else ""
        last, self._part = self._part, (what, event.get("output_index"), part)
        again = what == "thought" and last is not None and last[0] == what and last != self._part
        return ("\n\n" if again else "") + _text(event.get("delta"))

    def _arguments(self, event: Mapping[str, Any], step: str) -> list[Item]:
        keys = (("id", event.get("item_id")), ("place", event.get("output_index")))
        known = [self._numbers[key] for key in keys if key in self._numbers]
        number = known[0] if known else max(len(self._calls) - 1, 0)
        if step == "done" and number in self._argued:
            return []
        self._argued.add(number)
        return [_call(number, _text(event.get("delta" if step == "delta" else "arguments")))]

    def _output(self, item: Mapping[str, Any], place: Any, step: str) -> dict[str, Any]:
        """Of an output what has not come in pieces, as fields of a delta."""
        if item["type"] == "function_call":
            return {"tool_calls": self._function_call(item, place, step)}
        if step != "done":
            return {}
        self._items += 1
        if item["type"] == "reasoning":
            return self._reasoning(item, place)
        if item["type"] != "message" or not self._new("text", item.get("id"), place):
            return {}
        texts = (part.get("text") or part.get("refusal") or "" for part in item["content"])
        return {"content": "".join(texts)}

    def _function_call(self, item: Mapping[str, Any], place: Any, step: str) -> list[Item]:
        id_ = item.get("call_id") or item.get("id")
        key = id_ or ("place", place)
        pieces = []
        if key not in self._calls:
            number = self._calls[key] = len(self._calls)
            self._numbers |= {("id", item.get("id")): number, ("place", place): number}
            pieces.append(_call(number, "", id_, item["name"]))
        number = self._calls[key]
        if step == "done":
            self._items += 1
            if number not in self._argued:
                self._argued.add(number)
                pieces.append(_call(number, _text(item.get("arguments"))))
        return pieces

    def _reasoning(self, item: Mapping[str, Any], place: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self._new("thought", item.get("id"), place):
            parts = item.get("summary") or item.get("content") or []
            found["reasoning_content"] = "\n\n".join(part["text"] for part in parts)
        if item.get("encrypted_content") or item.get("content"):
            kept = {name: item[name] for name in _KEPT if item.get(name)}
            found["thinking_blocks"] = [{"type": "reasoning", **kept, _PLACE: len(self._calls)}]
        return found

    def _end(self, response: Mapping[str, Any]) -> Chunk:
        """Why it ended and what it cost; all that was said, too, where it said nothing on the way."""
        fields: dict[str, Any] = {}
        if not (self._told or self._calls or self._items):
            for place, item in enumerate(response.get("output") or []):
                for name, value in self._output(item, place, "done").items():
                    fields[name] = fields[name] + value if name in fields else value
        why = (response.get("incomplete_details") or {}).get("reason") or response.get("status")
        chunk = _chunk(why or "completed", **fields)
        if usage := _usage(response.get("usage")):
            chunk["usage"] = usage
        return chunk


_KEPT = ("id", "summary", "content", "encrypted_content")
"""What of a reasoning item is sent back."""


def _chunk(why: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": why}]}


def _call(number: int, arguments: str, id_: Any = None, name: str = "") -> Item:
    known = {"id": id_} if id_ else {}
    return {"index": number, **known, "function": {"arguments": arguments, "name": name}}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _usage(usage: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The count of tokens in the words of Chat Completions."""
    if not usage:
        return None
    given, made = usage.get("input_tokens_details") or {}, usage.get("output_tokens_details") or {}
    return {
        "prompt_tokens": usage.get("input_tokens"),
        "completion_tokens": usage.get("output_tokens"),
        "prompt_tokens_details": {
            "cached_tokens": given.get("cached_tokens"),
            "cache_creation_tokens": given.get("cache_write_tokens"),
        },
        "completion_tokens_details": {"reasoning_tokens": made.get("reasoning_tokens")},
        "cost": usage.get("cost"),
    }


def _failure(error: Mapping[str, Any], usage: Mapping[str, Any] | None) -> Failure:
    """What the server says went wrong, by its code: those of types/responses/response_error.py."""
    code = str(error.get("code") or error.get("type") or "")
    words = str(error.get("message") or code or "failed")
    text = f"{words} ({code})" if code and code != words else words
    cost = usage_of(usage) if usage else None
    if "policy" in code:
        return Failure("filtered", text, usage=cost)
    status = code_status(error)
    return Failure(kind(status, text), text, status=status, usage=cost)
