"""Skills as a person at a terminal and a model meet them: listed, told of, named; what is wrong is said."""

import json
from pathlib import Path

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program

HERBS = "---\nname: herbs\ndescription: Look up herb facts.\n---\n\nMint is a herb."


def put(program: Program, name: str, text: str) -> Path:
    path = program.home / "workspace" / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")
    return path


def system(server: ScriptedServer) -> str:
    """What the model was told before everything else, in its last request."""
    return str(server.requests[-1].body["messages"][0]["content"])


def test_skills_are_listed_and_shown(program: Program) -> None:
    path = put(program, "herbs", HERBS)
    put(
        program,
        "lame",
        "---\ndescription: Lame.\nmetadata: {nanobot: {requires: {bins: [no-such]}}}\n---\n",
    )
    put(program, "weather", "---\ndescription: My weather.\n---\nMine.")
    found = {line["name"]: line for line in program.events("skills", "list")}
    assert list(found) == [
        "clawhub",
        "cron",
        "github",
        "herbs",
        "lame",
        "memory",
        "skill-creator",
        "summarize",
        "tmux",
        "weather",
    ]
    assert found["herbs"]["available"]
    assert not found["lame"]["available"]
    assert found["lame"]["missing"] == ["The program no-such is not installed."]
    assert found["weather"]["shadows"]
    done = program.run("skills", "list")
    assert done.returncode == 0
    assert "unavailable" in done.stdout
    assert "lame: The program no-such is not installed. Install or set what is missing" in done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()[3:-1]] == list(found), "a line each"
    done = program.run("skills", "show", "herbs")
    assert done.stdout.splitlines()[1] == str(path)
    assert "Mint is a herb." in done.stdout
    [whole] = program.events("skills", "show", "herbs")
    assert (whole["text"], whole["editable"]) == (HERBS, True)
    done = program.run("skills", "show", "none")
    assert (done.returncode, done.stdout) == (2, "")
    assert "skills list" in done.stderr


def test_a_model_is_told_of_skills_and_given_the_one_that_is_named(
    program: Program, server: ScriptedServer
) -> None:
    path = put(program, "herbs", HERBS)
    program.use_server(server.url, "say:Noted.")
    assert program.run("ask", "hello").returncode == 0
    assert f"- herbs: Look up herb facts. [{path}]" in system(server)
    assert "Mint is a herb." not in json.dumps(server.requests[-1].body)
    assert program.run("ask", "What of $herbs and $HOME?").returncode == 0
    assert "Mint is a herb." in json.dumps(server.requests[-1].body["messages"][-1])
    program.configure(
        agents={"defaults": {"provider": "custom", "model": "say:Noted.", "disabledSkills": ["herbs"]}},
        providers={"custom": {"apiBase": server.url}},
    )
    assert program.run("ask", "And now $herbs?").returncode == 0
    assert "herbs:" not in system(server)
    assert "Mint is a herb." not in json.dumps(server.requests[-1].body["messages"][-1])


def test_what_is_wrong_with_a_skill_is_named_and_costs_nothing_else(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    put(program, "herbs", HERBS)
    put(program, "bare", "Just words.")
    put(program, "broken", "---\ndescription: [\n---\nBody")
    put(program, "huge", "---\ndescription: D\n---\n" + "x" * 10_000_000)
    (tmp_path / "far").mkdir()
    (program.home / "workspace" / "skills" / "far").symlink_to(tmp_path / "far")
    said = [line for line in program.events("doctor") if line["part"] == "Skills"]
    for name in ("bare", "broken", "huge", "far"):
        [about] = [line for line in said if line["state"].startswith(f"{name}:")]
        assert about["remedy"]
    assert [line["ok"] for line in said if line["state"].startswith("far:")] == [False]
    assert not [line for line in said if line["state"].startswith("herbs:")]
    program.use_server(server.url, "say:Noted.")
    assert program.run("ask", "hello").stdout == "Noted.\n"
    assert "- herbs: Look up herb facts." in system(server)
    assert len(system(server)) < 20_000
