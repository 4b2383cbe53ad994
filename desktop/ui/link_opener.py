"""Opens the links that the desktop hands over: shows what one is about, and does nothing else."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from desktop import links
from desktop.errors import AppError, UsageError, explain
from desktop.text import _
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.first_run.setup import Setup
from desktop.ui.main_window import MainWindow
from desktop.ui.program import Program
from desktop.ui.quick.quick import Quick
from desktop.ui.sidebar.library import Library

if TYPE_CHECKING:
    from desktop.api.requests import Request

type Json = dict[str, Any]


class LinkOpener(QObject):
    """One for the program."""

    def __init__(
        self,
        program: Program,
        reporter: ErrorReporter,
        window: MainWindow,
        library: Library,
        quick: Quick,
        setup: Setup,
    ) -> None:
        super().__init__(window)
        self._program, self._reporter, self._window = program, reporter, window
        self._library, self._quick, self._setup = library, quick, setup

    def requests(self) -> "dict[str, Request]":
        """What other processes can ask of it."""
        return {"link": self.open}

    async def open(self, arguments: Json) -> Json:
        """Open a `link`. What is wrong is told here, where the person is, and in the reply. The request
        itself does not fail, or who asks would take this for no window, and open one."""
        try:
            await self._show(links.parse(str(arguments.get("link") or "")))
        except Exception as error:
            self._window.present()
            failure = explain(error)
            if not self._setup.tell(failure.text, failure.remedy):
                self._reporter.tell(error)
            kind = type(failure).__name__
            return {"failed": {"kind": kind, "text": failure.text, "remedy": failure.remedy}}
        return {}

    async def _show(self, link: links.Link) -> None:
        match link:
            case links.OpenConversation(key):
                if all(one.key != key for one in await self._program.api.conversations.list()):
                    raise AppError(
                        _("The conversation of the link is not here."),
                        _("It may have been deleted, or be on another computer."),
                    )
                self._window.present()
                self._library.open(key)
            case links.OfferText(text):
                self._quick.offer(text)
            case links.OfferServers(settings):
                await self._offer_servers(settings)

    async def _offer_servers(self, settings: str) -> None:
        """Show them on the page of servers. One that is there already keeps its name: what it was trusted
        with, and its secrets, would go to the new one."""
        api = self._program.api
        taken = {server.name for server in await api.servers.all()}
        for found in await api.servers.parse(settings):
            if found.name in taken:
                raise UsageError(
                    _("There is already a server named {name}.").format(name=found.name),
                    _("Rename or remove it first, then open the link again."),
                )
        self._window.present()
        await self._setup.offer("mcp", settings)
