"""Signing in to a strict server: more rights in the middle of a call, clients registered by hand."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import httpx
import pytest

from desktop.agent.arguments import arguments_of
from desktop.config.mcp import KEYCHAIN, McpServer
from desktop.errors import AppError
from desktop.services.status import ServiceState
from desktop.tasks import cancel, spawn
from desktop.tools.base import ToolFailure, ToolResult
from desktop.tools.form import Form, Purpose, Reply
from tests.unit.tools.mcp.conftest import Place, serving
from tests.unit.tools.mcp.test_sign_in import browse, sign_in


class Person:
    """Says yes or no to more rights, and follows the page of a sign-in as a browser does."""

    def __init__(self, *, yes: bool = True) -> None:
        self.asked = list[Form]()
        self.notes: list[str] = []
        self._yes, self.pages = yes, list[str]()
        self.stays = False
        """They look at the page, and do not go on."""
        self.visits: set[asyncio.Task[httpx.Response]] = set()

    async def ask(self, form: Form) -> Reply:
        self.asked.append(form)
        return Reply("accept", open_page=self._open) if self._yes else Reply("decline")

    def _open(self, url: str) -> None:
        self.pages.append(url)
        if not self.stays:
            self.visits.add(spawn(browse(url), name="browser"))


async def call(place: Place, person: Person) -> str:
    tool = place.tools["mcp_s_change"]
    made = await tool.run(arguments_of(tool, "{}"), replace(place.context(), asker=person))
    assert isinstance(made, ToolResult)
    return made.text


@asynccontextmanager
async def strict(place: Place, *more: str, **settings: str) -> AsyncIterator[str]:
    """A strict server that was signed in to and works."""
    async with serving("rights.py", "--port", "PORT", "--notes", str(place.notes), *more) as root:
        place.config["s"] = McpServer(url=f"{root}/mcp", **settings)  # type: ignore[arg-type]
        await place.up()
        await sign_in(place)
        await place.up(s=place.config["s"].model_copy(update={"auth": "oauth"}))
        await place.servers.apply()
        await place.state("s", ServiceState.RUNNING)
        await place.up(s=place.config["s"])
        yield root


async def test_a_server_that_greets_anybody_is_signed_in_to_for_its_tools(place: Place) -> None:
    async with strict(place):
        assert place.noted() == ["asked:read", "token"]


async def test_a_call_that_needs_more_rights_gets_them_by_a_yes(place: Place) -> None:
    async with strict(place):
        person = Person()
        assert "It is changed." in await call(place, person)
        assert place.noted() == ["asked:read", "token", "asked:read+write", "token", "changed"]
        [asked] = person.asked
        assert (asked.purpose, asked.service, asked.message) == (Purpose.RIGHTS, "s", "write")
        assert "It is changed." in await call(place, person)
        assert len(person.asked) == 1, "they stay"
        place.servers.restart("s")
        await place.state("s", ServiceState.RUNNING)
        await place.up(s=place.config["s"])
        assert "It is changed." in await call(place, person)
        assert len(person.asked) == 1, "and are in the keychain"


async def test_a_no_to_more_rights_is_a_failed_call_and_no_second_question(place: Place) -> None:
    async with strict(place):
        person = Person(yes=False)
        for _again in range(3):
            with pytest.raises(ToolFailure, match="needs more permissions for this: write"):
                await call(place, person)
        assert len(person.asked) == 1
        assert place.noted() == ["asked:read", "token"]
        assert place.server("s").status.state is ServiceState.RUNNING


async def test_rights_that_a_sign_in_does_not_bring_are_asked_for_once(place: Place) -> None:
    async with strict(place, "--grudging"):
        person = Person()
        for _again in range(3):
            with pytest.raises(ToolFailure, match="needs more permissions"):
                await call(place, person)
        assert len(person.asked) == 1
        assert place.noted() == ["asked:read", "token", "asked:read+write", "token"]
        await sign_in(place)  # by themselves: it may be asked once more
        place.servers.restart("s")
        await place.state("s", ServiceState.RUNNING)
        await place.up(s=place.config["s"])
        with pytest.raises(ToolFailure, match="needs more permissions"):
            await call(place, person)
        assert len(person.asked) == 2


async def test_a_call_that_is_stopped_at_the_browser_leaves_no_port_open(place: Place) -> None:
    async with strict(place):
        person = Person()
        person.stays = True
        calling = spawn(call(place, person), name="call")
        await place.until(lambda: bool(person.pages))
        await cancel(calling)
        back = httpx.URL(person.pages[0]).params["redirect_uri"]

        async def closed() -> bool:
            try:
                await browse(back)
            except httpx.ConnectError:
                return True
            return False

        async with asyncio.timeout(60):
            while not await closed():
                await asyncio.sleep(0.02)
        assert "changed" not in place.noted()


@pytest.mark.parametrize("way", ["--client=hand:s3cr/t", "--post"])
async def test_a_client_that_was_registered_by_hand(place: Place, way: str) -> None:
    place.keychain.entries["mcp:s:client:secret"] = "s3cr/t"
    more = ["--client=hand:s3cr/t", *([way] if way == "--post" else [])]
    async with strict(place, *more, client_id="hand", client_secret=KEYCHAIN):
        assert place.noted() == ["asked:read", "token"]
        assert "It is changed." in await call(place, Person())


async def test_without_a_client_the_remedy_says_where_to_enter_one(place: Place) -> None:
    async with serving("rights.py", "--port", "PORT", "--client", "hand:s3cr/t") as root:
        place.config["s"] = McpServer(url=f"{root}/mcp")
        with pytest.raises(AppError) as refused:
            await place.servers.sign_in("s", lambda _url: None)
        assert "enter its client ID and secret" in refused.value.remedy


async def test_a_client_secret_in_the_settings_is_not_used(place: Place) -> None:
    place.config["s"] = McpServer(url="http://127.0.0.1:9/mcp", client_id="a", client_secret="plain")
    with pytest.raises(AppError, match="secret of this server is in"):
        await place.servers.sign_in("s", lambda _url: None)


async def test_tokens_of_another_client_are_not_used(place: Place) -> None:
    place.keychain.entries["mcp:s:client:secret"] = "s3cr/t"
    async with strict(place, "--client=hand:s3cr/t", client_id="hand", client_secret=KEYCHAIN):
        place.config["s"] = place.config["s"].model_copy(update={"client_id": "other"})
        await place.servers.apply()
        await place.state("s", ServiceState.NEEDS_SIGN_IN)
