"""Damaged files, a full disk, a home that cannot be written: a sentence and a remedy, nothing lost, and
what works goes on working."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.providers.catalogue import SMALL
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, read_event, say

SESSION = "workspace/sessions/cli%3Adirect.jsonl"
UNBUFFERED = "PYTHONUNBUFFERED"


@pytest.fixture
def talked(program: Program, server: ScriptedServer) -> Program:
    """A home with one question and its answer."""
    program.use_server(server.url, "say:Noted.")
    assert program.run("ask", "first").returncode == 0
    return program


def test_settings_cut_in_half(talked: Program) -> None:
    config = talked.home / "config.json"
    half = config.read_bytes()[: config.stat().st_size // 2]
    config.write_bytes(half)
    done = talked.run("ask", "second")
    assert (done.returncode, done.stdout) == (0, "Noted.\n"), "by the last good settings"
    sentence, remedy = done.stderr.splitlines()
    assert sentence.startswith("config.json is damaged at line 1")
    assert remedy.startswith("Correct that line")
    assert config.read_bytes() == half
    assert talked.run("doctor").returncode == 1
    assert [e["event"] for e in talked.events("ask", "third")][:1] == ["settings_problem"]


@pytest.mark.soak
def test_a_setting_of_the_wrong_type_is_named(talked: Program) -> None:
    config = json.loads((talked.home / "config.json").read_bytes())
    config["agents"]["defaults"]["maxTokens"] = "many"
    talked.configure(**config)
    done = talked.run("chat", given="second\nthird\n")
    assert done.stdout == "Noted.\nNoted.\n"
    sentence, _remedy = done.stderr.splitlines()
    assert "agents.defaults.maxTokens in config.json is not valid" in sentence


def test_a_session_file_with_damaged_lines_and_a_torn_tail(talked: Program) -> None:
    talked.run("ask", "second")
    path = talked.home / SESSION
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 5
    lines[2] = b"\xff\xfe{{{ noise\n"
    damaged = b"".join(lines)[:-30]
    path.write_bytes(damaged)
    done = talked.run("ask", "third")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Noted.\n", "")
    assert path.read_bytes().startswith(damaged), "nothing of it is rewritten"
    assert [text for _role, text in talked.said()] == ["first", "second", "third", "Noted."]
    assert "2 damaged records were skipped" in talked.run("sessions", "show").stderr


@pytest.mark.soak
def test_a_session_file_saved_as_utf_16(talked: Program) -> None:
    path = talked.home / SESSION
    path.write_bytes(path.read_text("utf-8").encode("utf-16"))
    assert talked.run("ask", "second").stdout == "Noted.\n"
    assert [text for _role, text in talked.said()] == ["first", "Noted.", "second", "Noted."]


@pytest.mark.soak
def test_a_session_file_that_is_a_folder(talked: Program) -> None:
    (talked.home / SESSION).unlink()
    (talked.home / SESSION).mkdir()
    done = talked.run("chat", given="second\n")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert talked.run("ask", "third", "--session", "other").stdout == "Noted.\n"


@pytest.mark.parametrize("where", [0, pytest.param(4096, marks=pytest.mark.soak)])
def test_a_damaged_ledger_is_set_aside(talked: Program, where: int) -> None:
    database = talked.home / "state.db"
    data = bytearray(database.read_bytes())
    assert len(data) > 4096 + 512
    data[where : where + 512] = b"\xa5" * 512
    database.write_bytes(data)
    assert talked.run("doctor", "--json").returncode == 1
    assert database.read_bytes() == data, "doctor only looks"
    done = talked.run("ask", "second")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Noted.\n", "")
    assert next(talked.home.glob("state.db.damaged-*")).read_bytes() == data
    assert talked.events("status")[0]["today"][0]["calls"] == 1


def test_a_place_for_the_log_that_cannot_be_written(talked: Program) -> None:
    for path in (talked.home / "logs").iterdir():
        path.unlink()
    (talked.home / "logs").rmdir()
    (talked.home / "logs").write_bytes(b"a file where a folder should be")
    assert not talked.events("doctor")[0]["ok"]
    done = talked.run("ask", "second")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Noted.\n", "")


def test_output_to_a_full_disk(talked: Program) -> None:
    talked.cold = True  # Python, too, says at its end what could not be written
    environment = {name: value for name, value in talked.full_environment.items() if name != UNBUFFERED}
    with Path("/dev/full").open("wb") as full:
        asked = talked.begin(
            "ask", "second", stdin=subprocess.DEVNULL, stdout=full, text=True, env=environment
        )
        _out, complaint = asked.communicate(timeout=60)
    assert asked.returncode == 1
    assert complaint.startswith("The disk is full")
    assert "Exception" not in complaint
    assert talked.said()[2] == ("user", "second")


def test_a_keychain_that_is_not_there(program: Program, server: ScriptedServer) -> None:
    program.environment |= {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere", "XDG_RUNTIME_DIR": "/nowhere"}
    program.configure(
        agents={"defaults": {"provider": "openai", "model": "say:Hello."}},
        providers={"openai": {"apiBase": server.url, "keyStored": True}},
    )
    done = program.run("ask", "first")
    assert done.returncode == 1
    sentence, remedy = done.stderr.splitlines()
    assert "keychain" in sentence
    assert "NANOBOT_PROVIDERS__OPENAI__API_KEY" in remedy
    assert not server.requests
    program.environment["NANOBOT_PROVIDERS__OPENAI__API_KEY"] = "sk-for-this-run"
    assert program.run("ask", "second").stdout == "Hello.\n"
    assert program.said()[0] == ("user", "first")


@pytest.mark.parametrize("size", [1000, SMALL.size])
def test_weights_cut_short_or_with_a_wrong_hash(program: Program, size: int) -> None:
    weights = program.home / "models" / SMALL.file
    weights.parent.mkdir(parents=True)
    weights.touch()
    os.truncate(weights, size)
    done = program.run("ask", "first")
    assert (done.returncode, done.stdout) == (1, "")
    _sentence, remedy = done.stderr.splitlines()
    assert "nanobot-desktop local setup" in remedy
    assert program.run("doctor").returncode == 1
    assert program.said()[0] == ("user", "first")
    assert weights.stat().st_size == size


@contextmanager
def small_disk(program: Program, size: str) -> Iterator[Path]:
    """The home on a disk of its own, of so many bytes; yields that home as it is seen from here."""
    program.home.mkdir(parents=True, exist_ok=True)
    script = 'mount -t tmpfs -o size="$2" tmpfs "$1" && echo ready && exec cat'
    with subprocess.Popen(
        ["unshare", "-rm", "sh", "-c", script, "sh", str(program.home), size],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as keeper:
        assert keeper.stdout is not None
        assert keeper.stdin is not None
        if keeper.stdout.readline() != "ready\n":
            pytest.skip("unshare -rm may not mount a tmpfs here")
        program.inside = (
            "nsenter",
            f"--target={keeper.pid}",
            "--user",
            "--mount",
            "--preserve-credentials",
        )
        try:
            yield Path(f"/proc/{keeper.pid}/root{program.home}")
        finally:
            program.inside = ()
            keeper.stdin.close()


def fill(home: Path) -> Path:
    """Use up all room below a folder; the file that does."""
    filler = home / "filler"
    with filler.open("ab", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return filler


def settings_in(home: Path, server: ScriptedServer) -> None:
    inner = Program(home)
    inner.use_server(server.url, "say:Noted.")


def test_a_disk_that_is_full_at_the_start(program: Program, server: ScriptedServer) -> None:
    with small_disk(program, "2m") as home:
        settings_in(home, server)
        filler = fill(home)
        done = program.run("ask", "first")
        assert (done.returncode, done.stdout) == (1, "")
        sentence, remedy = done.stderr.splitlines()
        assert "full" in sentence
        assert "room" in remedy or "space" in remedy
        assert "full" in program.events("doctor")[0]["state"]
        filler.unlink()
        again = program.run("ask", "second")
        assert (again.returncode, again.stdout, again.stderr) == (0, "Noted.\n", "")
        workspace = home / "workspace"
        assert all(path.stat().st_size for path in workspace.glob("*.md"))
        assert len(list(workspace.glob("*.md"))) == 5, "the files that the full disk cut short are whole"


def test_a_disk_that_fills_up_in_a_conversation(program: Program, server: ScriptedServer) -> None:
    with small_disk(program, "4m") as home:
        settings_in(home, server)
        with program.started("chat", "--json") as chat:
            say(chat, "first")
            read_event(chat, "turn_finished")
            filler = fill(home)
            say(chat, "second " + "x" * 100_000)
            failed = read_event(chat, "failed")
            assert failed["error"].startswith("The disk is full")
            assert failed["remedy"]
            filler.unlink()
            say(chat, "third")
            assert read_event(chat, "turn_finished")["text"] == "Noted."
        assert [text for _role, text in program.said()] == ["first", "Noted.", "third", "Noted."]


@pytest.mark.soak
def test_a_disk_that_fills_up_under_an_answer(program: Program, server: ScriptedServer) -> None:
    with small_disk(program, "4m") as home:
        settings_in(home, server)
        server.script("say:ok", "words:30000", "say:Noted.")
        with program.started("chat", "--json") as chat:
            say(chat, "first")
            read_event(chat, "turn_finished")
            say(chat, "second")
            server.wait_for_request(2)
            filler = fill(home)
            failed = read_event(chat, "turn_failed")
            assert failed["error"].startswith("The disk is full")
            filler.unlink()
            say(chat, "third")
            assert read_event(chat, "turn_finished")["text"] == "Noted."
        said = program.said()
        assert ("user", "second") in said
        assert said[-1] == ("assistant", "Noted.")


def test_a_home_that_can_only_be_read(program: Program, server: ScriptedServer) -> None:
    with small_disk(program, "4m") as home:
        settings_in(home, server)
        assert program.run("ask", "first").returncode == 0
        inside = [*program.inside, "mount", "-o", "remount,ro", str(program.home)]
        subprocess.run(inside, check=True)
        done = program.run("ask", "second")
        assert (done.returncode, done.stdout) == (1, "")
        sentence, remedy = done.stderr.splitlines()
        assert str(program.home) in sentence
        assert "No permission to read or write" in sentence
        assert "NANOBOT_DESKTOP_HOME" in remedy
        assert program.said() == [("user", "first"), ("assistant", "Noted.")], "it can still be read"
        assert program.run("sessions", "list").stderr == ""
        assert "No permission to read or write" in program.events("doctor")[0]["state"]
        subprocess.run([*inside[:-2], "remount,rw", str(program.home)], check=True)
        assert program.run("ask", "third").stdout == "Noted.\n"
