"""Backup and restore at a terminal: a home is lost and comes back; a file that is no backup changes
nothing; a full disk leaves all as it was."""

import shutil
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import keyring
import pytest

from desktop.database.tables import MIGRATIONS
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, texts
from tests.stories.test_damage import fill, small_disk
from tests.unit.importer.homes import KEY, conversation, looks, older


def test_a_home_that_is_lost_comes_back(program: Program, server: ScriptedServer, tmp_path: Path) -> None:
    old = older(tmp_path / "old")
    program.events("import", str(old))
    assert keyring.get_password("nanobot-desktop", "openrouter") == KEY
    (made,) = program.events("backup", str(tmp_path))
    assert KEY.encode() not in Path(made["path"]).read_bytes()
    shutil.rmtree(program.home)
    done = program.run("restore", made["path"])
    assert done.returncode == 0, done.stderr
    assert "telegram:1001" in done.stdout
    assert program.said("cli:direct")[0] == ("user", "List the files, please")
    (memory,) = program.events("memory", "show", "MEMORY")
    assert [fact["text"] for fact in memory["files"][0]["facts"]] == ["Name: Dana (invented)"]
    assert {job["id"] for job in program.events("cron", "list")} == {"a1b2c3d4", "b2c3d4e5"}
    assert not [path for path, content in texts(program.home) if KEY.encode() in content]
    keyring.delete_password("nanobot-desktop", "openrouter")
    (asked,) = [line for line in program.events("restore", made["path"]) if line.get("action") == "left"]
    assert asked["name"] == "providers.openrouter"
    assert "Enter it again" in asked["note"]
    again = program.run("restore", made["path"])
    assert "Added: 0." in again.stdout
    assert program.run("backup", made["path"]).returncode == 2


