"""A server without a keychain: secrets come as credentials of systemd, and are nowhere else."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.desktop.window import until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, texts
from tests.stories.test_mcp import SOUND

MODEL, HEADER, SKILL, BRAVE = (
    "mk-model-secret-1",
    "Bearer mcp-secret-22",
    "sky-secret-333",
    "brave-secret-4444",
)
CREDENTIALS = {
    "nanobot.providers.openai.api_key": MODEL,
    "nanobot.mcp.notes.header.Authorization": HEADER,
    "nanobot.skill.sky.SKY_KEY": SKILL,
    "nanobot.search.brave.api_key": BRAVE,
}
SKY = "---\nname: sky\ndescription: The weather.\nrequires:\n  env: [SKY_KEY]\n---\n\nRun sky/look.\n"
LOOK = 'echo "key of ${#SKY_KEY} letters: $SKY_KEY"'


def free_port() -> int:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@contextmanager
def notes_server(seen: list[bytes]) -> Iterator[int]:
    """A real MCP server over HTTP, behind a socket that notes what comes."""
    inner, server = free_port(), socket.create_server(("127.0.0.1", 0))
    child = subprocess.Popen([sys.executable, SOUND, "--http", str(inner)], stderr=subprocess.DEVNULL)

    def pump(source: socket.socket, target: socket.socket, kept: list[bytes] | None) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if kept is not None:
                    kept.append(data)
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def accept() -> None:
        with suppress(OSError):
            while True:
                near, _address = server.accept()
                far = socket.create_connection(("127.0.0.1", inner))
                ends.extend((near, far))
                for way in ((near, far, seen), (far, near, None)):
                    threads.append(threading.Thread(target=pump, args=way, daemon=True))
                    threads[-1].start()

    ends: list[socket.socket] = []
    threads = [threading.Thread(target=accept, daemon=True)]

    def is_up() -> bool:
        with suppress(OSError), closing(socket.create_connection(("127.0.0.1", inner), 1)):
            return True
        return False

    try:
        until(is_up, "the MCP server answers")
        threads[0].start()
        yield int(server.getsockname()[1])
    finally:
        child.kill()
        child.wait()
        for end in (server, *ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(60)
        for end in (server, *ends):
            end.close()


@pytest.fixture
def server_program(program: Program, tmp_path: Path) -> Program:
    folder = tmp_path / "credentials"
    folder.mkdir()
    for name, value in CREDENTIALS.items():
        (folder / name).write_text(f"{value}\n")
    program.environment |= {
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
        "XDG_RUNTIME_DIR": "/nowhere",
        "CREDENTIALS_DIRECTORY": str(folder),
    }
    skill = program.home / "workspace" / "skills" / "sky"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(SKY)
    (skill / "look").write_text(LOOK)
    return program


def configure(program: Program, url: str, port: int) -> None:
    program.configure(
        agents={"defaults": {"provider": "openai", "model": "say:Done.", "autoTitles": False}},
        providers={"openai": {"apiBase": url}},
        tools={
            "web": {"search": {"provider": "brave"}},
            "mcpServers": {
                "notes": {
                    "url": f"http://127.0.0.1:{port}/mcp",
                    "headers": {"Authorization": "${keychain}"},
                    "local": True,
                }
            },
        },
    )


def use(*call: Any) -> str:
    return f"use:{json.dumps([list(call)])}"


def environment_and_line(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return f"{process.environ()} {process.cmdline()}"
    return ""


def test_credentials_of_systemd_reach_who_needs_them_and_nobody_else(
    server_program: Program, server: ScriptedServer
) -> None:
    program, seen = server_program, list[bytes]()
    with notes_server(seen) as port:
        configure(program, server.url, port)
        server.script(
            use("read_file", {"path": "skills/sky/SKILL.md"}),
            use("exec", {"command": "sh skills/sky/look; env"}),
            use("exec", {"command": "env"}),
            use("mcp_notes_echo", {"text": "hello"}),
            "say:Done.",
        )
        held = server.hold("hello")
        with program.started("ask", "Look at the sky", "--approve", "all") as process:
            server.wait_for_request(5)
            children = psutil.Process(process.pid).children(recursive=True)
            assert children, "the model host is one"
            for child in children:
                told = environment_and_line(child)
                assert "CREDENTIALS_DIRECTORY" not in told
                assert not any(value in told for value in CREDENTIALS.values()), child.cmdline()
            assert not any(
                value in str(psutil.Process(process.pid).cmdline()) for value in CREDENTIALS.values()
            )
            held.set()
            assert process.stdout
            assert process.stdout.read() == "Done.\n"
    assert server.requests[0].headers["authorization"] == f"Bearer {MODEL}"
    assert HEADER.encode() in b"".join(seen)
    looked, bare = (server.requests[n].body["messages"][-1]["content"] for n in (2, 3))
    assert f"key of {len(SKILL)} letters: [hidden]" in looked
    assert "SKY_KEY" not in bare, "a command that does not need it has no key"
    everything = "".join(str(request.body) for request in server.requests)
    assert not any(value in everything for value in CREDENTIALS.values()), "no model is told"
    for path, data in texts(program.home):
        assert not any(value.encode() in data for value in CREDENTIALS.values()), path


def test_doctor_and_the_unit_name_every_secret_by_the_one_rule(
    server_program: Program, server: ScriptedServer
) -> None:
    program = server_program
    configure(program, server.url, 9)
    found = {line["part"]: line for line in program.events("doctor")}
    assert found["Keychain"]["ok"], "there is none, and none is needed"
    given = found["Secrets for this run"]
    for name in CREDENTIALS:
        assert name.removeprefix("nanobot.") in given["state"]
    assert not any(value in str(found) for value in CREDENTIALS.values())
    (Path(program.environment["CREDENTIALS_DIRECTORY"]) / "nanobot.search.brave.api_key").unlink()
    lacking = {line["part"]: line for line in program.events("doctor")}["Secrets for this run"]["remedy"]
    assert "nanobot.search.brave.api_key  NANOBOT_SEARCH__BRAVE__API_KEY" in lacking
    unit = program.run("serve", "--print-unit").stdout
    for name in set(CREDENTIALS) - {"nanobot.providers.openai.api_key"}:  # whose key nothing says is stored
        assert f"LoadCredentialEncrypted={name}\n" in unit
        assert f"systemd-creds encrypt --name={name} -" in unit
    assert f"NANOBOT_DESKTOP_HOME={program.home}" in unit
    assert "serve" in unit.partition("ExecStart=")[2].splitlines()[0]


def test_without_a_key_the_search_says_so_and_asks_nobody_else(
    server_program: Program, server: ScriptedServer
) -> None:
    program = server_program
    configure(program, server.url, 9)
    (Path(program.environment["CREDENTIALS_DIRECTORY"]) / "nanobot.search.brave.api_key").unlink()
    server.script(use("web_search", {"query": "sky"}), "say:Done.")
    assert program.run("ask", "Search", "--approve", "all").stdout == "Done.\n"
    told = server.requests[-1].body["messages"][-1]["content"]
    assert "keychain" in told or "needs a key" in told
    assert "nanobot.search.brave.api_key" in told
