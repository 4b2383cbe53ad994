"""A command in the sandbox puts a link where the program looks for a file of its own: it is not followed.

Each planted link stands beside its harmless twin, the same thing done without it.
"""

import base64
import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from desktop.agent.context import FILES, Context, write_templates
from desktop.config.permissions import Folder
from desktop.cron.store import Store
from desktop.doctor import examine
from desktop.errors import AppError, StorageError, UsageError
from desktop.files import judge_links
from desktop.heartbeat import _read as read_heartbeat
from desktop.memory.history import History
from desktop.memory.imports import take_over
from desktop.memory.notes import Notes
from desktop.memory.staging import Change, Staging
from desktop.memory.versions import Versions
from desktop.paths import Home
from desktop.session.pasted import mark_of, sweep
from desktop.session.sessions import Sessions
from desktop.skills import files as skill_files
from desktop.skills.loader import Skills
from desktop.tools.mcp.results import result
from desktop.tools.permissions.links import judge_of

SECRET = "-----BEGIN PRIVATE KEY-----"
MINE = "- Likes tea.\n"


class Ground:
    """A workspace, and beside it a folder of the person's that tools cannot reach."""

    def __init__(self, root: Path) -> None:
        self.workspace, self.closed = root / "home/workspace", root / "person"
        self.workspace.mkdir(parents=True)
        self.closed.mkdir()
        self.key = self.closed / "key"
        self.key.write_text(SECRET)

    def put(self, name: str, text: str = MINE) -> Path:
        path = self.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def plant(self, name: str, target: Path) -> Path:
        """A link where the program expects something of its own."""
        path = self.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(target)
        return path

    def unharmed(self) -> None:
        assert os.listdir(self.closed) == ["key"]
        assert self.key.read_text() == SECRET


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    ground = Ground(tmp_path)
    yield ground
    ground.unharmed()


@pytest.mark.parametrize("name", [*FILES, "IDENTITY.md", "memory/MEMORY.md"])
@pytest.mark.parametrize("relative", [True, False])
def test_no_context_file_brings_what_it_links_to(ground: Ground, name: str, relative: bool) -> None:
    context = Context(ground.workspace, "Nano")
    ground.put(name)
    assert "Likes tea" in "".join(context.sections().values())
    up = Path(*[".."] * (len(Path(name).parts) + 1))
    ground.plant(name, up / "person/key" if relative else ground.key)
    assert SECRET not in "".join(context.sections().values())
    (ground.workspace / name).unlink()
    os.mkfifo(ground.workspace / name)
    assert "Likes tea" not in "".join(context.sections().values())


def test_a_folder_on_the_way_is_not_followed_either(ground: Ground) -> None:
    (ground.closed / "MEMORY.md").write_text(SECRET)
    ground.plant("memory", ground.closed)
    assert SECRET not in "".join(Context(ground.workspace, "Nano").sections().values())
    assert Notes(ground.workspace).read("MEMORY").problem
    (ground.closed / "MEMORY.md").unlink()


def test_templates_go_into_no_link(ground: Ground) -> None:
    ground.plant("USER.md", ground.closed / "made")
    write_templates(ground.workspace)
    assert (ground.workspace / "USER.md").is_symlink()
    assert (ground.workspace / "SOUL.md").is_file()


async def test_a_version_is_brought_back_beside_no_link(ground: Ground) -> None:
    versions = Versions(ground.workspace)
    without = await versions.commit("person")
    ground.put("memory/MEMORY.md")
    having = await versions.commit("person")
    ground.put("memory/MEMORY.md", "- Likes coffee.\n")
    assert await versions.restore(having)
    assert (ground.workspace / "memory/MEMORY.md").read_text() == MINE
    for version in (having, without):
        ground.plant("memory/MEMORY.md", ground.key)
        with suppress(AppError):
            await versions.restore(version)
        ground.unharmed()
        newest = (await versions.log())[0]
        assert SECRET.encode() not in (await versions.file(newest.id, "memory/MEMORY.md") or b"")


