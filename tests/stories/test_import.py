"""Importing nanobot's homes at a terminal: looked at first, then taken, then again with nothing new."""

import asyncio
import json
import shutil
from pathlib import Path

import keyring
import pytest

from desktop.session.sessions import Sessions
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, texts
from tests.stories.test_damage import small_disk
from tests.unit.importer.homes import KEY, conversation, looks, newer, older, read_only

type Lines = list[dict[str, object]]


def named(lines: Lines, action: str, kind: str = "") -> set[str]:
    return {
        str(line["name"]) for line in lines if line.get("action") == action and kind in ("", line["kind"])
    }


def test_an_older_home_is_taken_once(program: Program, tmp_path: Path) -> None:
    old = older(tmp_path / "old")
    read_only(old)
    before = looks(old)
    shown = program.run("import", str(old), "--dry-run")
    assert shown.returncode == 0
    assert "allowed senders is empty, so nobody is allowed" in shown.stdout
    assert "run twice" in shown.stderr
    assert "gateway.host  kept but not used here" in shown.stdout
    assert "agents.defaults.memoryWindow  kept but not used here" in shown.stdout
    assert KEY not in shown.stdout + shown.stderr
    assert program.events("sessions", "list") == []

    planned = program.events("import", str(old / ".nanobot"), "--dry-run")
    done = program.events("import", str(old / ".nanobot"))
    assert [line.get("action") for line in planned] == [line.get("action") for line in done]
    assert {line["key"] for line in program.events("sessions", "list")} == {"cli:direct", "telegram:1001"}
    said = program.said("telegram:1001")
    assert said[0] == ("user", "List the files, please")
    assert said[-1] == ("assistant", "It lists basil and thyme.")
    assert keyring.get_password("nanobot-desktop", "openrouter") == KEY
    (memory,) = program.events("memory", "show", "MEMORY")
    assert [fact["text"] for fact in memory["files"][0]["facts"]] == ["Name: Dana (invented)"]
    hits = program.events("memory", "search", "basil")
    assert "Talked about basil." in {hit["text"] for hit in hits}
    skills = {line["name"]: line for line in program.events("skills", "list")}
    assert skills["herbs"]["source"] == "workspace"
    jobs = {job["id"]: job for job in program.events("cron", "list")}
    assert (jobs["a1b2c3d4"]["enabled"], jobs["b2c3d4e5"]["enabled"]) == (True, False)
    assert jobs["a1b2c3d4"]["session"] == "telegram:1001"
    workspace = program.home / "workspace"
    assert "Invented text" in (workspace / "SOUL.md").read_text("utf-8")
    assert "Look at the weather" in (workspace / "HEARTBEAT.md").read_text("utf-8")
    config = json.loads((program.home / "config.json").read_text("utf-8"))
    assert config["agents"]["defaults"]["model"] == "openrouter/acme/small-1"
    assert config["agents"]["defaults"]["memoryWindow"] == 50
    assert config["gateway"]["host"] == "0.0.0.0"
    assert not [path for path, content in texts(program.home) if KEY.encode() in content]
    assert program.run("doctor", "--json").stdout

    here = looks(workspace)
    again = program.events("import", str(old))
    assert not named(again, "take") | named(again, "add") | named(again, "change") | named(again, "inert")
    assert {name: look for name, look in looks(workspace).items() if not name.startswith("memory/.")} == {
        name: look for name, look in here.items() if not name.startswith("memory/.")
    }
    assert looks(old) == before


