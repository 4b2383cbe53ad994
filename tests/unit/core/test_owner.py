"""A home changes hands: from a command to the window, when nothing is under way any more."""

import asyncio
import json
import sys
import threading
from collections.abc import Coroutine, Generator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from desktop.api.client import Api
from desktop.api.reply import Reply
from desktop.bus.events import Event, PermissionAsked, TextDelta, TurnFinished
from desktop.cli.owner import Owner
from desktop.ipc.connection import NoOwnerError, Server, call
from desktop.ipc.ownership import WINDOW, Ownership, take_over, window_runs
from desktop.paths import Home
from desktop.tasks import in_thread, spawn
from tests import warm
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path, tmp_path / "models")


async def owned(home: Home, front: str, asked: list[object] | None = None) -> Owner:
    ownership = Ownership.take(home)
    assert ownership is not None

    async def show(_arguments: object) -> dict[str, object]:
        assert asked is not None
        asked.append(True)
        return {}

    async def quick(arguments: dict[str, object]) -> dict[str, object]:
        assert asked is not None
        asked.append(arguments["source"])
        return {}

    owner = Owner(home, front, ownership)
    owner.host = warm.host(owner.bus)
    await owner.start(requests={"show": show, "quick": quick})
    return owner


class CutOff:
    """Awaits something, and cancels it where it waits for the nth time."""

    def __init__(self, work: Coroutine[Any, Any, object], at: int) -> None:
        self._work, self._at = work, at

    def __await__(self) -> Generator[Any]:
        on = partial(self._work.send, None)
        for number in count(1):
            try:
                waits = on()
            except StopIteration:
                return
            if number == self._at and not (waits and waits.cancel()):
                self._at += 1
            try:
                yield waits
                on = partial(self._work.send, None)
            except asyncio.CancelledError as error:
                on = partial(self._work.throw, error)


