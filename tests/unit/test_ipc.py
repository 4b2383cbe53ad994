"""Ownership of a home: one owner, a token for everyone else, requests that end with their client."""

import asyncio
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from desktop.errors import AppError, KeychainError, StorageError, UsageError
from desktop.ipc.connection import Handler, NoOwnerError, Server, call
from desktop.ipc.ownership import Ownership
from desktop.paths import Home
from desktop.tasks import in_thread

ROOT = sys.platform != "win32" and os.geteuid() == 0
unix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has a port and a token")


def published(home: Home) -> Path:
    return Path(json.loads(home.ipc.read_text())["socket"])


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home", tmp_path / "models")


@asynccontextmanager
async def owner(home: Home, handler: Handler) -> AsyncIterator[Server]:
    home.root.mkdir(exist_ok=True)
    server = Server(home, handler)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


async def first(lines: AsyncGenerator[dict[str, Any]]) -> dict[str, Any]:
    return await anext(lines)


async def echo(verb: str, arguments: dict[str, Any], send: Any) -> dict[str, Any]:
    send({"event": "working"})
    return {"verb": verb, **arguments}


def test_a_home_has_one_owner_until_it_is_released(home: Home) -> None:
    first = Ownership.take(home)
    assert first is not None
    assert Ownership.take(home) is None
    first.release()
    second = Ownership.take(home)
    assert second is not None
    second.release()