@pytest.mark.expected_log(r"is damaged")
async def test_a_repository_with_a_link_in_it_is_set_aside(ground: Ground) -> None:
    ground.put("USER.md")
    await Versions(ground.workspace).commit("person")
    objects = ground.workspace / "memory/.versions/objects"
    unused = next(name for n in range(256) if not (objects / (name := f"{n:02x}")).exists())
    (objects / unused).symlink_to(ground.closed)
    (objects / "pack/x.lock").symlink_to(ground.key)
    told: list[str] = []
    ground.put("USER.md", "- Likes rain.\n")
    assert await Versions(ground.workspace, told.append).commit("person")
    assert "damaged" in told[0]


@pytest.mark.expected_log(r"cannot be read: .* a link leads to")
async def test_the_lists_of_the_memory_are_not_appended_to_elsewhere(ground: Ground) -> None:
    history, notes = History(ground.workspace / "memory"), Notes(ground.workspace)
    staging = Staging(ground.workspace / "memory")
    await history.add("One.", "s")
    for name in ("history.jsonl", "forgotten.jsonl", "staged.jsonl"):
        ground.plant(f"memory/{name}", ground.key)
    ground.put("USER.md")
    for attempt in (
        lambda: staging.add(Change("USER.md", (), ("- x",)), "why", 1, "s"),
        lambda: notes.forget("USER", "Likes tea."),
    ):
        with pytest.raises(StorageError):
            attempt()
    with pytest.raises(StorageError):
        await history.add("Two.", "s")


async def test_a_hard_link_to_a_file_of_the_person_is_not_appended_to(ground: Ground) -> None:
    history = History(ground.workspace / "memory")
    (ground.workspace / "memory").mkdir()
    os.link(ground.key, ground.workspace / "memory/history.jsonl")
    await history.add("One.", "s")
    ground.unharmed()
    assert "One." in history.prompt()


def test_an_old_history_is_taken_over_from_no_link(ground: Ground) -> None:
    ground.plant("memory/HISTORY.md", ground.key)
    assert take_over(ground.workspace / "memory") == 0
    assert not (ground.workspace / "memory/history.jsonl").exists()


def test_a_skill_is_read_and_written_through_no_link(ground: Ground) -> None:
    text = "---\nname: bread\ndescription: Knead.\nalways: true\n---\nKnead.\n"
    skills = Skills(ground.workspace, lambda: ())
    skill_files.save(skills, "bread", text, new=True)
    assert "Knead" in skills.prompt()
    ground.plant("skills/bread/SKILL.md", ground.key)
    assert SECRET not in skills.prompt()
    with pytest.raises((UsageError, StorageError)):
        skill_files.save(skills, "bread", text, new=False)
    (ground.closed / "SKILL.md").write_text(text.replace("Knead", SECRET))
    ground.plant("skills/far", ground.closed)
    assert SECRET not in skills.prompt()
    with pytest.raises((UsageError, StorageError)):
        skill_files.save(skills, "far", text, new=False)
    (ground.closed / "SKILL.md").unlink()
    ground.plant("skills/.deleted", ground.closed)
    with pytest.raises(StorageError):
        skill_files.put_away(skills, "bread")


def test_the_heartbeat_reads_no_link(ground: Ground) -> None:
    from desktop.files import Place

    ground.put("HEARTBEAT.md")
    assert read_heartbeat(Place(ground.workspace)) == MINE
    ground.plant("HEARTBEAT.md", ground.key)
    with pytest.raises(OSError, match="a link leads to"):
        read_heartbeat(Place(ground.workspace))


async def test_jobs_are_read_and_written_through_no_link(ground: Ground) -> None:
    store = Store(ground.workspace / "cron", lambda: "UTC")
    await store.load()
    assert not store.trouble
    for name in ("jobs.json", "jobs.last.json"):
        ground.plant(f"cron/{name}", ground.key)
    await store.load()
    assert "a link leads to" in store.trouble
    with pytest.raises(AppError):
        await store.update(lambda jobs: dict.fromkeys(["x"]) if not jobs else {}, by_person=True)


