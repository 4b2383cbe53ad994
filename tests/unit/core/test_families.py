"""A turn with two rounds of a tool at a strict server of each family, thinking on and off, through the real
host: nothing is refused, for the table of behaviour is right; and where it is wrong, the server teaches."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from desktop.agent.turn import Inbound
from desktop.bus.bus import Bus
from desktop.bus.events import ReasoningDelta, TurnFailed, TurnFinished, TurnStarted
from desktop.core.core import Core
from desktop.paths import Home
from desktop.tasks import in_thread
from tests import warm
from tests.servers.families import DONE, FAMILIES, ROUNDS, THOUGHT, Family, plan
from tests.servers.scripted import ScriptedServer, Seen
from tests.stories.program import Program


@pytest.fixture
async def core(tmp_path: Path, server: ScriptedServer) -> AsyncIterator[Core]:
    Program(tmp_path).use_server(server.url)
    bus = Bus()
    core = await Core.start(Home(tmp_path, tmp_path / "models"), warm.host(bus), bus)
    providers = {family.provider for family in FAMILIES}
    await core.change({f"providers.{name}.api_base": server.url for name in providers})
    for name in providers - {"custom", "vllm"}:
        core.keychain.remember(name, "sk-family")
    yield core
    await core.stop()


async def turn(core: Core, key: str, text: str = "Look twice.") -> tuple[str, str]:
    """The answer or the failure, and what was thought."""
    thought = ""
    with core.bus.subscribe() as events:
        id_ = await core.loop.submit(Inbound(key, text))
        async for event in events:
            if isinstance(event, ReasoningDelta) and event.turn == id_:
                thought += event.text
            if isinstance(event, TurnFinished) and event.turn == id_:
                return event.text, thought
            if isinstance(event, TurnFailed) and event.turn == id_:
                return event.error, thought
    raise AssertionError


async def use(core: Core, family: Family, level: str) -> str:
    """A new conversation with a model of a family, thinking so much; its key."""
    key = f"test:{family.id}:{level or 'as-it-likes'}"
    session = await core.sessions.open(key)
    await session.set_metadata(provider=family.provider, model=family.model, reasoning=level or None)
    return key


@pytest.mark.parametrize("own_form", [False, True], ids=["openai-wire", "own-form"])
async def test_a_turn_with_two_rounds_of_a_tool_is_refused_by_no_family(
    core: Core, server: ScriptedServer, own_form: bool
) -> None:
    families = [family for family in FAMILIES if (family.provider in ("anthropic", "gemini")) == own_form]
    cases = [(family, level) for family in families for level in dict.fromkeys(("", family.on, family.off))]
    faults = {
        f"{family.id} {level or 'by default'}": found
        for family, level in cases
        if (found := await asked(core, server, family, level))
    }
    assert not faults, "\n".join(f"{case}: {found}" for case, found in faults.items())


async def asked(core: Core, server: ScriptedServer, family: Family, level: str) -> str:
    """What is wrong with two questions to a family; empty for nothing."""
    server.forget()
    server.when("", lambda seen: plan(family, seen.body))
    key = await use(core, family, level)
    for _question in range(2):  # the second one sends what the first one left
        told, thought = await turn(core, key)
        if told != DONE:
            return told
        thinks = family.thinks(server.requests[-1].body)
        if thought != (THOUGHT * (ROUNDS + 1) if thinks and family.form else ""):
            return f"thought: {thought}"
        if level and family.on and family.off and family.form and thinks != (level == family.on):
            return f"thinks: {thinks}"
    return "" if len(server.requests) == 2 * (ROUNDS + 1) else "it was refused at first"


@pytest.mark.soak
async def test_damaged_blocks_are_left_out_told_and_nothing_is_lost(
    core: Core, server: ScriptedServer
) -> None:
    family = next(family for family in FAMILIES if family.model == "claude-opus-4-6")
    server.when("", lambda seen: plan(family, seen.body))
    key = await use(core, family, "high")
    assert (await turn(core, key))[0] == DONE
    session = await core.sessions.open(key)
    log = await in_thread(session.path.read_text, "utf-8")
    await in_thread(session.path.write_text, log.replace("c2lnbmVk", "ZGFtYWdlZA"), "utf-8")
    core.sessions.forget(key)
    asked = len(server.requests)
    with core.bus.subscribe() as events:
        id_ = await core.loop.submit(Inbound(key, "Once more."))
        notes = []
        async for event in events:
            if isinstance(event, TurnStarted):
                notes.append(event.note)
            if isinstance(event, TurnFinished | TurnFailed) and event.turn == id_:
                break
    assert isinstance(event, TurnFinished)
    assert event.text == DONE
    assert "The model did not accept its earlier reasoning back, and answered without it." in notes
    assert await core.database.read("SELECT * FROM lessons") == []
    assert len(server.requests) == asked + ROUNDS + 2
    assert "ZGFtYWdlZA" in await in_thread(session.path.read_text, "utf-8"), "nothing is thrown away"


def answered_by(family: Family, seen: Seen) -> str:
    return plan(family, seen.body)


@pytest.mark.soak
async def test_a_family_that_nobody_knows_teaches_what_it_takes(core: Core, server: ScriptedServer) -> None:
    untaught = ("minimax", "mistral", "anthropic", "gemini")  # what these want, no refusal names
    faults: dict[str, tuple[str, str, int, int]] = {}
    for family in (one for one in FAMILIES if one.provider not in untaught):
        for level in dict.fromkeys(("", family.on, family.off)):
            server.forget()
            server.when("", partial(answered_by, family))
            key = f"test:unknown:{family.id}:{level}"
            session = await core.sessions.open(key)
            name = f"unknown-{len(faults)}-{FAMILIES.index(family)}"
            await session.set_metadata(provider="custom", model=name, reasoning=level or None)
            told, _thought = await turn(core, key)
            first = len(server.requests)
            again, _thought = await turn(core, key)
            if (
                (told, again) != (DONE, DONE)
                or len(server.requests) - first != ROUNDS + 1
                or first > ROUNDS + 6
            ):
                faults[f"{family.id} {level}"] = (told, again, first, len(server.requests))
    assert not faults, "\n".join(f"{case}: {found}" for case, found in faults.items())


@pytest.mark.soak
async def test_anthropics_own_refusals_teach_through_its_own_wire(
    core: Core, server: ScriptedServer
) -> None:
    family = next(family for family in FAMILIES if family.model == "claude-opus-5-5")
    server.when("", lambda seen: plan(family, seen.body))
    session = await core.sessions.open("test:later")
    await session.set_metadata(provider="anthropic", model="claude-sonnet-4-5-later", reasoning="high")
    assert (await turn(core, "test:later"))[0] == DONE
    assert not {"thinking", "temperature"} & set(server.requests[-1].body)
