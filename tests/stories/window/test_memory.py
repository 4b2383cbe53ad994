"""What the agent was told is remembered, seen with its source, corrected, forgotten, and brought back."""

import re

from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, Window, running_window
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.window.talk import ask, rest

SUMMING, READING = "keep the memory of an assistant", "long-term notes"
SUMMARY = "say:- Anna lives in Lisbon and likes green tea. The flat in Rua das Flores is let from June on."
FACTS = (
    "[USER] Anna lives in Lisbon. (#1)\n[USER] Anna likes green tea. (#1)\n"
    "[MEMORY] The flat in Rua das Flores is let from June on. (#1)"
)
FORGET = re.compile("^Forget: (.*(Anna|Rua).*)$")


def facts(window: Window) -> list[str]:
    """What was told and can be forgotten."""
    return sorted(found[1] for name in window.names("push button") if (found := FORGET.match(name)))


def wait_facts(window: Window, *names: str) -> None:
    window.until(lambda: facts(window) == sorted(names), f"the facts are {names}, not {facts(window)}")


def test_three_things_are_remembered_corrected_forgotten_and_brought_back(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Noted.")
    server.when(SUMMING, SUMMARY)
    server.when(READING, f"say:{FACTS}")
    with running_window(program) as window:
        desk.wait_active(TITLE)
        for text in ("I live in Lisbon.", "I like green tea.", "The flat is let."):
            ask(window, text)
            window.wait_text("You", text)
            rest(window)
        window.until(lambda: window.texts("Nanobot") == ["Noted."] * 3, "three answers")
        window.wait(re.compile(r"^Context: \d+% full$"))
        desk.screenshot("context")
        desk.key("ctrl+comma")
        window.wait("Settings", "dialog")
        window.select("Memory", within="Pages")
        window.wait("Edit About you")
        window.press(re.compile("^Pending"), "check box")
        window.press("Run Dream now")
        window.wait(re.compile("^Changed: "))
        desk.screenshot("dreamt")
        window.press("Knowledge", "check box")
        lisbon, tea = "Anna lives in Lisbon.", "Anna likes green tea."
        flat = "The flat in Rua das Flores is let from June on."
        wait_facts(window, lisbon, tea, flat)
        window.wait(re.compile("from “I live in Lisbon"), "label")
        desk.screenshot("facts")

        window.press("Edit About you")
        window.set_text("Text of About you", window.text("Text of About you").replace("Lisbon", "Porto"))
        window.press("Save")
        porto = "Anna lives in Porto."
        wait_facts(window, porto, tea, flat)
        window.wait(re.compile("^Saved · "))
        window.press(f"Forget: {tea}")
        wait_facts(window, porto, flat)
        desk.screenshot("forgotten")
        window.press("Undo")
        wait_facts(window, porto, tea, flat)

        window.press("Versions", "check box")
        window.wait(re.compile("^Changes to About you"))
        desk.screenshot("versions")
        window.select(
            window.until(lambda: dreamt(window), "the version of Dream"), within="Memory versions"
        )
        window.wait_text(re.compile("^Changes to About you"), re.compile("Anna lives in Lisbon"))
        window.press("Side by side", "check box")
        desk.screenshot("beside")
        assert "Anna lives in Porto." in (program.home / "workspace" / "USER.md").read_text("utf-8")


def dreamt(window: Window) -> str | None:
    """The name of the newest version that Dream made."""
    names = window.names("list item", within="Memory versions")
    return next((name for name in names if " · Dream, " in name), None)
