"""Where the window is: in the tray, raised by a second start, minimised where there is no tray, in the
place where it was; and whose the home is while a conversation in a terminal wants it too."""

import subprocess
from pathlib import Path

import pytest

from tests.desktop.desk import Area, Desk
from tests.desktop.session import SCRIPT, nested_session
from tests.desktop.window import TITLE, Window, running_window, until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, read_event, say
from tests.stories.window.talk import ask, messages, open_conversation, rest, wait_listed


def hidden(window: Window) -> None:
    window.gone(TITLE, "frame")


def shown(window: Window, desk: Desk) -> None:
    window.wait(TITLE, "frame")
    desk.wait_active(TITLE)


def state(desk: Desk, pid: int) -> str:
    """What the window manager says of the window: Normal, Iconic (minimised) or Withdrawn."""
    for number in desk.run("xdotool", "search", "--name", f"^{TITLE}$", check=False).split():
        if f"= {pid}" in desk.run("xprop", "-id", number, "_NET_WM_PID", check=False):
            told = desk.run("xprop", "-id", number, "WM_STATE", check=False)
            return next((word for word in ("Normal", "Iconic") if word in told), "Withdrawn")
    return ""


def place_of(desk: Desk, pid: int) -> Area:
    """Where the window is on the screen, without its frame."""
    number = until(lambda: desk.windows("--all", "--pid", str(pid), "--name", f"^{TITLE}$"), "the window")[
        0
    ]
    return desk.geometry(number)


def wait_state(desk: Desk, pid: int, wanted: str) -> None:
    until(lambda: state(desk, pid) == wanted, f"the window is {wanted}")


