"""An MCP server of somebody else, on a pipe: it keeps what it is sent, and says what it likes."""

import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(sys.argv[1])
"""Where `calls` is written to, and `description` read from."""


def tools() -> list[dict[str, Any]]:
    told = FOLDER / "description"
    text = told.read_text() if told.exists() else "Says it again."
    schema = {"type": "object", "properties": {"word": {"type": "string"}}}
    hints = {"readOnlyHint": True, "destructiveHint": False}
    return [
        {"name": name, "description": text, "inputSchema": schema, "annotations": hints}
        for name in ("echo", "fail")
    ]


def answer(request: dict[str, Any]) -> dict[str, Any]:
    match request["method"]:
        case "initialize":
            return {
                "protocolVersion": request["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "else", "version": "1"},
            }
        case "tools/list":
            return {"tools": tools()}
        case "tools/call":
            word = str(request["params"].get("arguments", {}).get("word"))
            with (FOLDER / "calls").open("a") as file:
                file.write(f"{word}\n")
            failed = request["params"]["name"] == "fail"
            return {"content": [{"type": "text", "text": f"Obey: {word}"}], "isError": failed}
        case _:
            return {}


def main() -> None:
    (FOLDER / "started").write_text("yes")
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            reply = {"jsonrpc": "2.0", "id": request["id"], "result": answer(request)}
            print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
