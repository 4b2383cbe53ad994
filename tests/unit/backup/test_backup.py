"""A backup has all but secrets, is refused where it is not whole, and is merged without losing anything."""

import hashlib
import json
import os
import sqlite3
import stat
import time
import zipfile
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from desktop.api.backups import Made, Restored
from desktop.config.keychain import Keychain
from desktop.cron.wanted import Wanted
from desktop.database.tables import MIGRATIONS
from desktop.errors import StorageError, UsageError
from desktop.merge.backup.form import FORMAT, MANIFEST, NoBackupError, is_safe
from desktop.paths import Home
from desktop.session.names import file_name
from tests.stories.program import texts
from tests.streamed import end_of
from tests.unit.core.test_conversations import Desk, started
from tests.unit.importer.homes import conversation, looks, write

SECRET = "sk-very-secret-0123456789"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    settings = {
        "agents": {"defaults": {"maxToolIterations": 7, "workspace": ""}},
        "providers": {"openrouter": {"apiKey": SECRET, "keyStored": True}},
        "channels": {"telegram": {"token": SECRET, "allowFrom": ["1"]}},
        "tools": {"mcpServers": {"notes": {"command": "x", "env": {"MODE": SECRET}}}},
    }
    write(tmp_path / "home/config.json", json.dumps(settings))
    Keychain().remember("canary", SECRET)
    async with started(Home(tmp_path / "home", tmp_path / "models")) as desk:
        yield desk


@pytest.fixture
async def other(tmp_path: Path) -> AsyncIterator[Desk]:
    """A new home of the same person."""
    (tmp_path / "other").mkdir()
    async with started(Home(tmp_path / "other", tmp_path / "models")) as desk:
        yield desk


def talk(desk: Desk, key: str, *said: str, damaged: int | None = None) -> Path:
    """Put a conversation in place as it was at some time."""
    core = desk.owner.core
    path = conversation(core.sessions.folder / file_name(key), key, said)
    if damaged is not None:
        lines = path.read_bytes().splitlines(keepends=True)
        lines[damaged + 1] = b'{"role": "user", "cont\n'
        path.write_bytes(b"".join(lines))
    core.sessions.forget(key)
    return path


async def backup(desk: Desk, path: Path) -> Path:
    await end_of(desk.api.backups.make(str(path), replace=True), Made)
    return path


async def said(desk: Desk, key: str) -> list[str]:
    return [text for _role, text in await desk.said(key)]


def actions(done: Restored, kind: str) -> dict[str, str]:
    return {item.name: item.action for item in done.items if item.kind == kind}


async def test_it_has_everything_but_secrets(desk: Desk, tmp_path: Path) -> None:
    workspace = desk.owner.core.workspace
    talk(desk, "cli:direct", "one", "two")
    write(workspace / "skills/herbs/bin/look", "#!/bin/sh\n").chmod(0o755)
    write(workspace / "notes/plan.txt", "mine")
    (workspace / "link").symlink_to("/etc/passwd")
    (workspace / "loop").symlink_to(workspace)
    os.close(os.open(os.fsencode(workspace) + b"/no\xfftext", os.O_CREAT | os.O_WRONLY))
    os.mkfifo(workspace / "pipe")
    for session in ("window:1", "temporary:1"):
        await desk.api.attachments.keep(f"{session[:4]}.txt", "bWluZQ==", session)
    made = await end_of(desk.api.backups.make(str(tmp_path / "b.zip")), Made)
    assert made.size == (tmp_path / "b.zip").stat().st_size
    assert stat.S_IMODE((tmp_path / "b.zip").stat().st_mode) == 0o600
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        names = set(archive.namelist())
        for name in names:
            assert SECRET.encode() not in archive.read(name), name
        config = json.loads(archive.read("home/config.json"))
        manifest = json.loads(archive.read(MANIFEST))
    assert config["channels"]["telegram"] == {"allowFrom": ["1"]}
    assert config["agents"]["defaults"]["maxToolIterations"] == 7
    wanted = {"home/state.db", "workspace/notes/plan.txt", "workspace/sessions/cli%3Adirect.jsonl"}
    assert wanted <= names
    assert "workspace/link" not in names
    given = [name for name in names if name.startswith("workspace/files/given/")]
    assert [name[-8:] for name in given] == ["wind.txt"], "and nothing of a temporary conversation"
    assert names - {MANIFEST} == set(manifest["files"])
    with pytest.raises(UsageError, match="already"):
        await end_of(desk.api.backups.make(str(tmp_path / "b.zip")), Made)
    found = await desk.api.backups.look(str(tmp_path / "b.zip"))
    assert (found.why, found.files) == ("hand", made.files)


