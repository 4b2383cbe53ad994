"""What stands in the empty conversation until a model can answer: three ways to one, each really tried."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop.api.providers import Draft
from desktop.errors import AppError
from desktop.text import _, listed, titled
from desktop.ui.actions import Actions
from desktop.ui.settings.builtin import BuiltinModels
from desktop.ui.settings.provider import ProviderForm
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.calm_box import CalmBox
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.middle_page import MiddlePage
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.rows import Card, Row
from desktop.ui.widgets.sign import Sign
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.setup import FoundServer

_SIGN = 20
_COLUMN = 620


class _Choice(Card):
    """One way: an icon, words, and below them what it takes; at first only a button, with `folded`."""

    def __init__(self, icon_name: str, *, folded: bool = False) -> None:
        super().__init__()
        self.title, self.help, self.open = label("title", wrap=True), label("muted", wrap=True), button()
        words = down(self.title, self.help, gap=2)
        whole = QWidget()
        across(
            Sign(icon_name, size=_SIGN),
            (words, 1),
            self.open,
            gap=Space.M,
            edges=(0, Space.M, 0, Space.M),
            of=whole,
        )
        self.add(whole)
        inset = QWidget()
        self._inner = QVBoxLayout(inset)
        self._inner.setContentsMargins(_SIGN + Space.M, 0, 0, 0)
        self.add(inset, parted=False)
        self.open.setVisible(folded)

    def put(self, body: QWidget) -> None:
        """Show what this way takes."""
        self._inner.addWidget(body)
        self._inner.addSpacing(Space.S)

    def say(self, title: str, help_: str, act: str = "") -> None:
        self.title.setText(title)
        self.help.setText(help_)
        self.open.setText(act)
        self.open.setAccessibleName(titled(act, title))
        self.setAccessibleName(title)


class _ServerRow(Row):
    """A server that was found, with its models."""

    chosen = Signal()

    def __init__(self, server: "FoundServer") -> None:
        self.server = server
        side = QWidget()
        super().__init__(side)
        self.models, self.use = CalmBox(), button()
        self.models.addItems(server.models)
        self.models.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.use.clicked.connect(self.chosen)
        inner = QHBoxLayout(side)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.models, 1)
        inner.addWidget(self.use)
        spoken(self._words)

    def _words(self) -> None:
        self.say(self.server.title, self.server.base_url)
        self.models.setAccessibleName(_("{server} model").format(server=self.server.title))
        self.use.say(_("Use"), _("Use {server}").format(server=self.server.title))
        if not self.server.models:
            self.say(self.server.title, _("It is running but has no model. Load one there first."))
            self.use.setEnabled(False)


class FoundServers(QWidget):
    """Servers of this machine that can be used at once."""

    ready = Signal()

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._rows: list[_ServerRow] = []
        self._known = ""
        self._none, self._again, self.outcome = label("muted", wrap=True), button("link"), Outcome()
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        down(self._list, self._none, self.outcome, self._again, edges=(0, Space.S, 0, Space.XS), of=self)
        self._none.hide()
        self._again.clicked.connect(self.look)
        spoken(self._words)

    def _words(self) -> None:
        self._again.setText(_("Check again"))
        self._none.setText(_("None found. Looked for {names}.").format(names=self._known))

    def look(self) -> None:
        """Look for servers."""
        if not self._again.busy:
            self._work.cancel()
            self._work.start(self._look(), name="first-run:servers")

    async def _look(self) -> None:
        self.outcome.busy(_("Looking…"))
        try:
            found = await self._actions.api.setup.servers()
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        self.outcome.clear()
        self._known = listed(found.known)
        self._words()
        for row in self._rows:
            self._list.removeWidget(row)
            row.deleteLater()
        self._rows = [_ServerRow(server) for server in found.servers]
        for row in self._rows:
            row.chosen.connect(lambda row=row: self._begin(row))
            self._list.addWidget(row)
        self._none.setVisible(not self._rows)

    def _begin(self, row: _ServerRow) -> None:
        busy = (*(each.use for each in self._rows), self._again)
        self._work.start(self._use(row), name="first-run:server", busy=busy)

    async def _use(self, row: _ServerRow) -> None:
        server, model = row.server, row.models.currentText()
        chosen = Draft(server.provider, model, base=server.base_url)
        self.outcome.busy(_("Sending a short test question…"), self._work.cancel)
        try:
            await self._actions.api.providers.test(chosen)
            await self._actions.api.providers.use(chosen)
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
        else:
            self.outcome.clear()
            self.ready.emit()


class FirstRunCard(MiddlePage):
    """Three choices, and taking over what there was; `ready` when one of the three has proved that it
    answers, or is installed whole."""

    ready = Signal()
    import_wanted = Signal()
    """Who answers is to be taken over from nanobot."""

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(_COLUMN, parent)
        self._actions, self._work = actions, Work(self)
        self._welcome, self._about = label("title"), label("muted", wrap=True)
        self.models = BuiltinModels(actions, first_run=True)
        self.servers = FoundServers(actions)
        self.form: ProviderForm | None = None
        self._local, self._found = _Choice("cpu"), _Choice("server")
        self._keyed = _Choice("key-round", folded=True)
        self._before, self._old_home = _Choice("folder-input", folded=True), ""
        self._lay_out()
        self._local.put(self.models)
        self._found.put(self.servers)
        self._keyed.open.clicked.connect(self._unfold)
        self._before.open.clicked.connect(self.import_wanted)
        self.models.ready.connect(self.ready)
        self.servers.ready.connect(self.ready)
        spoken(self._words)

    def _lay_out(self) -> None:
        self.column.addWidget(self._welcome)
        self.column.addWidget(self._about)
        self.column.addSpacing(Space.S)
        for choice in (self._local, self._found, self._keyed, self._before):
            self.column.addWidget(choice)

    def _words(self) -> None:
        self._welcome.setText(_("Choose your model"))
        self._about.setText(_("Pick one to start. You can change it in Settings at any time."))
        self._local.say(
            _("Run a small model on this computer"),
            _("Free, private, no key needed. Answers are basic."),
        )
        self._found.say(
            _("Use a local model server"),
            _("Ollama, LM Studio or similar, if it runs on this computer."),
        )
        self._keyed.say(
            _("Use a provider with a key"),
            _("The most capable models. The key is stored in this computer’s keychain."),
            _("Set up"),
        )
        self._before.say(
            _("I already use nanobot"),
            _("Found in {path}.").format(path=self._old_home)
            if self._old_home
            else _("Import its settings, conversations, memory, skills and reminders."),
            _("Import…"),
        )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.servers.look()
        self._work.start(self._look_before(), name="first-run:import")

    async def _look_before(self) -> None:
        try:
            self._old_home = await self._actions.api.imports.found()
        except AppError:
            return  # the page of the import says what is wrong
        self._words()

    def _unfold(self) -> None:
        self._keyed.open.hide()
        form = self.form = ProviderForm(self._actions)
        form.stored.connect(self.ready)
        self._keyed.put(form)
        form.setFocus()
        self._work.start(self._fill(form), name="first-run:providers")
        QTimer.singleShot(0, self, lambda: self.ensureWidgetVisible(self._keyed))

    async def _fill(self, form: ProviderForm) -> None:
        try:
            form.show_providers(await self._actions.api.providers.all())
        except AppError as error:
            self._about.setText(str(error))
