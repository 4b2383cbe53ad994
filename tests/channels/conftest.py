"""A real core beside a scripted model and the chat services of this machine."""

import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from desktop.channels.channels import entry
from desktop.paths import Home
from tests.channels.mail import PASSWORD, MailServer
from tests.channels.mailbox import BOTS, COUNTS, Box
from tests.channels.telegram_server import ALICE, TOKEN, TelegramServer
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started
from tests.warm import warm, warm_mcp

__all__ = ["warm", "warm_mcp"]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramServer]:
    async with TelegramServer() as found:
        yield found


@asynccontextmanager
async def talking(folder: Path, server: ScriptedServer, telegram: TelegramServer) -> AsyncIterator[Desk]:
    """A program that speaks with that Telegram, as Alice's."""
    Program(folder).use_server(server.url, "say:Good day.")
    async with started(Home(folder, folder / "models")) as desk:
        core = desk.owner.core
        core.keychain.remember(entry("telegram", "token"), TOKEN)
        await core.staying()
        await core.change(
            {
                "channels.telegram.apiBase": telegram.url,
                "channels.telegram.owner": str(ALICE["id"]),
                "channels.telegram.enabled": True,
            }
        )
        yield desk


@pytest.fixture
async def desk(tmp_path: Path, server: ScriptedServer, telegram: TelegramServer) -> AsyncIterator[Desk]:
    async with talking(tmp_path, server, telegram) as desk:
        yield desk


async def words_of_people(desk: Desk, session: str) -> list[str]:
    """What people asked in a conversation, without what was taken back."""
    found = await desk.api.conversations.read(session)
    mine = (message for message in found.messages if message["role"] == "user")
    return [message["content"] for message in mine if "_hidden" not in message]


@pytest.fixture(scope="module")
def mail() -> Iterator[MailServer]:
    with MailServer(*BOTS, "alice", "mallory") as server:
        yield server


@pytest.fixture
def box(mail: MailServer, request: pytest.FixtureRequest) -> Box:
    numbers = request.config.stash.setdefault(COUNTS, itertools.count())
    return Box(mail, BOTS[next(numbers) % len(BOTS)], itertools.count())


@pytest.fixture
def server_of_its_own(monkeypatch: pytest.MonkeyPatch) -> Iterator[Box]:
    """One that a test may stop."""
    with MailServer("bot", "alice") as server:
        monkeypatch.setenv("SSL_CERT_FILE", str(server.certificate))
        yield Box(server, "bot", itertools.count())


@pytest.fixture
async def mail_desk(
    tmp_path: Path, server: ScriptedServer, box: Box, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Desk]:
    """A program that reads that mailbox, as Alice's, once it is told to."""
    monkeypatch.setenv("SSL_CERT_FILE", str(box.server.certificate))
    program = Program(tmp_path)
    program.use_server(server.url, "say:Good day.")
    async with started(Home(tmp_path, tmp_path / "models")) as desk:
        core = desk.owner.core
        core.keychain.remember(entry("email", "imapPassword"), PASSWORD)
        await core.staying()
        yield desk
