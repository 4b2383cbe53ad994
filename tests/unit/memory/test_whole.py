"""Whatever comes in which order: each message is seen or kept once, and each edit by hand survives."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.agent.turn import Inbound
from desktop.bus.bus import Bus
from desktop.memory.dream import Dream
from desktop.memory.history import History
from desktop.memory.notes import Notes, facts
from desktop.memory.staging import Staging
from desktop.memory.versions import Versions
from desktop.providers.base import Completion, Delta, Request
from desktop.providers.ready import ModelWanted
from desktop.usage import UsageLedger
from tests.unit.agent.scripted import Agent, ScriptedModel, agent_at, answer

_DREAMING, _SUMMING = "long-term notes", "keep the memory"


class Speaking(ScriptedModel):
    """Answers by what it is asked; lets something happen while it reads for a Dream."""

    def __init__(self) -> None:
        super().__init__()
        self.window = 4096
        self.said = 0
        self.meanwhile: list[int] = []
        self.edit: Callable[[int], object] = int

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion]:
        self.said += 1
        first = str(request.messages[0]["content"])
        if _DREAMING in first:
            while self.meanwhile:
                self.edit(self.meanwhile.pop())
            lines = [f"[MEMORY] Learned {self.said}.", f"[USER] Is {self.said}."]
            if self.said % 2:
                lines.append("[MEMORY-REMOVE] anything: it is old")
            steps = answer("\n".join(lines))
        else:
            steps = answer(f"- Note {self.said}." if _SUMMING in first else "ok " + "word " * 150)
        for step in steps:
            assert isinstance(step, Delta | Completion)
            yield step


@dataclass
class World:
    """An agent with its memory, and a person who writes by hand."""

    agent: Agent
    model: Speaking
    dream: Dream
    history: History
    notes: Notes
    by_hand: dict[str, str] = field(default_factory=dict)
    """The lines that the person wrote, and in which note."""

    def edit(self, number: int) -> None:
        """Put a line somewhere by hand; sometimes in the place of one that is there."""
        name = ("USER", "MEMORY", "SOUL")[number % 3]
        lines = self.notes.read(name).text.splitlines()
        mine = f"- By hand {number}." if number % 2 else f"By hand, no fact: {number}."
        others = [at for at, line in enumerate(lines) if "hand" not in line]
        if number % 5 == 0 and others:
            lines[others[0]] = mine
        else:
            lines.insert(number % (len(lines) + 1), mine)
        path = self.notes.read(name).path
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + ("\n" if number % 7 else ""), "utf-8")
        self.by_hand[mine] = name

    async def act(self, what: str, number: int) -> None:
        ready = await self.model.ready(ModelWanted("", "", "s", ""))
        session = await self.agent.sessions.open("s")
        assert self.agent.memory
        if what == "turn":
            end = await self.agent.loop.submit(
                Inbound("s", f"message {number} " + "word " * (number % 300))
            )
            await self.agent.end_of(end)
        elif what == "shorten":
            await self.agent.memory.make_room(session, ready, 0, "", force=True)
        elif what == "cover":
            await self.agent.memory.cover(session, ready)
        elif what == "edit":
            self.edit(number)
        else:
            if what == "edited dream":
                self.model.meanwhile.append(number)
            await self.dream.run(ready, self.scribe)

    async def scribe(self, task: str, folder: Path, writable: frozenset[str]) -> None:
        """Takes out the first line of a note, whosever it is."""
        assert "\n- " in task
        for name in writable:
            path = folder / name
            if path.exists():
                path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[1:]), "utf-8")

    async def check(self) -> None:
        session = await self.agent.sessions.open("s")
        messages = await session.everything()
        spans = sorted((e.start, e.end) for e in await self.history.all() if e.session == "s")
        assert all(start < end for start, end in spans)
        assert all(first[1] == second[0] for first, second in pairwise(spans)), "none twice, none left out"
        covered = spans[-1][1] if spans else 0
        assert not spans or spans[0][0] == 0
        assert session.archived <= covered <= len(messages), "what is not seen is kept"
        for line, name in self.by_hand.items():
            assert line in self.notes.read(name).text.splitlines(), "an edit by hand is lost"
        learned = [fact.text for name in ("USER", "MEMORY") for fact in facts(self.notes.read(name).text)]
        assert len(set(learned)) == len(learned), "nothing is learned twice"


async def _live(steps: list[tuple[str, int]]) -> None:
    bus, model = Bus(), Speaking()
    with tempfile.TemporaryDirectory() as folder, bus.subscribe() as events:
        agent = await agent_at(Path(folder), model, bus, events, memory=True)
        history, notes = History(agent.workspace / "memory"), Notes(agent.workspace)
        dream = Dream(
            history,
            notes,
            Versions(agent.workspace),
            Staging(history.folder),
            list,
            UsageLedger(agent.database, bus),
            lambda: 20,
        )
        world = World(agent, model, dream, history, notes)
        model.edit = world.edit
        try:
            for number, (what, size) in enumerate(steps):
                await world.act(what, 1000 * number + size)
                await world.check()
        finally:
            assert agent.memory
            await agent.memory.close()
            await agent.loop.close()
            await agent.database.close()


ACTS = st.sampled_from(["turn", "turn", "shorten", "cover", "dream", "edited dream", "edit"])


@pytest.mark.expected_log("refused of a Dream")
@settings(max_examples=40)
@given(st.lists(st.tuples(ACTS, st.integers(0, 999)), max_size=14))
def test_any_order_keeps_every_message_once_and_every_edit(steps: list[tuple[str, int]]) -> None:
    asyncio.run(_live(steps))
