"""The life of the model host's process: started on demand, stopped when idle, gone with the program."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence

import psutil
import pytest
import pytest_asyncio

from desktop.bus.bus import Bus
from desktop.bus.events import ServiceChanged
from desktop.providers.base import Completion, Endpoint, HostDied, Message, Request
from desktop.providers.behaviour import WireRules
from desktop.providers.client import HostedProvider
from desktop.providers.host_process import ModelHost
from desktop.services.status import ServiceState
from tests.servers.scripted import ScriptedServer

PARENT = """
import asyncio
from desktop.providers.host_process import ModelHost

async def main():
    host = ModelHost()
    await host.start()
    prepare = asyncio.ensure_future(host.prepare({engine!r}))
    print(host.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest_asyncio.fixture
async def host() -> AsyncIterator[ModelHost]:
    running = ModelHost()
    yield running
    await running.stop()


def serialise(messages: Sequence[Message], rules: WireRules, conversation: str) -> bytes:
    return json.dumps(list(messages)).encode()


def asked(server: ScriptedServer, answer: str) -> Request:
    return Request(Endpoint("scripted", answer, base_url=server.url), [], max_tokens=5)


async def ask(host: ModelHost, server: ScriptedServer) -> Completion:
    stream = HostedProvider(host, serialise).stream(asked(server, "say:ok"))
    *_, last = [item async for item in stream]
    assert isinstance(last, Completion)
    return last


async def gone(pid: int) -> None:
    """Wait until a process is no more."""
    try:
        await asyncio.to_thread(psutil.Process(pid).wait, 10)
    except psutil.NoSuchProcess:
        return


async def test_start_and_stop_show_their_state() -> None:
    bus = Bus()
    host = ModelHost(bus)
    with bus.subscribe() as events:
        await host.start()
        pid = host.pid
        assert pid
        await host.stop()
        states = [(await anext(events)) for _ in range(3)]
    assert [event.state for event in states if isinstance(event, ServiceChanged)] == [
        "starting",
        "running",
        "off",
    ]
    assert not psutil.pid_exists(pid)
    await host.stop()


async def test_it_stops_when_idle_and_starts_again_for_the_next_call() -> None:
    host = ModelHost(bus := Bus(), idle_stop_seconds=0.1)
    with ScriptedServer() as server, bus.subscribe() as events:
        assert (await ask(host, server)).text == "ok"
        async with asyncio.timeout(60):
            async for event in events:
                if isinstance(event, ServiceChanged) and event.state == "off":
                    break
        assert host.pid is None
        assert (await ask(host, server)).text == "ok"
    await host.stop()


async def test_no_key_of_ours_and_no_authorization_without_one(host: ModelHost) -> None:
    with ScriptedServer() as server:
        await ask(host, server)
        assert "authorization" not in server.requests[0].headers


async def test_the_hosts_environment_holds_no_keys(
    monkeypatch: pytest.MonkeyPatch, host: ModelHost
) -> None:
    names = (
        "NANOBOT_PROVIDERS__OPENAI__API_KEY",
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
    )
    for name in names:
        monkeypatch.setenv(name, "sk-from-the-environment")
    await host.start()
    assert host.pid
    environment = psutil.Process(host.pid).environ()
    assert "sk-from-the-environment" not in environment.values()
    assert environment["PATH"] == os.environ["PATH"]


@pytest.mark.expected_log("the model host went away")
async def test_a_crash_is_shown_and_repaired_by_the_next_start(host: ModelHost) -> None:
    await host.start()
    assert host.pid
    psutil.Process(host.pid).kill()
    await host.prepare("openai")  # returns: nobody waits for what is gone
    await host.start()
    assert host.status.state is ServiceState.RUNNING


@pytest.mark.expected_log("the model host went away")
async def test_a_host_killed_in_mid_answer_fails_the_call_and_serves_the_next(host: ModelHost) -> None:
    with ScriptedServer() as server:
        stream = HostedProvider(host, serialise).stream(asked(server, "stall"))
        await anext(stream)
        first = host.pid
        assert first
        psutil.Process(first).kill()
        with pytest.raises(HostDied, match="quit unexpectedly"):
            [item async for item in stream]
        assert host.status.detail.startswith("The process that talks to models quit")
        assert (await ask(host, server)).text == "ok"
        assert host.pid != first
        assert host.status.state is ServiceState.RUNNING


async def test_a_program_that_cannot_be_started_is_a_sentence() -> None:
    host = ModelHost(command=["/no/such/program"])
    with pytest.raises(HostDied, match="could not be started"):
        await host.start()
    assert host.status.state is ServiceState.FAILED


@pytest.mark.expected_log("the model host went away|model host: broken")
async def test_a_program_that_dies_at_once_is_a_sentence() -> None:
    host = ModelHost(command=[sys.executable, "-c", "import sys; print('broken', file=sys.stderr)"])
    with pytest.raises(HostDied, match="quit unexpectedly"):
        await host.start()
    assert host.status.state is ServiceState.DEGRADED
    await host.stop()


@pytest.mark.parametrize("engine", ["openai", "litellm"])
async def test_it_is_gone_when_the_program_is_killed_even_while_it_imports(engine: str) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT.format(engine=engine)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout
    pid = int(await asyncio.to_thread(parent.stdout.readline))
    assert psutil.pid_exists(pid)
    parent.kill()
    parent.wait(10)
    parent.stdout.close()
    await gone(pid)
