"""Another network: a link of this computer that is really set up and down, and a mock of NetworkManager."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.services.network import Network
from desktop.services.network_manager import NetworkManager
from tests.servers.system_bus import VARIABLE, emit, mocks, private_bus
from tests.unit.services import flapping

pytestmark = [
    pytest.mark.machine,
    pytest.mark.skipif(sys.platform != "linux", reason="links and NetworkManager are Linux's"),
]
ROOT = Path(__file__).parents[3]
NAME, PATH = "org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager"


async def test_a_service_is_back_when_its_link_is_and_a_link_that_flaps_makes_it_not_spin() -> None:
    inside = ["unshare", "-n"] if os.getuid() == 0 else ["unshare", "-rn"]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this account may not make a network of its own")
    process = await asyncio.create_subprocess_exec(
        *(*inside, sys.executable, "-m", "tests.unit.services.flapping"),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    found = json.loads(out)
    assert found["heard"] == [deed for deed, is_told in flapping.DEEDS if is_told]
    assert found["planned"], "the moment of the next try is told"
    assert found["back after"] == 1, "the first try once the link is up"
    most = flapping.TIMING.hurried * (int(found["windows"]) + 2)
    assert found["while flapping"] <= most < flapping.FLAPS
    assert found["stranger"] == 1, "who has to sign in is not tried again"


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with private_bus(tmp_path) as address:
        monkeypatch.setenv(VARIABLE, address)
        yield address


def state(number: int) -> None:
    emit(NAME, PATH, NAME, "StateChanged", "u", f"uint32 {number}")


def primary(connection: str) -> None:
    changed = f"{{'PrimaryConnection': <objectpath '{connection}'>}}"
    properties = "org.freedesktop.DBus.Properties"
    emit(NAME, PATH, properties, "PropertiesChanged", "sa{sv}as", f"'{NAME}'", changed, "@as []")


async def test_network_manager_tells_of_a_connection_and_of_another_one(bus: str) -> None:
    heard: asyncio.Queue[None] = asyncio.Queue()
    with mocks(bus, networkmanager=NAME):
        manager = NetworkManager(lambda: heard.put_nowait(None))
        await manager.start()
        for number in (20, 40, 70):
            await asyncio.to_thread(state, number)
        async with asyncio.timeout(60):
            await heard.get()
        for connection in ("/", PATH):
            await asyncio.to_thread(primary, connection)
        async with asyncio.timeout(60):
            await heard.get()
        assert heard.empty()
        await manager.stop()


async def test_what_is_heard_in_a_moment_is_told_once(bus: str) -> None:
    told: asyncio.Queue[None] = asyncio.Queue()
    with mocks(bus, networkmanager=NAME):
        network = Network(lambda: told.put_nowait(None))
        await network.start()
        await asyncio.to_thread(state, 70)
        async with asyncio.timeout(60):
            await told.get()
        await network.stop()
        await asyncio.to_thread(state, 70)
    assert told.empty()


async def test_without_a_bus_only_the_kernel_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "unix:path=/nowhere/at/all")
    network = Network(lambda: None)
    await network.start()
    await network.stop()
