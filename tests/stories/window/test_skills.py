"""A skill is written in the window and used: the agent is told of it, and given it when it is named."""

import json
import re

import pytest

from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, Window, running_window
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.window.talk import ask, rest

LAME = "---\ndescription: Lame.\nmetadata: {nanobot: {requires: {bins: [no-such-program]}}}\n---\nBody\n"


def open_skills(window: Window, desk: Desk) -> None:
    desk.key("ctrl+comma")
    window.wait("Settings", "dialog")
    window.select("Skills", within="Pages")
    window.wait("New skill", "push button")


def test_a_skill_is_written_and_used(program: Program, server: ScriptedServer, desk: Desk) -> None:
    program.use_server(server.url, "say:Mint it is.")
    lame = program.home / "workspace" / "skills" / "lame" / "SKILL.md"
    lame.parent.mkdir(parents=True)
    lame.write_text(LAME)
    with running_window(program) as window:
        desk.wait_active(TITLE)
        open_skills(window, desk)
        window.wait(re.compile("^lame, yours, Lame., Unavailable: The program no-such-program is not"))
        desk.screenshot("skills")
        desk.click_on(window.extents("New skill", "push button"))
        window.wait("Name", "text", states="focused")
        desk.type("herbs")
        window.focus("When to use it", "text")
        desk.type("Look up herb facts.")
        window.focus("Instructions", "text")
        desk.type("Mint is the herb.")
        desk.screenshot("new-skill")
        desk.click_on(window.extents("Create skill", "push button"))
        window.wait("herbs, yours, Look up herb facts.")
        desk.screenshot("skill-made")
        desk.close_active("Settings")
        window.gone("Settings", "dialog")
        ask(window, "Which one, $herbs?")
        window.wait_text("Nanobot", "Mint it is.")
        rest(window)
        messages = server.requests[-1].body["messages"]
        assert "- herbs: Look up herb facts." in messages[0]["content"]
        assert "- lame: Lame. (lacks the program no-such-program)" in messages[0]["content"]
        assert "Mint is the herb." in json.dumps(messages[-1])

        open_skills(window, desk)
        window.press("Use herbs", "check box")
        window.until(lambda: "checked" not in window.states("Use herbs", "check box"), "it is off")
        desk.close_active("Settings")
        window.gone("Settings", "dialog")
        ask(window, "And now, $herbs?")
        window.until(lambda: window.texts("Nanobot").count("Mint it is.") == 2, "an answer")
        rest(window)
        assert "Mint is the herb." not in json.dumps(server.requests[-1].body["messages"][-1])


@pytest.mark.soak
def test_the_page_in_the_dark(program: Program, server: ScriptedServer, desk: Desk) -> None:
    program.use_server(server.url)
    config = json.loads((program.home / "config.json").read_text())
    program.configure(**config, appearance={"theme": "dark"})
    with running_window(program) as window:
        desk.wait_active(TITLE)
        open_skills(window, desk)
        window.wait("weather, built-in, Current weather and forecast, without a key.")
        desk.screenshot("skills-dark")
        window.press("skill-creator, built-in, Writes new skills with you, and improves existing ones.")
        assert "# Writing a skill" in window.text("Text of skill-creator")
        desk.screenshot("skill-dark")
        desk.key("Escape")
        window.wait("New skill", "push button")
        desk.key("Escape")
        window.gone("Settings", "dialog")
