"""MCP servers that misbehave, each in its own way; no SDK would let them. The way is the first argument, a
second one is how many seconds it waits before it begins."""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

type Json = dict[str, Any]

RECURSIVE: Json = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {
        "tree": {"$ref": "#/$defs/Node"},
        "name": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        "size": {"type": ["integer", "null"]},
        "far": {"$ref": "https://example.org/schema.json"},
    },
    "required": ["tree", "nowhere"],
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {
                "value": {"type": "string", "pattern": "^(a+)+$"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            },
            "required": ["value"],
        }
    },
}
PLAIN: Json = {"type": "object", "properties": {}}
LONG = "x" * 200


def tool(name: str, schema: Json = PLAIN) -> Json:
    return {"name": name, "description": f"About {name[:20]}", "inputSchema": schema}


HUGE: Json = {
    "type": "object",
    "properties": {f"p{n}": {"type": "string", "description": "d" * 100} for n in range(999)},
}
FAULTS: dict[str, Json] = {
    "closed": {"code": -32000, "message": "The disk of the service is full"},
    "timeout": {"code": -32001, "message": "Session not found: 42", "data": {"a": 1}},
    "terminated": {"code": -32600, "message": "Session terminated"},
    "stream": {"code": -32000, "message": "SSE stream of the camera ended"},
    "own": {"code": 7, "message": "Too many requests"},
}
"""Errors of a server by the name of the tool."""
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
JPEG = "_9j_4AAQSkZJRg"


def text(words: str) -> Json:
    return {"type": "text", "text": words}


RESULTS: dict[str, Json] = {
    "jpg": {"content": [{"type": "image", "data": JPEG, "mimeType": "image/jpg"}]},
    "mislabelled": {"content": [{"type": "image", "data": PICTURE, "mimeType": "text/plain"}]},
    "unlabelled": {"content": [{"type": "image", "data": PICTURE}]},
    "address": {"content": [{"type": "image", "data": f"data:image/png;base64,{PICTURE}", "mimeType": ""}]},
    "unpadded": {"content": [{"type": "image", "data": PICTURE.rstrip("="), "mimeType": "image/png"}]},
    "wrapped": {"content": [{"type": "image", "data": f"{PICTURE[:50]}\n{PICTURE[50:]}\n"}]},
    "no-picture": {
        "content": [text("before"), {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}]
    },
    "no-base64": {"content": [{"type": "image", "data": "§§", "mimeType": "image/png"}, text("after")]},
    "unknown": {"content": [text("before"), {"type": "video", "data": "AAAA"}, text("after")]},
    "garbled": {"content": [None, 7, "bare words", {"type": "text", "text": None}, [], text("after")]},
    "no-list": {"content": text("alone")},
    "nothing": {},
    "old": {"toolResult": {"answer": 42}},
    "structured": {"content": [], "structuredContent": [1, 2]},
    "failed": {"content": [text("no room"), {"type": "hologram"}], "isError": True},
    "no-uri": {"content": [{"type": "resource", "resource": {"text": "inner words"}}]},
    "marked": {"content": [text("fine")], "_meta": "no object", "isError": None},
}
"""Results by the name of the tool."""
STRANGE: list[Any] = [
    tool("sound"),
    tool("any-of", {"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}]}),
    tool("no-type", {"properties": {"a": {"type": "string"}}}),
    tool("empty", {}),
    {"name": "null", "inputSchema": None},
    {"name": "true", "inputSchema": True},
    {"name": "missing"},
    {"name": "words", "inputSchema": "an object"},
    {"name": "text-typed", "inputSchema": {"type": "string"}},
    tool("loop", {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}}),
    tool(
        "odd-properties", {"type": "object", "properties": {"a": True, "b": None, "c": 3}, "required": "a"}
    ),
    tool("odd-list", {"type": "object", "properties": ["a", "b"]}),
    tool("enum", {"type": "object", "properties": {"a": {"enum": [f"v{n}" for n in range(30_000)]}}}),
    {**tool("output"), "outputSchema": {"$ref": "nowhere"}, "icons": 5, "annotations": [], "_meta": 3},
    {**tool("half"), "description": "half a character: \ud83d"},
    {**tool("description"), "description": {"en": "words"}, "title": ["a"]},
    {"description": "without a name", "inputSchema": PLAIN},
    {"name": 7, "inputSchema": PLAIN},
    "a name",
    None,
]
LISTS: dict[str, list[Any]] = {
    "sound": [tool("echo")],
    "names": [
        tool("a.b"),
        tool("a b"),
        tool("twice"),
        tool("twice"),
        tool(LONG),
        tool(LONG + "y"),
        tool("搜索"),
    ],
    "schemas": [tool("recursive", RECURSIVE), tool("huge", HUGE)],
    "loud": [tool("shout")],
    "pages": [tool(f"t{n}") for n in range(25)],
    "deaf": [tool("anything")],
    "faults": [tool(name) for name in FAULTS],
    "results": [tool(name) for name in RESULTS],
    "strange": STRANGE,
    "still": [tool("one")],
    "later": [tool("add")],
    "noisy": [tool("echo")],
}


def send(message: Json) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(way: str, message: Json) -> Json | None:
    """The result of a request; None for one that is never answered."""
    match message["method"]:
        case "initialize":
            return {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "odd", "version": "0"},
            }
        case "tools/list" if way == "still":
            return {"tools": LISTS[way], "nextCursor": "again"}
        case "tools/list":
            every = LISTS[way]
            if way == "noisy":
                threading.Thread(target=shout, daemon=True).start()
            begin = int((message.get("params") or {}).get("cursor") or 0)
            more = {"nextCursor": str(begin + 10)} if begin + 10 < len(every) else {}
            return {"tools": every[begin : begin + 10], **more}
        case "tools/call" if way == "loud":
            for _piece in range(100):
                sys.stdout.write("x" * 1_000_000)
            sys.stdout.write("\n")
            sys.stdout.flush()
            return None
        case "tools/call" if way == "results":
            return RESULTS[message["params"]["name"]]
        case "tools/call" if way == "later":
            LISTS[way].append({"name": 9})
            LISTS[way].append(tool("new"))
            send({"method": "notifications/tools/list_changed"})
            return {"content": []}
        case "tools/call":
            return {"content": [{"type": "text", "text": json.dumps(message["params"].get("arguments"))}]}
    return {}


