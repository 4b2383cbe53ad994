"""Calls of the api, in this process and from another: the same values, checked where they come in."""

import asyncio
import inspect
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_type_hints

import pytest

from desktop.api.backups import Made
from desktop.api.client import Api
from desktop.api.providers import Draft
from desktop.api.remote import Remote
from desktop.api.usage import Cost, Report
from desktop.cli.owner import Owner
from desktop.cron.wanted import Wanted
from desktop.errors import AppError, UsageError
from desktop.ipc.connection import NoOwnerError, Server, ask, call
from desktop.ipc.ownership import Ownership
from desktop.pace import Advanced
from desktop.paths import Home
from desktop.usage import Call
from tests.streamed import end_of

NAMES = sorted(Api.__annotations__)


@pytest.fixture
async def owner(tmp_path: Path) -> AsyncIterator[Owner]:
    home = Home(tmp_path, tmp_path / "models")
    ownership = Ownership.take(home)
    assert ownership is not None
    owner = Owner(home, "serve", ownership)
    await owner.start()
    await owner.core.usage.record(Call("openai", "gpt-5", session="window:a", input_tokens=900, cost=0.5))
    yield owner
    await owner.stop()


def test_a_subject_is_loaded_when_it_is_first_named() -> None:
    code = """
import sys
import desktop.core.subjects
from desktop import api
before = "desktop.api.search" in sys.modules
print(before, api.search.Search.__name__, hasattr(api, "nothing"), "desktop.api.usage" in sys.modules)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.split() == ["False", "Search", "False", "False"]


async def test_a_reply_is_the_same_here_and_from_another_process(owner: Owner, tmp_path: Path) -> None:
    here, there = Api(owner), Api(Remote(Home(tmp_path, tmp_path / "models")))
    report, cost = await here.usage.report("7", by="cause"), await here.usage.cost("window:a")
    assert isinstance(report, Report)
    assert isinstance(cost, Cost)
    assert (cost.usd, cost.models[0].name) == (0.5, ("openai", "gpt-5"))
    assert await there.usage.report("7", by="cause") == report
    assert await there.usage.cost(session="window:a") == cost
    with pytest.raises(UsageError, match="no period soon"):
        await there.usage.report("soon")


async def test_a_stream_and_what_it_is_given_are_the_same_from_another_process(
    owner: Owner, tmp_path: Path
) -> None:
    here, there = Api(owner), Api(Remote(Home(tmp_path, tmp_path / "models")))
    job = await there.jobs.add(Wanted(name="Tea", message="Drink it", every=7200, plain=True))
    assert (await here.jobs.all()).jobs == (job,)
    for name, api in (("here", here), ("there", there)):
        path = tmp_path / "out" / f"{name}.zip"
        *steps, made = [event async for event in api.backups.make(str(path))]
        assert steps
        assert all(isinstance(step, Advanced) for step in steps)
        assert isinstance(made, Made)
        assert (made.path, made.size) == (str(path), path.stat().st_size)
        with pytest.raises(UsageError, match="already"):
            await end_of(api.backups.make(str(path)), Made)


async def test_what_settings_and_models_are_is_told_alike(owner: Owner, tmp_path: Path) -> None:
    here, there = Api(owner), Api(Remote(Home(tmp_path, tmp_path / "models")))
    draft = Draft("groq", "llama", key="gsk_once")
    used = await there.providers.use(draft, session_only=True)
    assert (used.name, used.model) == ("groq", "llama")
    await there.settings.change({"agents.defaults.max_tokens": 5_000})
    looks: list[Callable[[Api], Awaitable[object]]] = [
        lambda api: api.providers.all(),
        lambda api: api.models.choices(),
        lambda api: api.models.answering(),
        lambda api: api.setup.readiness(),
        lambda api: api.local.models(),
        lambda api: api.context.usage(),
        lambda api: api.model_facts.of("groq", "llama"),
        lambda api: api.turns.completions(),
    ]
    for look in looks:
        assert await look(there) == await look(here)
    assert (await there.settings.all()).values["agents.defaults.max_tokens"] == 5_000
    assert "gsk_once" not in str(draft)


@pytest.mark.parametrize(
    ("verb", "arguments", "said"),
    [
        (
            "usage.report",
            {"span": 7},
            "argument span is not valid: Expected `str`, got `int`",
        ),
        ("usage.report", {"since": "7"}, "There is no argument since."),
        ("usage.cost", {}, "The argument session is missing."),
        ("usage.cost", {"session": None}, "Expected `str`, got `null`"),
        ("usage.forget", {}, "Unknown request: usage.forget."),
        ("usage._ledger", {}, "Unknown request: usage._ledger."),
        ("usage.__init__", {}, "Unknown request: usage.__init__."),
        ("usage.", {}, "Unknown request: usage.."),
        ("weather.report", {}, "Unknown request: weather.report."),
    ],
)
async def test_what_another_process_sends_is_checked(
    owner: Owner, tmp_path: Path, verb: str, arguments: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError) as failure:
        async for _line in call(Home(tmp_path, tmp_path / "models"), verb, arguments):
            pass
    assert said in failure.value.text


async def test_an_owner_of_another_version_is_told_in_a_sentence(tmp_path: Path) -> None:
    home = Home(tmp_path, tmp_path / "models")

    async def older(_verb: str, _arguments: Any, send: Any) -> dict[str, Any]:
        send({"event": "text", "text": "Hello"})
        return {"pid": 1}

    ownership = Ownership.take(home)
    assert ownership is not None
    server = Server(home, older)
    await server.start()
    api = Api(Remote(home))
    with pytest.raises(AppError, match="a different version"):
        await api.program.status()
    with pytest.raises(AppError, match="a different version"):
        async for _event in api.turns.ask("Hello"):
            pass
    await server.stop()
    ownership.release()


async def test_a_call_is_a_task_like_any_other(owner: Owner) -> None:
    api = Api(owner)
    costs = await asyncio.gather(*(api.usage.cost(name) for name in ("window:a", "window:b")))
    assert [cost.calls for cost in costs] == [1, 0]


async def test_once_the_home_is_handed_over_nothing_is_asked_here(owner: Owner, tmp_path: Path) -> None:
    await ask(Home(tmp_path, tmp_path / "models"), "hand_over")
    with pytest.raises(NoOwnerError):
        await Api(owner).usage.cost("window:a")


@pytest.mark.parametrize("name", NAMES)
def test_what_a_subject_takes_and_gives_can_travel(name: str) -> None:
    """Its signatures name plain values and dataclasses that are declared in its own module or at their
    home; they are resolved without the parts of the program that it works with."""
    import msgspec

    subject = getattr(import_module(f"desktop.api.{name}"), Api.__annotations__[name])
    methods = [m for n, m in inspect.getmembers(subject, inspect.isfunction) if not n.startswith("_")]
    assert methods
    for method in methods:
        assert method.__doc__, method
        assert inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method), method
        hints = get_type_hints(method)
        if inspect.isasyncgenfunction(method):
            (stream,) = get_args(hints.pop("return"))
            hints |= {event.__name__: event for event in _members(stream)}
        for hint in hints.values():
            msgspec.json.schema(hint)  # raises TypeError where it cannot be told
            for kind in (hint, *get_args(hint)):
                if is_dataclass(kind):
                    assert kind.__dataclass_params__.frozen, kind  # type: ignore[union-attr]


def _members(hint: Any) -> list[type]:
    """The classes of a union, also of one with a name."""
    hint = getattr(hint, "__value__", hint)
    if isinstance(hint, UnionType):
        return [member for part in get_args(hint) for member in _members(part)]
    return [hint]