async def test_a_conversation_is_kept_in_no_link(ground: Ground) -> None:
    sessions = Sessions(ground.workspace / "sessions")
    fine = await sessions.open("cli:one")
    await fine.append({"role": "user", "content": "hello"})
    assert [info.key for info in await sessions.list()] == ["cli:one"]
    ground.plant(f"sessions/{fine.path.name}", ground.closed / "made")
    with pytest.raises(StorageError):
        await fine.append({"role": "user", "content": "more"})
    (ground.workspace / "sessions" / fine.path.name).unlink()
    ground.plant("sessions/.deleted", ground.closed)
    await fine.append({"role": "user", "content": "again"})
    with pytest.raises(StorageError):
        await sessions.delete("cli:one")
    assert fine.path.exists()


def test_what_was_pasted_is_swept_behind_no_link(ground: Ground) -> None:
    (ground.closed / "a.txt").write_text("x")
    mark_of(ground.closed / "a.txt").write_text("temporary:1")
    ground.plant("files/given", ground.closed)
    sweep(ground.workspace)
    assert (ground.closed / "a.txt").exists()
    (ground.closed / "a.txt").unlink()
    mark_of(ground.closed / "a.txt").unlink()
    (ground.workspace / "files/given").unlink()
    ground.put("files/given/a.txt")
    mark_of(ground.workspace / "files/given/a.txt").write_text("temporary:1")
    sweep(ground.workspace)
    assert os.listdir(ground.workspace / "files/given") == []


def test_the_files_of_a_server_land_behind_no_link(ground: Ground) -> None:
    data = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
    answer = {"content": [{"type": "image", "data": data, "mimeType": "image/png"}]}
    folder = ground.workspace / "files/mcp"
    made = result(answer, folder, ground.workspace)
    (file,) = made.wrote
    assert file.digest == hashlib.sha256(b"\x89PNG\r\n\x1a\n").hexdigest()
    assert made.images[0].read_bytes() == b"\x89PNG\r\n\x1a\n"
    made.images[0].unlink()
    folder.rmdir()
    ground.plant("files/mcp", ground.closed)
    with pytest.raises(OSError, match="a link leads to"):
        result(answer, folder, ground.workspace)


# ---- links of the person's own


def test_a_link_of_the_person_works_where_its_folder_is_granted(ground: Ground, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "USER.md").write_text(MINE)
    ground.plant("USER.md", notes / "USER.md")
    granted: list[Folder] = []
    judge_links(ground.workspace, judge_of(ground.workspace.parent, ground.workspace, lambda: granted))
    try:
        note = Notes(ground.workspace)
        assert "Likes tea" not in "".join(Context(ground.workspace, "Nano").sections().values())
        granted.append(Folder(path=str(notes)))
        assert "Likes tea" in "".join(Context(ground.workspace, "Nano").sections().values())
        with pytest.raises(StorageError):
            note.save("USER", "- Likes rain.\n", MINE)
        granted[:] = [Folder(path=str(notes), write=True)]
        note.save("USER", "- Likes rain.\n", MINE)
        assert (notes / "USER.md").read_text() == "- Likes rain.\n"
        assert (ground.workspace / "USER.md").is_symlink()
        granted.append(Folder(path="/", write=True))
        ground.plant("TOOLS.md", ground.workspace.parent / "state.db")
        (ground.workspace.parent / "state.db").write_text(SECRET)
        assert SECRET not in "".join(Context(ground.workspace, "Nano").sections().values())
    finally:
        judge_links(ground.workspace, None)


async def test_doctor_names_links_that_are_not_used(ground: Ground) -> None:
    from desktop.tools.permissions.links import judged_workspace

    home = Home(ground.workspace.parent, ground.workspace.parent / "models")
    try:
        found = await examine(home, judged_workspace)
        assert all(finding.ok for finding in found if finding.part == "Workspace")
        ground.plant("TOOLS.md", ground.key)
        ground.plant("memory/MEMORY.md", ground.key)
        (ground.workspace / "inner.md").symlink_to("other.md")
        found = [one for one in await examine(home, judged_workspace) if one.part == "Workspace"]
    finally:
        judge_links(ground.workspace, None)
    assert [Path(one.state.split(" is not used")[0]).name for one in found] == ["TOOLS.md", "MEMORY.md"]
    assert all(not one.ok and str(ground.key) in one.state and "Permissions" in one.remedy for one in found)
