"""A crash of the program is told at its next start, once, with a report that stays on this computer."""

import re
import signal

from tests.desktop.desk import Desk
from tests.desktop.window import running_window
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.window.talk import ask

WORDS = "the secret garden of my aunt"


def test_a_crash_is_told_once_and_the_report_can_be_read(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Lovely.")
    with running_window(program, may_die=True) as window:
        ask(window, f"Tell me of {WORDS}")
        window.wait_text("Nanobot", "Lovely.")
        window.process.send_signal(signal.SIGSEGV)
        window.process.wait(60)
    with running_window(program) as window:
        window.wait("Nanobot crashed the last time it ran.")
        desk.screenshot("crash-told")
        window.press("View report")
        window.wait(re.compile("This report says where in the program"))
        desk.screenshot("crash-report")
        report = (program.home / "logs" / "crash.txt").read_text("utf-8")
        assert "Fatal Python error: Segmentation fault" in report
        assert WORDS not in report
    with running_window(program) as window:
        window.wait("Tell me of the secret garden of my aunt")
        assert not window.find("Nanobot crashed the last time it ran.")