async def test_a_new_home_gets_all_of_it(desk: Desk, other: Desk, tmp_path: Path) -> None:
    talk(desk, "cli:direct", "one", "two")
    workspace = desk.owner.core.workspace
    write(workspace / "skills/herbs/bin/look", "#!/bin/sh\n").chmod(0o755)
    write(workspace / "memory/MEMORY.md", "- Dana\n")
    write(workspace / "SOUL.md", "Be kind.\n")
    await desk.api.jobs.add(Wanted(name="Tea", message="Tea!", every=7200, plain=True))
    await desk.owner.core.database.write(
        "INSERT INTO usage (at, cause, session, turn, provider, model, outcome, seconds, input_tokens, "
        "output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens) "
        "VALUES (1, 'turn', 's', 't', 'p', 'm', 'ok', 1, 2, 3, 0, 0, 0)"
    )
    path = await backup(desk, tmp_path / "b.zip")
    done = await end_of(other.api.backups.restore(str(path)), Restored)
    assert await said(other, "cli:direct") == ["one", "two"]
    assert [line.key for line in (await other.api.conversations.list())] == ["cli:direct"]
    there = other.owner.core.workspace
    assert os.access(there / "skills/herbs/bin/look", os.X_OK)
    assert (there / "memory/MEMORY.md").read_text() == "- Dana\n"
    assert (there / "SOUL.md").read_text() == "Be kind.\n"  # not the one that a workspace begins with
    assert actions(done, "job") == {"Tea": "add"}
    assert [job.name for job in (await other.api.jobs.all()).jobs] == ["Tea"]
    assert await other.owner.core.database.read("SELECT count(*) FROM usage") == [(1,)]
    assert (await other.api.settings.all()).values["agents.defaults.max_tool_iterations"] == 7
    before = looks(there)
    again = await end_of(other.api.backups.restore(str(path)), Restored)
    assert {item.action for item in again.items if item.kind != "setting"} == {"same"}
    assert set(again.counts) <= {"same", "keep", "left", "waits"}
    assert looks(there) == before
    assert await other.owner.core.database.read("SELECT count(*) FROM usage") == [(1,)]
    assert not list(other.owner.core.home.root.glob(".restore-*"))


async def test_nothing_newer_is_overwritten(desk: Desk, tmp_path: Path) -> None:
    workspace = desk.owner.core.workspace
    talk(desk, "a:more", "one", "two", "three")
    talk(desk, "a:went", "one", "two", "backup")
    write(workspace / "USER.md", "Old words.\n")
    write(workspace / "old.txt", "of the backup")
    path = await backup(desk, tmp_path / "b.zip")
    talk(desk, "a:more", "one", "two", "three", "four")
    talk(desk, "a:went", "one", "two", "here")
    write(workspace / "USER.md", "New words.\n")
    os.utime(workspace / "USER.md", (time.time() + 60, time.time() + 60))
    write(workspace / "old.txt", "from before it")
    os.utime(workspace / "old.txt", (1_700_000_000, 1_700_000_000))
    await desk.api.settings.change({"agents.defaults.max_tool_iterations": 9})
    os.utime(desk.owner.core.store.path, (time.time() + 60, time.time() + 60))
    done = await end_of(desk.api.backups.restore(str(path)), Restored)
    assert await said(desk, "a:more") == ["one", "two", "three", "four"]
    assert await said(desk, "a:went") == ["one", "two", "here"]
    assert await said(desk, "a:went:restored") == ["one", "two", "backup"]
    titles = {line.title for line in (await desk.api.conversations.list())}
    assert "one (from the backup)" in titles
    assert (workspace / "USER.md").read_text() == "New words.\n"
    (beside,) = workspace.glob("USER.restored-*.md")
    assert beside.read_text() == "Old words.\n"
    assert (workspace / "old.txt").read_text() == "of the backup"
    assert (await desk.api.settings.all()).values["agents.defaults.max_tool_iterations"] == 9
    assert actions(done, "session") == {"a:more": "same", "a:went:restored": "own"}
    with zipfile.ZipFile(done.saved) as saved:
        assert saved.read("workspace/old.txt") == b"from before it"
    again = await end_of(desk.api.backups.restore(str(path)), Restored)
    assert set(actions(again, "session").values()) == {"same"}
    assert len(list(workspace.glob("USER.restored-*.md"))) == 1


