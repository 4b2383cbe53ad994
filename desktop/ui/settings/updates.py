"""Whether there is a newer version of the program, what is new in it, and the way to it."""

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QVBoxLayout

from desktop.bus.events import InboxChanged, ServiceChanged
from desktop.text import _, sentences
from desktop.ui.actions import Actions
from desktop.ui.settings.part import Part
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets import moments
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.moments import Now
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.updates import Newer
    from desktop.api.updates import Updates as Known


class Updates(Part):
    """What the last look brought; the button looks anew."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._known: Known | None = None
        self._state, self._last = label(wrap=True), label("small", wrap=True)
        self._new, self._how = label(wrap=True), label("muted", wrap=True)
        self._page, self._look = button("primary", "external-link"), button()
        self.outcome = Outcome()
        for words in (self._new, self._how):
            words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._news = QFrame()
        self._news.setProperty("kind", "card")
        inner = QVBoxLayout(self._news)
        inner.setContentsMargins(Space.L, Space.M, Space.L, Space.M)
        inner.addWidget(self._new)
        for widget in (self._state, self._last, self._news, self._how):
            self.column.addWidget(widget)
            widget.hide()
        self.column.addLayout(across(self._page, self._look, None))
        self.column.addWidget(self.outcome)
        self._page.hide()
        self._look.hide()
        self._page.clicked.connect(self._visit)
        self._look.clicked.connect(self.look)
        self.hear(actions.bus, ServiceChanged)
        self.hear(actions.bus, InboxChanged)
        spoken(self._words)

    def _words(self) -> None:
        self._page.say(_("Open download page"), _("Open download page"))
        self._look.say(_("Check now"), _("Check for updates now"))
        if self._known is not None:
            self._show(self._known)

    def refresh(self) -> None:
        self._work.start(self._read(), name="settings:updates")

    async def _read(self) -> None:
        self._show(await self._actions.api.updates.known())

    def look(self) -> None:
        """Look now."""
        self._work.tell(self._looking(), self.outcome, name="settings:updates:look", busy=(self._look,))

    async def _looking(self) -> None:
        self.outcome.busy(_("Checking…"))
        known = await self._actions.api.updates.look()
        self.outcome.clear()
        self._show(known)

    def _show(self, known: "Known") -> None:
        self._known, newer = known, known.newer
        self._state.setText(_state(known))
        self._last.setText(_last(known))
        self._new.setText("\n".join(f"• {shown(line)}" for line in newer.news) if newer else "")
        self._how.setText(known.how)
        self._state.setVisible(not known.wrong or newer is not None)
        self._last.setVisible(bool(self._last.text()))
        self._news.setVisible(newer is not None and bool(newer.news))
        self._how.setVisible(newer is not None and bool(known.how))
        self._page.setVisible(newer is not None)
        self._look.setVisible(known.looks)
        if known.wrong:
            self.outcome.failed(known.wrong, known.remedy, tone="warning")
        else:
            self.outcome.clear()

    def _visit(self) -> None:
        if self._known is not None and self._known.newer is not None:
            QDesktopServices.openUrl(QUrl(self._known.newer.page))


def _state(known: "Known") -> str:
    if not known.looks:
        return _("This build doesn’t check for updates.")
    if known.newer is None:
        return _("No newer version is known.")
    return sentences(_told(known.newer), _("You have {version}.").format(version=known.version))


def _told(newer: "Newer") -> str:
    return _("Version {version} is available, released on {date}.").format(
        version=newer.version, date=newer.date
    )


def _last(known: "Known") -> str:
    if not known.looks or known.last is None:
        return ""
    return _("Last checked {when}").format(when=moments.at(known.last, Now(time.time())))
