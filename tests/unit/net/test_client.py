"""The guarded client against servers that try to lead it inside, or never end."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from desktop.net import client as guarded
from desktop.net.client import Client, FetchError, Refused, checked
from desktop.tasks import spawn
from tests.servers.web import PUBLIC, Asked, Site, moved, packed, page, serving


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving(Site(names={"good.example": [[PUBLIC]]})) as site:
        yield site


@pytest.fixture
def client(site: Site) -> Client:
    return Client(site.resolve, site)


async def test_a_page_comes_from_the_number_that_was_judged(site: Site, client: Client) -> None:
    site.pages["/a"] = lambda _asked: page("hello", "text/plain")
    found = await client.fetch("http://good.example/a#part")
    assert (found.body, found.status, found.address) == (b"hello", 200, "http://good.example/a")
    assert site.dialled == [PUBLIC]
    assert site.asked[0].headers["host"] == "good.example"
    assert not {"cookie", "authorization", "proxy-authorization"} & set(site.asked[0].headers)


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd",
        "ftp://good.example/",
        "gopher://good.example/",
        "//good.example",
        "http://",
        "http://user:pw@good.example/",
        "http://good.example:99999/",
        "http://good .example/",
        "javascript:alert(1)",
        "",
    ],
)
def test_what_is_no_address_of_the_web_is_refused(address: str) -> None:
    with pytest.raises(Refused):
        checked(address)


@pytest.mark.parametrize(
    "number", ["127.0.0.1", "::ffff:127.0.0.1", "169.254.169.254", "10.0.0.1", "64:ff9b::7f00:1", "::1"]
)
async def test_a_name_for_the_inside_is_refused(site: Site, client: Client, number: str) -> None:
    site.names["sly.example"] = [[number]]
    with pytest.raises(Refused):
        await client.fetch("http://sly.example/")
    assert not site.dialled


async def test_one_inside_address_among_public_ones_is_enough(site: Site, client: Client) -> None:
    site.names["mixed.example"] = [[PUBLIC, "10.0.0.1"]]
    with pytest.raises(Refused):
        await client.fetch("http://mixed.example/")


async def test_a_number_instead_of_a_name_is_judged_too(site: Site, client: Client) -> None:
    for address in ("http://127.0.0.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/"):
        with pytest.raises(Refused):
            await client.fetch(address)
    assert not site.dialled


async def test_a_redirect_inside_is_refused(site: Site, client: Client) -> None:
    site.pages["/out"] = lambda _asked: moved("http://169.254.169.254/latest/meta-data/")
    site.pages["/file"] = lambda _asked: moved("file:///etc/passwd")
    for path in ("/out", "/file"):
        with pytest.raises(Refused):
            await client.fetch(f"http://good.example{path}")
    assert site.dialled == [PUBLIC, PUBLIC]


async def test_a_second_answer_of_the_name_server_is_never_asked_for(site: Site, client: Client) -> None:
    """Rebinding: the name is public when it is judged and inside when it is used."""
    site.names["turns.example"] = [[PUBLIC], ["127.0.0.1"]]
    site.pages["/a"] = lambda _asked: page("once")
    assert (await client.fetch("http://turns.example/a")).body == b"once"
    assert site.dialled == [PUBLIC]
    site.names["turns.example"] = [[PUBLIC], ["127.0.0.1"]]
    site.pages["/b"] = lambda _asked: moved("http://turns.example/a")
    with pytest.raises(Refused):
        await client.fetch("http://turns.example/b")


async def test_redirects_are_followed_and_counted(site: Site, client: Client) -> None:
    for n in range(6):
        site.pages[f"/{n}"] = lambda _asked, to=n + 1: moved(f"/{to}", 301)  # type: ignore[misc]
    site.pages["/6"] = lambda _asked: page("there")
    assert (await client.fetch("http://good.example/1")).address == "http://good.example/6"
    with pytest.raises(FetchError, match="more than 5"):
        await client.fetch("http://good.example/0")
    site.pages["/loop"] = lambda _asked: moved("/loop")
    with pytest.raises(FetchError, match="more than 5"):
        await client.fetch("http://good.example/loop")


async def test_a_page_without_end_is_cut(site: Site, client: Client) -> None:
    async def endless(asked: Asked) -> bytes:
        asked.writer.write(b"HTTP/1.1 200 X\r\nContent-Type: text/plain\r\n\r\n")
        while True:
            asked.writer.write(b"x" * 65536)
            await asked.writer.drain()

    site.pages["/endless"] = endless
    found = await client.fetch("http://good.example/endless")
    assert found.cut
    assert len(found.body) == guarded.MOST_BYTES


async def test_a_packed_page_is_unpacked_and_a_bomb_is_not(site: Site, client: Client) -> None:
    site.pages["/ok"] = lambda _asked: packed(b"small " * 100)
    assert (await client.fetch("http://good.example/ok")).body == b"small " * 100
    site.pages["/bomb"] = lambda _asked: packed(bytes(200_000_000))
    found = await client.fetch("http://good.example/bomb")
    assert found.cut
    assert len(found.body) == guarded.MOST_BYTES
    site.pages["/br"] = lambda _asked: page(b"??", Content_Encoding="br")
    site.pages["/bad"] = lambda _asked: page(b"no gzip", Content_Encoding="gzip")
    for path in ("/br", "/bad"):
        with pytest.raises(FetchError):
            await client.fetch(f"http://good.example{path}")


async def test_a_configured_server_may_be_inside_and_is_not_left(site: Site, client: Client) -> None:
    site.names["search.lan"] = [["192.168.1.5"]]
    site.pages["/search"] = lambda _asked: page("{}", "application/json")
    assert (await client.fetch("http://search.lan/search", configured=True)).body == b"{}"
    site.pages["/away"] = lambda _asked: moved("http://192.168.1.6/")
    with pytest.raises(FetchError, match="settings"):
        await client.fetch("http://search.lan/away", configured=True)


async def test_what_cannot_be_reached_is_said(site: Site, client: Client) -> None:
    with pytest.raises(FetchError, match=r"no host called nowhere\.example"):
        await client.fetch("http://nowhere.example/")

    async def cut(asked: Asked) -> bytes:
        asked.writer.write(b"HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\nhalf")
        return b""

    site.pages["/half"] = cut
    with pytest.raises(FetchError, match="could not be read"):
        await client.fetch("http://good.example/half")


async def test_cancelling_ends_the_request(site: Site, client: Client) -> None:
    held, begun = asyncio.Event(), asyncio.Event()

    async def slow(_asked: Asked) -> bytes:
        begun.set()
        await held.wait()
        return b""

    site.pages["/slow"] = slow
    task = spawn(client.fetch("http://good.example/slow"), name="fetch")
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    held.set()