async def test_what_is_damaged_or_missing_comes_back_in_its_place(desk: Desk, tmp_path: Path) -> None:
    talk(desk, "a:mid", "one", "two", "three")
    talk(desk, "a:end", "one", "two", "three")
    talk(desk, "a:both", "one", "two")
    path = await backup(desk, tmp_path / "b.zip")
    mid = talk(desk, "a:mid", "one", "two", "three", damaged=1)
    talk(desk, "a:end", "one")
    talk(desk, "a:both", "one", "two", "three", damaged=1)
    before = mid.read_bytes()
    done = await end_of(desk.api.backups.restore(str(path)), Restored)
    assert await said(desk, "a:mid") == ["one", "two", "three"]
    assert await said(desk, "a:end") == ["one", "two", "three"]
    assert await said(desk, "a:both") == ["one", "two", "three"]
    assert set(actions(done, "session").values()) == {"add"}
    kept = [data for _path, data in texts(mid.parent / ".damaged")]
    assert before in kept
    await desk.api.conversations.rename("a:mid", "Whole")
    assert await said(desk, "a:mid") == ["one", "two", "three"]


def bomb(path: Path, files: dict[str, bytes], **odd: Any) -> Path:
    """A zip file that says it is a backup."""
    manifest = {
        name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "modified": 0.0}
        for name, data in files.items()
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = odd.get("mode", 0o600) << 16
            archive.writestr(info, data)
        head = {
            "format": FORMAT,
            "version": odd.get("version", 1),
            "program": "1",
            "made": "",
            "why": "hand",
        }
        archive.writestr(MANIFEST, json.dumps({**head, "files": odd.get("manifest", manifest)}))
    return path


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/etc/evil",
        "workspace/../../evil",
        "workspace/a/../b",
        "home/ipc",
        "other/file",
        "workspace/.git/hooks/post-commit",
        "workspace/a\\..\\b",
        "workspace//a",
        "workspace/",
        "workspace/" + "x/" * 80 + "y",
    ],
)
async def test_names_that_lead_elsewhere_are_refused(desk: Desk, tmp_path: Path, name: str) -> None:
    before = looks(tmp_path / "home/workspace")
    assert not is_safe(name)
    with pytest.raises(NoBackupError):
        await end_of(desk.api.backups.restore(str(bomb(tmp_path / "b.zip", {name: b"evil"}))), Restored)
    assert looks(tmp_path / "home/workspace") == before
    assert not list(tmp_path.rglob("*evil*"))


