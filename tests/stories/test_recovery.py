"""doctor --fix repairs what is damaged, says what it did, and keeps what was there."""

import pytest

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program


@pytest.mark.soak
def test_everything_damaged_is_mended_at_once(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:Noted.")
    program.run("ask", "first")
    assert "Nothing is damaged." in program.run("doctor", "--fix").stdout
    session = program.home / "workspace/sessions/cli%3Adirect.jsonl"
    lines = session.read_bytes().splitlines(keepends=True)
    session.write_bytes(b"".join([*lines[:2], b'{"role": "us\n', *lines[2:]]))
    config = program.home / "config.json"
    config.write_bytes(config.read_bytes()[:40])
    (program.home / "state.db").write_bytes(b"no database " * 1000)
    done = program.run("doctor", "--fix")
    assert "2 messages intact" in done.stdout
    assert "The settings are repaired" in done.stdout
    assert "entries recovered; the damaged file is kept as state.db.kept-" in done.stdout
    assert len([line for line in done.stdout.splitlines() if "is kept as" in line]) == 3
    assert program.said() == [("user", "first"), ("assistant", "Noted.")]
    assert program.run("ask", "second").stdout == "Noted.\n"
    assert "Nothing is damaged." in program.run("doctor", "--fix").stdout
    assert len(list(session.parent.glob(".damaged/*"))) == 1
    assert len(list(program.home.glob("config.json.damaged-*"))) == 1