@pytest.mark.soak
def test_while_the_program_serves_it_is_restored_there(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    program.use_server(server.url, "say:Good day.")
    program.run("ask", "Who are you?")
    (made,) = program.events("backup", str(tmp_path / "b.zip"))
    shutil.rmtree(program.home / "workspace/sessions")
    with program.started("serve", "--json") as serving:
        assert serving.stdout is not None
        serving.stdout.readline()
        assert program.events("sessions", "list") == []
        program.run("restore", made["path"])
        assert program.said()[0] == ("user", "Who are you?")
        program.run("ask", "And now?")
        assert [text for _role, text in program.said()].count("Good day.") == 2
        assert serving.poll() is None


def test_what_is_no_backup_changes_nothing(program: Program, tmp_path: Path) -> None:
    program.home.mkdir(parents=True)
    (tmp_path / "wrong.zip").write_bytes(b"PK\x03\x04 and no more")
    for wrong in ("wrong.zip", "nowhere.zip", "."):
        done = program.run("restore", str(tmp_path / wrong))
        assert done.returncode == 1
        assert done.stderr.strip()
        assert "Traceback" not in done.stderr
    assert not list(program.home.glob(".restore-*"))


def test_a_full_disk_leaves_all_as_it_was(program: Program, tmp_path: Path) -> None:
    big = Program(tmp_path / "big", program.environment)
    for number in range(60):
        folder = big.home / "workspace/sessions"
        said = [f"{number} {part} {number * 7919 + part}" * 3000 for part in range(4)]
        conversation(folder / f"telegram%3A{number}.jsonl", f"telegram:{number}", said)
    (made,) = big.events("backup", str(tmp_path / "b.zip"))
    with small_disk(program, "12m") as home:
        program.run("sessions", "list")
        done = program.run("restore", made["path"])
        assert done.returncode == 1
        assert "disk space" in done.stderr
        assert not list((home / "workspace").glob("sessions/*"))
        assert not list(home.glob(".restore-*"))
        fill(home)
        full = program.run("backup", str(program.home / "b.zip"))
        assert full.returncode == 1
        assert "full" in full.stderr
        assert not [path for path in home.iterdir() if path.name.endswith((".part", ".zip"))]


@pytest.mark.soak
def test_a_disk_that_fills_up_in_the_midst_is_as_it_was(program: Program, tmp_path: Path) -> None:
    big, disk = Program(tmp_path / "big", program.environment), Program(tmp_path / "small")
    for number in range(40):
        said = [f"{number} {part} {number * 7919 + part}" * 3000 for part in range(4)]
        path = big.home / f"workspace/sessions/telegram%3A{number}.jsonl"
        conversation(path, f"telegram:{number}", said)
    (made,) = big.events("backup", str(tmp_path / "b.zip"))
    with small_disk(disk, "4m") as seen:
        program.inside = disk.inside
        program.configure(agents={"defaults": {"workspace": str(disk.home / "w")}})
        program.run("sessions", "list")
        conversation(seen / "w/sessions/telegram%3A1.jsonl", "telegram:1", ["mine"])
        before = looks(seen / "w/sessions")
        done = program.run("restore", made["path"])
        assert done.returncode == 1
        assert "full" in done.stderr
        assert looks(seen / "w/sessions") == before
        assert not list(program.home.glob(".restore-*"))


def test_what_is_given_to_a_helper_is_seen_first_and_has_no_secret(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    program.use_server(server.url, extraHeaders={"X-Secret": KEY})
    server.script("say:It is basil.")
    program.run("ask", "The secret of the garden")
    shown = program.run("diagnostics", "--preview").stdout
    assert "--- settings.json" in shown
    assert "Nanobot Desktop" in shown
    assert program.run("diagnostics", str(tmp_path / "d.zip")).returncode == 0
    with zipfile.ZipFile(tmp_path / "d.zip") as archive:
        whole = shown + "".join(archive.read(name).decode() for name in archive.namelist())
    for secret in (KEY, "garden", "basil"):
        assert secret not in whole
    assert program.run("diagnostics", str(tmp_path / "d.zip")).returncode == 2


@pytest.mark.soak
def test_everything_is_deleted_where_that_is_sure(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:Good day.")
    program.run("ask", "Who are you?")
    keyring.set_password("nanobot-desktop", "openrouter", KEY)
    assert program.run("wipe").returncode == 2
    assert program.said()
    with program.started("serve", "--json") as serving:
        assert serving.stdout is not None
        serving.stdout.readline()
        assert program.run("wipe", "--sure").returncode == 1
    assert program.said()
    done = program.run("wipe", "--sure")
    assert (done.returncode, done.stderr) == (0, "")
    assert not [path for path in program.home.rglob("*") if path.is_file() and "log" not in path.name]
    assert keyring.get_password("nanobot-desktop", "openrouter") is None


def test_about_tells_versions_and_the_text_of_each_licence(program: Program) -> None:
    (about,) = program.events("about")
    assert [what for what, _which in about["versions"]][:1] == ["Nanobot Desktop"]
    assert {"httpx", "Inter", "Lucide"} <= {one["name"] for one in about["shipped"]}
    assert "Redistribution" in program.run("about", "httpx").stdout
    assert program.run("about", "nothing-like-it").returncode == 2


@pytest.mark.soak
def test_a_backup_is_made_before_an_older_database_is_changed(
    program: Program, server: ScriptedServer
) -> None:
    program.use_server(server.url, "say:Good day.")
    program.run("ask", "Who are you?")
    for path in program.home.glob("state.db*"):
        path.unlink()
    with closing(sqlite3.connect(program.home / "state.db")) as connection:
        for script in MIGRATIONS[:-1]:
            connection.executescript(script)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) - 1}")
    assert program.run("usage").returncode == 0
    (made,) = program.events("backup", "--list")
    assert made["why"] == "migration"
    with zipfile.ZipFile(made["path"]) as archive:
        assert b"Who are you?" in archive.read("workspace/sessions/cli%3Adirect.jsonl")
    assert program.run("status").returncode == 0
    assert len(program.events("backup", "--list")) == 1
