"""What a screen reader gets of every page: each thing to act on has a name, and one of the known roles."""

from collections.abc import Iterable, Iterator

from tests.desktop.accessible import Node
from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, Window, running_window
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.window.talk import ask, rest

ACTED_ON = {
    "push button",
    "toggle button",
    "check box",
    "radio button",
    "text",
    "password text",
    "combo box",
    "spin box",
    "slider",
    "link",
    "list",
    "table",
    "tree",
    "page tab",
    "list item",
}
INSIDE = {"combo box", "spin box"}
"""What stands in them is named by them."""


def _walk(node: Node, inside: str = "", where: str = "") -> Iterator[tuple[Node, str, str]]:
    """Each thing, the role that names it, and the names of what is around it."""
    yield node, inside, where
    around = f"{where} > {node.name}" if node.name else where
    for child in node.children:
        yield from _walk(child, node.role if node.role in INSIDE else inside, around)


def nameless(roots: Iterable[Node]) -> list[str]:
    """What can be acted on, is shown, and says nothing of itself."""
    found = []
    for root in roots:
        for node, inside, where in _walk(root):
            bare = not (node.name or node.label or inside)
            if node.role in ACTED_ON and node.showing and bare:
                beside = [child.name for child in node.children if child.name]
                found.append(f"{node.role} in {where} {beside}")
    return found


def settings(window: Window, page: str) -> list[Node]:
    """The window of the settings, once it shows this page."""

    def look() -> list[Node] | None:
        every = (node for root in window.tree() for node in root.walk())
        found = [node for node in every if node.matches("Settings", "dialog")]
        nodes = (node for root in found for node in root.walk())
        chosen = any(node.matches(page, "list item") and "selected" in node.states for node in nodes)
        return found if chosen else None

    return window.until(look, page)


def test_everything_on_every_page_has_a_name(program: Program, server: ScriptedServer, desk: Desk) -> None:
    program.use_server(server.url, "say:Hello there.")
    program.run("cron", "add", "--name", "Tea", "--message", "Drink tea", "--plain", "--every", "86400")
    with running_window(program) as window:
        desk.wait_active(TITLE)
        ask(window, "Hello")
        window.wait_text("Nanobot", "Hello there.")
        rest(window)
        assert nameless(window.tree()) == []
        desk.key("ctrl+k")
        window.wait("Search everything", "text", states="focused")
        assert nameless(window.tree()) == []
        desk.key("Escape")
        desk.key("ctrl+i")
        window.wait("Inbox", within=TITLE)
        assert nameless(window.tree()) == []
        desk.key("Escape")
        desk.wait_active(TITLE)
        desk.key("ctrl+comma")
        window.wait("Settings", "dialog")
        pages = window.names("list item", within="Pages", hidden=True)
        assert len(pages) >= 18
        for page in pages:
            window.select(page, within="Pages")
            assert nameless(settings(window, page)) == [], page
