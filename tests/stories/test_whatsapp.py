"""WhatsApp on the command line: linked by a code, used, unlinked, and gone with all the rest."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial

import psutil
import pytest
import segno

from tests.channels.loopback import InThread
from tests.channels.whatsapp_server import ALICE, BOT, CODES, WhatsAppServer, environment, link
from tests.servers.scripted import ScriptedServer
from tests.stories.program import PROGRAM, Program, read_event

pytestmark = [
    pytest.mark.machine,
    pytest.mark.skipif(bool(PROGRAM), reason="what is frozen looks for no other library"),
]


@pytest.fixture
def peer(program: Program) -> Iterator[InThread[WhatsAppServer]]:
    with InThread(WhatsAppServer()) as peer:
        program.environment |= environment(peer.server.port)
        yield peer


def until(holds: Callable[[], object], within: float = 60.0) -> None:
    end = time.monotonic() + within
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def lines_until(process: "subprocess.Popen[str]", wanted: str) -> list[str]:
    """What a command says, up to a line that has this."""
    assert process.stdout is not None
    found: list[str] = []
    for line in process.stdout:
        found.append(line.rstrip("\n"))
        if wanted in line:
            return found
    raise AssertionError(found)


def pixels(drawn: list[str]) -> list[list[int]]:
    """A code in half blocks, as a camera sees it on a dark terminal: 1 is dark."""
    halves = {"█": (0, 0), "▀": (0, 1), "▄": (1, 0), " ": (1, 1)}
    pairs = [[halves[sign] for sign in line] for line in drawn]
    return [[half[side] for half in line] for line in pairs for side in (0, 1)]


def test_linking_in_a_terminal_and_unlinking(program: Program, peer: InThread[WhatsAppServer]) -> None:
    peer.server.linked = False
    with program.started("channels", "login", "whatsapp") as login:
        until(lambda: peer.server.connected)
        peer.do(lambda there: there.show_code(CODES[0]))
        said = lines_until(login, "Valid for 60 s")
        drawn = [line for line in said if set(line) & set("█▀▄")]
        wanted = [list(row) for row in segno.make_qr(CODES[0]).matrix_iter(border=2)]
        assert pixels(drawn)[: len(wanted)] == wanted
        peer.do(lambda there: there.scan())
        rest, warned = login.communicate(timeout=60)
    assert login.returncode == 0
    assert f"Linked to +{BOT}." in rest
    assert "may suspend or ban the account" in warned
    folder = program.home / "channels" / "whatsapp"
    assert {oct(path.stat().st_mode)[-2:] for path in (folder, folder / "account.db")} == {"00"}
    again = program.run("channels", "login", "whatsapp")
    assert (again.returncode, "linked already" in again.stderr) == (2, True)
    out = program.run("channels", "logout", "whatsapp")
    assert out.returncode == 0
    assert "Also remove it on the phone" in out.stderr  # nothing was connected that could tell
    assert not folder.exists()


def test_a_code_for_a_number_and_wrong_ones(program: Program, peer: InThread[WhatsAppServer]) -> None:
    wrong = program.run("channels", "login", "whatsapp", "--phone", "17")
    assert (wrong.returncode, "country code" in wrong.stderr) == (2, True)
    keyed = program.run("channels", "login", "telegram")
    assert (keyed.returncode, "has keys" in keyed.stderr) == (2, True)
    with program.started("channels", "login", "whatsapp", "--phone", "+49 170 0000001", "--json") as login:
        until(lambda: peer.server.connected)
        peer.do(lambda there: there.show_code(CODES[0]))
        assert read_event(login, "enter")["code"] == "ABCD-1234"
    until(lambda: not peer.server.connected)
    assert not (program.home / "channels" / "whatsapp").exists()


def test_where_whatsapp_cannot_be_reached_a_login_says_so(program: Program) -> None:
    program.environment |= environment(1)
    done = program.run("channels", "login", "whatsapp")
    assert done.returncode == 1
    assert "WhatsApp can’t be reached." in done.stderr


def test_its_process_ends_with_the_program_and_wipe_takes_the_sign_in(
    program: Program, server: ScriptedServer, peer: InThread[WhatsAppServer]
) -> None:
    program.use_server(server.url, "say:Good day.")
    link(program.home)
    with program.started("serve", "--json") as serve:
        read_event(serve, "serving")
        assert program.run("channels", "enable", "whatsapp").returncode == 0
        until(lambda: peer.server.connected)
        pid = int(peer.server.hellos[-1]["pid"])
        assert psutil.pid_exists(pid)
        os.kill(serve.pid, signal.SIGKILL)
        until(lambda: not peer.server.connected)
        until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    backup = program.home.parent / "all.zip"
    assert program.run("backup", str(backup)).returncode == 0
    assert b"config.json" in backup.read_bytes()
    assert b"account.db" not in backup.read_bytes()
    assert program.run("wipe", "--sure").returncode == 0
    assert not (program.home / "channels").exists()


def test_messages_survive_a_kill_of_program_and_process(
    program: Program, server: ScriptedServer, peer: InThread[WhatsAppServer]
) -> None:
    program.use_server(server.url, "say:Good day.")
    config = json.loads((program.home / "config.json").read_text("utf-8"))
    program.configure(**config, channels={"whatsapp": {"enabled": True, "owner": ALICE}})
    link(program.home)
    for number in range(3):
        with program.started("serve", "--json") as serve:
            read_event(serve, "serving")
            until(lambda: peer.server.connected)
            note = f"Note {number}"
            peer.do(partial(WhatsAppServer.write, text=note))
            os.kill(serve.pid, signal.SIGKILL)
        until(lambda: not peer.server.connected)
    with program.started("serve", "--json") as serve:
        read_event(serve, "serving")
        peer.do(lambda there: there.write("Last"))
        until(lambda: said(program)[-1:] == ["Good day."] and "Last" in said(program))
        asked = [text for text in said(program) if text != "Good day."]
    assert asked[-1] == "Last"
    assert len(set(asked)) == len(asked)


def said(program: Program) -> list[str]:
    """What is in the conversations."""
    logs = (program.home / "workspace" / "sessions").glob("*.jsonl")
    lines = [json.loads(line) for log in logs for line in log.read_text("utf-8").split("\n")[:-1]]
    return [str(line["content"]) for line in lines if line.get("role")]
