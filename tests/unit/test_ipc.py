"""Ownership of a home: one owner, a token for everyone else, requests that end with their client."""

import asyncio
import json
import stat
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from desktop.errors import AppError, KeychainError, StorageError, UsageError
from desktop.ipc import Handler, NoOwnerError, Ownership, Server, call
from desktop.paths import Home


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
        "import sys, pathlib; from desktop.ipc import Ownership; from desktop.paths import Home;"
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


async def test_a_stranger_without_the_token_gets_nothing(home: Home) -> None:
    async with owner(home, echo):
        port = json.loads(home.ipc.read_text())["port"]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 200\r\n\r\n" + b"x" * 200)
        assert await reader.read() == b""
        writer.close()


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
        async with asyncio.timeout(5):
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
        with pytest.raises(AppError, match="ended in the middle"):
            await answers


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


async def test_the_class_of_a_failure_survives_the_way(home: Home) -> None:
    async def fail(_verb: str, arguments: dict[str, Any], _send: Any) -> dict[str, Any]:
        raise KINDS[arguments["kind"]]("It broke.", "Mend it.")

    async with owner(home, fail):
        for name, kind in KINDS.items():
            with pytest.raises(kind) as caught:
                [line async for line in call(home, "x", {"kind": name})]
            assert type(caught.value) is kind


KINDS = {"usage": UsageError, "keychain": KeychainError, "storage": StorageError, "other": AppError}
