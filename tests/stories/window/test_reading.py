"""A long talk is read: words are found in it, messages copied together, the whole of it exported."""

import json
import re
from pathlib import Path

from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, Window, running_window, until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.window.talk import open_conversation

ANSWER = "A **train** leaves at 9:04."


def top(window: Window, name: str, role: str | None = None) -> tuple[int, int, int, int]:
    """Where the uppermost of these is, that has some size."""
    found = [node.extents for node in window.all(name, role) if node.extents[2] > 1]
    return min(found, key=lambda extents: extents[1])


def test_words_are_found_messages_copied_and_the_whole_exported(
    program: Program, server: ScriptedServer, desk: Desk, tmp_path: Path
) -> None:
    program.use_server(server.url, f"say:{ANSWER}")
    program.talk("window:rome", *(f"Question {number}?" for number in range(12)))
    with running_window(program) as window:
        desk.wait_active(TITLE)
        open_conversation(window, "Question 0?")
        desk.key("ctrl+f")
        window.wait("Find in conversation", "text", states="focused")
        desk.type("question 3")
        window.wait("1 of 1", "label")
        desk.screenshot("found")
        assert any(node.text == "Question 3?" for node in window.all("You")), "it came into sight"
        desk.key("ctrl+a")
        desk.type("train")
        window.wait(re.compile("of 12$"), "label")
        desk.key("Escape")
        window.gone("Find in conversation", "text")

        desk.key("ctrl+Home")
        question, answer = top(window, "You"), top(window, "Nanobot")
        first, last = sorted((question, answer), key=lambda extents: extents[1])
        desk.drag((first[0] + 4, first[1] + 10), (last[0] + 40, last[1] + 10))
        desk.key("ctrl+c")
        window.wait(re.compile("^2 messages copied"))
        assert f"## Nanobot\n\n{ANSWER}" in desk.clipboard()
        assert "## You\n\nQuestion" in desk.clipboard()

        desk.click_on(top(window, "More", "push button"))
        until(lambda: len(desk.windows("--pid", str(window.pid))) > 1, "the menu of the conversation")
        desk.key("Up", "Up", "Up", "Return")  # above pinning and archiving: as JSON
        desk.wait_active("Export conversation")
        desk.key("ctrl+a")
        desk.type(str(tmp_path / "rome.json"))
        desk.key("Return")
        window.wait("Exported to rome.json")
        desk.screenshot("exported")
    written = json.loads((tmp_path / "rome.json").read_text("utf-8"))
    assert [m["content"] for m in written["messages"]][:2] == ["Question 0?", ANSWER]
