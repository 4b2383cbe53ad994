"""Every command of the window with its words and keys, and the palette that runs them (Ctrl+K)."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.conversation.composer.drafts import Drafts
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.first_run.setup import Setup
from desktop.ui.main_window import MainWindow
from desktop.ui.palette.item import COMMANDS, Item
from desktop.ui.sidebar.library import Library
from desktop.ui.sidebar.row_actions import RowActions
from desktop.ui.sidebar.rows import Rows
from desktop.ui.sidebar.sidebar import ARCHIVE_KEYS, PIN_KEYS
from desktop.ui.tray.tray_presence import TrayPresence

if TYPE_CHECKING:
    from desktop.ui.palette.palette import Palette
    from desktop.ui.settings.search import Hit

_THEMES = ("system", "light", "dark")


class Commands(QObject):
    """Knows what can be done from everywhere."""

    def __init__(
        self,
        actions: Actions,
        reporter: ErrorReporter,
        window: MainWindow,
        rows: Rows,
        library: Library,
        row_actions: RowActions,
        drafts: Drafts,
        setup: Setup,
        outside: TrayPresence,
    ) -> None:
        super().__init__(window)
        self._actions, self._reporter, self._window, self._rows = actions, reporter, window, rows
        self._library, self._row_actions = library, row_actions
        self._drafts, self._setup, self._outside = drafts, setup, outside
        self._made: Palette | None = None
        window.palette_wanted.connect(self.toggle)

    def toggle(self) -> None:
        """Show the palette, or hide it again."""
        if self._made is None:
            from desktop.ui.palette.palette import Palette
            from desktop.ui.palette.sources import Sources

            sources = Sources(self._actions, self._rows, self, self.all)
            self._made = Palette(self._reporter, sources, self._window)
        self._made.toggle()

    def all(self) -> list[Item]:
        """What can be done now."""
        window, library = self._window, self._library
        found = [
            _item(_("New conversation"), library.new, "square-pen", "Ctrl+N"),
            _item(_("Temporary conversation"), window.temporary_wanted.emit, "ghost", "Ctrl+Shift+T"),
            _item(_("Quick chat"), self._outside.quick.open, "zap"),
            _item(_("Choose model"), window.header.model_menu_wanted.emit, "sparkles"),
            *(
                [_item(_("Choose reasoning level"), window.header.reasoning.choose, "brain")]
                if window.header.reasoning.isVisible()
                else []
            ),
            _item(_("Inbox"), window.toggle_inbox, "inbox", "Ctrl+I"),
            _item(_("Settings"), self._setup.open, "settings", "Ctrl+,"),
            _item(_("Find in conversation"), window.find_wanted.emit, "search", "Ctrl+F"),
            _item(_("Search all conversations"), window.to_search, "search", "Ctrl+Shift+F"),
            _item(_("Copy conversation"), window.copy_wanted.emit, "copy", "Ctrl+Shift+C"),
            _item(_("Export conversation…"), lambda: window.export_wanted.emit(""), "download", "Ctrl+S"),
            _item(_("Attach files…"), window.composer.files_wanted.emit, "paperclip"),
            _item(_("Screenshot"), window.composer.screen_wanted.emit, "camera"),
            *(
                [_item(_("Dictate"), window.pane.dictation.toggle, "mic", "Ctrl+D")]
                if window.composer.dictate.isVisible()
                else []
            ),
            _item(_("Show or hide the sidebar"), window.toggle_sidebar, "panel-left", "Ctrl+B"),
            _item(_("Help"), window.help_wanted.emit, "circle-question-mark", "F1"),
            _item(_("Quit"), window.quit_wanted.emit, "power", "Ctrl+Q"),
        ]
        if window.composer.stop.isVisible():
            found.insert(0, _item(_("Stop"), window.composer.stop_wanted.emit, "stop", "Esc"))
        if kept := self._rows.get(library.key):
            pin = _("Unpin conversation") if kept.pinned else _("Pin conversation")
            aside = _("Unarchive conversation") if kept.archived else _("Archive conversation")
            found.append(_item(pin, self._row_actions.pin, "pin", PIN_KEYS))
            found.append(_item(aside, self._row_actions.archive, "archive", ARCHIVE_KEYS))
        names = {"system": _("Theme: same as system"), "light": _("Theme: light"), "dark": _("Theme: dark")}
        icons = {"system": "monitor", "light": "sun", "dark": "moon"}
        found += [_item(names[theme], self._coloured(theme), icons[theme]) for theme in _THEMES]
        return found

    def _coloured(self, theme: str) -> Callable[[], object]:
        async def choose() -> None:
            await self._actions.api.settings.change({"appearance.theme": theme})
            from desktop.ui.theme.theme import theme as look

            look().choose(theme)

        return lambda: self._reporter.run(choose(), name="palette:theme")

    # ---- where a choice leads

    def show_conversation(self, key: str, turn: str) -> None:
        """Open it, at a turn of it or at its end."""
        self._library.open(key, turn)
        self._window.composer.setFocus()

    def show_settings(self, page: str) -> None:
        """Open the settings on a page."""
        self._setup.open(page)

    def show_setting(self, hit: "Hit") -> None:
        """Open the settings at one of them."""
        self._setup.open(hit=hit)

    def write(self, text: str) -> None:
        """Put a text into the message field."""
        self._window.composer.show_draft(text)
        self._window.composer.setFocus()

    def say(self, text: str) -> None:
        """Say it in the open conversation; what is being written stays."""
        self._drafts.say(text)
        self._window.composer.setFocus()


def _item(title: str, act: Callable[[], object], icon: str, keys: str = "") -> Item:
    return Item(COMMANDS, title, act, icon=icon, keys=keys)