@pytest.mark.soak
def test_a_newer_home_is_taken_beside_what_is_here(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    program.use_server(server.url, "say:Good day.")
    program.run("ask", "Who are you?")
    (program.home / "workspace/USER.md").write_text("Mine.\n", "utf-8")
    old = newer(tmp_path / "old")
    before = looks(old)
    done = program.events("import", str(old / ".nanobot/config.json"))
    assert named(done, "failed") == set()
    assert "agents.defaults.model" in named(done, "left", "setting")
    keys = {line["key"] for line in program.events("sessions", "list")}
    assert keys == {"cli:direct", "cli:direct:imported", "telegram:1001", "unified:default"}
    assert program.said("cli:direct")[0] == ("user", "Who are you?")
    assert program.said("cli:direct:imported")[0] == ("user", "List the files, please")
    assert (program.home / "workspace/USER.md").read_text("utf-8") == "Mine.\n"
    beside = program.home / "workspace/USER.imported.md"
    assert "Invented text" in beside.read_text("utf-8")
    assert {"c3d4e5f6"} == {job["id"] for job in program.events("cron", "list")}
    again = program.events("import", str(old))
    assert not named(again, "take") | named(again, "add") | named(again, "change") | named(again, "inert")
    assert looks(old) == before
    program.run("ask", "And now?")
    assert server.requests[-1].body["model"] == "say:Good day."


@pytest.mark.soak
def test_what_is_new_in_the_old_home_is_added(program: Program, tmp_path: Path) -> None:
    old = older(tmp_path / "old")
    path = old / ".nanobot/workspace/sessions/telegram_7.jsonl"
    conversation(path, "telegram:7", ["one", "two"])
    program.events("import", str(old))
    conversation(path, "telegram:7", ["one", "two", "three", "four"])
    done = program.events("import", str(old))
    assert named(done, "add") == {"telegram:7"}
    assert [text for _role, text in program.said("telegram:7")] == ["one", "two", "three", "four"]


def test_keys_are_scrubbed_when_that_is_wanted_and_nothing_else(program: Program, tmp_path: Path) -> None:
    old = older(tmp_path / "old")
    before = looks(old)
    program.events("import", str(old), "--scrub")
    after = looks(old)
    changed = {name for name in before if before[name][0] != after[name][0]}
    assert changed == {".nanobot/config.json"}
    assert before.keys() == after.keys()
    kept = json.loads(after[".nanobot/config.json"][0])
    assert kept["providers"]["openrouter"]["apiKey"] == ""
    assert kept["channels"]["telegram"]["allowFrom"] == ["1001"]
    assert KEY.encode() not in after[".nanobot/config.json"][0]
    assert keyring.get_password("nanobot-desktop", "openrouter") == KEY


def test_what_is_no_home_is_said(program: Program, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for wrong in (tmp_path / "nowhere", tmp_path / "empty", program.home):
        program.home.mkdir(exist_ok=True)
        done = program.run("import", str(wrong))
        assert done.returncode == 2, done.stderr
        assert ".nanobot" in done.stderr
    assert program.run("import").returncode == 2


def test_while_the_program_serves_it_is_done_there(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    program.use_server(server.url, "say:Good day.")
    old = older(tmp_path / "old")
    with program.started("serve", "--json") as serving:
        assert serving.stdout is not None
        serving.stdout.readline()
        done = program.events("import", str(old))
        assert named(done, "take", "session") == {"cli:direct", "telegram:1001"}
        assert program.said("cli:direct")[0] == ("user", "List the files, please")
        assert serving.poll() is None


def many(root: Path, count: int, size: int) -> Path:
    """A home of so many conversations of four messages of so many characters."""
    for number in range(count):
        path = root / f".nanobot/workspace/sessions/telegram_{number}.jsonl"
        conversation(path, f"telegram:{number}", [f"{number} {part} {'x' * size}" for part in range(4)])
    return root


def whole(home: Path, old: Path) -> None:
    """Every conversation of the old home is here once, with all that was said."""
    sessions = Sessions(home / "workspace/sessions")

    async def said(number: int) -> list[str]:
        return [
            message["content"] for message in await (await sessions.open(f"telegram:{number}")).everything()
        ]

    paths = list((old / ".nanobot/workspace/sessions").iterdir())
    assert len(list(sessions.folder.glob("*.jsonl"))) == len(paths)
    for path in paths:
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()[1:]]
        number = int(path.stem.removeprefix("telegram_"))
        assert asyncio.run(said(number)) == [line["content"] for line in lines]
    assert not list(sessions.folder.glob(".import*"))


def test_an_import_that_is_killed_is_completed_by_the_next(program: Program, tmp_path: Path) -> None:
    old = many(tmp_path / "old", 500, 100)
    with program.started("import", str(old), "--json") as importing:
        assert importing.stdout is not None
        for line in importing.stdout:
            if json.loads(line)["kind"] == "session":
                break
        importing.kill()
    here = len(list((program.home / "workspace/sessions").glob("*.jsonl")))
    assert 0 < here < 500
    done = program.events("import", str(old))
    assert len(named(done, "same", "session")) == here
    whole(program.home, old)


@pytest.mark.soak
def test_a_disk_that_fills_up_in_the_middle(program: Program, tmp_path: Path) -> None:
    old = many(tmp_path / "old", 40, 50_000)
    with small_disk(program, "14m") as home:
        filler = home / "filler"
        filler.write_bytes(b"x" * 8_000_000)
        done = program.run("import", str(old))
        assert done.returncode == 1
        assert "full" in done.stderr
        assert 0 < len(list((home / "workspace/sessions").glob("*.jsonl"))) < 40
        filler.unlink()
        again = program.run("import", str(old))
        assert again.returncode == 0, again.stderr
        # Sessions are opened by their real path, which is not to be had through another namespace's root.
        seen = shutil.copytree(home / "workspace", tmp_path / "seen/workspace")
        whole(seen.parent, old)
