"""What the scripted model server can answer, by name: the good, the broken and the absurd.

A name is a word with optional parameters after colons ("say:hello", "status:429:2"). Tests queue
names; a program under test chooses one by the model it asks for.
"""

import asyncio
import json
import struct
import zlib
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

from tests.servers import responses

type Body = dict[str, Any]
type Answer = Callable[["Connection", Body, list[str]], Awaitable[None]]


class Connection(Protocol):
    """The side of one HTTP exchange that an answer writes to."""

    async def head(self, status: int, headers: dict[str, str], *, chunked: bool = False) -> None:
        """Send the status line and the headers."""

    async def data(self, payload: bytes) -> None:
        """Send one HTTP chunk."""

    async def end(self) -> None:
        """Send the last chunk."""

    def cut(self) -> None:
        """Break the connection off without an end."""


def piece(text: str = "", **delta: Any) -> Body:
    """One chunk of a streamed chat completion."""
    content = {"content": text} if text else {}
    return _chunk([{"index": 0, "delta": {**content, **delta}, "finish_reason": None}])


def finish(reason: str = "stop") -> Body:
    """The chunk that tells why the answer ended."""
    return _chunk([{"index": 0, "delta": {}, "finish_reason": reason}])


def usage(output: int, given: int = 100) -> Body:
    """The last chunk, which has no choices but the count of tokens."""
    tokens = {
        "prompt_tokens": given,
        "completion_tokens": output,
        "total_tokens": given + output,
        "prompt_tokens_details": {"cached_tokens": 40},
        "completion_tokens_details": {"reasoning_tokens": 7},
    }
    return {**_chunk([]), "usage": tokens}


def _chunk(choices: list[Body]) -> Body:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "scripted",
        "choices": choices,
    }


def sse(chunk: Body) -> bytes:
    """A chunk as one server-sent event."""
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"


async def _stream(to: Connection, body: Body, chunks: Iterable[Body], delay: float = 0.0) -> None:
    await to.head(200, {"Content-Type": "text/event-stream; charset=utf-8"}, chunked=True)
    if "input" in body:
        for number, event in enumerate(responses.events(chunks, usage(5)["usage"])):
            if delay:
                await asyncio.sleep(delay)
            await to.data(f"event: {event['type']}\n".encode() + sse({**event, "sequence_number": number}))
        return await to.end()
    count = 0
    for chunk in chunks:
        if delay:
            await asyncio.sleep(delay)
        await to.data(sse(chunk))
        count += 1
    if (body.get("stream_options") or {}).get("include_usage"):
        await to.data(sse(usage(count, body.get("_counted", 100))))
    await to.data(b"data: [DONE]\n\n")
    await to.end()
    return None


async def _say(to: Connection, body: Body, text: str, delay: float = 0.0) -> None:
    words = text.split(" ")
    texts = [word if last else f"{word} " for last, word in _marked(words)]
    await _stream(to, body, [*map(piece, texts), finish()], delay)


def _marked(words: list[str]) -> Iterable[tuple[bool, str]]:
    return ((number == len(words) - 1, word) for number, word in enumerate(words))


async def _json(to: Connection, status: int, value: Any, **headers: str) -> None:
    payload = json.dumps(value).encode()
    extra = {name.replace("_", "-"): content for name, content in headers.items()}
    await to.head(
        status, {"Content-Type": "application/json", "Content-Length": str(len(payload)), **extra}
    )
    await to.data(payload)


async def say(to: Connection, body: Body, rest: list[str]) -> None:
    """The text, word by word."""
    await _say(to, body, ":".join(rest) or "Hello there.")


async def echo(to: Connection, body: Body, rest: list[str]) -> None:
    """What the person wrote last."""
    messages = body.get("messages") or body.get("input") or []
    users = [message for message in messages if message.get("role") == "user"]
    content = users[-1]["content"] if users else ""
    if isinstance(content, list):
        content = " ".join(part.get("text", "") for part in content)
    await _say(to, body, content)


async def slow(to: Connection, body: Body, rest: list[str]) -> None:
    """Fifty words, one each 0.2 s or as told."""
    await _say(to, body, "word " * 50, float(rest[0]) if rest else 0.2)


async def late(to: Connection, body: Body, rest: list[str]) -> None:
    """The text, word by word, after so many seconds of silence."""
    await asyncio.sleep(float(rest[0]))
    await _say(to, body, ":".join(rest[1:]) or "Late, but here.")


