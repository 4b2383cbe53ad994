"""What is missing or broken around the program: said where it matters, with a remedy; the rest works."""

import re
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.desktop.desk import Area, Desk
from tests.desktop.session import nested_session
from tests.desktop.window import TITLE, Window, running_window, until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, texts
from tests.stories.test_damage import fill, settings_in, small_disk
from tests.stories.window.talk import ask, rest, wait_listed

KEY = "sk-story-session-5a7e"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def write(window: Window, desk: Desk, name: str, text: str) -> None:
    """Type into a field of the settings or of the first run."""
    window.focus(name, "text")
    desk.key("ctrl+a")
    desk.type(text)


def choose_custom(window: Window, desk: Desk, url: str, model: str) -> None:
    """In the card of the first run, a server of one's own."""
    window.press("Set up: Use a provider with a key")
    window.focus("Provider", "combo box")
    desk.type("Custom")
    write(window, desk, "Model", model)
    write(window, desk, "Address", url)


def ends(window: Window, end: Callable[[], object]) -> None:
    """It is over soon after this."""
    end()
    assert window.process.wait(30) == 0


def test_an_account_without_a_home_is_told_what_it_lacks(desk: Desk) -> None:
    nowhere = Path("/proc/nowhere")  # where not even root can make a folder
    program = Program(nowhere / "nanobot-desktop", {"HOME": str(nowhere)})
    sentence = f"Nothing can be saved: {program.home} can’t be created."
    remedy = "Give this account a home folder, or choose another one with NANOBOT_DESKTOP_HOME."
    done = program.run("ask", "Anybody there?")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"{sentence}\n{remedy}\n")
    home = program.events("doctor")[0]
    assert (home["ok"], home["state"], home["remedy"]) == (False, sentence, remedy)
    with running_window(program, "--hidden") as window:
        window.wait(sentence, "label")
        window.wait(remedy, "label")
        desk.wait_active(TITLE)
        desk.screenshot("without-a-home")
        ends(window, lambda: window.press("Quit"))


def test_a_server_that_is_not_there_comes_back(program: Program, desk: Desk) -> None:
    port = free_port()
    program.use_server(f"http://127.0.0.1:{port}/v1", "say:Back again.")
    with running_window(program) as window:
        ask(window, "Anybody there?")
        window.wait(re.compile(f"can’t be reached at http://127.0.0.1:{port}"))
        window.wait("Try again", "push button")
        window.wait("Model status: Not answering")
        desk.screenshot("server-dead")
        with ScriptedServer(port) as server:
            window.press("Try again")
            window.wait_text("Nanobot", "Back again.")
            rest(window)
            window.gone("Try again")
            window.wait("Model status: Ready")
            assert window.texts("You") == ["Anybody there?"], "it is said once"
            server.script("status:401")
            ask(window, "And with a wrong key?")
            window.wait(re.compile("did not accept the key"))
            window.wait("Model status: Check the key")
            window.wait("Try again", "push button")
            assert "nanobot-desktop provider" not in window.drawing()
            desk.screenshot("key-refused")
            window.press("Open settings")
            window.wait("Settings", "dialog")
            window.wait("Key", "text", states="focused")
            desk.screenshot("key-refused-settings")
            desk.close_active("Settings")
            window.gone("Settings", "dialog")
            ask(window, "And now?")
            window.until(lambda: window.texts("Nanobot").count("Back again.") == 2, "an answer")


