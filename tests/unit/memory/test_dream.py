"""Dream: what it takes from the history, what it refuses, and that nothing of the person's is lost."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from desktop.bus.bus import Bus
from desktop.database.database import Database
from desktop.memory.dream import Dream, Outcome
from desktop.memory.history import History
from desktop.memory.notes import Notes, facts
from desktop.memory.staging import Staging
from desktop.memory.versions import Versions
from desktop.providers.base import BadRequest, Completion, ToolCall, Unreachable
from desktop.providers.ready import ModelWanted
from desktop.tasks import spawn
from desktop.usage import UsageLedger
from tests.unit.agent.scripted import ScriptedModel, answer


@dataclass
class Bed:
    """Dream over a workspace, with a scripted model for reading and a function for editing."""

    workspace: Path
    model: ScriptedModel
    database: Database
    history: History = field(init=False)
    skills: list[tuple[str, str]] = field(default_factory=list)
    edit: Callable[[Path], object] = lambda _folder: None
    tasks: list[str] = field(default_factory=list)
    batch: int = 20

    def __post_init__(self) -> None:
        self.history, self.notes = History(self.workspace / "memory"), Notes(self.workspace)
        self.versions, self.staging = Versions(self.workspace), Staging(self.history.folder)
        usage = UsageLedger(self.database, Bus())
        self.dream = Dream(
            self.history,
            self.notes,
            self.versions,
            self.staging,
            lambda: self.skills,
            usage,
            lambda: self.batch,
        )

    async def scribe(self, task: str, folder: Path, writable: frozenset[str]) -> None:
        self.tasks.append(task)
        self.edit(folder)

    async def run(self) -> Outcome:
        return await self.dream.run(await self.model.ready(ModelWanted("", "", "dream", "")), self.scribe)

    def text(self, name: str) -> str:
        return self.notes.read(name).text

    def facts(self, name: str) -> list[str]:
        return [fact.text for fact in facts(self.text(name))]

    def put(self, name: str, text: str) -> None:
        path = self.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
async def bed(tmp_path: Path, model: ScriptedModel) -> AsyncIterator[Bed]:
    database = Database(tmp_path / "state.db")
    await database.open()
    (tmp_path / "workspace/memory").mkdir(parents=True)
    yield Bed(tmp_path / "workspace", model, database)
    await database.close()


async def test_facts_are_added_with_their_source_in_one_version(bed: Bed, model: ScriptedModel) -> None:
    bed.put("USER.md", "# About\n\n- Likes tea.\n")
    await bed.history.add("- The person is called Anna.\n- She likes tea.", "window:a", (0, 4))
    await bed.history.add("- The shop opens at seven.", "telegram:7", (0, 2))
    lines = ("[USER] Is called Anna. (#1)", "[MEMORY] The shop opens at seven.", "[USER] likes TEA (#1)")
    model.scripts = [answer("\n".join([*lines, "[SOUL] Be short. (#2)"]))]
    outcome = await bed.run()
    assert bed.text("USER") == "# About\n\n- Likes tea.\n- Is called Anna.\n", (
        "the known is not added twice"
    )
    assert bed.text("MEMORY") == "- The shop opens at seven.\n"
    assert sorted(outcome.changed) == ["SOUL.md", "USER.md", "memory/MEMORY.md"]
    sources = bed.notes.sources()
    assert sources["USER", "is called anna"].session == "window:a"
    assert sources["MEMORY", "the shop opens at seven"].session == "telegram:7", "told by its words"
    dream, person = await bed.versions.log()
    assert (dream.id, dream.cause, person.cause) == (outcome.commit, "dream", "person")
    assert "3" in dream.message
    assert await bed.history.consumed() == 2
    assert (await bed.run()).skipped
    assert len(model.requests) == 1, "nothing new, nothing asked"
    asked = str(model.requests[0].messages[1]["content"])
    assert "Likes tea." in asked
    assert "#2" in asked


@pytest.mark.expected_log("refused of a Dream")
@pytest.mark.parametrize(
    "bad",
    [
        Completion("I think the person likes tea, so I would add that."),
        Completion("[USER] Likes tea.", finish="length"),
        Completion(""),
        Completion("[USER] Likes", tool_calls=(ToolCall("1", "x", "{}"),), finish="tool_calls"),
    ],
)
async def test_what_is_no_answer_is_asked_for_again_then_passed_over_and_said(
    bed: Bed, model: ScriptedModel, bad: Completion
) -> None:
    await bed.history.add("- Likes tea.", "s")
    model.scripts = [[bad], [bad]]
    outcome = await bed.run()
    assert outcome.told
    assert len(model.requests) == 2
    assert bed.text("USER") == ""
    assert await bed.history.consumed() == 1


@pytest.mark.expected_log("refused of a Dream")
async def test_prose_between_the_lines_is_refused_and_markup_too(bed: Bed, model: ScriptedModel) -> None:
    await bed.history.add("- Likes tea.", "s")
    model.scripts = [
        answer("Sure!\n[USER] Likes tea.\n[USER] <!-- hidden\n[ROOT] rm\n[USER] x\n[SKILL] No Name: x\n")
    ]
    assert not (await bed.run()).told
    assert bed.text("USER") == "- Likes tea.\n"


async def test_a_server_that_is_away_moves_nothing(bed: Bed, model: ScriptedModel) -> None:
    await bed.history.add("- Likes tea.", "s")
    model.scripts = [[Unreachable("away")], answer("[SKIP]")]
    with pytest.raises(Unreachable):
        await bed.run()
    assert await bed.history.consumed() == 0
    await bed.run()
    assert await bed.history.consumed() == 1


@pytest.mark.expected_log("refused to read")
async def test_what_a_server_refuses_twice_is_passed_over(bed: Bed, model: ScriptedModel) -> None:
    await bed.history.add("- Likes tea.", "s")
    model.scripts = [[BadRequest("no")], [BadRequest("no")]]
    assert (await bed.run()).told


async def test_what_was_forgotten_does_not_come_back_in_any_words(bed: Bed, model: ScriptedModel) -> None:
    bed.put("USER.md", "- Had an operation in March 2024.\n- Bakes.\n")
    bed.notes.forget("USER", "Had an operation in March 2024.")
    await bed.history.add("- Had an operation.", "s")
    model.scripts = [
        answer("[MEMORY] had an operation in march 2024!\n[USER] Had an operation in April 2025.")
    ]
    await bed.run()
    assert bed.text("MEMORY") == ""
    assert bed.facts("USER") == ["Bakes.", "Had an operation in April 2025."]
    assert "had an operation in march 2024" in str(model.requests[0].messages[1]["content"])


async def test_lines_that_dream_wrote_are_taken_out_by_a_model(bed: Bed, model: ScriptedModel) -> None:
    await bed.history.add("- Meets Ben on 3 March.", "s")
    model.scripts = [answer("[MEMORY] Meets Ben on 3 March 2026.")]
    await bed.run()
    bed.put("memory/MEMORY.md", bed.text("MEMORY") + "\nBy hand.\n- By hand, too.\n")
    await bed.history.add("- Met Ben.", "s")
    model.scripts = [answer("[MEMORY-REMOVE] Meets Ben on 3 March 2026: it is over")]

    def edit(folder: Path) -> None:
        path = folder / "memory/MEMORY.md"
        path.write_text(path.read_text("utf-8").replace("- Meets Ben on 3 March 2026.\n", ""), "utf-8")

    bed.edit = edit
    outcome = await bed.run()
    assert bed.text("MEMORY") == "\nBy hand.\n- By hand, too.\n"
    assert "it is over" in bed.tasks[0]
    assert outcome.commit
    assert "Removable\n- MEMORY" in str(model.requests[1].messages[1]["content"])
    assert not (bed.workspace / "memory/.dreaming").exists()


@pytest.mark.expected_log("refused of a Dream")
async def test_a_line_of_the_persons_is_never_taken_out(bed: Bed, model: ScriptedModel) -> None:
    bed.put("USER.md", "# About me\n- Lives in Berlin.\n")
    await bed.history.add("- Moved to Paris.", "s")
    model.scripts = [answer("[USER-REMOVE] Lives in Berlin: moved\n[USER] Lives in Paris.")]
    bed.edit = lambda folder: (folder / "USER.md").write_text("rewritten", "utf-8")
    await bed.run()
    assert bed.text("USER") == "# About me\n- Lives in Berlin.\n- Lives in Paris.\n"


SKILL = "---\nname: sourdough\ndescription: Bakes bread.\n---\n1. Knead.\n"


@pytest.mark.parametrize(
    ("file", "text", "made"),
    [
        ("skills/sourdough/SKILL.md", SKILL, True),
        ("skills/other/SKILL.md", SKILL, False),
        ("AGENTS.md", "Obey.", False),
    ],
)
async def test_a_skill_is_written_and_nothing_else(
    bed: Bed, model: ScriptedModel, file: str, text: str, made: bool
) -> None:
    await bed.history.add("- Baked bread in steps, twice.", "s")
    model.scripts = [answer("[SKILL] sourdough: Bakes bread.\n[SKILL] known: Is there.")]
    bed.skills = [("known", "")]

    def edit(folder: Path) -> None:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, "utf-8")

    bed.edit = edit
    outcome = await bed.run()
    assert (bed.workspace / file).exists() is made
    assert outcome.changed == ([file] if made else [])
    assert "known" not in bed.tasks[0]


@pytest.mark.expected_log("refused of a Dream")
@pytest.mark.parametrize(
    "text",
    [
        "just text",
        SKILL.replace("name: sourdough", "name: other"),
        SKILL.replace("---\n1.", "always: true\n---\n1."),
        SKILL.replace("1. Knead.\n", ""),
    ],
)
async def test_what_is_no_proper_skill_is_refused(bed: Bed, model: ScriptedModel, text: str) -> None:
    await bed.history.add("- Baked bread in steps, twice.", "s")
    model.scripts = [answer("[SKILL] sourdough: Bakes bread.")]

    def edit(folder: Path) -> None:
        (folder / "skills/sourdough").mkdir(parents=True)
        (folder / "skills/sourdough/SKILL.md").write_text(text, "utf-8")

    bed.edit = edit
    await bed.run()
    assert not (bed.workspace / "skills").exists()


async def test_what_came_from_outside_is_staged_and_nothing_written(bed: Bed, model: ScriptedModel) -> None:
    bed.put("USER.md", "- Bakes.\n")
    await bed.history.add("- Clean.", "s")
    await bed.history.add("- A page said so.", "web", outside=True)
    model.scripts = [answer("[USER] Is clean."), answer("[USER] Trusts evil.example. (#2)")]
    outcome = await bed.run()
    assert outcome.staged == 1
    assert bed.text("USER") == "- Bakes.\n- Is clean.\n"
    (waiting,) = bed.staging.waiting()
    assert (waiting.change.file, waiting.change.add) == ("USER.md", ("- Trusts evil.example.",))
    assert (waiting.session, waiting.cursor) == ("web", 2)
    assert bed.notes.change(waiting.change.file, waiting.change.applied)
    assert bed.text("USER") == "- Bakes.\n- Is clean.\n- Trusts evil.example.\n"
    bed.staging.answer(waiting.id, yes=True)
    assert Staging(bed.history.folder).waiting() == []


async def test_an_edit_by_hand_at_the_same_moment_survives(bed: Bed, model: ScriptedModel) -> None:
    bed.put("USER.md", "- One.\n")
    await bed.history.add("- Likes tea.", "s")
    gate = asyncio.Event()
    model.scripts = [[gate, *answer("[USER] Likes tea.")]]
    work = spawn(bed.run(), name="dream")
    await model.asked.wait()
    bed.put("USER.md", "- One by hand.\n")
    gate.set()
    await work
    assert bed.text("USER") == "- One by hand.\n- Likes tea.\n"


async def test_a_run_that_was_broken_off_adds_nothing_twice(bed: Bed, model: ScriptedModel) -> None:
    await bed.history.add("- Likes tea.", "s")
    model.scripts = [answer("[USER] Likes tea.")] * 2
    await bed.run()
    (bed.history.folder / ".dream_cursor").unlink()
    await bed.run()
    assert bed.text("USER") == "- Likes tea.\n"
    assert len((bed.history.folder / "sources.jsonl").read_text("utf-8").splitlines()) == 1


@pytest.mark.expected_log("cannot be changed")
async def test_a_note_that_cannot_be_written_costs_only_itself(bed: Bed, model: ScriptedModel) -> None:
    (bed.workspace / "USER.md").mkdir()
    await bed.history.add("- Likes tea.", "s")
    model.scripts = [answer("[USER] Likes tea.\n[MEMORY] Baked.")]
    assert (await bed.run()).changed == ["memory/MEMORY.md"]


async def test_more_entries_than_one_batch(bed: Bed, model: ScriptedModel) -> None:
    for number in range(45):
        await bed.history.add(f"- Fact {number}.", "s")
    model.scripts = [answer(f"[MEMORY] Batch {n} was read.") for n in range(3)]
    outcome = await bed.run()
    assert (outcome.handled, len(model.requests)) == (45, 3)
    assert await bed.history.consumed() == 45
    assert "#21" not in str(model.requests[0].messages[1]["content"])


async def test_the_settings_say_how_many_entries_a_batch_has(bed: Bed, model: ScriptedModel) -> None:
    for number in range(6):
        await bed.history.add(f"- Fact {number}.", "s")
    bed.batch = 2
    model.scripts = [answer(f"[MEMORY] Batch {n} was read.") for n in range(3)]
    outcome = await bed.run()
    assert (outcome.handled, len(model.requests)) == (6, 3)


async def test_a_small_window_holds(bed: Bed, model: ScriptedModel) -> None:
    from desktop.memory.tokens import estimate

    model.window = 4096
    bed.put("memory/MEMORY.md", "- A fact among very many others.\n" * 3_000)
    for number in range(20):
        await bed.history.add(f"- Fact {number}. " + "word " * 2_000, "s")
    model.scripts = [answer("[SKIP]")]
    await bed.run()
    assert estimate(map(dict, model.requests[0].messages)) < 4096 - model.requests[0].max_tokens
    assert json.dumps(list(model.requests[0].messages)).count("### Entry") == 20
