"""Every change is a version: kept, compared, brought back, with no git and beside any git."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from desktop.errors import StorageError, UsageError
from desktop.memory.versions import Versions


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    (tmp_path / "USER.md").write_text("# About\n- Likes tea.\n", "utf-8")
    return tmp_path


def write(workspace: Path, name: str, text: str) -> None:
    path = workspace / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


async def test_a_change_is_one_version_that_can_be_compared_and_brought_back(workspace: Path) -> None:
    versions = Versions(workspace)
    first = await versions.commit("person", "by hand")
    assert await versions.commit("person") == "", "nothing changed"
    write(workspace, "memory/MEMORY.md", "- The shop closes at six.\n")
    write(workspace, "skills/bread/SKILL.md", "---\nname: bread\n---\nKnead.\n")
    write(workspace, "skills/bread/notes.txt", "not tracked")
    write(workspace, "other.md", "not tracked")
    second = await versions.commit("dream", "1 fact,\n1 skill")
    new, old = await versions.log()
    assert (new.id, new.cause, new.message) == (second, "dream", "1 fact, 1 skill")
    assert new.files == ("memory/MEMORY.md", "skills/bread/SKILL.md")
    assert (old.id, old.cause, old.files) == (first, "person", ("USER.md",))
    memory, skill = await versions.diff(first, second)
    assert (memory.before, memory.after) == (None, "- The shop closes at six.\n")
    assert "+- The shop closes at six." in memory.diff
    assert skill.name == "skills/bread/SKILL.md"
    assert await versions.made(second) == [memory, skill]
    write(workspace, "USER.md", "# About\n- Likes coffee.\n")
    (hand,) = [d for d in await versions.diff(second) if d.name == "USER.md"]
    assert hand.after == "# About\n- Likes coffee.\n"
    await versions.restore(first[:8])
    assert (workspace / "USER.md").read_text("utf-8") == "# About\n- Likes tea.\n"
    assert not (workspace / "memory/MEMORY.md").exists()
    assert (workspace / "skills/bread/notes.txt").exists(), "what is not ours stays"
    log = await versions.log()
    assert [version.cause for version in log] == ["restore", "person", "dream", "person"]
    assert await versions.file(log[1].id, "USER.md") == b"# About\n- Likes coffee.\n", "by hand, not lost"


async def test_one_file_alone_is_brought_back(workspace: Path) -> None:
    versions = Versions(workspace)
    first = await versions.commit("person")
    write(workspace, "USER.md", "new")
    write(workspace, "SOUL.md", "new")
    await versions.commit("person")
    assert await versions.restore(first, "USER")
    assert (workspace / "USER.md").read_text("utf-8") == "# About\n- Likes tea.\n"
    assert (workspace / "SOUL.md").read_text("utf-8") == "new"
    assert await versions.restore(first, "USER.md") == "", "it is so already"
    with pytest.raises(UsageError):
        await versions.restore(first, "diary.md")


async def test_the_last_change_is_undone_and_done_again(workspace: Path) -> None:
    versions = Versions(workspace)
    with pytest.raises(UsageError):
        await versions.undo()
    write(workspace, "USER.md", "one")
    await versions.commit("dream")
    write(workspace, "USER.md", "by hand, in no version yet")
    await versions.undo()
    assert (workspace / "USER.md").read_text("utf-8") == "one"
    await versions.undo()
    assert (workspace / "USER.md").read_text("utf-8") == "by hand, in no version yet"


@pytest.mark.parametrize("wanted", ["zzzz", "", "00000000"])
async def test_a_version_that_there_is_not(workspace: Path, wanted: str) -> None:
    versions = Versions(workspace)
    await versions.commit("person")
    for act in (versions.diff, versions.restore, versions.made):
        with pytest.raises(UsageError):
            await act(wanted)
    assert (workspace / "USER.md").exists()


def _no_head(folder: Path) -> None:
    (folder / "HEAD").unlink()


def _torn_branch(folder: Path) -> None:
    (folder / "refs/heads/main").write_bytes(b"12ab")


def _empty_branch(folder: Path) -> None:
    (folder / "refs/heads/main").write_bytes(b"")


def _empty_head(folder: Path) -> None:
    (folder / "HEAD").write_bytes(b"")


def _objects(folder: Path) -> list[Path]:
    return [path for path in (folder / "objects").rglob("*") if path.is_file()]


def _zeros(folder: Path) -> None:
    for path in _objects(folder):
        path.chmod(0o600)
        path.write_bytes(bytes(path.stat().st_size))


def _no_objects(folder: Path) -> None:
    shutil.rmtree(folder / "objects")


def _a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_bytes(b"no repository")


def _folders(folder: Path) -> None:
    for path in _objects(folder):
        path.unlink()
        path.mkdir()


@pytest.mark.expected_log("is damaged")
@pytest.mark.parametrize(
    "damage", [_no_head, _torn_branch, _empty_branch, _empty_head, _zeros, _no_objects, _a_file, _folders]
)
async def test_a_damaged_repository_is_kept_aside_and_said_once(workspace: Path, damage) -> None:  # type: ignore[no-untyped-def]
    first = Versions(workspace)
    await first.commit("person")
    damage(first.folder)
    told: list[str] = []
    versions = Versions(workspace, told.append)
    write(workspace, "USER.md", "new")
    await versions.commit("dream", "a fact")
    assert [version.message for version in await versions.log()] == ["a fact"]
    assert await versions.commit("dream") == ""
    assert len(told) == 1
    (aside,) = (workspace / "memory").glob(".versions.damaged-*")
    assert str(aside) in told[0]
    assert (workspace / "USER.md").read_text("utf-8") == "new"


async def test_what_a_kill_leaves_locked_is_no_obstacle(workspace: Path) -> None:
    await Versions(workspace).commit("person")
    locks = ("refs/heads/main.lock", "HEAD.lock", "objects/15/7f5ac5f5ed1b0d2e5a7e3fce8cdb8b8b6ad9ce.lock")
    for name in locks:
        (workspace / "memory/.versions" / name).parent.mkdir(exist_ok=True)
        (workspace / "memory/.versions" / name).write_bytes(b"")
    write(workspace, "USER.md", "new")
    versions = Versions(workspace)
    assert await versions.commit("person")
    assert len(await versions.log()) == 2


async def test_many_at_once_keep_one_line_of_versions(workspace: Path) -> None:
    versions = [Versions(workspace), Versions(workspace)]

    async def one(number: int) -> None:
        write(workspace, f"skills/s{number}/SKILL.md", str(number))
        await versions[number % 2].commit("agent", str(number))

    await asyncio.gather(*map(one, range(12)))
    log = await versions[0].log()
    assert sorted(name for version in log for name in version.files if name.startswith("skills")) == sorted(
        f"skills/s{n}/SKILL.md" for n in range(12)
    ), "each in exactly one version"


async def test_odd_files_are_left_out_and_what_they_held_stays(workspace: Path) -> None:
    versions = Versions(workspace)
    first = await versions.commit("person")
    (workspace / "USER.md").unlink()
    (workspace / "USER.md").mkdir()
    os.mkfifo(workspace / "SOUL.md")
    write(workspace, "AGENTS.md", "new")
    await versions.commit("person")
    assert [d.name for d in await versions.diff(first)] == ["AGENTS.md"]
    lock = workspace / "memory/.versions.lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()
    with pytest.raises(StorageError):
        await Versions(workspace).commit("person")


async def test_the_look_before_a_commit_needs_no_repository_engine(workspace: Path) -> None:
    versions = Versions(workspace)
    assert await versions.changed(), "nothing was kept yet"
    await versions.commit("person")
    assert not await Versions(workspace).changed()
    write(workspace, "USER.md", "longer than before by far, by hand")
    assert await versions.changed()


@pytest.mark.machine
async def test_any_git_can_read_it_and_the_workspaces_own_git_is_left_alone(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks = workspace / "hooks"
    write(workspace, "hooks/pre-commit", "#!/bin/sh\ntouch ran\nexit 1\n")
    (hooks / "pre-commit").chmod(0o700)
    write(
        workspace, "home/.gitconfig", f"[core]\n\thooksPath = {hooks}\n[init]\n\tdefaultBranch = odd\n[bro"
    )
    monkeypatch.setenv("HOME", str(workspace / "home"))
    write(workspace, ".git/HEAD", "ref: refs/heads/mine\n")
    versions = Versions(workspace)
    await versions.commit("person", "first")
    assert sorted(path.name for path in (workspace / ".git").iterdir()) == ["HEAD"]
    assert not list(workspace.rglob("ran"))
    git = shutil.which("git")
    assert git
    environment = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_DIR": str(versions.folder),
        "PATH": os.environ["PATH"],
    }
    done = subprocess.run(
        [git, "log", "--format=%s"],
        capture_output=True,
        text=True,
        env=environment,
        cwd=workspace,
        check=True,
    )
    assert done.stdout == "person: first\n"
    assert not subprocess.run(
        [git, "fsck", "--strict"], capture_output=True, text=True, env=environment, check=True
    ).stdout