def serve(way: str) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        if message["method"] == "server/discover":
            send({"id": message["id"], "error": {"code": -32601, "message": "Method not found"}})
        elif message["method"] == "tools/call" and way == "faults":
            send({"id": message["id"], "error": FAULTS[message["params"]["name"]]})
        elif (result := answer(way, message)) is not None:
            send({"id": message["id"], "result": result})
        if way == "deaf" and message["method"] == "tools/list":
            time.sleep(600)  # reads nothing any more


def shout() -> None:
    """Print to stderr as fast as it is taken."""
    while True:
        os.write(2, b"a warning that nobody needs to read again\n" * 1500)


def garbage() -> None:
    print("Welcome to my server! Listening...", flush=True)
    sys.stdin.read()


def exits() -> None:
    sys.stderr.write("Error: API_KEY=hunter2hunter2 is not valid\n")
    sys.exit(3)


def silent() -> None:
    sys.stdin.read()


def stubborn() -> None:
    import signal

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(600)


def flood() -> None:
    while True:
        os.write(1, b"nothing of use\n" * 4096)


def endless() -> None:
    while True:
        os.write(1, b"x" * 65536)


WAYS: dict[str, Callable[[], None]] = {
    "garbage": garbage,
    "exits": exits,
    "silent": silent,
    "stubborn": stubborn,
    "flood": flood,
    "endless": endless,
}

if __name__ == "__main__":
    time.sleep(float(sys.argv[2]) if len(sys.argv) > 2 else 0)
    WAYS.get(sys.argv[1], lambda: serve(sys.argv[1]))()