async def test_a_file_that_is_no_whole_backup_is_refused(desk: Desk, tmp_path: Path) -> None:
    talk(desk, "cli:direct", *(f"line {n} {os.urandom(40).hex()}" for n in range(200)))
    whole = (await backup(desk, tmp_path / "whole.zip")).read_bytes()
    before = looks(desk.owner.core.workspace)

    async def refused(path: Path, words: str) -> None:
        with pytest.raises(StorageError, match=words):
            await end_of(desk.api.backups.restore(str(path)), Restored)
        assert looks(desk.owner.core.workspace) == before
        assert not list(desk.owner.core.home.root.glob(".restore-*"))

    await refused(write(tmp_path / "cut.zip", whole[: len(whole) // 2]), "incomplete")
    with zipfile.ZipFile(tmp_path / "whole.zip") as archive:
        sessions = [one for one in archive.infolist() if "/sessions/" in one.filename]
        talked = max(sessions, key=lambda one: one.file_size)
    flipped = bytearray(whole)
    flipped[talked.header_offset + talked.compress_size // 2] ^= 0xFF
    await refused(write(tmp_path / "flipped.zip", bytes(flipped)), "damaged|harm|backup of this")
    await refused(write(tmp_path / "text.zip", "hello"), "not a backup of this program")
    await refused(write(tmp_path / "empty.zip", ""), "not a backup of this program")
    with zipfile.ZipFile(tmp_path / "foreign.zip", "w") as archive:
        archive.writestr("a.txt", "a")
    await refused(tmp_path / "foreign.zip", "not a backup of this program")
    await refused(tmp_path / "nowhere.zip", "can’t be used")
    await refused(tmp_path, "can’t be used")
    one = {"workspace/a.txt": b"a"}
    await refused(bomb(tmp_path / "new.zip", one, version=99), "newer version")
    await refused(bomb(tmp_path / "link.zip", one, mode=stat.S_IFLNK | 0o777), "harm")
    lied = {"workspace/a.txt": {"size": 1, "sha256": "0" * 64, "modified": 0.0}}
    await refused(bomb(tmp_path / "lied.zip", one, manifest=lied), "damaged")
    await refused(bomb(tmp_path / "more.zip", one, manifest={}), "damaged")


async def test_a_bomb_is_refused_before_it_is_unpacked(desk: Desk, tmp_path: Path) -> None:
    size = 1200 * 1024 * 1024
    path = tmp_path / "bomb.zip"
    digest = hashlib.sha256()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("workspace/zeros", "w", force_zip64=True) as entry:
            block = bytes(16 * 1024 * 1024)
            for _ in range(size // len(block)):
                entry.write(block)
        files = {"workspace/zeros": {"size": size, "sha256": digest.hexdigest(), "modified": 0.0}}
        head = {"format": FORMAT, "version": 1, "program": "1", "made": "", "why": "hand"}
        archive.writestr(MANIFEST, json.dumps({**head, "files": files}))
    with pytest.raises(NoBackupError, match="harm"):
        await end_of(desk.api.backups.restore(str(path)), Restored)
    assert not (desk.owner.core.workspace / "zeros").exists()


@pytest.mark.expected_log("ledgers of a backup")
async def test_a_failure_in_the_midst_is_undone(desk: Desk, other: Desk, tmp_path: Path) -> None:
    talk(desk, "a:new", "one", "two")
    talk(desk, "b:more", "one", "two", "three")
    write(desk.owner.core.workspace / "SOUL.md", "Be kind.\n")
    path = await backup(desk, tmp_path / "b.zip")
    talk(other, "b:more", "one")
    workspace = other.owner.core.workspace
    before = {name: data for name, (data, _mode, _time) in looks(workspace).items()}
    with closing(sqlite3.connect(other.owner.core.home.database, isolation_level=None)) as holder:
        holder.execute("DROP TABLE runs")
        with pytest.raises(StorageError):
            await end_of(other.api.backups.restore(str(path)), Restored)
    assert {name: data for name, (data, _mode, _time) in looks(workspace).items()} == before
    assert await said(other, "b:more") == ["one"]


async def test_the_last_five_are_kept_and_one_is_made_before_the_database_changes(
    tmp_path: Path,
) -> None:
    home = Home(tmp_path / "home", tmp_path / "models")
    home.root.mkdir()
    async with started(home) as desk:
        talk(desk, "cli:direct", "one")
    for _ in range(7):
        for path in home.root.glob("state.db*"):
            path.unlink()
        with closing(sqlite3.connect(home.database)) as connection:
            for script in MIGRATIONS[:-1]:
                connection.executescript(script)
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) - 1}")
        async with started(home) as desk:
            found = (await desk.api.backups.known()).backups
        time.sleep(1.01 - time.time() % 1)  # their names tell seconds
    assert len(found) == 5
    assert {backup.why for backup in found} == {"migration"}
    with zipfile.ZipFile(found[0].path) as archive:
        assert "workspace/sessions/cli%3Adirect.jsonl" in archive.namelist()
