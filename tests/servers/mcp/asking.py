"""An MCP server over stdio that asks back in the middle of a call, just what it is told to ask.

Its tool `ask` takes `params` of elicitation/create and gives the client's whole answer back as text; with
`times` it asks so often. `--unasked` has it ask before any call.
"""

import json
import sys
from typing import Any

type Json = dict[str, Any]

TOOL = {
    "name": "ask",
    "description": "Asks the person",
    "inputSchema": {
        "type": "object",
        "properties": {"params": {"type": "object"}, "times": {"type": "integer"}},
        "required": ["params"],
    },
}


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def main() -> None:
    waiting: dict[str, tuple[Any, Json, int, list[Any]]] = {}
    for line in sys.stdin:
        message = json.loads(line)
        id_, params = message.get("id"), message.get("params") or {}
        match message.get("method"):
            case "initialize":
                version = params["protocolVersion"]
                info = {"name": "asking", "version": "0"}
                told = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
                send(id=id_, result=told | {"instructions": json.dumps(params["capabilities"])})
            case "notifications/initialized" if "--unasked" in sys.argv:
                now = {"message": "Now?", "requestedSchema": {"type": "object", "properties": {}}}
                send(id="early", method="elicitation/create", params=now)
            case "tools/list":
                send(id=id_, result={"tools": [TOOL]})
            case "tools/call":
                given = params["arguments"]
                waiting[f"q{id_}"] = (id_, given["params"], int(given.get("times", 1)), [])
                send(id=f"q{id_}", method="elicitation/create", params=given["params"])
            case None if id_ in waiting:
                call, again, left, answers = waiting.pop(id_)
                answers.append(message.get("result") or message["error"])
                if left > 1:
                    waiting[id_] = (call, again, left - 1, answers)
                    send(id=id_, method="elicitation/create", params=again)
                else:
                    text = json.dumps(answers[0] if len(answers) == 1 else answers)
                    send(id=call, result={"content": [{"type": "text", "text": text}]})
            case None if id_ == "early":
                sys.stderr.write(f"{json.dumps(message)}\n")
                sys.stderr.flush()
            case str() if id_ is not None:
                send(id=id_, error={"code": -32601, "message": "Method not found"})


main()
