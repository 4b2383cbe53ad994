"""Several conversations: begun, named, found, put away and brought back; each with its own draft, its own
model, and its own answer on the way."""

import json
import re
from pathlib import Path

import pytest

from tests.desktop.desk import RIGHT, Desk
from tests.desktop.window import TITLE, Window, running_window, until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.window.talk import (
    ask,
    listed,
    messages,
    open_conversation,
    rest,
    wait_listed,
)


def wait_on_disk(program: Program, *texts: str) -> None:
    """Wait until the window's own file has these drafts."""

    def drafts() -> list[str]:
        given = json.loads((program.home / "window.json").read_text("utf-8"))
        return list(given["drafts"].values())

    until(lambda: set(texts) <= set(drafts()), f"the drafts {texts} are on disk")


def unread(window: Window) -> list[str]:
    """The conversations that are marked."""
    return [n.name for n in window.all(None, "list item", "Conversations") if n.description == "unread"]


def choose_from_menu(desk: Desk, window: Window, *keys: str) -> None:
    """Go to an entry of the menu that is opening, with the keys: of menus Qt tells only the focus."""
    until(lambda: len(desk.windows("--pid", str(window.pid))) > 1, "a menu")
    desk.key(*keys, "Return")
    until(lambda: len(desk.windows("--pid", str(window.pid))) == 1, "the menu is gone")


