"""A homeserver whose answers have no end: it is told, it costs no memory, and others go on."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from desktop.services.timing import Timing
from tests.channels.loopback import Loopback
from tests.channels.matrix_person import Person
from tests.channels.matrix_world import World, alice, running, synapse, world

__all__ = ["alice", "synapse", "world"]

pytestmark = pytest.mark.machine

PIECE = 65_536
ENDLESS: dict[str, tuple[dict[str, str], bytes, bytes]] = {
    "endless": ({}, b'{"next_batch":"x', b"x" * PIECE),
    "compressed": (
        {"Content-Encoding": "gzip"},
        gzip.compress(b'{"next_batch":"'),
        gzip.compress(b"x" * (16 * PIECE)),
    ),
    "said to be huge": ({"Content-Length": str(1 << 40)}, b"[", b"[]," * PIECE),
}
"""Headers, the beginning, and what comes again and again."""


def _passed(request: web.Request) -> dict[str, str]:
    kept = ("Authorization", "Content-Type")
    return {name: value for name, value in request.headers.items() if name in kept}


class Homeserver(Loopback):
    """In front of Synapse; one of its answers may be another."""

    def __init__(self, behind: str) -> None:
        super().__init__()
        self._behind, self.wrong, self.bad = behind, "", ""
        """What is wrong with which path."""
        self.out = 0

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_route("*", "/{path:.*}", self._answer)

    def name_of(self, request: web.Request) -> str:
        return request.path

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if self.wrong and request.path.endswith(self.bad):
            return await self._odd(request)
        asked: dict[str, Any] = {"data": await request.read(), "headers": _passed(request)}
        async with (
            aiohttp.ClientSession() as session,
            session.request(request.method, self._behind + str(request.rel_url), **asked) as found,
        ):
            answer = web.Response(status=found.status, body=await found.read())
            answer.headers["Content-Type"] = found.headers["Content-Type"]
            return answer

    async def _odd(self, request: web.Request) -> web.StreamResponse:
        if self.wrong == "deep":
            return web.Response(body=b"[" * 1_000_000, content_type="application/json")
        more, first, again = ENDLESS[self.wrong]
        answer = web.StreamResponse(headers={"Content-Type": "application/json"} | more)
        await answer.prepare(request)
        self.out = 0
        await answer.write(first)
        with suppress(ConnectionError):
            while True:
                await answer.write(again)
                self.out += len(again)
        return answer


@pytest.fixture
async def homeserver(world: World) -> AsyncIterator[Homeserver]:
    async with Homeserver(world.synapse.url) as found:
        yield found


@pytest.mark.parametrize("wrong", [*ENDLESS, "deep"])
async def test_an_answer_without_end_is_told_and_the_app_comes_back(
    world: World, alice: Person, homeserver: Homeserver, wrong: str
) -> None:
    async with world.desk(homeserver=homeserver.url) as desk:
        room = await alice.direct(world.bot)
        await alice.say(room, "Before")
        await alice.hears(room, "Good day.")
        desk.owner.core.background.services._timing = Timing(least=0.05, most=0.2, start=30.0)
        homeserver.wrong, homeserver.bad = wrong, "/sync"
        homeserver.cut()
        async with asyncio.timeout(25):
            told = await running(desk, "degraded")
            while "can’t be reached" in told:
                await asyncio.sleep(0)
                told = await running(desk, "degraded")
        wanted = ("can’t be read", "no Matrix server") if wrong == "deep" else ("too large",)
        assert any(one in told for one in wanted), told
        assert homeserver.out < 64_000_000
        homeserver.wrong = ""
        await running(desk)
        await alice.say(room, "After")
        await alice.hears(room, "Good day.", "Good day.")


async def test_so_it_is_where_the_account_signs_in(world: World, homeserver: Homeserver) -> None:
    homeserver.wrong, homeserver.bad = "endless", "/login"
    async with world.desk(homeserver=homeserver.url, state="degraded") as desk:
        assert "too large" in await running(desk, "degraded")
        assert homeserver.out < 64_000_000
