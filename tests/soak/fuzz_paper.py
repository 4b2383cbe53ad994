"""A page and its stream without a window, for the fuzz of Markdown: it needs Qt from its first line on."""

from collections.abc import Callable, Iterator

from PySide6.QtGui import QTextDocument

from desktop.ui.conversation.text import markdown
from desktop.ui.conversation.text.blocks import Block
from desktop.ui.conversation.text.formats import formats
from desktop.ui.conversation.text.page import Page
from desktop.ui.conversation.text.stream import Stream
from desktop.ui.theme.theme import load_later_fonts, theme
from desktop.ui.widgets.plain import shown


def prepare() -> None:
    """Have all fonts there from the first page on."""
    theme()
    load_later_fonts()
    Paper().finish("a *b*\n\n    code")


class Paper:
    """What a message of a conversation is drawn on."""

    def __init__(self) -> None:
        self.document = QTextDocument()
        self.document.setUndoRedoEnabled(False)
        self.page = Page(self.document)
        self.page.fit(300)
        self.stream = Stream(self.page)
        self.formats = formats(theme().colors)

    def blocks(self, text: str) -> Iterator[Block]:
        """Its blocks, without drawing them."""
        return (block for block in markdown.read(shown(text)) if block is not None)

    def growing(self, text: str) -> Iterator[None]:
        """Show what there is so far, in one step."""
        self.stream.grow(text, self.formats)
        yield

    def grow(self, text: str) -> str:
        """The same; the page as HTML."""
        next(self.growing(text))
        return self.document.toHtml()

    def finish(self, text: str, over: Callable[[Iterator[None]], Iterator[None]] = iter) -> str:
        """Show all of it; the page as HTML."""
        for _ in over(self.stream.whole(text, self.formats)):
            pass
        return self.document.toHtml()
