"""A model comes behind the conversation, through a network that breaks off."""

import hashlib
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from desktop.bus.bus import Bus
from desktop.bus.events import ModelFetching
from desktop.core.core import Core
from desktop.paths import Home
from desktop.providers.catalogue import Model
from desktop.providers.downloads import UNDER_WAY, Downloads
from desktop.providers.host_process import ModelHost
from tests.servers.hub import Hub

pytestmark = pytest.mark.expected_log("download of")
BODY = random.Random(3).randbytes(6_000_000)
MB = 1_000_000
AT_ONCE = (0.0, 0.0, 0.0)


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    bus = Bus()
    core = await Core.start(Home(tmp_path / "home", tmp_path / "models"), ModelHost(bus), bus)
    yield core
    await core.stop()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.gguf"
    path.write_bytes(BODY)
    return path


def model(hub: Hub) -> Model:
    return Model("small", "Small", "MIT", len(BODY), hashlib.sha256(BODY).hexdigest(), f"{hub.url}/s.gguf")


def downloads_of(core: Core) -> Downloads:
    async def arrived() -> None:
        await core.builtin.choose("")

    return Downloads(core.home.models, core.bus, core.config, core.change, arrived, AT_ONCE)


async def told(downloads: Downloads) -> list[ModelFetching]:
    return [event async for event in downloads.follow("small")]


async def test_a_download_that_breaks_off_five_times_comes_whole(core: Core, source: Path) -> None:
    downloads = downloads_of(core)
    with Hub(source, [MB * n for n in range(1, 6)]) as hub:
        downloads.begin(model(hub), chosen=False, use=False)
        steps = await told(downloads)
    assert steps[-1].state == "done"
    assert (core.home.models / "s.gguf").read_bytes() == BODY
    assert hub.asked == ["", *(f"bytes={MB * n}-" for n in range(1, 6))]
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert any(step.state == "waiting" and step.text and step.remedy for step in steps)


async def test_it_is_given_up_where_nothing_comes_any_more(core: Core, source: Path) -> None:
    downloads = downloads_of(core)
    with Hub(source) as hub:
        gone = model(hub)
    downloads.begin(gone, chosen=False, use=False)
    last = (await told(downloads))[-1]
    assert last.state == "failed"
    assert "could not be downloaded" in last.text
    assert last.remedy


async def test_it_is_paused_and_gone_on_with_after_a_restart(core: Core, source: Path) -> None:
    downloads = downloads_of(core)
    with Hub(source, pause_s=0.2) as hub:
        downloads.begin(model(hub), chosen=False, use=False)
        async for step in downloads.follow("small"):
            if step.done > MB:
                await downloads.pause("small")
        assert (await downloads.state(model(hub))).state == "paused"
        later = downloads_of(core)
        state = await later.state(model(hub))
        assert state.state == "paused"
        assert state.done > MB
        hub.slow.set()
        later.begin(model(hub), chosen=False, use=False)
        assert (await told(later))[-1].state == "done"
        assert hub.asked[-1] == f"bytes={state.done}-"
    assert step.state not in UNDER_WAY


async def test_what_is_not_the_model_is_thrown_away(core: Core, source: Path) -> None:
    source.write_bytes(BODY[::-1])
    downloads = downloads_of(core)
    with Hub(source) as hub:
        downloads.begin(model(hub), chosen=False, use=False)
        last = (await told(downloads))[-1]
    assert last.state == "failed"
    assert "checksum is wrong" in last.text
    assert not list(core.home.models.glob("*.part"))
