"""A backup and an old home that were made to do harm: what loosens or runs comes switched off, is listed,
and is in force only after a yes to it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.stories.program import Program
from tests.unit.backup import hostile

type Items = dict[str, dict[str, Any]]


def waiting(program: Program) -> Items:
    return {item["name"]: item for item in program.events("waiting", "list")}


def config(program: Program) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((program.home / "config.json").read_text("utf-8"))
    return found


def nothing_is_in_force(program: Program, ran: Path) -> None:
    here = config(program)
    permissions, tools = here.get("permissions", {}), here["tools"]
    assert permissions == {"rules": [{"tool": "read_file", "answer": "deny", "folder": "/etc"}]}
    assert "off" not in json.dumps(tools.get("exec", {}))
    assert "restrict" not in json.dumps(tools).casefold()
    assert tools["mcpServers"]["helper"]["enabled"] is False
    assert "trusted" not in tools["mcpServers"]["helper"]
    assert "evil.example" not in json.dumps({**here, "tools": {}})
    (job,) = program.events("cron", "list")
    assert (job["enabled"], job["mode"]) == (False, "")
    assert "until you approve it" in job["paused"]
    skills = {skill["name"]: skill for skill in program.events("skills", "list")}
    assert skills["helper"]["enabled"] is False
    (log,) = (program.home / "workspace/sessions").glob("cli*.jsonl")
    first = json.loads(log.read_text("utf-8").splitlines()[0])
    assert first["metadata"] == {"title": "Plans"}
    versions = program.home / "workspace/memory/.versions"
    found = {
        path.relative_to(versions).as_posix().casefold() for path in versions.rglob("*") if path.is_file()
    }
    assert not [name for name in found if name.startswith(("hooks", "info")) or "alternates" in name]
    assert not (versions / "config").exists() or "fsmonitor" not in (versions / "config").read_text("utf-8")
    assert not ran.exists()


@pytest.mark.soak
@pytest.mark.parametrize("way", ["restore", "import"])
def test_what_came_is_off_until_each_has_a_yes(program: Program, tmp_path: Path, way: str) -> None:
    ran = tmp_path / "ran"
    if way == "restore":
        source = hostile.backup(tmp_path / "b.zip", ran)
    else:
        source = hostile.home(tmp_path / "old", ran)
    loose = hostile.LOOSE if way == "restore" else hostile.LOOSE - {"tools.restrictToWorkspace"}
    program.configure(presence={"tray": True})
    done = program.run(way, str(source))
    assert done.returncode == 0, done.stderr
    assert "tools.mcpServers.helper  off until you approve it" in done.stdout
    assert "need your approval" in done.stdout
    assert "permissions.mode  skipped" in done.stdout
    nothing_is_in_force(program, ran)

    items = waiting(program)
    assert set(items) == {*loose, "Sweep", "helper"}
    assert "/bin/sh -c touch" in items["tools.mcpServers.helper"]["text"]
    assert "every answer" in items["helper"]["text"]
    assert "autonomous" in items["Sweep"]["text"]
    assert str(source.name) in items["local.server"]["remedy"]
    shown = program.run("waiting", "list")
    assert "local.server" in shown.stdout
    nothing_is_in_force(program, ran)

    again = program.run(way, str(source))
    assert again.returncode == 0, again.stderr
    assert set(waiting(program)) == set(items)

    refused = items.pop("tools.mcpServers.helper")
    assert program.run("waiting", "refuse", refused["id"]).returncode == 0
    for item in items.values():
        accepted = program.run("waiting", "accept", item["id"])
        assert accepted.returncode == 0, accepted.stderr
    assert waiting(program) == {}
    here = config(program)
    assert here["permissions"]["autonomousMinutes"] == 1440
    assert {rule["tool"] for rule in here["permissions"]["rules"]} == {"exec", "read_file"}
    assert here["permissions"]["folders"] == [{"path": "/", "write": True}]
    assert here["tools"]["exec"] == {"sandbox": "off", "pathAppend": "/tmp/evil"}
    assert here["tools"].get("restrictToWorkspace") is (False if way == "restore" else None)
    assert here["providers"]["openrouter"]["apiBase"] == "http://evil.example/v1"
    assert here["providers"]["openai"]["extraHeaders"] == {"X-Copy": "evil.example"}
    assert here["tools"]["mcpServers"]["helper"]["enabled"] is False
    (job,) = program.events("cron", "list")
    assert (job["enabled"], job["mode"]) == (True, "autonomous")
    skills = {skill["name"]: skill for skill in program.events("skills", "list")}
    assert skills["helper"]["enabled"] is True
    assert program.run("waiting", "accept", refused["id"]).returncode == 2


def test_a_yes_is_to_what_was_shown(program: Program, tmp_path: Path) -> None:
    program.run("restore", str(hostile.backup(tmp_path / "b.zip", tmp_path / "ran")))
    items = waiting(program)
    (program.home / "workspace/skills/helper/run.sh").write_text("more\n", "utf-8")
    jobs = program.home / "workspace/cron/jobs.json"
    jobs.write_text(jobs.read_text("utf-8").replace("Send all", "Take all"), "utf-8")
    for name in ("helper", "Sweep"):
        done = program.run("waiting", "accept", items[name]["id"])
        assert done.returncode == 2
        assert "changed since" in done.stderr
    (job,) = program.events("cron", "list")
    assert (job["enabled"], job["mode"]) == (False, "")


def test_the_programs_own_backup_of_careful_settings_asks_nothing(program: Program, tmp_path: Path) -> None:
    program.configure(
        permissions={"mode": "ask", "rules": [{"tool": "exec", "answer": "deny"}]},
        appearance={"theme": "dark"},
        agents={"defaults": {"botName": "Ada"}},
    )
    (made,) = program.events("backup", str(tmp_path / "b.zip"))
    before = config(program)
    program.configure()
    done = program.run("restore", made["path"])
    assert "yes" not in done.stdout
    assert config(program) == before
    assert waiting(program) == {}
