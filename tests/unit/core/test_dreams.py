"""Dream in a real core: the runner on a copy of the notes, its fence, and its timer."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from desktop.agent.dreams import TOKENS
from desktop.bus.events import MemoryChanged, ServiceChanged
from desktop.config.agents import Dream
from desktop.paths import Home, resource
from tests.servers.scripted import ScriptedServer, Seen
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started

READING, EDITING = "long-term notes", "keep the notes"


def script(server: ScriptedServer, lines: str, *steps: Sequence[object]) -> list[Seen]:
    """Have reading answered with these lines, and editing with these calls one after the other; what was
    asked while editing."""
    asked: list[Seen] = []

    def edit(seen: Seen) -> str:
        asked.append(seen)
        return f"use:{json.dumps([steps[len(asked) - 1]])}" if len(asked) <= len(steps) else "say:done"

    server.when(READING, f"say:{lines}")
    server.when(EDITING, edit)
    return asked


def results(seen: Seen) -> list[str]:
    return [str(m["content"]) for m in seen.body["messages"] if m["role"] == "tool"]


SKILL = "---\nname: sourdough\ndescription: Bakes bread.\n---\n1. Knead.\n"


@pytest.mark.expected_log("refused of a Dream")
async def test_the_model_edits_a_copy_and_reaches_nothing_else(
    desk: Desk, server: ScriptedServer, tmp_path: Path
) -> None:
    core = desk.owner.core
    (core.workspace / "AGENTS.md").write_text("Obey.", "utf-8")
    await core.memory.history.add("- Baked sourdough, twice, in steps.", "window:a", (0, 2))
    how = str(resource("skills", "skill-creator", "SKILL.md"))
    steps: list[Sequence[object]] = [
        ["read_file", {"path": how}],
        ["read_file", {"path": str(tmp_path / "config.json")}],
        ["read_file", {"path": str(core.workspace / "memory/history.jsonl")}],
        ["read_file", {"path": "../history.jsonl"}],
        ["write_file", {"path": "AGENTS.md", "content": "mine"}],
        ["write_file", {"path": str(core.workspace / "AGENTS.md"), "content": "mine"}],
        ["write_file", {"path": "skills/sourdough/SKILL.md", "content": SKILL}],
    ]
    asked = script(server, "[SKILL] sourdough: Bakes bread.", *steps)
    outcome = await core.memory.dreaming.now()
    assert outcome.changed == ["skills/sourdough/SKILL.md"]
    assert (core.workspace / "skills/sourdough/SKILL.md").read_text("utf-8") == SKILL
    assert (core.workspace / "AGENTS.md").read_text("utf-8") == "Obey."
    told = results(asked[-1])
    assert "skill" in told[0]
    assert all("none of your work" in text for text in told[1:6])
    assert {tool["function"]["name"] for tool in asked[0].body["tools"]} == {
        "read_file",
        "edit_file",
        "write_file",
    }
    assert "sourdough" in str(core.skills.prompt())
    rows = await core.database.read("SELECT DISTINCT cause FROM usage")
    assert [row[0] for row in rows] == ["memory"]
    assert await core.inbox.count() == 0


async def test_an_edit_that_changes_nothing_is_the_last(desk: Desk, server: ScriptedServer) -> None:
    core = desk.owner.core
    await core.memory.history.add("- Likes tea.", "window:a", (0, 2))
    script(server, "[USER] Likes tea.")
    await core.memory.dreaming.now()
    text = (core.workspace / "USER.md").read_text("utf-8")
    assert text.endswith("- Likes tea.\n")
    server.forget()
    await core.memory.history.add("- No more tea.", "window:a", (2, 4))
    same = ["edit_file", {"path": "USER.md", "old_text": "Likes tea.", "new_text": "Likes tea."}]
    asked = script(server, "[USER-REMOVE] Likes tea.: no more", *[same] * 5)
    await core.memory.dreaming.now()
    assert len(asked) == 1
    assert (core.workspace / "USER.md").read_text("utf-8") == text
    server.forget()
    await core.memory.history.add("- Really no more tea.", "window:a", (4, 6))
    gone = ["edit_file", {"path": "USER.md", "old_text": "- Likes tea.\n", "new_text": ""}]
    script(server, "[USER-REMOVE] Likes tea.: no more", gone)
    assert (await core.memory.dreaming.now()).changed == ["USER.md"]
    assert "tea" not in (core.workspace / "USER.md").read_text("utf-8")


async def test_a_model_that_never_ends_is_ended(desk: Desk, server: ScriptedServer) -> None:
    core = desk.owner.core
    await core.memory.history.add("- x", "window:a", (0, 2))
    asked = script(
        server,
        "[SKILL] some-work: Does it.",
        *[["read_file", {"path": "USER.md", "limit": n}] for n in range(1, 50)],
    )
    await core.memory.dreaming.now()
    assert len(asked) == Dream().max_iterations + 1, "and one for a last word, without tools"
    assert await core.memory.history.consumed() == 1


async def test_editing_ends_where_it_has_cost_enough(tmp_path: Path) -> None:
    with ScriptedServer(window=200_000) as counting:
        program = Program(tmp_path)
        program.use_server(counting.url, "say:Good day.")
        async with started(Home(tmp_path, tmp_path / "models")) as desk:
            core = desk.owner.core
            await core.change({"agents.defaults.context_window_tokens": 200_000})
            lines = "".join(f"- Line {n} of very many that the person has written.\n" for n in range(900))
            (core.workspace / "USER.md").write_text(lines, "utf-8")
            await core.memory.history.add("- x", "window:a", (0, 2))
            steps = [["read_file", {"path": "USER.md", "offset": n}] for n in range(1, 50)]
            asked = script(counting, "[SKILL] some-work: Does it.", *steps)
            outcome = await core.memory.dreaming.now()
            editing = counting.counted[1:]
            assert len(asked) == len(editing) < Dream().max_iterations, "the steps are not what ended it"
            assert sum(editing[:-1]) <= TOKENS < sum(editing) + 100 * len(editing)
            assert not outcome.changed
            assert await core.memory.history.consumed() == 1


async def test_what_is_due_comes_by_itself_and_says_what_goes_wrong(
    desk: Desk, server: ScriptedServer
) -> None:
    core = desk.owner.core
    server.when(READING, "status:401")
    await core.memory.history.add("- Likes tea.", "window:a", (0, 2))
    core.memory.dreaming._due()
    states = (e.state async for e in desk.events if isinstance(e, ServiceChanged) and e.name == "dream")
    while await anext(states) != "needs_sign_in":
        continue
    server.forget()
    server.when(READING, "say:[USER] Likes tea.")
    await core.memory.dreaming.start()
    core.memory.dreaming._due()
    async for other in desk.events:
        if isinstance(other, MemoryChanged):
            break
    assert "Likes tea." in (core.workspace / "USER.md").read_text("utf-8")
    dreaming = core.memory.dreaming
    assert dreaming.status.state.value == "running"
    due = dreaming.rhythm.next
    assert due is not None
    assert due - (dreaming.rhythm.last or 0) == pytest.approx(7200, abs=5)
    await core.change({"agents.defaults.dream.enabled": False})
    assert dreaming.rhythm.next is None
    assert dreaming.status.state.value == "off"


async def test_nothing_new_asks_nobody_and_a_clock_put_back_holds_nobody_up(
    desk: Desk, server: ScriptedServer
) -> None:
    core = desk.owner.core
    core.memory.history.folder.mkdir(exist_ok=True)
    (core.memory.history.folder / ".dreamed").write_text("99999999999")
    await core.memory.dreaming.start()
    assert core.memory.dreaming.rhythm.next is not None
    assert core.memory.dreaming.rhythm.next - core.started < 7300
    core.memory.dreaming._due()
    assert core.memory.dreaming._task
    await core.memory.dreaming._task
    assert not server.requests
    await core.memory.dreaming.stop()


async def test_another_model_may_do_it(desk: Desk, server: ScriptedServer) -> None:
    core = desk.owner.core
    await core.change({"agents.defaults.dream.model_override": "say:[SKIP]"})
    await core.memory.history.add("- x", "window:a", (0, 2))
    await core.memory.dreaming.now()
    assert [seen.body["model"] for seen in server.requests] == ["say:[SKIP]"]
