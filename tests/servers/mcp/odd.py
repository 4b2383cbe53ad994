"""MCP servers that misbehave, each in its own way; no SDK would let them. The way is the first argument, a
second one is how many seconds it waits before it begins."""

import json
import os
import sys
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
LISTS = {
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
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "odd", "version": "0"},
            }
        case "tools/list":
            every = LISTS[way]
            begin = int((message.get("params") or {}).get("cursor") or 0)
            more = {"nextCursor": str(begin + 10)} if begin + 10 < len(every) else {}
            return {"tools": every[begin : begin + 10], **more}
        case "tools/call" if way == "loud":
            for _piece in range(100):
                sys.stdout.write("x" * 1_000_000)
            sys.stdout.write("\n")
            sys.stdout.flush()
            return None
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
        elif (result := answer(way, message)) is not None:
            send({"id": message["id"], "result": result})
        if way == "deaf" and message["method"] == "tools/list":
            time.sleep(600)  # reads nothing any more


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
