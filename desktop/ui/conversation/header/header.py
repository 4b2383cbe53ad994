"""Above a conversation: its title, which model answers it, and whether that model is awake."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QMenu, QSizePolicy, QWidget

from desktop.text import _
from desktop.ui.conversation.header.reasoning import ReasoningButton
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import IconButton, button
from desktop.ui.widgets.labels import label
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.local import BetterModel
    from desktop.api.models import Choices, ModelLine

HEIGHT = 52
_ROOMY = 640
_SERVER, _BUILTIN = "builtin-model", "builtin"
OK, WAITS, FAILED = "success", "warning", "danger"
"""How a provider answered last: the colours of its dot."""


class Title(QLabel):
    """One line that ends in an ellipsis where it does not fit."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "title")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._whole = ""

    def say(self, text: str) -> None:
        """Set the title."""
        self._whole = text
        self.setAccessibleName(text)
        self.setToolTip(text)
        self.updateGeometry()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.font())
        painter.setPen(QColor(theme().colors.text))
        words = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)


class Dot(QWidget):
    """The colour of a state."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(8, 8)
        self._role = "faint"

    def show_role(self, role: str) -> None:
        """`role` is a colour of the palette."""
        self._role = role
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(theme().colors, self._role)))
        painter.drawEllipse(self.rect())


class Header(QWidget):
    """Shows what it is told; says which model the person chose."""

    model_menu_wanted = Signal()
    model_chosen = Signal(str, str)
    """Model and provider; both empty for the usual one."""
    settings_wanted = Signal()
    fetch_wanted = Signal(str)
    """A model of this computer that is to be fetched: its id."""
    inbox_wanted = Signal()
    menu_wanted = Signal(QPoint)
    """What can be done with the conversation; the place is on the screen, for the menu's right corner."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("header")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEIGHT)
        self.title = Title()
        self._dot = Dot()
        self._state = label("small")
        self._model = button("quiet", "chevron-down")
        self._model.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self._model.clicked.connect(self.model_menu_wanted)
        self._model_title, self.provider = "", ""
        self.reasoning = ReasoningButton()
        self.list = IconButton("panel-left")
        """Brings the list of conversations back; there while the list is not."""
        self.list.hide()
        self.inbox = button("badge", "inbox")
        """What waits for the person; there while something does."""
        self.inbox.setIcon(icon("inbox", "link"))
        self.inbox.clicked.connect(self.inbox_wanted)
        self.inbox.hide()
        self._waiting = 0
        self.cost = label("small")
        """What the conversation has cost; empty where nothing is known of it."""
        self.menu = IconButton("ellipsis")
        """There while a conversation is open."""
        self.menu.clicked.connect(self._open_menu)
        self.menu.hide()
        row = across(
            self.list, (self.title, 1), self.inbox, self.cost, edges=(Space.XL, 0, Space.M, 0), of=self
        )
        row.addSpacing(Space.XS)
        row.addWidget(self._dot)
        row.addWidget(self._state)
        row.addSpacing(Space.S)
        row.addWidget(self.reasoning)
        row.addWidget(self._model)
        row.addWidget(self.menu)
        self._dot.hide()
        self._services: dict[str, tuple[str, str]] = {}
        self._fetching = -1
        """How many hundredths of a model are here that is being fetched; -1 for none."""
        self._providers: dict[str, tuple[str, str, str]] = {}
        """How each provider that was asked answered last: colour, words, and the whole sentence."""
        spoken(self._words)

    def _words(self) -> None:
        self.list.say(_("Show conversations"), "Ctrl+B")
        self.menu.say(_("More"))
        self.show_waiting(self._waiting)
        self._show_model()
        self._show_state()

    def show_waiting(self, count: int) -> None:
        """How many notices wait for the person, questions among them."""
        self._waiting = count
        self.inbox.setText(f" {count}")
        self.inbox.setAccessibleName(_("Waiting for you: {count}").format(count=count))
        self.inbox.setToolTip(f"{_('Waiting for you')}  Ctrl+I")
        self.inbox.setVisible(count > 0)

    def show_cost(self, words: str, about: str) -> None:
        """What the conversation has cost, in few words and in a sentence."""
        self.cost.setText(words)
        self.cost.setToolTip(about)
        self.cost.setAccessibleName(about)
        self._make_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """In a narrow window the title comes before what it cost."""
        self.cost.setVisible(bool(self.cost.text()) and self.width() >= _ROOMY)

    def _open_menu(self) -> None:
        self.menu_wanted.emit(self.menu.mapToGlobal(QPoint(self.menu.width(), self.menu.height() + 2)))

    def show_model(self, title: str, provider: str) -> None:
        """The model that answers this conversation, and who has it; empty while it is not known."""
        self._model_title, self.provider = title, provider
        self._words()

    def _show_model(self) -> None:
        self._model.setVisible(bool(self._model_title))
        metrics = self._model.fontMetrics()
        shown = metrics.elidedText(self._model_title, Qt.TextElideMode.ElideMiddle, 240)
        self._model.setText(shown)
        self._model.setAccessibleName(_("Model: {name}").format(name=self._model_title))
        self._model.setToolTip(_("Model for this conversation: {name}").format(name=self._model_title))

    def show_service(self, name: str, state: str, detail: str) -> None:
        """The state of the model host or of the built-in model's server changed."""
        self._services[name] = (state, detail)
        self._show_state()

    def show_fetching(self, hundredths: int) -> None:
        """How much of a model that is being fetched is here; -1 where none is."""
        if hundredths != self._fetching:
            self._fetching = hundredths
            self._show_state()

    def show_provider(self, provider: str, state: str, words: str, about: str = "") -> None:
        """How a provider answered: OK, WAITS or FAILED, in a word or two (marked for translation), and
        `about` it in a sentence."""
        told = (state, words, about)
        if self._providers.get(provider) != told:
            self._providers[provider] = told
            self._show_state()

    def forget_providers(self) -> None:
        """The settings are others: nobody knows how they would answer now."""
        self._providers.clear()
        self._show_state()

    def _show_state(self) -> None:
        role, words, about = self._state_now()
        self._dot.show_role(role)
        self._dot.setVisible(bool(words))
        self._state.setText(words)
        self._state.setVisible(bool(words))
        self._state.setAccessibleName(_("Model status: {state}").format(state=words))
        self._state.setToolTip(about)

    def _state_now(self) -> tuple[str, str, str]:
        """Colour, words and a sentence: what our own parts do comes first where the model waits for them,
        then how the provider answered last. Nothing where nobody has asked it yet."""
        builtin = self.provider in ("", _BUILTIN)
        states = {
            state: detail for name, (state, detail) in self._services.items() if builtin or name != _SERVER
        }
        for state, role, words in (
            ("failed", "danger", _("Model failed")),
            ("degraded", "warning", _("Retrying")),
            ("starting", "warning", _("Starting the model")),
        ):
            if state in states:
                return role, words, states[state]
        if self._fetching >= 0:
            words = _("Downloading a model: {percent}%").format(percent=self._fetching)
            return "warning", words, _("You can keep chatting. Pause the download in Settings.")
        if told := self._providers.get(self.provider):
            return told[0], _(told[1]), told[2]
        if not (builtin and self._services):
            return "faint", "", ""
        if self._services.get(_SERVER, ("",))[0] == "running":
            return "success", _("Ready"), ""
        return "faint", _("Idle"), _("The model starts when you begin typing.")

    def show_models(
        self, found: "Choices", chosen: "ModelLine | None", better: "BetterModel | None"
    ) -> None:
        """Open the menu. `chosen`: this conversation's own model, None where it uses the usual one.
        `better`: one of this computer that could be fetched."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        first = menu.addAction(_("Default model ({name})").format(name=found.usual.title))
        first.setCheckable(True)
        first.setChecked(chosen is None)
        first.triggered.connect(lambda: self.model_chosen.emit("", ""))
        menu.addSeparator()
        for line in found.models:
            action = menu.addAction(f"{line.title}   {line.provider_title}")
            action.setCheckable(True)
            action.setChecked(
                chosen is not None and (chosen.provider, chosen.model) == (line.provider, line.model)
            )
            action.triggered.connect(
                lambda _on=False, line=line: self.model_chosen.emit(line.model, line.provider)
            )
        menu.addSeparator()
        if better is not None:
            words = _("Download a better one: {name}, {size:.1f} GB").format(
                name=better.title, size=better.size / 1e9
            )
            fetch = menu.addAction(icon("download"), words)
            fetch.setToolTip(better.does)
            fetch.triggered.connect(lambda: self.fetch_wanted.emit(better.id))
            menu.setToolTipsVisible(True)
        menu.addAction(icon("settings"), _("Providers and models…")).triggered.connect(self.settings_wanted)
        corner = self._model.mapToGlobal(QPoint(self._model.width(), self._model.height() + 2))
        menu.popup(corner - QPoint(menu.sizeHint().width(), 0))
