"""What the card of a chat app opens to: its keys, a test, and its settings."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic.alias_generators import to_snake
from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from desktop.config.channels.base import ANYBODY
from desktop.config.describe import setting
from desktop.errors import KeychainError, UsageError
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.panels.channels.fields import FIRST, RARE, settings_of_app
from desktop.ui.panels.channels.key_row import KeyRow
from desktop.ui.panels.channels.link import Link
from desktop.ui.panels.channels.words import MORE
from desktop.ui.settings.part import PageData
from desktop.ui.settings.rows import SettingRow
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.latest import Latest
from desktop.ui.widgets.order import bring_into_sight
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.rows import Card
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.channels import App


class Details(QWidget):
    """`changed` tells that it has another key; `saved`, that a setting is stored."""

    changed = Signal()
    saved = Signal(str)

    def __init__(self, actions: Actions, app: "App") -> None:
        super().__init__()
        self._actions, self._work, self.app = actions, Work(self), app
        self._data: PageData | None = None
        self._about, self._first, self._rest = (
            label("small", wrap=True),
            Card(framed=False),
            Card(framed=False),
        )
        self.keys = {field: KeyRow(app.name, field) for field in app.secrets}
        self.link = Link(actions, app) if app.links else None
        self._rows: dict[str, SettingRow] = {}
        self._more, self.test, self.outcome = button("link", "chevron-right"), button("", "zap"), Outcome()
        self.invite, self._invitation = button("link", "external-link"), ""
        self._fault = ("", "")
        """The field that the last test blames, and why."""
        self._making: asyncio.Task[None] | None = None
        self._stored = Latest(self._look, partial(self._work.start, name="channels:stored"))
        self.invite.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the sign after the words
        self.invite.hide()
        self._lay_out()
        for row in self.keys.values():
            row.entered.connect(self._save)
            row.removed.connect(self._remove)
        self._more.clicked.connect(self._unfold)
        self.test.clicked.connect(self._test)
        self.invite.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(self._invitation)))
        spoken(self._words)

    def _lay_out(self) -> None:
        for field in FIRST.get(self.app.name, ()):
            self._first.add(self._made(f"channels.{self.app.name}.{field}"))
        for field, row in self.keys.items():
            (self._rest if (self.app.name, field) in RARE else self._first).add(row)
        self._rest.hide()
        foot = across(self._more, None, self.invite, self.test)
        above: tuple[QWidget, ...] = (self._about, self.link) if self.link else (self._about,)
        below: tuple[QWidget, ...] = (self._first, self.outcome)
        down(*above, *below, foot, self._rest, edges=(0, Space.S, 0, 0), of=self)
        if self.link is not None:
            self.link.changed.connect(self.changed)

    def _made(self, name: str) -> SettingRow:
        row = self._rows[name] = SettingRow(setting(name), self._change)
        row.saved.connect(self._saved)
        self._show_value(row)
        return row

    def show_app(self, app: "App", data: PageData | None) -> None:
        """Show what is set now; what is typed stays."""
        self.app, self._data = app, data
        if self.link is not None:
            self.link.show_app(app)
        for row in self._rows.values():
            self._show_value(row)
        self._complain()
        self._stored.want()

    def _saved(self, name: str) -> None:
        self._fault = ("", "")
        self.saved.emit(name)

    def leave(self) -> None:
        """Forget what was typed."""
        for row in self.keys.values():
            row.clear()
        if self.link is not None:
            self.link.leave()
        self.outcome.clear()
        self._fault = ("", "")

    def reach(self, name: str, show: Callable[[SettingRow], object]) -> None:
        """Show the row of a setting, once it is made."""
        self._work.start(self._reaching(name, show), name="channels:reach")

    async def _reaching(self, name: str, show: Callable[[SettingRow], object]) -> None:
        if name not in self._rows:
            await self._unfolded()
        show(self._rows[name])

    def _words(self) -> None:
        app = self.app
        about = MORE.get(app.name, "")
        self._about.setText(_(about) if about else "")
        self._about.setVisible(bool(about))
        self._more.say(_("More settings"), _("More settings for {name}").format(name=app.title))
        self.test.say(_("Test"), _("Test {name}").format(name=app.title))
        self.invite.say(_("Invite to a server"))

    def _show_value(self, row: SettingRow) -> None:
        if self._data is not None:
            name, settings = row.setting.name, self._data.settings
            row.show_value(settings.values.get(name, row.setting.default), settings.fixed.get(name, ""))

    async def _look(self) -> None:
        try:
            stored = await self._actions.api.channels.stored_keys(self.app.name)
        except KeychainError:
            return  # it says so itself, where a key is saved or used
        for field, row in self.keys.items():
            row.show_stored(field in stored)

    async def _change(self, values: Mapping[str, Any]) -> None:
        """Store settings; that everybody may write, after a yes alone."""
        for name, value in values.items():
            now = self._data.settings.values.get(name) if self._data else ()
            if name.endswith("allow_from") and ANYBODY in (value or ()) and ANYBODY not in (now or ()):
                self._ask(values)
                raise UsageError(_("Confirm it above."))
        await self._actions.api.settings.change(values)

    def _ask(self, values: Mapping[str, Any]) -> None:
        yes = (
            _("Let everyone write"),
            lambda: self._work.tell(self._allowing(values), self.outcome, name="channels:everyone"),
        )
        told = _("Anyone who finds it there can use it, at your cost. Only you approve what it asks.")
        self.outcome.failed(_("Let everyone write to the agent?"), told, tone="warning", actions=(yes,))
        bring_into_sight(self.outcome)

    async def _allowing(self, values: Mapping[str, Any]) -> None:
        await self._actions.api.settings.change(values)
        self.outcome.clear()
        self.saved.emit(next(iter(values)))

    # ---- the other settings

    def _unfold(self) -> None:
        if self._rest.isHidden():
            self._work.start(self._unfolded(), name="channels:more")
        else:
            self._fold(folded=True)

    def _fold(self, *, folded: bool) -> None:
        self._rest.setVisible(not folded)
        self._more.setIcon(icon("chevron-right" if folded else "chevron-down", "muted"))

    async def _unfolded(self) -> None:
        self._fold(folded=False)
        if self._making is None:
            self._making = self._work.start(self._make(), name="channels:settings")
        await self._making

    async def _make(self) -> None:
        """Row after row: all at once would be felt."""
        for name in settings_of_app(self.app.name):
            if name not in self._rows:
                self._rest.add(self._made(name))
                await asyncio.sleep(0)

    # ---- what is done

    def _save(self, field: str) -> None:
        row = self.keys[field]
        if not row.key.text():
            row.complain(_("Paste the key first."))
            return
        row.complain("")
        self._work.tell(self._saving(field), self.outcome, name="channels:key", busy=(row.save,))

    async def _saving(self, field: str) -> None:
        await self._actions.api.channels.store_key(self.app.name, field, self.keys[field].key.text())
        self.keys[field].clear()
        self._stored.want()
        await self._testing()
        self.changed.emit()

    def _remove(self, field: str) -> None:
        row = self.keys[field]
        self._work.tell(self._removing(field), self.outcome, name="channels:remove", busy=(row.remove,))

    async def _removing(self, field: str) -> None:
        self.outcome.clear()
        await self._actions.api.channels.forget_key(self.app.name, field)
        self._stored.want()
        self.changed.emit()

    def _test(self) -> None:
        self._work.tell(self._testing(), self.outcome, name="channels:test", busy=(self.test,))

    async def _testing(self) -> None:
        self.outcome.busy(_("Signing in…"))
        self._fault = (self._fault[0], "")
        self._complain()
        tried = await self._actions.api.channels.test(self.app.name)
        self._invitation = tried.invitation
        self.invite.setVisible(bool(tried.invitation))
        if tried.ok:
            self.outcome.done(" ".join((_("Signed in as {name}.").format(name=tried.name), *tried.notes)))
            return
        self.outcome.failed(tried.text, tried.remedy)
        self._fault = (tried.field, tried.text)
        if (
            tried.field
            and tried.field not in self.keys
            and _setting(self.app.name, tried.field) not in self._rows
        ):
            await self._unfolded()
        self._complain()

    def _complain(self) -> None:
        """Say at the field what is wrong with it."""
        field, text = self._fault
        row = self.keys.get(field) or self._rows.get(_setting(self.app.name, field))
        if row is not None:
            row.complain(text)
            if row.parent() is self._rest:
                self._fold(folded=False)


def _setting(app: str, field: str) -> str:
    """The name of a setting, by what a test blames."""
    return f"channels.{app}.{to_snake(field)}"
