"""Steps that the window's stories have in common."""

from tests.desktop.window import Window


def ask(window: Window, text: str) -> None:
    """Write a message and send it."""
    window.set_text("Message", text)
    window.press("Send")
    window.until(lambda: not window.text("Message"), "the message is sent")


def rest(window: Window) -> None:
    """Wait until nothing is being answered."""
    window.gone("Stop")


def listed(window: Window) -> list[str]:
    """What the list of conversations shows, headings included."""
    return window.names("list item", within="Conversations")


def wait_listed(window: Window, *names: str) -> None:
    """Wait until the list shows exactly this."""
    window.until(lambda: listed(window) == list(names), f"the list is {names}, it was {listed(window)}")


def open_conversation(window: Window, title: str) -> None:
    """Choose a conversation in the list, and wait until its title stands above it."""
    window.select(title, within="Conversations")
    window.wait(title, "label")


def messages(window: Window, author: str = "Nanobot") -> list[str]:
    """The messages of one author that can be seen, from top to bottom."""
    nodes = window.all(author)
    return [node.text for node in sorted(nodes, key=lambda node: node.extents[1])]
