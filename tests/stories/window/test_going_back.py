"""A conversation with files, given along and written by the agent; asked otherwise, forked, found."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, Window, running_window, until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.test_given import PIXEL
from tests.stories.window.talk import ask, listed, messages, rest

PDF = Path(__file__).parents[2] / "data" / "letter.pdf"


def give(desk: Desk, *paths: Path) -> None:
    """Copy files in a file manager, and paste them into the message field."""
    uris = "\n".join(path.as_uri() for path in paths)
    command = ["xclip", "-selection", "clipboard", "-in", "-target", "text/uri-list"]
    subprocess.run(command, input=uris, text=True, check=True, env=desk.environment)
    desk.key("ctrl+l")
    desk.key("ctrl+v")


def said(window: Window, desk: Desk, text: str, answer: str) -> None:
    desk.wait_active(TITLE)
    ask(window, text)
    window.wait_text("Nanobot", answer)
    rest(window)


def press_last(window: Window, name: str) -> None:
    """Press what is under the lowest message."""
    window.wait(name, "push button")
    max(window.all(name, "push button"), key=lambda node: node.extents[1]).press()


@pytest.mark.soak
def test_a_picture_and_a_document_go_along(
    program: Program, server: ScriptedServer, desk: Desk, tmp_path: Path
) -> None:
    program.use_server(server.url)
    picture, letter = tmp_path / "dot.png", tmp_path / "letter.pdf"
    picture.write_bytes(PIXEL)
    letter.write_bytes(PDF.read_bytes())
    read = ["read_file", {"path": str(letter)}]
    server.script(f"use:{json.dumps([read])}", "say:A dot, and a letter to Ada.")
    with running_window(program) as window:
        desk.wait_active(TITLE)
        give(desk, picture, letter)
        window.wait("Remove dot.png")
        window.wait("Remove letter.pdf")
        desk.screenshot("attached")
        said(window, desk, "What are these?", "A dot, and a letter to Ada.")
        window.wait("Open dot.png")
        window.wait("Open letter.pdf")
        window.gone("Remove dot.png")
        desk.screenshot("attached-sent")
    first, second = (request.body["messages"] for request in server.requests[-2:])
    assert any(isinstance(m["content"], list) for m in first), "the picture was shown to the model"
    assert any(m["role"] == "tool" and "Dear Ada" in m["content"] for m in second), "the letter was read"


def test_what_the_agent_changed_is_shown_and_taken_back(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url)
    workspace = program.home / "workspace"
    workspace.mkdir()
    (workspace / "list.txt").write_text("milk\nbread\n")
    edit = ["edit_file", {"path": "list.txt", "old_text": "bread", "new_text": "rice"}]
    server.script(f"use:{json.dumps([edit])}", "say:Done.")
    with running_window(program) as window:
        said(window, desk, "Rice instead of bread", "Done.")
        window.wait("1 file changed")
        window.press("Diff of list.txt", "push button")
        window.until(lambda: "+ rice" in window.text("Diff of list.txt", "text"), "the difference")
        desk.screenshot("files-changed")
        window.press("Undo")
        window.wait("undone", "label")
        assert (workspace / "list.txt").read_text() == "milk\nbread\n"
        window.press("Redo")
        window.gone("undone", "label")
        assert (workspace / "list.txt").read_text() == "milk\nrice\n"


def test_asked_otherwise_answered_anew_forked_and_found(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url)
    server.script("say:About apples.", "say:About pears.", "say:About plums.", "say:Of plums again.")
    with running_window(program) as window:
        said(window, desk, "Tell me of apples", "About apples.")
        desk.key("ctrl+l")
        desk.key("Up")
        window.wait("Cancel", "push button")
        assert window.text("Message") == "Tell me of apples"
        desk.key("ctrl+a")
        desk.type("Tell me of pears")
        desk.key("Return")
        window.until(lambda: messages(window) == ["About pears."], "the answer of the new question")
        assert messages(window, "You") == ["Tell me of pears"]
        rest(window)
        said(window, desk, "And plums?", "About plums.")
        press_last(window, "Regenerate")
        window.until(lambda: messages(window) == ["About pears.", "Of plums again."], "another answer")
        rest(window)
        press_last(window, "More")
        until(lambda: len(desk.windows("--pid", str(window.pid))) > 1, "a menu")
        desk.screenshot("message-menu")
        desk.key("Down", "Down", "Down", "Return")
        window.wait("Tell me of pears (branch)", "label")
        window.until(lambda: messages(window) == ["About pears.", "Of plums again."], "the fork")
        assert len(listed(window)) == 3

        desk.key("ctrl+k")
        window.wait("Search everything", "text", states="focused")
        desk.type("new conv")
        window.wait("New conversation, Commands", "list item")
        desk.screenshot("palette")
        desk.key("Return")
        window.wait("New conversation", "label")
        desk.key("ctrl+k")
        window.wait("Search everything", "text", states="focused")
        desk.type("of apples")
        window.wait("Tell me of apples, Tell me of apples, Messages", "list item")
        desk.key("Escape")
