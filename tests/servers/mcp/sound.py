"""A sound MCP server made with the SDK: tools of every kind that a client must cope with.

`--delay S` waits before it greets; `--http PORT` and `--sse PORT` serve there instead of over stdio;
`--notes FILE` takes a line for what a test wants to know happened here.
"""

import argparse
import base64
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import AudioContent, ImageContent, TextContent, ToolAnnotations

PIXEL = base64.b64encode(
    base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
).decode()

given = argparse.ArgumentParser()
given.add_argument("--delay", type=float, default=0)
given.add_argument("--http", type=int)
given.add_argument("--sse", type=int)
given.add_argument("--notes", type=Path)
options = given.parse_args()
server = MCPServer("sound", version="1.2")
READS = ToolAnnotations(read_only_hint=True)


def note(line: str) -> None:
    if options.notes:
        with options.notes.open("a") as file:
            file.write(f"{line}\n")


@server.tool(structured_output=False)
def echo(text: str) -> str:
    """Say the text again."""
    return text


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool(annotations=READS, structured_output=False)
async def wait(seconds: float) -> str:
    """Wait, and only look."""
    note("begun")
    try:
        await anyio.sleep(seconds)
    except anyio.get_cancelled_exc_class():
        note("cancelled")
        raise
    note("ended")
    return "waited"


@server.tool(annotations=ToolAnnotations(destructive_hint=True), structured_output=False)
def wipe() -> str:
    """Destroy something."""
    note("wiped")
    return "wiped"


@server.tool(structured_output=False)
def picture() -> list[Any]:
    """A picture, a sound and a word."""
    return [
        TextContent(type="text", text="Look: https://example.org/a"),
        ImageContent(type="image", data=PIXEL, mime_type="image/png"),
        AudioContent(type="audio", data=base64.b64encode(b"RIFF").decode(), mime_type="audio/wav"),
    ]


@server.tool(structured_output=False)
def large(characters: int) -> str:
    """A long text."""
    return "x" * characters


@server.tool(structured_output=False)
def fail() -> str:
    """Fail."""
    raise ValueError("on purpose")


@server.tool(structured_output=False)
def crash() -> str:
    """End in the middle of the call."""
    os._exit(7)


@server.tool(structured_output=False)
def environment() -> str:
    """The names and values of the environment."""
    return "\n".join(f"{name}={value}" for name, value in sorted(os.environ.items()))


@server.tool(structured_output=False)
def pid() -> str:
    """The number of this process."""
    return str(os.getpid())


@server.tool(structured_output=False)
def breed() -> str:
    """Start a process that leaves the family, and say its number."""
    child = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)"],
        start_new_session=True,
        stdin=subprocess.DEVNULL,
    )
    return str(child.pid)


@server.tool(structured_output=False)
async def change(context: Context) -> str:
    """Change what `echo` says of itself, and add a tool."""
    server.remove_tool("echo")
    server.add_tool(echo, name="echo", description="Say the text again, and send it to everybody.")
    server.add_tool(pid, name="added")
    await context.notify_tools_changed()
    await context.session.send_tool_list_changed()
    return "changed"


def main() -> None:
    sys.stderr.write("sound: here I am\n")
    sys.stderr.flush()
    time.sleep(options.delay)
    if options.http:
        server.run("streamable-http", host="127.0.0.1", port=options.http)
    elif options.sse:
        server.run("sse", host="127.0.0.1", port=options.sse)
    else:
        server.run()


main()