@pytest.mark.soak
def test_without_a_keychain_a_key_is_used_for_this_session(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    with nested_session("--secrets", "missing", "--tray", "none", "--notify", "none") as environment:
        program.environment |= environment
        desk = Desk(tmp_path, environment)
        with running_window(program) as window:
            desk.wait_active(TITLE)
            choose_custom(window, desk, server.url, "say:At your service.")
            write(window, desk, "Key", KEY)
            window.wait(re.compile("Install gnome-keyring or KWallet"))
            window.press("For this session only", "check box")
            desk.screenshot("no-keychain")
            window.press("Test and save")
            window.gone("Choose your model")
            ask(window, "Are you there?")
            window.wait_text("Nanobot", "At your service.")
            rest(window)
            assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
        assert not [path for path, content in texts(program.home) if KEY.encode() in content]


@pytest.mark.soak
def test_a_keychain_that_asks_holds_up_nothing(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    program.use_server(server.url, "say:Still here.")
    with nested_session("--secrets", "locked", "--tray", "none", "--notify", "none") as environment:
        program.environment |= environment
        desk = Desk(tmp_path, environment)
        with running_window(program) as window:
            window.press("Settings", "push button")
            window.wait("Settings", "dialog")
            window.press("Details of Custom server")
            write(window, desk, "Key", KEY)
            window.press("Unlock", "push button")
            until(lambda: desk.windows("--class", "gcr-prompter"), "the keychain's own question")
            desk.screenshot("keychain-asks")
            ask(window, "Are you there?")
            window.wait_text("Nanobot", "Still here.")
            ends(window, window.process.terminate)


@pytest.mark.soak
def test_a_monitor_is_taken_away(program: Program, server: ScriptedServer, tmp_path: Path) -> None:
    program.use_server(server.url, "say:Here.")
    with nested_session("--tray", "none", "--secrets", "none", "--notify", "none") as environment:
        program.environment |= environment
        desk = Desk(tmp_path, environment)
        left, right = Area(0, 0, 720, 900), Area(720, 0, 720, 900)
        desk.set_monitors(left, right)

        def middle() -> int:
            return desk.geometry(desk.windows("--name", f"^{TITLE}$")[0]).middle[0]

        with running_window(program) as window:
            desk.wait_active(TITLE)
            desk.run("xdotool", "getactivewindow", "windowsize", "--sync", "600", "500")
            desk.run("xdotool", "getactivewindow", "windowmove", "--sync", "780", "100")
            until(lambda: middle() > 720, "the window is on the right monitor")
            desk.set_monitors(left)
            until(lambda: middle() < 720, "the window is on the monitor that is left")
            ask(window, "Where are you?")
            window.wait_text("Nanobot", "Here.")
        state = program.home / "window.json"
        state.write_text(re.sub(r'"geometry": \[\d+', '"geometry": [780', state.read_text("utf-8")))
        with running_window(program) as window:
            until(lambda: middle() < 720, "it is not where there is no monitor any more")


@pytest.mark.soak
def test_without_chinese_fonts_it_says_so(
    program: Program, server: ScriptedServer, desk: Desk, tmp_path: Path
) -> None:
    program.use_server(server.url)
    fonts = tmp_path / "fonts.conf"
    fonts.write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>'
        f"<dir>/usr/share/fonts/truetype/dejavu</dir><cachedir>{tmp_path}/fonts</cachedir></fontconfig>"
    )
    program.environment |= {
        "FONTCONFIG_FILE": str(fonts),
        "NANOBOT_DESKTOP_LANGUAGE": "",
        "LC_ALL": "C.UTF-8",
    }
    with running_window(program) as window:
        window.press("Settings", "push button")
        desk.wait_active("Settings")
        window.select("Language", within="Pages")
        window.wait("Language", "label")
        desk.key("Tab")
        window.wait("Language", "combo box", states="focused")
        desk.key("End")
        window.wait("No font on this computer has Chinese characters, so they can’t be shown.")
        window.wait(re.compile("fonts-noto-cjk"))
        desk.screenshot("no-chinese-fonts")
        window.wait("设置", "dialog")


def test_damaged_settings_are_told_and_the_last_good_ones_used(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Noted.")
    assert program.run("ask", "first").returncode == 0
    config = program.home / "config.json"
    half = config.read_bytes()[: config.stat().st_size // 2]
    config.write_bytes(half)
    with running_window(program) as window:
        window.wait(re.compile("^config.json is damaged at line 1"))
        desk.screenshot("damaged-settings")
        ask(window, "second")
        window.wait_text("Nanobot", "Noted.")
        rest(window)
        window.gone(re.compile("^config.json is damaged at line 1"))
        window.press("Settings", "push button")
        window.wait("Settings", "dialog")
        window.wait(re.compile("^config.json is damaged at line 1"))
    assert config.read_bytes() == half


def test_a_disk_that_is_full_loses_no_message(program: Program, server: ScriptedServer, desk: Desk) -> None:
    with small_disk(program, "4m") as home:
        settings_in(home, server)
        with running_window(program) as window:
            ask(window, "first")
            window.wait_text("Nanobot", "Noted.")
            rest(window)
            filler = fill(home)
            text = "second " + "x" * 20_000
            window.set_text("Message", text)
            window.press("Send")
            window.wait(re.compile("^The disk is full"))
            desk.screenshot("disk-full")
            window.until(lambda: window.text("Message") == text, "the message is in the field again")
            filler.unlink()
            window.press("Send")
            window.until(lambda: window.text("Transcript").count("Nanobot: Noted.") == 2, "the answer")
            wait_listed(window, "Today", "first")
