"""quit and a window: it has gone when the command returns, with whoever waited behind it for the home."""

from tests.desktop.desk import Desk
from tests.desktop.window import running_window
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, read_event
from tests.stories.window.talk import ask, rest

WAITS = "Nanobot quits once its answers are done."


def test_the_window_has_gone_when_the_command_returns(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Thirty.")
    held = server.hold("five times six")
    with program.started("serve", "--json") as serve:
        read_event(serve, "serving")
        with running_window(program) as window:
            read_event(serve, "waiting")
            ask(window, "What is five times six?")
            server.wait_for_request()
            window.set_text("Message", "a draft")
            refused = program.run("quit", "--wait", "0")
            assert refused.returncode == 1
            assert "still answering" in refused.stderr
            window.wait("Stop", states="enabled")
            with program.started("quit", "--wait", "1"):
                window.wait(WAITS)
                desk.screenshot("quit-waits")
            window.gone(WAITS)
            held.set()
            rest(window)
            assert program.events("quit") == [{"ended": [window.pid]}]
            assert window.process.poll() == 0
        assert serve.wait(10) == 0, "what waited for the window to quit has quit, too"
    assert program.events("status")[0]["running"] is None
    with running_window(program) as window:
        window.wait_text("Nanobot", "Thirty.")
        window.wait_text("Message", "a draft")


def test_now_ends_a_window_in_mid_answer_as_its_icon_does(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "slow:0.2")
    with running_window(program) as window:
        ask(window, "a long story")
        window.wait_text("Nanobot", "word word")
        done = program.run("quit", "--now")
        assert (done.returncode, done.stdout, done.stderr) == (0, "Nanobot has quit.\n", "")
        assert window.process.poll() == 0
    key = program.events("sessions", "list")[0]["key"]
    assert "word word" in program.said(key)[-1][1]
