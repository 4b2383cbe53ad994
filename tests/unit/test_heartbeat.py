"""The heartbeat: no model is asked for nothing, what is due is done, and what cannot work says so once."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from desktop.bus.bus import Bus
from desktop.config.presence import Heartbeat as Settings
from desktop.database.database import Database
from desktop.heartbeat import Heartbeat, active
from desktop.inbox.inbox import Inbox
from desktop.paths import resource
from desktop.providers.base import QuotaExceeded, SignInNeeded, Unreachable
from desktop.providers.ready import ModelWanted, Ready
from desktop.usage import UsageLedger
from tests.unit.agent.scripted import ScriptedModel, answer, calls

NEW = (
    "# Heartbeat Tasks\n\nChecked every 30 minutes.\n\n"
    "## Active Tasks\n\n- Look at the {}\n\n## Completed\n- [x] Old\n"
)
OLD = "# Tasks\n- Look at the greenhouse\n## Completed\n- Sort the seeds\n"
DUE = calls(("decide", {"due": True, "task": "Look at the greenhouse."}))
NOT_DUE = calls(("decide", {"due": False, "task": ""}))


@dataclass
class Bed:
    """A heartbeat over a workspace, a scripted model, and the tasks that were done."""

    workspace: Path
    database: Database
    model: ScriptedModel = field(default_factory=ScriptedModel)
    settings: Settings = field(default_factory=Settings)
    done: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        bus = Bus()
        self.inbox, self.usage = Inbox(self.database, bus), UsageLedger(self.database, bus)
        self.heartbeat = Heartbeat(
            self.workspace, lambda: self.settings, self._ready, self._work, self.usage, self.inbox, bus
        )

    async def _ready(self) -> Ready:
        return await self.model.ready(ModelWanted("", "", "heartbeat", "", unattended=True))

    async def _work(self, task: str) -> None:
        self.done.append(task)

    @property
    def state(self) -> str:
        return self.heartbeat.status.state.value

    def put(self, text: str) -> None:
        (self.workspace / "HEARTBEAT.md").write_text(text, "utf-8")

    async def beat(self, times: int = 1) -> None:
        """Let it come as often as its timer would ring."""
        for _time in range(times):
            self.heartbeat._due()
            assert self.heartbeat._task
            await self.heartbeat._task


@pytest.fixture
async def bed(tmp_path: Path) -> AsyncIterator[Bed]:
    database = Database(tmp_path / "state.db")
    await database.open()
    bed = Bed(tmp_path, database)
    await bed.heartbeat.start()
    yield bed
    await bed.heartbeat.stop()
    await database.close()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (NEW.format("greenhouse"), ["- Look at the greenhouse"]),
        (OLD, ["- Look at the greenhouse"]),
        ("## Active Tasks (daily)\n### House\n- Plants\n- [x] Cat\n", ["- Plants"]),
        ("<!--\n- Plants\n-->\n## Active Tasks\n", []),
        ("<!-- never closed\n- Plants\n", []),
        ("- Plants\n", ["- Plants"]),
        ("# 心跳\n## 进行中\n- 看看花\n## 已完成\n- 浇水\n", ["- 看看花"]),
        ("", []),
        ("# Only\n## Headings\n---\n", []),
    ],
)
def test_open_tasks_are_told_from_the_rest(text: str, lines: list[str]) -> None:
    assert active(text) == lines


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_file_of_a_new_workspace_asks_for_nothing(language: str) -> None:
    assert active(resource("templates", language, "HEARTBEAT.md").read_text("utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [None, "", "<!-- water the plants -->\n", "## Active Tasks\n\n## Completed\n- [x] Plants\n- Cat\n"],
)
async def test_without_an_open_task_no_model_is_asked_in_a_day(bed: Bed, text: str | None) -> None:
    if text is not None:
        bed.put(text)
    await bed.beat(times=48)
    assert bed.model.requests == []
    assert bed.done == []


async def test_what_is_due_is_done(bed: Bed) -> None:
    bed.put(NEW.format("greenhouse"))
    bed.model.scripts = [DUE]
    await bed.beat()
    assert bed.done == ["Look at the greenhouse."]
    asked = str(bed.model.requests[0].messages)
    assert "Look at the greenhouse" in asked
    assert "Old" not in asked
    assert (await bed.usage.unattended(0, ())).tokens == 0
    rows = await bed.database.read("SELECT cause FROM usage")
    assert rows == [("heartbeat",)]


@pytest.mark.parametrize(
    "script",
    [
        NOT_DUE,
        answer("I would look at the greenhouse now."),
        calls(("decide", "{broken")),
        calls(("something", {"due": True, "task": "x"})),
        answer(""),
    ],
)
async def test_what_is_no_clear_yes_is_no(bed: Bed, script: list[object]) -> None:
    bed.put(OLD)
    bed.model.scripts = [script]  # type: ignore[list-item]
    await bed.beat()
    assert bed.done == []


async def test_a_small_model_may_write_its_call(bed: Bed) -> None:
    bed.put(OLD)
    bed.model.scripts = [answer('Sure: {"due": true, "task": "Look at it"}')]
    await bed.beat()
    assert bed.done == ["Look at it"]


@pytest.mark.parametrize("error", [SignInNeeded("The key is wrong."), QuotaExceeded("No money.")])
async def test_a_key_that_does_not_work_is_told_once_and_nothing_asked_again(
    bed: Bed, error: Exception
) -> None:
    bed.put(OLD)
    bed.model.scripts = [[error], [error]]
    await bed.beat()
    assert bed.state == "needs_sign_in"
    assert bed.heartbeat.rhythm.next is None
    bed.heartbeat.apply()
    assert bed.state == "running"
    assert bed.heartbeat.rhythm.next
    await bed.beat()
    assert len(await bed.inbox.list()) == 1


@pytest.mark.expected_log("the heartbeat failed")
async def test_a_server_that_is_away_is_tried_again(bed: Bed) -> None:
    bed.put(OLD)
    bed.model.scripts = [[Unreachable("Nobody there.")], DUE]
    await bed.beat()
    assert bed.state == "degraded"
    assert bed.heartbeat.rhythm.next
    await bed.beat()
    assert bed.state == "running"
    assert bed.done == ["Look at the greenhouse."]
    assert await bed.inbox.list() == []


async def test_off_is_off(bed: Bed) -> None:
    bed.settings = Settings(enabled=False)
    bed.heartbeat.apply()
    assert bed.state == "off"
    assert bed.heartbeat.rhythm.next is None


async def test_the_next_time_counts_from_the_last_over_a_restart(bed: Bed) -> None:
    await bed.beat()
    first = bed.heartbeat.rhythm.last
    assert first
    again = Bed(bed.workspace, bed.database)
    await again.heartbeat.start()
    assert again.heartbeat.rhythm.next == pytest.approx(int(first) + 1800, abs=2)
    await again.heartbeat.stop()
