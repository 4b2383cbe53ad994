"""Conversations that are named, kept on top, put aside, and found again."""

import json

import pytest

from tests.desktop.desk import RIGHT, Desk
from tests.desktop.window import TITLE, Window, running_window, until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, texts
from tests.stories.window.talk import ask, listed, open_conversation, rest, wait_listed


def begin(desk: Desk, window: Window, *texts: str) -> None:
    """Begin a conversation with each of these."""
    desk.wait_active(TITLE)
    for text in texts:
        desk.key("ctrl+n")
        window.wait("New conversation", "label")
        ask(window, text)
        window.wait_text("Nanobot", "Noted.")
        rest(window)


@pytest.mark.soak
def test_conversations_are_pinned_and_archived_and_come_back(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Noted.")
    with running_window(program) as window:
        begin(desk, window, "About apples", "About pears", "About plums")
        open_conversation(window, "About apples")
        desk.key("ctrl+shift+p")
        wait_listed(window, "Pinned", "About apples", "Today", "About plums", "About pears")

        desk.click_on(window.extents("About pears", "list item"), RIGHT)
        until(lambda: len(desk.windows("--pid", str(window.pid))) > 1, "a menu")
        desk.screenshot("keeping-menu")
        desk.key("Down", "Down", "Down", "Return")  # Rename, Pin, Archive
        shown = ("Pinned", "About apples", "Today", "About plums", "Archived (1)")
        wait_listed(window, *shown)
        window.wait("“About pears” archived")
        desk.screenshot("archived-with-undo")
        window.press("Undo")
        wait_listed(window, "Pinned", "About apples", "Today", "About plums", "About pears")
        window.wait("About pears", "label")
        desk.key("ctrl+shift+e")
        wait_listed(window, *shown)

        desk.click_on(window.extents("Archived (1)"))
        wait_listed(window, *shown, "About pears")
        desk.screenshot("archived-opened")
        desk.click_on(window.extents("Archived (1)"))
        wait_listed(window, *shown)

        desk.key("ctrl+shift+f")
        desk.type("pears")
        window.until(lambda: "Archived (1)" in listed(window), "the archived one is found")
        window.select("About pears", within="Conversations")
        window.wait("About pears", "label")
        desk.key("Escape")
        ask(window, "Are they ripe?")
        wait_listed(window, "Pinned", "About apples", "Today", "About pears", "About plums")
    kept = {line["title"]: line for line in program.events("sessions", "list")}
    assert [title for title, line in kept.items() if line["pinned"]] == ["About apples"]
    key = kept["About plums"]["key"]
    assert program.events("sessions", "archive", key) == [{"session": key, "archived": True}]
    assert "archived" in program.run("sessions", "list").stdout
    with running_window(program) as window:
        wait_listed(window, "Pinned", "About apples", "Today", "About pears", "Archived (1)")


@pytest.mark.soak
def test_the_command_line_pins_in_a_running_window(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Noted.")
    with running_window(program) as window:
        begin(desk, window, "About apples", "About pears")
        keys = {line["title"]: line["key"] for line in program.events("sessions", "list")}
        assert program.run("sessions", "pin", keys["About apples"]).returncode == 0
        wait_listed(window, "Pinned", "About apples", "Today", "About pears")
        assert program.run("sessions", "pin", "--undo", keys["About apples"]).returncode == 0
        wait_listed(window, "Today", "About pears", "About apples")
    missing = program.run("sessions", "pin", "window:none")
    assert missing.returncode != 0
    assert "window:none" in missing.stderr


def test_a_conversation_is_named_after_its_first_answer(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Noted.")
    config = json.loads((program.home / "config.json").read_text("utf-8"))
    config["agents"]["defaults"]["autoTitles"] = True
    program.configure(**config)
    server.when("You name conversations", "say:Fruit of the year")
    with running_window(program) as window:
        desk.wait_active(TITLE)
        ask(window, "Which apples are ripe in September?")
        window.wait_text("Nanobot", "Noted.")
        window.wait("Fruit of the year", "label")
        wait_listed(window, "Today", "Fruit of the year")
    (line,) = program.events("sessions", "list")
    assert line["title"] == "Fruit of the year"


@pytest.mark.soak
def test_a_temporary_conversation_leaves_nothing_and_can_be_kept(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Noted.")
    with running_window(program) as window:
        begin(desk, window, "About apples")
        desk.key("ctrl+shift+t")
        window.wait("Temporary conversation", "label")
        window.wait("Temporary: nothing is saved.")
        ask(window, "The pelican is blue")
        window.wait_text("You", "The pelican is blue")
        window.wait_text("Nanobot", "Noted.")
        rest(window)
        desk.screenshot("temporary")
        wait_listed(window, "Today", "About apples")
        window.select("About apples", within="Conversations")
        window.wait("The temporary conversation stays until you quit: Ctrl+Shift+T")
        desk.screenshot("temporary-left")
        desk.key("ctrl+shift+t")
        window.wait_text("You", "The pelican is blue")
        window.press("Discard")
        window.gone("Temporary: nothing is saved.")

        desk.key("ctrl+shift+t")
        window.wait("Temporary conversation", "label")
        ask(window, "About pears")
        window.wait_text("Nanobot", "Noted.")
        rest(window)
        window.press("Keep")
        wait_listed(window, "Today", "About pears", "About apples")
        window.gone("Temporary: nothing is saved.")
        desk.key("ctrl+shift+t")
        window.wait("Temporary conversation", "label")
        ask(window, "The pelican is green")
        window.wait_text("You", "The pelican is green")
        window.wait_text("Nanobot", "Noted.")
    for path, content in texts(program.home):
        assert b"pelican" not in content, path
        assert b"temporary:" not in content, path
    assert [line["title"] for line in program.events("sessions", "list")] == ["About pears", "About apples"]