def test_the_death_of_an_owner_frees_the_home(home: Home) -> None:
    script = (
        "import sys, pathlib; from desktop.ipc.ownership import Ownership; from desktop.paths import Home;"
        "o = Ownership.take(Home(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[1])));"
        "print('owned', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(home.root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"owned\n"
        assert Ownership.take(home) is None
        child.kill()
    taken = Ownership.take(home)
    assert taken is not None
    taken.release()


async def test_a_client_gets_events_and_the_result(home: Home) -> None:
    async with owner(home, echo):
        lines = [line async for line in call(home, "greet", {"name": "Ada"})]
    assert lines == [{"event": "working"}, {"result": {"verb": "greet", "name": "Ada"}}]


async def test_a_failure_reaches_the_client_as_a_sentence_and_a_remedy(home: Home) -> None:
    async def fail(_verb: str, _arguments: dict[str, Any], _send: Any) -> dict[str, Any]:
        raise AppError("It broke.", "Mend it.")

    async with owner(home, fail):
        with pytest.raises(AppError) as caught:
            [line async for line in call(home, "x", {})]
    assert (caught.value.text, caught.value.remedy) == ("It broke.", "Mend it.")


@pytest.mark.expected_log("request x failed")
async def test_a_fault_of_the_program_is_told_without_its_details(home: Home) -> None:
    async def fail(_verb: str, _arguments: dict[str, Any], _send: Any) -> dict[str, Any]:
        raise KeyError("private")

    async with owner(home, fail):
        with pytest.raises(AppError) as caught:
            [line async for line in call(home, "x", {})]
    assert "private" not in str(caught.value)


async def test_nobody_to_ask(home: Home) -> None:
    with pytest.raises(NoOwnerError):
        [line async for line in call(home, "x", {})]


async def test_the_address_is_private_and_goes_with_the_owner(home: Home) -> None:
    async with owner(home, echo):
        assert stat.S_IMODE(home.ipc.stat().st_mode) == 0o600
    assert not home.ipc.exists()


@unix
async def test_the_socket_is_in_a_folder_of_this_account_alone(home: Home) -> None:
    async with owner(home, echo):
        place = published(home)
        assert place.is_socket()
        assert place.is_relative_to(home.root)
        assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
        assert "token" not in json.loads(home.ipc.read_text())
    assert not place.exists()


@unix
@pytest.mark.machine
@pytest.mark.skipif(
    hasattr(os, "geteuid") and os.geteuid() != 0, reason="becoming another account takes root"
)
async def test_another_account_cannot_connect_even_where_the_folder_is_open(home: Home) -> None:
    asked = asyncio.Event()

    async def listen(_verb: str, _arguments: dict[str, Any], _send: Any) -> dict[str, Any]:
        asked.set()
        return {}

    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        home = Home(Path(folder) / "home", Path(folder))
        async with owner(home, listen):
            place = published(home)
            assert "PermissionError" in await as_nobody(place)
            for part in (place, place.parent, home.root):
                part.chmod(0o777)
            assert re.search("b''|reset by peer|Broken pipe", await as_nobody(place))
            assert not asked.is_set()
            assert await first(call(home, "x", {})) == {"result": {}}


async def as_nobody(place: Path) -> str:
    """What another account gets at a socket."""
    code = (
        "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
        """s.sendall(b'{"verb": "x", "arguments": {}}\\n'); print(s.recv(100))"""
    )
    child = await asyncio.create_subprocess_exec(
        *("setpriv", "--reuid", "65534", "--clear-groups", "/usr/bin/python3", "-c", code, str(place)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return (await child.communicate())[0].decode()


@unix
@pytest.mark.machine
@pytest.mark.skipif(not ROOT, reason="becoming another account takes root")
async def test_an_owner_of_another_account_is_not_talked_to(home: Home) -> None:
    """A socket of somebody else in the place of the owner's is nobody to ask."""
    home.root.mkdir()
    code = (
        "import socket, sys, os; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen();"
        "os.setresuid(65534, 65534, 65534); print('ready', flush=True); s.accept()[0].recv(100)"
    )
    place = home.root / "other"
    child = await asyncio.create_subprocess_exec(
        *("/usr/bin/setpriv", "--reuid", "65534", "--clear-groups", "--inh-caps=+dac_override"),
        *("--ambient-caps=+dac_override", "/usr/bin/python3", "-c", code, str(place)),
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert await child.stdout.readline() == b"ready\n"
    home.ipc.write_text(json.dumps({"socket": str(place), "pid": child.pid}))
    with pytest.raises(NoOwnerError):
        await anext(call(home, "x", {}))
    child.kill()
    await child.wait()


@unix
@pytest.mark.parametrize("trouble", ["long", "no sockets", "both"])
async def test_a_home_that_can_hold_no_socket_has_one_in_the_runtime_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    runtime = Path(tempfile.mkdtemp(prefix="r-"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime if trouble != "both" else runtime / "missing"))
    monkeypatch.setattr(tempfile, "tempdir", str(runtime))
    root = tmp_path / ("home" if trouble == "no sockets" else "a" * 100) / "home"
    root.mkdir(parents=True)
    (root / "ipc.d").write_text("a file in the way")
    home = Home(root, root)
    async with owner(home, echo):
        place = published(home)
        assert place.is_relative_to(runtime)
        assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
        assert (await first(call(home, "x", {}))) == {"event": "working"}
    shutil.rmtree(runtime)


@unix
async def test_a_runtime_folder_that_somebody_else_made_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = Path(tempfile.mkdtemp(prefix="r-"))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(runtime))
    (runtime / "elsewhere").mkdir()
    (runtime / f"nanobot-desktop-{os.geteuid()}").symlink_to(runtime / "elsewhere")
    home = Home(tmp_path / ("a" * 100), tmp_path)
    async with owner(home, echo):
        assert list((runtime / "elsewhere").iterdir()) == []
        assert (await first(call(home, "x", {}))) == {"event": "working"}
    shutil.rmtree(runtime)


@unix
async def test_a_socket_that_an_owner_left_behind_is_replaced(home: Home) -> None:
    (home.root / "ipc.d").mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(home.root / "ipc.d/socket"))
    home.ipc.write_text(json.dumps({"socket": str(home.root / "ipc.d/socket"), "pid": 1}))
    with pytest.raises(NoOwnerError):
        await anext(call(home, "x", {}))
    async with owner(home, echo):
        assert (await first(call(home, "x", {}))) == {"event": "working"}


@unix
async def test_what_an_older_version_published_is_not_followed(home: Home) -> None:
    home.root.mkdir()
    home.ipc.write_text('{"port": 1, "token": "x", "pid": 999999999}')
    with pytest.raises(NoOwnerError):
        await anext(call(home, "x", {}))
    home.ipc.write_text(f'{{"port": 1, "token": "x", "pid": {os.getpid()}}}')
    with pytest.raises(AppError, match="older version"):
        await anext(call(home, "x", {}))
    async with owner(home, echo):
        assert (await first(call(home, "x", {}))) == {"event": "working"}


@pytest.mark.parametrize("said", [b"", b"{", b"POST / HTTP/1.1\r\n\r\n", b"[]\n", b'{"verb": 1}\n'])
async def test_those_that_ask_nothing_hold_up_nobody(home: Home, said: bytes) -> None:
    async with owner(home, echo):
        idle = await in_thread(lambda: [connect(home, said) for _ in range(200)])
        for _ in range(50):
            assert (await first(call(home, "x", {}))) == {"event": "working"}
        with suppress(ConnectionError):  # hung up on: the one that waited longest
            assert await in_thread(idle[0].recv, 1) == b""
        for one in idle:
            one.close()


def connect(home: Home, said: bytes) -> socket.socket:
    if sys.platform == "win32":
        one = socket.create_connection(("127.0.0.1", json.loads(home.ipc.read_text())["port"]), 10)
    else:
        one = socket.socket(socket.AF_UNIX)
        one.settimeout(10)
        one.connect(str(published(home)))
    with suppress(ConnectionError):
        one.sendall(said)
    return one


async def test_a_client_that_hangs_up_ends_its_request(home: Home) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def wait(_verb: str, _arguments: dict[str, Any], send: Any) -> dict[str, Any]:
        send({"event": "begun"})
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return {}

    async with owner(home, wait):
        answers = call(home, "x", {})
        assert await anext(answers) == {"event": "begun"}
        await begun.wait()
        await answers.aclose()
        async with asyncio.timeout(60):
            await ended.wait()


async def test_an_owner_that_leaves_in_mid_answer_is_said(home: Home) -> None:
    started = asyncio.Event()

    async def wait(_verb: str, _arguments: dict[str, Any], _send: Any) -> dict[str, Any]:
        started.set()
        await asyncio.Event().wait()
        return {}

    async with owner(home, wait) as server:
        answers = asyncio.get_running_loop().create_task(first(call(home, "x", {})))
        await started.wait()
        await server.stop()
        with pytest.raises(AppError, match="quit during the request"):
            await answers


async def test_a_request_that_was_not_taken_can_be_asked_of_the_next_owner(home: Home) -> None:
    """Connected before the owner left, asked after it."""
    asked = asyncio.Event()

    async def note(_verb: str, _arguments: dict[str, Any], _send: Any) -> dict[str, Any]:
        asked.set()
        return {}

    async with owner(home, note) as server:
        early = await in_thread(connect, home, b"")
        assert await first(call(home, "x", {})) == {"result": {}}
        asked.clear()
        await server.finish()
        early.sendall(b'{"verb": "y", "arguments": {}}\n')
        assert await in_thread(early.recv, 100) == b""
        early.close()
    assert not asked.is_set()


async def test_finish_answers_what_was_asked_and_takes_nothing_new(home: Home) -> None:
    release, begun = asyncio.Event(), asyncio.Event()

    async def wait(_verb: str, _arguments: dict[str, Any], _send: Any) -> dict[str, Any]:
        begun.set()
        await release.wait()
        return {"done": True}

    async with owner(home, wait) as server:
        answer = asyncio.get_running_loop().create_task(first(call(home, "x", {})))
        await begun.wait()
        finishing = asyncio.get_running_loop().create_task(server.finish())
        await asyncio.sleep(0)
        with pytest.raises(NoOwnerError):
            await anext(call(home, "y", {}))
        release.set()
        await finishing
        assert await answer == {"result": {"done": True}}


@unix
async def test_whoever_connects_in_the_last_moment_is_hung_up_on(home: Home) -> None:
    def connect_until_nobody_listens() -> set[bytes]:
        address = json.loads(home.ipc.read_text("utf-8"))["socket"]
        made: list[socket.socket] = []
        answers: set[bytes] = set()
        while True:
            one = socket.socket(socket.AF_UNIX)
            try:
                one.connect(address)
                one.sendall(b'{"verb": "x", "arguments": {}}\n')
            except OSError:
                one.close()
                break
            made.append(one)
            if len(made) > 50:
                answers.add(answer(made.pop(0)))
        return answers.union(map(answer, made))

    def answer(one: socket.socket) -> bytes:
        one.settimeout(30)
        with one, suppress(ConnectionError):
            return one.recv(100).split(b"\n")[0]
        return b""

    for _ in range(40):
        async with owner(home, echo) as server:
            loop = asyncio.get_running_loop()
            connecting = loop.create_task(asyncio.to_thread(connect_until_nobody_listens))
            await asyncio.sleep(0.01)
            await server.finish()
            late = loop.create_task(server.stop())
            assert await connecting <= {b"", b'{"taken": true}'}
            await late


async def test_the_class_of_a_failure_survives_the_way(home: Home) -> None:
    async def fail(_verb: str, arguments: dict[str, Any], _send: Any) -> dict[str, Any]:
        raise KINDS[arguments["kind"]]("It broke.", "Mend it.")

    async with owner(home, fail):
        for name, kind in KINDS.items():
            with pytest.raises(kind) as caught:
                [line async for line in call(home, "x", {"kind": name})]
            assert type(caught.value) is kind


KINDS = {"usage": UsageError, "keychain": KeychainError, "storage": StorageError, "other": AppError}