def test_conversations_are_begun_named_found_and_put_away(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Noted.")
    with running_window(program) as window:
        desk.wait_active(TITLE)
        for text in ("About apples", "About pears", "About plums"):
            desk.key("ctrl+n")
            window.wait("New conversation", "label")
            window.wait("Message", states="focused")
            desk.type(text)
            desk.key("Return")
            window.wait_text("Nanobot", "Noted.")
            rest(window)
        wait_listed(window, "Today", "About plums", "About pears", "About apples")

        desk.key("alt+Down")
        window.wait("About pears", "label")
        desk.key("alt+Down", "alt+Down")
        window.wait("About apples", "label")
        desk.key("alt+Up")
        window.wait("About pears", "label")
        window.wait_text("You", "About pears")

        window.focus("Conversations")
        desk.key("F2")
        desk.key("ctrl+a")
        desk.type("Fruit of the year")
        desk.screenshot("renaming")
        desk.key("Return")
        window.wait("Fruit of the year", "label")
        wait_listed(window, "Today", "About plums", "Fruit of the year", "About apples")

        window.focus("Conversations")
        desk.key("Delete")
        wait_listed(window, "Today", "About plums", "About apples")
        window.wait("“Fruit of the year” deleted")
        desk.screenshot("deleted-with-undo")
        window.press("Undo")
        wait_listed(window, "Today", "About plums", "Fruit of the year", "About apples")
        window.wait("Fruit of the year", "label")
        window.wait_text("You", "About pears")

        open_conversation(window, "About plums")
        window.focus("Conversations")
        desk.key("Delete")
        wait_listed(window, "Today", "Fruit of the year", "About apples")
        window.wait("Fruit of the year", "label")

        desk.key("ctrl+shift+f")
        desk.type("APPLE about")
        wait_listed(window, "Today", "About apples", "In messages", "About apples")
        desk.screenshot("search-finds-what-was-said")
        desk.key("ctrl+a")
        desk.type("cabbage")
        window.wait("No results")
        desk.screenshot("search-finds-nothing")
        desk.key("Escape")
        wait_listed(window, "Today", "Fruit of the year", "About apples")
    assert {row["title"] for row in program.events("sessions", "list")} == {
        "Fruit of the year",
        "About apples",
    }

    with running_window(program) as window:
        wait_listed(window, "Today", "Fruit of the year", "About apples")
        window.wait("Fruit of the year", "label")
        window.wait_text("You", "About pears")


@pytest.mark.soak
def test_each_conversation_has_its_own_answer_and_its_own_draft(
    program: Program, server: ScriptedServer, desk: Desk, tmp_path: Path
) -> None:
    program.use_server(server.url, "say:Noted.")
    server.script(f"gate:{tmp_path / 'open'}")
    with running_window(program, may_die=True) as window:
        ask(window, "Tell me a long story")
        window.wait_text("Nanobot", "before the gate")
        desk.wait_active(TITLE)
        window.focus("Message")
        desk.type("a draft beside the story")
        desk.key("ctrl+n")
        window.wait("New conversation", "label")
        window.gone("Stop")
        assert window.text("Message") == "", "the new conversation has a draft of its own"
        ask(window, "Something else")
        window.wait_text("Nanobot", "Noted.")
        assert unread(window) == []

        open_conversation(window, "Tell me a long story")
        assert window.text("Message") == "a draft beside the story"
        window.wait("Stop")
        window.wait_text("Nanobot", "before the gate")
        open_conversation(window, "Something else")
        window.wait_text("Nanobot", "Noted.")
        (tmp_path / "open").touch()
        window.until(lambda: unread(window) == ["Tell me a long story"], "the answer is marked as unread")
        desk.screenshot("unread")
        open_conversation(window, "Tell me a long story")
        window.until(
            lambda: messages(window) == ["before the gate behind the gate"], "the whole answer is there"
        )
        assert unread(window) == []

        desk.key("ctrl+n")
        window.wait("New conversation", "label")
        window.set_text("Message", "a draft of what is new\nin two lines")
        wait_on_disk(program, "a draft beside the story", "a draft of what is new\nin two lines")
        window.process.kill()
        window.process.wait(60)

    with running_window(program) as window:
        window.wait("New conversation", "label")
        assert window.text("Message") == "a draft of what is new\nin two lines"
        open_conversation(window, "Tell me a long story")
        assert window.text("Message") == "a draft beside the story"
        window.press("Send")
        window.wait_text("You", "a draft beside the story")
        assert window.text("Message") == ""
        open_conversation(window, "Something else")
        open_conversation(window, "Tell me a long story")
        assert window.text("Message") == "", "what was sent is no draft"


@pytest.mark.soak
def test_a_conversation_has_a_model_of_its_own_and_can_be_copied(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.configure(
        agents={
            "defaults": {"provider": "custom", "model": "say:I am the *usual* one.", "autoTitles": False}
        },
        providers={"custom": {"apiBase": server.url}, "deepseek": {"apiBase": server.url}},
    )
    program.environment["NANOBOT_PROVIDERS__DEEPSEEK__API_KEY"] = "sk-story-other"
    server.script("say:I am the *usual* one.", "say:I am another.", "say:From the terminal.")
    with running_window(program) as window:
        window.wait("Model: say:I am the *usual* one.")
        ask(window, "Who answers?")
        window.wait_text("Nanobot", "I am the usual one.")
        rest(window)
        window.press("Model: say:I am the *usual* one.")
        # Above it are "Usual model", and the usual one again by its name.
        choose_from_menu(desk, window, "Down", "Down", "Down")
        window.gone("Model: say:I am the *usual* one.")
        name = window.wait(re.compile("^Model: ")).name.removeprefix("Model: ")
        ask(window, "And now?")
        window.wait_text("Nanobot", "I am another.")
        rest(window)
        assert [request.body["model"] for request in server.requests] == ["say:I am the *usual* one.", name]

        window.press("Copy message", within="Conversation")
        until(desk.clipboard, "something was copied")
        assert desk.clipboard() in {"Who answers?", "And now?", "I am the *usual* one.", "I am another."}
        message = window.wait("Nanobot", within="Conversation")
        desk.click_on(message.extents, RIGHT)
        choose_from_menu(desk, window, "Up")
        until(lambda: "##" in desk.clipboard(), "the conversation was copied")
        assert desk.clipboard() == (
            "## You\n\nWho answers?\n\n## Nanobot\n\nI am the *usual* one.\n\n"
            "## You\n\nAnd now?\n\n## Nanobot\n\nI am another.\n"
        )

        desk.key("ctrl+n")
        window.wait("Model: say:I am the *usual* one.")
        done = program.run("ask", "Are you there?", "--session", "terminal")
        assert done.stdout == "From the terminal.\n"
        window.until(lambda: "Are you there?" in listed(window), "what was asked in the terminal is listed")
        window.until(lambda: unread(window) == ["Are you there?"], "and marked as unread")
        open_conversation(window, "Are you there?")
        window.wait_text("Nanobot", "From the terminal.")

    with running_window(program) as window:
        open_conversation(window, "Who answers?")
        window.wait(f"Model: {name}")
