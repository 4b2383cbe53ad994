"""A sound MCP server over stdio with two tools, for tests of what is around a server: it is there at once,
where one that is made with the SDK loads for a second."""

import json
import sys
from typing import Any

TOOLS = [
    {"name": name, "description": f"About {name}", "inputSchema": {"type": "object", "properties": {}}}
    for name in ("get_current_time", "convert_time")
]


def result(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """What a request is answered with; None for one that is not known here."""
    match method:
        case "initialize":
            info = {"name": "plain", "version": "0"}
            version = params["protocolVersion"]
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            return {"content": [{"type": "text", "text": params["name"]}]}
    return None


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        found = result(message["method"], message.get("params") or {})
        fault = {"code": -32601, "message": "Method not found"}
        answer = {"error": fault} if found is None else {"result": found}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)


main()
