"""The program on a Matrix server of the tests: an account for the agent, one for Alice, one for Mallory."""

import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from desktop.bus.events import ServiceChanged
from desktop.channels.channels import entry
from desktop.config.keychain import Keychain
from desktop.paths import Home
from tests.channels.matrix_person import Person, somebody
from tests.channels.synapse import PASSWORD, Synapse
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started

_NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def synapse() -> Iterator[Synapse]:
    with Synapse() as server:
        yield server


@dataclass
class World:
    """One account for the agent and one for Alice, and where the program is at home."""

    synapse: Synapse
    server: ScriptedServer
    folder: Path
    number: int

    @property
    def bot(self) -> str:
        return self.synapse.user_id(f"nano{self.number}")

    @property
    def alice(self) -> str:
        return f"alice{self.number}"

    @property
    def mallory(self) -> str:
        return f"mallory{self.number}"

    @asynccontextmanager
    async def desk(self, *, state: str = "running", **settings: object) -> AsyncIterator[Desk]:
        """The program, as Alice's; it starts again where it was."""
        async with started(Home(self.folder, self.folder / "models")) as desk:
            core = desk.owner.core
            await core.staying()
            values: dict[str, object] = {
                "homeserver": self.synapse.url,
                "userId": self.bot,
                "owner": self.synapse.user_id(self.alice),
                "enabled": True,
            }
            await core.change(
                {f"channels.matrix.{name}": value for name, value in (values | settings).items()}
            )
            await running(desk, state)
            yield desk


async def running(desk: Desk, state: str = "running") -> str:
    """Wait until the app is so far; why it is."""
    while True:
        (app,) = [one for one in await desk.api.channels.all() if one.name == "matrix"]
        if app.state == state:
            return app.detail
        async for event in desk.events:
            if isinstance(event, ServiceChanged) and event.name == "matrix":
                break


@pytest.fixture
async def world(synapse: Synapse, server: ScriptedServer, tmp_path: Path) -> AsyncIterator[World]:
    world = World(synapse, server, tmp_path, next(_NUMBERS))
    for name in (f"nano{world.number}", world.alice, world.mallory):
        synapse.register(name)
    Program(tmp_path).use_server(server.url, "say:Good day.")
    keychain = Keychain()
    await keychain.delete(entry("matrix", "accessToken"))
    await keychain.set(entry("matrix", "password"), PASSWORD)
    yield world
    for field in ("accessToken", "password"):
        await keychain.delete(entry("matrix", field))


@pytest.fixture
async def desk(world: World) -> AsyncIterator[Desk]:
    async with world.desk() as desk:
        yield desk


@pytest.fixture
async def alice(world: World) -> AsyncIterator[Person]:
    async with somebody(world.synapse, world.alice) as alice:
        yield alice


@pytest.fixture
async def mallory(world: World) -> AsyncIterator[Person]:
    async with somebody(world.synapse, world.mallory) as mallory:
        yield mallory


@asynccontextmanager
async def with_keys(world: World, folder: Path) -> AsyncIterator[Person]:
    """Alice, with an app that encrypts."""
    store = folder / "alice"
    store.mkdir()
    async with somebody(world.synapse, world.alice, store) as alice:
        yield alice


def reacted(person: Person, room: str, message: str) -> bool:
    return any(
        (one["content"].get("m.relates_to") or {}).get("event_id") == message
        for one in person.events(room, "m.reaction")
    )