async def gate(to: Connection, body: Body, rest: list[str]) -> None:
    """Three words, and three more once there is a file of the name given."""
    await to.head(200, {"Content-Type": "text/event-stream"}, chunked=True)
    await to.data(sse(piece("before the gate ")))
    while not Path(":".join(rest)).exists():
        await asyncio.sleep(0.02)
    await to.data(sse(piece("behind the gate")) + sse(finish()) + b"data: [DONE]\n\n")
    await to.end()


async def words(to: Connection, body: Body, rest: list[str]) -> None:
    """The same chunk again and again."""
    await _stream(to, body, [*(piece("again ") for _ in range(int(rest[0]))), finish()])


async def status(to: Connection, body: Body, rest: list[str]) -> None:
    """An HTTP error; the second parameter is sent as Retry-After."""
    code = int(rest[0])
    sent = {"Retry_After": ":".join(rest[1:])} if rest[1:] else {}
    await _json(
        to, code, {"error": {"message": f"scripted {code}", "type": "scripted", "code": None}}, **sent
    )


async def quota(to: Connection, body: Body, rest: list[str]) -> None:
    """No money left, told as 429."""
    words = "You exceeded your current quota, please check your plan and billing details."
    error = {"message": words, "type": "insufficient_quota", "code": "insufficient_quota"}
    await _json(to, int(rest[0]) if rest else 429, {"error": error})


async def overflow(to: Connection, body: Body, rest: list[str]) -> None:
    """More tokens than the model can read."""
    words = "This model's maximum context length is 8192 tokens. However, you asked for 9000 tokens."
    error = {"message": words, "type": "invalid_request_error", "code": "context_length_exceeded"}
    await _json(to, 400, {"error": error})


async def leak(to: Connection, body: Body, rest: list[str]) -> None:
    """A server that repeats the caller's key in its complaint."""
    await _json(to, 401, {"error": {"message": f"wrong key {':'.join(rest)} given " + "x" * 1000}})


async def refuse(to: Connection, body: Body, rest: list[str]) -> None:
    """A 400 with this JSON, or with another status before it."""
    status = int(rest.pop(0)) if rest[0].isdecimal() else 400
    await _json(to, status, json.loads(":".join(rest)))


async def family(to: Connection, body: Body, rest: list[str]) -> None:
    """Thoughts, then a call or words, in the form of a family: see families.plan."""
    told = json.loads(":".join(rest))
    if told["form"] == "anthropic":
        await _events(to, _claude(told))
    elif told["form"] == "gemini":
        await to.head(200, {"Content-Type": "text/event-stream"}, chunked=True)
        await to.data(sse(_gemini(told)))
        await to.end()
    else:
        await _stream(to, body, _thoughts(told["form"], told["thought"]) + _then(told))


def _thoughts(form: str, thought: str) -> list[Body]:
    if not thought or not form:
        return []
    if form == "chunks":  # Mistral
        inner = [{"type": "text", "text": thought}]
        return [piece(content=[{"type": "thinking", "thinking": inner}])]
    if form in ("details", "minimax"):
        kind = {"type": "reasoning.text", "index": 0, "format": f"{form}-v1"}
        halves = [thought[:6], thought if form == "minimax" else thought[6:]]  # MiniMax repeats itself
        pieces = [piece(reasoning_details=[{**kind, "text": half}]) for half in halves]
        return [*pieces, piece(reasoning_details=[{**kind, "text": None, "signature": "c2lnbmVk"}])]
    return [piece(**{form: thought})]


def _then(told: Body) -> list[Body]:
    if not (call := told["call"]):
        return [piece(told["text"]), finish()]
    function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
    one = {"index": 0, "id": call["id"], "type": "function", "function": function}
    return [piece(tool_calls=[one]), finish("tool_calls")]


