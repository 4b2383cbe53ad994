"""Looks for the words of the search field in everything that was said, once the person pauses in typing."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from desktop.ui.actions import Actions
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.sidebar.rows import Found, Rows

if TYPE_CHECKING:
    from desktop.session.search import Hit

_PAUSE_MS = 150
_HITS = 50


class Finder(QObject):
    """Fills the rows with what was found, beside the titles that they find themselves."""

    def __init__(
        self, actions: Actions, reporter: ErrorReporter, rows: Rows, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._actions, self._reporter, self._rows = actions, reporter, rows
        self._wanted = ""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self._begin)

    def look_for(self, text: str) -> None:
        """The person has typed: what was found for other words goes at once."""
        self._wanted = text.strip()
        self._rows.find(())
        if self._wanted:
            self._pause.start()
        else:
            self._pause.stop()

    def _begin(self) -> None:
        self._reporter.run(self._find(self._wanted), name="sidebar:search")

    async def _find(self, wanted: str) -> None:
        found = await self._actions.api.search.messages(wanted, limit=_HITS)
        if wanted == self._wanted:
            self._rows.find(_first_of_each(found.hits))


def _first_of_each(hits: "Iterable[Hit]") -> list[Found]:
    """The newest hit of each conversation, the newest first."""
    first: dict[str, Found] = {}
    for hit in hits:
        first.setdefault(hit.session, Found(hit.session, hit.title, hit.snippet, hit.at, hit.turn))
    return list(first.values())
