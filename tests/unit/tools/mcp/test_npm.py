"""The reference servers that people start with npx: connected, listed and called, over stdio and HTTP."""

import asyncio
import os
import signal
import socket
from pathlib import Path

import pytest

from desktop.config.mcp import McpServer
from desktop.services.status import ServiceState
from desktop.tools.base import ToolFailure
from tests.servers.node import Node, node
from tests.unit.tools.mcp.conftest import ROOT, Place

pytestmark = pytest.mark.machine


def installed() -> Path:
    """Where tests/run.sh put the servers."""
    return Path((ROOT / ".venv" / ".npm-servers").read_text().strip())


@pytest.fixture
def runtime() -> Node:
    return node()


def script(name: str) -> str:
    return str(
        installed() / "node_modules" / "@modelcontextprotocol" / f"server-{name}" / "dist" / "index.js"
    )


async def test_everything(place: Place, runtime: Node) -> None:
    tools = await place.up(e=McpServer(command=runtime.node, args=(script("everything"), "stdio")))
    assert len(tools) >= 10
    assert (await place.call("mcp_e_echo", message="hello")).text == "Echo: hello"
    found = await place.call("mcp_e_get-tiny-image")
    assert found.images
    assert found.images[0].read_bytes().startswith(b"\x89PNG")
    assert "The sum of 2 and 3 is 5" in (await place.call("mcp_e_get-sum", a=2, b=3)).text


async def test_what_is_offered_besides_tools_is_said_to_be_of_no_use(place: Place, runtime: Node) -> None:
    everything = McpServer(command=runtime.node, args=(script("everything"), "stdio"))
    assert (await place.servers.test("e", everything, {})).unused == ("prompts", "resources")
    assert (await place.servers.test("s", place.sound(), {})).unused == ()


async def test_filesystem(place: Place, runtime: Node) -> None:
    folder = place.folder / "shared"
    folder.mkdir()
    (folder / "a.txt").write_text("what is in it")
    await place.up(
        f=McpServer(command=runtime.node, args=(script("filesystem"), str(folder)), trusted=True)
    )
    assert "what is in it" in (await place.call("mcp_f_read_text_file", path=str(folder / "a.txt"))).text
    assert place.tools["mcp_f_read_text_file"].parallel_safe
    assert place.claim("mcp_f_write_file", path=str(folder / "b.txt"), content="x").always_ask
    with pytest.raises(ToolFailure, match="Access denied"):
        await place.call("mcp_f_read_text_file", path="/etc/passwd")


async def test_memory(place: Place, runtime: Node) -> None:
    file = place.folder / "memory.jsonl"
    await place.up(
        m=McpServer(command=runtime.node, args=(script("memory"),), env={"MEMORY_FILE_PATH": str(file)})
    )
    entity = {"name": "Ada", "entityType": "person", "observations": ["likes numbers"]}
    await place.call("mcp_m_create_entities", entities=[entity])
    assert "likes numbers" in (await place.call("mcp_m_read_graph")).text
    assert "Ada" in file.read_text()


async def test_what_npx_starts_ends_too_and_comes_back_after_a_kill(place: Place, runtime: Node) -> None:
    args = (*runtime.npm[1:], "exec", "--offline", "--prefix", str(installed()), "--", "mcp-server-memory")
    env = {
        "MEMORY_FILE_PATH": str(place.folder / "m"),
        "PATH": f"{Path(runtime.node).parent}:{os.environ['PATH']}",
    }
    await place.up(m=McpServer(command=runtime.npm[0], args=args, env=env))
    await place.call("mcp_m_read_graph")
    below = place.children()
    server = next(p for p in below if "mcp-server-memory" in p.cmdline()[1:2][0] if len(p.cmdline()) > 1)
    assert len(below) > 2, "npx was to start it through others"
    os.kill(server.pid, signal.SIGKILL)
    await place.until(lambda: place.server("m").status.state is not ServiceState.RUNNING)
    await place.call("mcp_m_read_graph")
    await place.servers.stop()
    assert not place.children()


async def test_everything_over_http(place: Place, runtime: Node) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    child = await asyncio.create_subprocess_exec(
        runtime.node,
        script("everything"),
        "streamableHttp",
        env={**os.environ, "PORT": str(port)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert child.stderr
        async with asyncio.timeout(60):
            while b"listening" not in (await child.stderr.readline()).lower():
                pass
        await place.up(e=McpServer(url=f"http://127.0.0.1:{port}/mcp"))
        assert (await place.call("mcp_e_echo", message="far")).text == "Echo: far"
        call = place.begin("mcp_e_trigger-long-running-operation", duration=60, steps=60)
        await asyncio.wait({call}, timeout=0.5)
        child.kill()
        failure = await call
        assert isinstance(failure, ToolFailure)
    finally:
        if child.returncode is None:
            child.kill()
        await child.wait()
