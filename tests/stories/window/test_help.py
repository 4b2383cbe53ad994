"""The help in the real program: by key, from the palette and from the settings."""

from tests.desktop.desk import Desk
from tests.desktop.window import running_window
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program


def test_the_help_opens_from_everywhere_and_is_searched(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Hello there.")
    with running_window(program) as window:
        window.focus("Message", "text")
        desk.key("F1")
        window.wait("Help topics")
        window.wait_text("Start", "Nanobot is an AI agent")
        desk.key("ctrl+f")
        desk.type("bubblewrap")
        window.wait_text("Permissions", "commands run in a sandbox")
        desk.screenshot("help-search")
        desk.key("Escape", "Escape")
        window.gone("Help topics")
        desk.key("ctrl+k")
        desk.type("help")
        desk.key("Return")
        window.wait("Help topics")
        desk.key("Escape")
        window.gone("Help topics")
        desk.key("ctrl+comma")
        window.focus("Pages", "list")
        desk.key("End")
        window.press("Help", "push button")
        window.wait("Help topics")
