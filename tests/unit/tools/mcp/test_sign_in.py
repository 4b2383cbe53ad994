"""Signing in to a real server that asks for it: in the browser, refused, given up, renewed, forgotten."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from desktop.config.mcp import McpServer
from desktop.errors import AppError
from desktop.logs import masked
from desktop.services.status import ServiceState
from desktop.tasks import cancel, spawn
from tests.unit.tools.mcp.conftest import Place, serving


async def browse(url: str) -> httpx.Response:
    """What the person's browser does with the address."""
    async with httpx.AsyncClient(follow_redirects=True) as browser:
        return await browser.get(url)


async def sign_in(place: Place, name: str = "s") -> httpx.Response:
    pages: asyncio.Queue[str] = asyncio.Queue()
    signing = spawn(place.servers.sign_in(name, pages.put_nowait), name="sign-in")
    async with asyncio.timeout(60):
        page = await browse(await pages.get())
        await signing
    return page


async def signed(place: Place, root: str) -> None:
    place.config["s"] = McpServer(url=f"{root}/mcp")
    await place.up()
    assert place.server("s").status.state is ServiceState.NEEDS_SIGN_IN
    page = await sign_in(place)
    assert page.status_code == 200
    assert "close this page" in page.text
    place.config["s"] = McpServer(url=f"{root}/mcp", auth="oauth")
    await place.servers.apply()
    await place.state("s", ServiceState.RUNNING)


async def test_after_a_sign_in_the_server_works_also_after_a_restart(place: Place) -> None:
    async with serving("signed.py", "--port", "PORT", "--notes", str(place.notes)) as root:
        await signed(place, root)
        await place.up(s=place.config["s"])
        assert (await place.call("mcp_s_secret")).text == "the secret"
        place.servers.restart("s")
        await place.state("s", ServiceState.RUNNING)
        await place.up(s=place.config["s"])
        assert (await place.call("mcp_s_secret")).text == "the secret"
        assert place.noted() == ["signed-in"]
        (entry,) = place.keychain.entries
        assert entry == "mcp:s:oauth"
        stored = json.loads(place.keychain.entries[entry])
        assert masked(stored["tokens"]["access_token"]) == "[hidden]"


async def test_a_token_that_ran_out_is_renewed_without_the_person(place: Place) -> None:
    async with serving("signed.py", "--port", "PORT", "--notes", str(place.notes)) as root:
        await signed(place, root)
        stored = json.loads(place.keychain.entries["mcp:s:oauth"])
        stored["until"] = 1.0
        place.keychain.entries["mcp:s:oauth"] = json.dumps(stored)
        place.servers.restart("s")
        await place.state("s", ServiceState.RUNNING)
        await place.up(s=place.config["s"])
        assert (await place.call("mcp_s_secret")).text == "the secret"
        assert place.noted() == ["signed-in", "renewed"]
        assert json.loads(place.keychain.entries["mcp:s:oauth"])["tokens"] != stored["tokens"]


async def test_a_token_that_the_server_took_back_is_renewed(place: Place) -> None:
    async with serving("signed.py", "--port", "PORT", "--notes", str(place.notes)) as root:
        await signed(place, root)
        _change(place, access_token="not-known-any-more")
        place.servers.restart("s")
        await place.state("s", ServiceState.RUNNING)
        assert place.noted() == ["signed-in", "renewed"]


async def test_where_renewing_fails_the_person_is_asked_to_sign_in_again(place: Place) -> None:
    async with serving("signed.py", "--port", "PORT", "--notes", str(place.notes)) as root:
        await signed(place, root)
        _change(place, access_token="gone", refresh_token="gone-too")
        place.servers.restart("s")
        await place.state("s", ServiceState.NEEDS_SIGN_IN)
        await place.servers.sign_out("s")
        assert not place.keychain.entries
        await sign_in(place)
        place.servers.restart("s")
        await place.state("s", ServiceState.RUNNING)


def _change(place: Place, **tokens: Any) -> None:
    stored = json.loads(place.keychain.entries["mcp:s:oauth"])
    stored["tokens"] |= tokens
    place.keychain.entries["mcp:s:oauth"] = json.dumps(stored)


@pytest.mark.expected_log("task sign-in")
async def test_a_refused_sign_in_says_why(place: Place) -> None:
    async with serving("signed.py", "--port", "PORT", "--refuse") as root:
        place.config["s"] = McpServer(url=f"{root}/mcp")
        with pytest.raises(AppError, match="did not sign you in: Not today"):
            await sign_in(place)
        assert not place.keychain.entries


async def test_a_sign_in_can_be_given_up(place: Place) -> None:
    async with serving("signed.py", "--port", "PORT") as root:
        place.config["s"] = McpServer(url=f"{root}/mcp")
        pages: asyncio.Queue[str] = asyncio.Queue()
        signing = spawn(place.servers.sign_in("s", pages.put_nowait), name="sign-in")
        page = await pages.get()
        back = httpx.URL(httpx.URL(page).params["redirect_uri"])
        await cancel(signing)
        with pytest.raises(httpx.ConnectError):
            await browse(str(back))
        assert not place.keychain.entries


async def test_a_server_that_asks_for_nothing_says_so(place: Place) -> None:
    async with serving("sound.py", "--http", "PORT") as root:
        place.config["s"] = McpServer(url=f"{root}/mcp")
        with pytest.raises(AppError, match="needs no sign-in"):
            await place.servers.sign_in("s", lambda _url: None)