async def test_a_start_that_is_cancelled_at_any_moment_leaves_nothing_behind(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    for at in count(1):
        home = Home(tmp_path / f"{at}", tmp_path / "models")
        ownership = Ownership.take(home)
        assert ownership is not None
        owner = Owner(home, WINDOW, ownership)
        owner.host = warm.host(owner.bus)
        try:
            await CutOff(owner.start(), at)
        except asyncio.CancelledError:
            for thread in {*threading.enumerate()} - before:
                if not thread.name.startswith("asyncio_"):  # they end with the loop
                    await in_thread(thread.join, 20)
                    assert not thread.is_alive(), f"the program could not end, after {at}"
            again = Ownership.take(home)
            assert again is not None, f"nobody has the home, after {at}"
            again.release()
        else:
            await owner.stop()
            break
    assert at > 20, "it waits often"


async def test_a_free_home_is_taken_at_once(home: Home) -> None:
    ownership = await take_over(home)
    assert ownership is not None
    ownership.release()


async def test_a_command_hands_over_when_its_answer_is_whole(home: Home, tmp_path: Path) -> None:
    with ScriptedServer() as server:
        Program(tmp_path).use_server(server.url, "slow:0.1")
        command = await owned(home, "chat")
        events: list[Event] = []

        async def ask() -> None:
            async for event in Api(command).turns.ask("count"):
                events.append(event)  # noqa: PERF401 - what came before a failure counts too

        asking = spawn(ask(), name="ask")
        await in_thread(server.wait_for_request)
        ownership = await take_over(home)
        assert ownership is not None
        await asking
        assert isinstance(events[-1], TurnFinished)
        with pytest.raises(NoOwnerError):
            await Api(command).program.status()
        await command.stop()
        ownership.release()


async def test_a_question_at_the_terminal_is_answered_while_a_window_waits_for_the_home(
    home: Home, tmp_path: Path
) -> None:
    with ScriptedServer() as server:
        Program(tmp_path).use_server(server.url)
        call = json.dumps([["exec", {"command": "wc -c note.txt"}]])
        server.script(f"use:{call}", "say:Counted.")
        command, wanted = await owned(home, "chat"), asyncio.Event()
        api, end = Api(command), ""
        async with asyncio.timeout(60):
            async for event in api.turns.ask("Count"):
                if isinstance(event, PermissionAsked):
                    taking = spawn(take_over(home, wanted.set), name="take-over")
                    await wanted.wait()
                    await api.questions.answer(event.question, Reply(True, front="terminal"))
                elif isinstance(event, TurnFinished):
                    end = event.text
            assert end == "Counted."
            ownership = await taking
        assert ownership is not None
        await command.stop()
        ownership.release()


async def test_what_happens_while_the_caller_is_busy_is_not_lost(home: Home, tmp_path: Path) -> None:
    with ScriptedServer() as server:
        Program(tmp_path).use_server(server.url)
        words = " ".join(str(number) for number in range(3_000))  # more than the bus keeps for anybody
        server.script(f"say:{words}")
        command = await owned(home, "chat")
        first, text = True, ""
        async for event in Api(command).turns.ask("Count"):
            if first:
                first = False
                await command.core.at_rest()
            if isinstance(event, TextDelta):
                text += event.text
        assert text == words
        await command.stop()


async def test_a_window_that_runs_is_shown_instead(home: Home) -> None:
    shown: list[object] = []
    window = await owned(home, WINDOW, shown)
    assert await take_over(home) is None
    assert shown == [True]
    assert await in_thread(_runs, home, False)
    assert shown == [True]
    assert await in_thread(_runs, home, True)
    assert shown == [True, True]
    await window.stop()
    assert not await in_thread(_runs, home, True)


def _runs(home: Home, show: bool) -> bool:
    return window_runs(home, ("show", {}) if show else None)


async def test_a_window_that_runs_is_asked_for_what_the_new_one_was_to_do(home: Home) -> None:
    asked: list[object] = []
    window = await owned(home, WINDOW, asked)
    assert await in_thread(window_runs, home, ("quick", {"source": "selection"}))
    assert asked == ["selection"]
    await window.stop()


async def test_a_command_that_owns_the_home_is_no_window(home: Home) -> None:
    command = await owned(home, "ask")
    assert not await in_thread(_runs, home, True)
    await command.stop()


async def test_an_address_left_behind_by_a_crash_is_no_window(home: Home) -> None:
    home.root.mkdir(exist_ok=True)
    home.ipc.write_text('{"port": 1, "token": "x", "socket": "/no/such/socket", "pid": 1}', "utf-8")
    assert not await in_thread(_runs, home, True)
    async with asyncio.timeout(60):
        ownership = await take_over(home)
    assert ownership is not None
    ownership.release()


async def test_who_failed_to_start_holds_nothing(home: Home) -> None:
    home.root.mkdir(exist_ok=True)
    home.database.mkdir()  # a folder where the database should be
    ownership = Ownership.take(home)
    assert ownership is not None
    with pytest.raises(Exception, match=r"database|state"):
        await Owner(home, WINDOW, ownership).start()
    again = Ownership.take(home)
    assert again is not None
    again.release()
    with pytest.raises(NoOwnerError):
        async for _line in call(home, "status", {}):
            pass


class Command:
    """The ear of a command that owns the home, and what it was asked; it never leaves by itself."""

    def __init__(self, home: Home) -> None:
        self.asked: list[str] = []
        self.told = asyncio.Event()
        self.server = Server(home, self.handle)

    async def handle(self, verb: str, _arguments: object, _send: object) -> dict[str, object]:
        self.asked.append(verb)
        if verb == "hand_over":
            self.told.set()
        return {"pid": 1, "front": "chat"}


async def test_each_command_that_has_the_home_in_turn_is_asked_to_leave(home: Home) -> None:
    ownership = Ownership.take(home)
    assert ownership is not None
    waits: list[bool] = []
    taking = spawn(take_over(home, lambda: waits.append(True)), name="take-over")
    for _turn in range(2):
        command = Command(home)
        await command.server.start()
        await asyncio.wait_for(command.told.wait(), 10)
        await command.server.stop()
        assert command.asked == ["status", "hand_over"]
    ownership.release()
    taken = await asyncio.wait_for(taking, 10)
    assert taken is not None
    assert waits
    taken.release()


async def test_a_command_that_ends_in_the_middle_of_the_question_is_no_failure(home: Home) -> None:
    ownership = Ownership.take(home)
    assert ownership is not None
    met = asyncio.Event()

    async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        met.set()
        writer.close()
        home.ipc.unlink()

    home.root.mkdir(exist_ok=True)
    place: dict[str, object] = {"pid": 1}
    if sys.platform == "win32":
        server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
        place |= {"port": server.sockets[0].getsockname()[1], "token": "x"}
    else:
        server = await asyncio.start_unix_server(hang_up, home.root / "socket")
        place |= {"socket": str(home.root / "socket")}
    home.ipc.write_text(json.dumps(place), "utf-8")
    taking = spawn(take_over(home), name="take-over")
    await asyncio.wait_for(met.wait(), 10)
    ownership.release()
    taken = await asyncio.wait_for(taking, 10)
    assert taken is not None
    taken.release()
    server.close()