@pytest.mark.soak
def test_it_begins_in_the_tray_and_comes_and_goes(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Hello.")
    with running_window(program, "--hidden", shown=False) as window:
        icon = desk.tray(window.pid)
        assert icon.tooltip == TITLE
        until(lambda: icon.menu()[0]["label"] == "Show", "the menu offers to show it")
        until(
            lambda: (program.events("status")[0]["running"] or {}).get("pid") == window.pid,
            "the program runs",
        )
        assert not window.all(TITLE, "frame")
        assert program.run("--hidden").returncode == 0
        assert not window.all(TITLE, "frame"), "hidden was asked for"

        icon.click()
        shown(window, desk)
        window.wait("Message", states="enabled focused")
        icon.click()
        hidden(window)

        second = program.run()
        assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
        shown(window, desk)
        desk.run("xdotool", "getactivewindow", "windowminimize")
        wait_state(desk, window.pid, "Iconic")
        assert program.run().returncode == 0
        shown(window, desk)
        wait_state(desk, window.pid, "Normal")

        entries = [entry["label"] for entry in icon.menu() if entry["label"]]
        assert entries[:3] == ["Hide", "Quick chat", "New conversation"]
        assert entries[-3:] == ["Settings", "Help", "Quit"]
        ask(window, "first")
        window.wait_text("Nanobot", "Hello.")
        icon.choose("Hide")
        hidden(window)
        icon.choose("New conversation")
        shown(window, desk)
        window.wait("New conversation", "label")
        icon.choose("Settings")
        window.wait("Settings", "dialog")
        desk.screenshot("settings-from-the-tray")
        desk.close_active("Settings")
        window.gone("Settings", "dialog")
        icon.choose("Quit")
        assert window.process.wait(4) == 0


@pytest.mark.soak
def test_without_a_tray_it_is_never_hidden(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    program.use_server(server.url, "say:Hello.")
    with nested_session("--tray", "none", "--secrets", "none") as environment:
        program.environment |= environment
        desk = Desk(tmp_path, environment)
        with running_window(program, "--hidden", shown=False) as window:
            wait_state(desk, window.pid, "Iconic")
            assert program.run().returncode == 0
            shown(window, desk)
            desk.close_active(TITLE)
            wait_state(desk, window.pid, "Iconic")
            assert not desk.notifications(), "there is no tray to speak of"

            start_tray(environment)
            icon = desk.tray(window.pid)
            icon.click()
            shown(window, desk)
            desk.close_active(TITLE)
            wait_state(desk, window.pid, "Withdrawn")
            desk.wait_notification("Nanobot is still running")
            icon.click()
            shown(window, desk)


def start_tray(environment: dict[str, str]) -> None:
    """The panel of tests/desktop-session.sh, in a session that began without one."""
    services = SCRIPT.parent / "desktop" / "services.sh"
    subprocess.run(
        ["bash", "-euc", f"source {services}; start_tray xfce; wait_for_tray xfce"],
        env=environment,
        stdin=subprocess.DEVNULL,
        check=True,
    )


@pytest.mark.soak
def test_the_window_takes_the_home_over_and_gives_it_back(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "echo")

    def owner() -> int:
        return int(program.events("status")[0]["running"]["pid"])

    with program.started("chat", "--json") as chat:
        say(chat, "first line")
        read_event(chat, "turn_finished")
        with running_window(program) as window:
            wait_listed(window, "Today", "first line")
            assert owner() == window.pid
            say(chat, "second line")
            assert "second line" in read_event(chat, "turn_finished")["text"]
            open_conversation(window, "first line")
            window.wait_text("Transcript", "You: second line")
            say(chat, "third line")
            window.wait_text("You", "third line")
            window.wait_text("Nanobot", "third line")
            assert "third line" in read_event(chat, "turn_finished")["text"]
            ask(window, "from the window")
            window.wait_text("Nanobot", "from the window")
            desk.tray(window.pid).choose("Quit")
            assert window.process.wait(4) == 0
        say(chat, "fourth line")
        assert "fourth line" in read_event(chat, "turn_finished")["text"]
        assert owner() == chat.pid
    asked = [text for role, text in program.said() if role == "user"]
    assert asked == ["first line", "second line", "third line", "from the window", "fourth line"]


@pytest.mark.soak
def test_it_ends_in_the_middle_of_an_answer_and_stands_where_it_stood(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "slow:0.2")
    with running_window(program) as window:
        desk.wait_active(TITLE)
        usual = place_of(desk, window.pid)
        desk.run("xdotool", "getactivewindow", "windowsize", "--sync", "900", "600")
        desk.run("xdotool", "getactivewindow", "windowmove", "--sync", "200", "90")
        until(lambda: place_of(desk, window.pid).width == 900, "the window is smaller")
        until(lambda: place_of(desk, window.pid).x != usual.x, "the window is somewhere else")
        place = place_of(desk, window.pid)
        ask(window, "a long story")
        window.wait_text("Nanobot", "word word")
        desk.tray(window.pid).choose("Quit")
        assert window.process.wait(3) == 0
    assert server.requests[0].left.wait(1), "the server saw the end"

    with running_window(program) as window:
        until(lambda: place_of(desk, window.pid) == place, f"the window is at {place} again")
        window.wait("Stopped")
        first = messages(window)
        ask(window, "and another")
        window.until(lambda: "word word" in "".join(messages(window)[1:]), "the second answer")
        window.process.terminate()
        assert window.process.wait(3) == 0

    with running_window(program) as window:
        window.until(lambda: len(window.all("Stopped")) == 2, "both are shown as stopped")
        texts = messages(window)
    key = program.events("sessions", "list")[0]["key"]
    answers = [said.strip() for role, said in program.said(key) if role == "assistant"]
    assert texts == answers, "what came is kept, and shown"
    assert first == texts[:1], "shown again as it was"
    assert all("word word" in text for text in texts)


def test_a_message_whose_answer_a_crash_took_is_answered_once(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Back again.")
    server.script("slow:0.2")
    with running_window(program, may_die=True) as window:
        ask(window, "are you there?")
        window.wait_text("Nanobot", "word word")
        window.process.kill()
        window.process.wait(60)
    with running_window(program) as window:
        window.wait_text("You", "are you there?")
        window.wait("This message has no answer because the program quit first.")
        desk.screenshot("ask-again")
        window.press("Ask again")
        window.wait_text("Nanobot", "Back again.")
        rest(window)
        window.gone("Ask again")
        assert messages(window, "You") == ["are you there?"]
    assert len(server.requests) == 2
    assert program.said(program.events("sessions", "list")[0]["key"]) == [
        ("user", "are you there?"),
        ("assistant", "Back again."),
    ]