def _claude(told: Body) -> list[Body]:
    usual = {"input_tokens": 10, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 30}
    usage = told.get("usage", usual)
    events: list[Body] = [
        {"type": "message_start", "message": {"id": "m", "role": "assistant", "usage": usage}}
    ]
    if told["thought"]:
        events += [
            _begin(0, {"type": "thinking", "thinking": "", "signature": ""}),
            _more(0, {"type": "thinking_delta", "thinking": told["thought"]}),
            _more(0, {"type": "signature_delta", "signature": "c2lnbmVk"}),
            {"type": "content_block_stop", "index": 0},
        ]
    if call := told["call"]:
        tool = {"type": "tool_use", "id": call["id"], "name": call["name"], "input": {}}
        said = {"type": "input_json_delta", "partial_json": json.dumps(call["arguments"])}
        events += [_begin(1, tool), _more(1, said)]
    else:
        said = {"type": "text_delta", "text": told["text"]}
        events += [_begin(1, {"type": "text", "text": ""}), _more(1, said)]
    why = "tool_use" if call else "end_turn"
    return [
        *events,
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": why}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


def _gemini(told: Body) -> Body:
    parts: list[Body] = [{"text": told["thought"], "thought": True}] if told["thought"] else []
    if call := told["call"]:
        function = {"name": call["name"], "args": call["arguments"]}
        parts.append({"functionCall": function, "thoughtSignature": "c2lnbmVk"})
    else:
        parts.append({"text": told["text"]})
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 5, "cachedContentTokenCount": 40}
    usage |= {"thoughtsTokenCount": 7 if told["thought"] else 0, "totalTokenCount": 112}
    candidate = {"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage}


async def _events(to: Connection, events: Iterable[Body]) -> None:
    """Events as Anthropic sends them."""
    await to.head(200, {"Content-Type": "text/event-stream"}, chunked=True)
    for event in events:
        await to.data(b"event: " + event["type"].encode() + b"\n" + sse(event))
    await to.end()


async def silence(to: Connection, body: Body, rest: list[str]) -> None:
    """Nothing, ever."""
    await asyncio.Event().wait()


async def stall(to: Connection, body: Body, rest: list[str]) -> None:
    """Two words, then nothing."""
    await to.head(200, {"Content-Type": "text/event-stream"}, chunked=True)
    await to.data(sse(piece("two ")) + sse(piece("words ")))
    await asyncio.Event().wait()


async def drip(to: Connection, body: Body, rest: list[str]) -> None:
    """Signs of life for ever, and never an answer."""
    await to.head(200, {"Content-Type": "text/event-stream"}, chunked=True)
    while True:
        await to.data(b": still here\n\n")
        await asyncio.sleep(0.1)


async def comments(to: Connection, body: Body, rest: list[str]) -> None:
    """Keep-alive comments for a while, then the answer."""
    await to.head(200, {"Content-Type": "text/event-stream"}, chunked=True)
    for _ in range(8):
        await to.data(b": OPENROUTER PROCESSING\n\n")
        await asyncio.sleep(0.1)
    await to.data(sse(piece("patience")) + sse(finish()) + b"data: [DONE]\n\n")
    await to.end()


async def cut(to: Connection, body: Body, rest: list[str]) -> None:
    """Two words, then the connection breaks; "cut:close" has no chunked coding that would tell."""
    await to.head(200, {"Content-Type": "text/event-stream"}, chunked=rest != ["close"])
    await to.data(sse(piece("half ")) + sse(piece("an ")))
    to.cut()


async def drop(to: Connection, body: Body, rest: list[str]) -> None:
    """The connection breaks before any answer."""
    to.cut()


async def huge(to: Connection, body: Body, rest: list[str]) -> None:
    """An answer of so many megabytes."""
    block = "x" * 50_000
    await _stream(to, body, [*(piece(block) for _ in range(int(rest[0]) * 20)), finish()])


async def longline(to: Connection, body: Body, rest: list[str]) -> None:
    """One line of so many megabytes that never ends."""
    await to.head(200, {"Content-Type": "text/event-stream"}, chunked=True)
    await to.data(b"data: ")
    for _ in range(int(rest[0]) * 16):
        await to.data(b"x" * 65_536)
    await asyncio.Event().wait()


async def chunks64k(to: Connection, body: Body, rest: list[str]) -> None:
    """Events that straddle network chunks of 64 kB."""
    events = b"".join(sse(piece("é" * 50_000)) for _ in range(10)) + sse(finish()) + b"data: [DONE]\n\n"
    await to.head(200, {"Content-Type": "text/event-stream"}, chunked=True)
    for start in range(0, len(events), 65_536):
        await to.data(events[start : start + 65_536])
    await to.end()


async def badutf8(to: Connection, body: Body, rest: list[str]) -> None:
    """Bytes that are no UTF-8, and a good letter cut in two by the network."""
    whole = sse(piece("caf\xe9 ")).replace(b"\xc3\xa9", b"\xe9") + sse(piece("中")) + sse(finish())
    middle = whole.index("中".encode()) + 1
    await to.head(200, {"Content-Type": "text/event-stream"}, chunked=True)
    await to.data(whole[:middle])
    await asyncio.sleep(0.05)
    await to.data(whole[middle:] + b"data: [DONE]\n\n")
    await to.end()


async def reasoning(to: Connection, body: Body, rest: list[str]) -> None:
    """Thoughts, under the name the parameter gives, before the answer."""
    name = rest[0] if rest else "reasoning_content"
    await _stream(to, body, [piece(**{name: "think "}), piece(**{name: "hard"}), piece("42"), finish()])


async def tools(to: Connection, body: Body, rest: list[str]) -> None:
    """Two calls whose arguments come in pieces, mixed."""

    def call(index: int, arguments: str, name: str = "") -> Body:
        first = {"id": f"call_{index}", "type": "function"} if name else {}
        function = {"arguments": arguments, **({"name": name} if name else {})}
        return piece(tool_calls=[{"index": index, **first, "function": function}])

    parts = [call(0, "", "get_weather"), call(0, '{"city": '), call(1, "", "get_time")]
    parts += [call(1, '{"zone": "UTC"}'), call(0, '"Paris"}')]
    await _stream(to, body, [piece("Looking. "), *parts, finish("tool_calls")])


async def use(to: Connection, body: Body, rest: list[str]) -> None:
    """Calls of tools: a JSON list of [name, arguments], arguments as an object or as the text itself."""
    calls = []
    for index, (name, given) in enumerate(json.loads(":".join(rest))):
        arguments = given if isinstance(given, str) else json.dumps(given)
        function = {"name": name, "arguments": arguments}
        calls.append({"index": index, "id": f"call_{index}", "type": "function", "function": function})
    await _stream(to, body, [piece(tool_calls=[call]) for call in calls] + [finish("tool_calls")])


async def calls(to: Connection, body: Body, rest: list[str]) -> None:
    """Calls of tools as `use` has them, and a word once these have brought something."""
    last = (body.get("messages") or body.get("input") or [{}])[-1]
    found = last.get("role") == "tool" or last.get("type") == "function_call_output"
    await (say(to, body, ["Done."]) if found else use(to, body, rest))


async def error(to: Connection, body: Body, rest: list[str]) -> None:
    """An error object inside a stream that began well."""
    code: int | str = int(rest[0]) if rest else "server_error"
    await to.head(200, {"Content-Type": "text/event-stream"}, chunked=True)
    await to.data(sse(piece("so far ")))
    await to.data(sse({"error": {"message": "scripted trouble", "code": code}}))
    await to.end()


async def plain(to: Connection, body: Body, rest: list[str]) -> None:
    """A server that does not stream."""
    message = {"role": "assistant", "content": "all at once"}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    await _json(to, 200, {**_chunk(choices), "object": "chat.completion", "usage": usage(3)["usage"]})


async def message(to: Connection, body: Body, rest: list[str]) -> None:
    """A stream that puts the content in `message`, and ends without a [DONE]."""
    chunk = _chunk(
        [{"index": 0, "message": {"role": "assistant", "content": "odd"}, "finish_reason": "stop"}]
    )
    await to.head(200, {"Content-Type": "text/event-stream"}, chunked=True)
    await to.data(sse(chunk))
    await to.end()


async def html(to: Connection, body: Body, rest: list[str]) -> None:
    """A page where an answer should be."""
    page = b"<html><body>Please sign in to the network</body></html>"
    await to.head(200, {"Content-Type": "text/html", "Content-Length": str(len(page))})
    await to.data(page)


async def moved(to: Connection, body: Body, rest: list[str]) -> None:
    """Sent on, with this status, to the address that follows."""
    await to.head(int(rest[0]), {"Location": ":".join(rest[1:]), "Content-Length": "0"})


async def notjson(to: Connection, body: Body, rest: list[str]) -> None:
    """A stream whose data is not JSON."""
    await to.head(200, {"Content-Type": "text/event-stream"}, chunked=True)
    await to.data(b"data: {broken\n\n")
    await to.end()


async def anthropic(to: Connection, body: Body, rest: list[str]) -> None:
    """A thought with its signature, text and a tool call, in Anthropic's own form."""
    tool = {"type": "tool_use", "id": "toolu_1", "name": "get_time", "input": {}}
    events: list[Body] = [
        {
            "type": "message_start",
            "message": {"id": "m", "role": "assistant", "usage": {"input_tokens": 10}},
        },
        _begin(0, {"type": "thinking", "thinking": "", "signature": ""}),
        _more(0, {"type": "thinking_delta", "thinking": "let me "}),
        _more(0, {"type": "thinking_delta", "thinking": "see"}),
        _more(0, {"type": "signature_delta", "signature": "c2lnbmVk"}),
        {"type": "content_block_stop", "index": 0},
        _begin(1, {"type": "text", "text": ""}),
        _more(1, {"type": "text_delta", "text": "Looking."}),
        {"type": "content_block_stop", "index": 1},
        _begin(2, tool),
        _more(2, {"type": "input_json_delta", "partial_json": '{"zone": "UTC"}'}),
        {"type": "content_block_stop", "index": 2},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]
    await _events(to, events)


def _begin(index: int, block: Body) -> Body:
    return {"type": "content_block_start", "index": index, "content_block": block}


def _more(index: int, delta: Body) -> Body:
    return {"type": "content_block_delta", "index": index, "delta": delta}


async def bedrock(to: Connection, body: Body, rest: list[str]) -> None:
    """A signed thought, text and a call, as Bedrock's ConverseStream tells them, in frames of AWS's event
    stream: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html"""
    usage = {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15}
    why = rest[0] if rest else "tool_use"
    tool = {"toolUse": {"toolUseId": "tooluse_1", "name": "get_time"}}
    rows: list[tuple[str, Body]] = [
        ("messageStart", {"role": "assistant"}),
        _block(0, {"reasoningContent": {"text": "let me see"}}),
        _block(0, {"reasoningContent": {"signature": "c2lnbmVk"}}),
        ("contentBlockStop", {"contentBlockIndex": 0}),
        _block(1, {"text": "Looking."}),
        ("contentBlockStop", {"contentBlockIndex": 1}),
        ("contentBlockStart", {"contentBlockIndex": 2, "start": tool}),
        _block(2, {"toolUse": {"input": '{"zone": "UTC"}'}}),
        ("contentBlockStop", {"contentBlockIndex": 2}),
        ("messageStop", {"stopReason": why}),
        ("metadata", {"usage": usage, "metrics": {"latencyMs": 40}}),
    ]
    await to.head(200, {"Content-Type": "application/vnd.amazon.eventstream"}, chunked=True)
    for kind, row in rows:
        await to.data(_frame(kind, json.dumps(row).encode()))
    await to.end()


def _block(index: int, delta: Body) -> tuple[str, Body]:
    return "contentBlockDelta", {"contentBlockIndex": index, "delta": delta}


def _frame(kind: str, payload: bytes) -> bytes:
    """Lengths and their checksum, headers of text, the payload, and a checksum of it all."""
    pairs = {":message-type": "event", ":event-type": kind, ":content-type": "application/json"}
    headers = b"".join(
        struct.pack(">B", len(name)) + name.encode() + struct.pack(">BH", 7, len(value)) + value.encode()
        for name, value in pairs.items()
    )
    head = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    whole = head + struct.pack(">I", zlib.crc32(head)) + headers + payload
    return whole + struct.pack(">I", zlib.crc32(whole))


async def events(to: Connection, body: Body, rest: list[str]) -> None:
    """These events, a JSON list."""
    await _events(to, json.loads(":".join(rest)))


async def raw(to: Connection, body: Body, rest: list[str]) -> None:
    """The bytes of a file as a stream of events, then the connection ends properly."""
    await to.head(200, {"Content-Type": "text/event-stream"}, chunked=True)
    await to.data(await asyncio.to_thread(Path(":".join(rest)).read_bytes))
    await to.end()


async def overloaded(to: Connection, body: Body, rest: list[str]) -> None:
    """Too much work, as Anthropic says it."""
    error = {"type": "overloaded_error", "message": "Overloaded"}
    await _json(to, 529, {"type": "error", "error": error})


_ALL: tuple[Answer, ...] = (
    say,
    echo,
    slow,
    late,
    gate,
    words,
    status,
    quota,
    overflow,
    leak,
    refuse,
    family,
    silence,
    stall,
    drip,
    comments,
    cut,
    drop,
    huge,
    longline,
    chunks64k,
    badutf8,
    reasoning,
    tools,
    use,
    calls,
    error,
    plain,
    message,
    html,
    moved,
    notjson,
    anthropic,
    overloaded,
    bedrock,
    events,
    raw,
)
ANSWERS = {answer.__name__: answer for answer in _ALL}
