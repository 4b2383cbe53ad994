"""One provider on the page: what it is, how it stands, and what it opens to."""

from PySide6.QtCore import Qt, Signal

from desktop.api.providers import ProviderLine
from desktop.text import _, titled
from desktop.ui.actions import Actions
from desktop.ui.settings.key import KeychainNotice
from desktop.ui.settings.part import PageData
from desktop.ui.settings.providers.details import Details
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.fold_card import FoldCard
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.tile import Tile
from desktop.ui.words import spoken


class ProviderCard(FoldCard[Details]):
    """Shows a provider."""

    changed = Signal(str)

    def __init__(self, actions: Actions, notice: KeychainNotice) -> None:
        super().__init__(self._made)
        self._actions, self._notice = actions, notice
        self.provider = ProviderLine()
        self._data: PageData | None = None
        self._about, self._state = label("small", wrap=True), label("small")
        self._tile = Tile("")
        self.lead.addWidget(self._tile, 0, Qt.AlignmentFlag.AlignTop)
        self.lead.setContentsMargins(0, 0, Space.XS, 0)
        self.words.addWidget(self._about)
        self.side.addWidget(self._state)

    def show_provider(self, provider: ProviderLine, data: PageData) -> None:
        """Show how it stands, by what was read."""
        first = self._data is None
        self.provider, self._data = provider, data
        if first:
            spoken(self._words)
        else:
            self._words()
        if self.details is not None:
            self.details.show_provider(provider, data)

    def _words(self) -> None:
        kind, words = standing(self.provider, self._data.providers.answers.name if self._data else "")
        self.title.setText(self.provider.title)
        self._tile.show_letters(self.provider.title[:1].upper())
        self._about.setText(self.provider.about)
        self._state.setText(words)
        self._state.setAccessibleName(titled(self.provider.title, words) if words else "")
        if self._state.property("kind") != kind:
            self._state.setProperty("kind", kind)
            self._state.style().unpolish(self._state)
            self._state.style().polish(self._state)
        self.open_button.say(_("Details of {name}").format(name=self.provider.title))

    # ---- what it opens to

    def _made(self) -> Details:
        made = Details(self._actions, self.provider, self._notice)
        made.changed.connect(self.changed)
        return made

    def fill(self, details: Details) -> None:
        if self._data is not None:
            details.show_provider(self.provider, self._data)

    def folded(self, details: Details) -> None:
        details.leave()

    def leave(self) -> None:
        """Drop what was not saved."""
        if self.details is not None:
            self.details.leave()


def standing(provider: ProviderLine, answers: str) -> tuple[str, str]:
    """How it stands, as the kind of a label and words."""
    if provider.name == answers:
        return "success", _("In use")
    if provider.given:
        return "small", _("Key for this run")
    if provider.stored:
        return "small", _("Signed in") if provider.kind == "oauth" else _("Key stored")
    if provider.keyed:
        return "small", _("Key for this session")
    if provider.address:
        return "small", _("Address set")
    if provider.offered:
        return "small", _("A key was found")
    return "small", ""


def matches(provider: ProviderLine, wanted: str) -> bool:
    """Whether the words of a filter are all in what it is."""
    said = f"{provider.title} {provider.name} {provider.about}".casefold()
    return all(word in said for word in wanted.casefold().split())


def set_up(provider: ProviderLine) -> bool:
    """Whether the person has made something of it."""
    return bool(provider.keyed or provider.address or provider.offered)
