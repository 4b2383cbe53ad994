"""What is damaged by hand is told at the start and mended by a click; a lost conversation comes back from
a backup."""

import re
from pathlib import Path

import pytest

from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, running_window
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.window.talk import ask, listed, open_conversation, rest


def damage(path: Path) -> bytes:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b'{"role": "us\n', *lines[2:]]))
    return path.read_bytes()


def test_backup_damage_recovery_and_restore(program: Program, server: ScriptedServer, desk: Desk) -> None:
    program.use_server(server.url, "say:Noted.")
    with running_window(program) as window:
        ask(window, "Plan the garden")
        window.wait_text("Nanobot", "Noted.")
        rest(window)
        desk.key("ctrl+n")
        ask(window, "Trip to Lisbon")
        window.wait_text("Nanobot", "Noted.")
        rest(window)
        desk.key("ctrl+comma")
        window.select("Privacy and data", within="Pages")
        window.press("Back up now")
        window.wait(re.compile("^Restore: "))
        desk.screenshot("backup-made")
    sessions = program.home / "workspace/sessions"
    files = {path.read_bytes().count(b"garden") > 0: path for path in sessions.glob("*.jsonl")}
    hurt = damage(files[True])
    lost = files[False]
    lost.unlink()
    (program.home / "state.db").write_bytes(b"no database " * 1000)

    with running_window(program) as window:
        window.wait("Something is damaged", "label")
        desk.screenshot("recovery")
        assert files[True].read_bytes() == hurt
        window.press("Repair all")
        window.wait("Everything is repaired", "label")
        desk.screenshot("recovery-mended")
        window.press("Restore from a backup…")
        window.wait("Pages")
        window.press(re.compile("^Restore: "))
        window.press("Restore", "push button")
        window.wait("Restored")
        desk.screenshot("restored")
        desk.key("Escape")
        window.gone("Pages")
        desk.wait_active(TITLE)
        window.press("Continue")
        window.until(lambda: "Trip to Lisbon" in listed(window), "the lost conversation is listed")
        open_conversation(window, "Plan the garden")
        window.wait_text("Transcript", "Noted.")
    assert lost.exists()
    assert hurt in [path.read_bytes() for path in sessions.glob(".damaged/*")]
    with running_window(program) as window:
        window.until(lambda: "Trip to Lisbon" in listed(window), "all is listed")
        assert not window.find("Something is damaged")


@pytest.mark.soak
def test_everything_is_deleted_when_it_is_meant(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Noted.")
    with running_window(program) as window:
        ask(window, "Remember me")
        window.wait_text("Nanobot", "Noted.")
        rest(window)
        desk.key("ctrl+comma")
        window.select("Privacy and data", within="Pages")
        window.press("Delete everything…")
        window.set_text("Type delete to confirm", "delete")
        window.press("Delete everything", "push button")
        assert window.process.wait(60) == 0
    assert not program.home.exists()
