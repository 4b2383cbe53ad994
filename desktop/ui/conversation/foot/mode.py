"""Under the message field: how far the agent may go in this conversation, and the folder it works in."""

import time
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMenu, QWidget

from desktop.text import _, mark, sentences
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.buttons import Button, button
from desktop.ui.widgets.labels import tip
from desktop.ui.widgets.styled import styled
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.permissions import Marked, Permitted

_SHEET = """
QPushButton { font-size: 12px; font-weight: 400; min-height: 24px; color: $muted; }
QPushButton[tone="warning"] { background: $warning_soft; color: $warning; font-weight: 500; }
QPushButton[tone="warning"]:focus { border-color: $warning; }
"""
_MODES = {"ask": mark("Always ask"), "risky": mark("Ask when risky"), "autonomous": mark("Autonomous")}
_ICONS = {"ask": "shield-check", "risky": "shield", "autonomous": "zap"}
_ABOUT = {
    "ask": mark("Asks before everything except reading in the workspace."),
    "risky": mark("Asks before running commands or writing outside the workspace."),
    "autonomous": mark(
        "Asks nothing for a while. With untrusted content in the conversation, it still asks before "
        "sending anything or making lasting changes."
    ),
}


_GUARDED = mark("Sending anything out or making lasting changes asks first.")


class ModeBar(QWidget):
    """Shows what it is told; says what the person chose."""

    mode_chosen = Signal(str)
    folder_chosen = Signal(str)
    """Empty for the workspace."""
    settings_wanted = Signal()
    vouched = Signal(bool)
    """The files in view are the person's; with True, all in the folder where the agent works."""
    clean_wanted = Signal()
    """Go on in a new conversation, without what is in view here."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mode, self.folder = button("quiet", "shield"), button("quiet", "folder")
        self.marked = button("quiet", "eye")
        """Says that untrusted or unknown text is in view."""
        self._found: Permitted | None = None
        styled(self, _SHEET)
        row = QHBoxLayout(self)
        row.setContentsMargins(Space.XS, 0, 0, 0)
        row.setSpacing(Space.XS)
        for made in (self.mode, self.marked, self.folder):
            made.setIconSize(QSize(Size.ICON - 2, Size.ICON - 2))
            made.hide()
            row.addWidget(made)
        self.mode.clicked.connect(self._choose_mode)
        self.folder.clicked.connect(self._choose_folder)
        self.marked.clicked.connect(self._about_marked)
        spoken(self._words)

    def tell(self, found: "Permitted") -> None:
        """Show what holds."""
        self._found = found
        self._words()

    def _words(self) -> None:
        found = self._found
        if found is None:
            return
        mode, until = found.mode, found.until
        words = _(_MODES.get(mode, mode))
        if mode == "autonomous" and until:
            clock = time.strftime("%H:%M", time.localtime(until))
            words = _("Autonomous until {time}").format(time=clock)
        self.mode.say(words, _("Permissions: {mode}").format(mode=words))
        self.mode.setToolTip(_(_ABOUT.get(mode, "")) if mode in _ABOUT else "")
        warns = mode == "autonomous"
        self.mode.setIcon(icon(_ICONS.get(mode, "shield"), "warning" if warns else "muted"))
        _tone(self.mode, "warning" if warns else "")
        path = found.folder
        name = PurePath(path).name or path if path else _("Workspace")
        self.folder.setText(" " + name.replace("&", "&&"))
        self.folder.setAccessibleName(_("Working folder: {path}").format(path=path or _("Workspace")))
        self.folder.setToolTip(tip(path) or _("The agent works in its workspace. Choose another folder…"))
        self.mode.show()
        self.folder.show()
        self._show_marked(found.marked)

    def _show_marked(self, marked: "Marked | None") -> None:
        self.marked.setVisible(bool(marked))
        if marked:
            unknown = marked.origin == "unknown"
            words = _("Unknown files") if unknown else _("Untrusted content")
            self.marked.setText(f" {words}")
            self.marked.setIcon(icon("eye", "muted" if unknown else "warning"))
            _tone(self.marked, "" if unknown else "warning")
            self.marked.setAccessibleName(marked.text)
            self.marked.setToolTip(tip(sentences(marked.text, _(_GUARDED))))

    def _about_marked(self) -> None:
        if self._found is None or (marked := self._found.marked) is None:
            return
        menu = self._menu()
        for line in marked.sources or (marked.text,):
            menu.addAction(line.replace("&", "&&")).setEnabled(False)
        menu.addSeparator()
        clean = menu.addAction(icon("square-pen"), _("Start over in a new conversation"))
        clean.triggered.connect(self.clean_wanted)
        if marked.origin == "unknown":
            mine = menu.addAction(icon("check"), _("These files are mine"))
            mine.triggered.connect(lambda: self.vouched.emit(False))
            name = PurePath(self._found.folder).name or _("Workspace")
            words = _("All files in {folder} are mine").format(folder=name.replace("&", "&&"))
            menu.addAction(icon("folder"), words).triggered.connect(lambda: self.vouched.emit(True))
        self._pop_up(menu, self.marked)

    def _choose_mode(self) -> None:
        if (found := self._found) is None:
            return
        menu = self._menu()
        for mode, title in _MODES.items():
            words = _(title)
            if mode == "autonomous":
                if not found.autonomous:
                    continue
                words = _("Autonomous for {minutes} minutes").format(minutes=found.minutes)
            chosen = mode == found.mode
            # Beside an icon the style draws no mark of its own: it stands where keys are written.
            action = menu.addAction(icon(_ICONS[mode]), f"{words}\t✓" if chosen else words)
            action.setCheckable(True)
            action.setChecked(chosen)
            action.triggered.connect(lambda _on=False, mode=mode: self.mode_chosen.emit(mode))
        menu.addSeparator()
        menu.addAction(icon("folder"), _("Working folder…")).triggered.connect(self._open_dialog)
        menu.addAction(icon("settings"), _("Permissions…")).triggered.connect(self.settings_wanted)
        self._pop_up(menu, self.mode)

    def _choose_folder(self) -> None:
        if self._found is None or not self._found.folder:
            self._open_dialog()
            return
        menu = self._menu()
        menu.addAction(icon("folder"), _("Another folder…")).triggered.connect(self._open_dialog)
        back = menu.addAction(icon("undo-2"), _("Back to the workspace"))
        back.triggered.connect(lambda: self.folder_chosen.emit(""))
        self._pop_up(menu, self.folder)

    def _open_dialog(self) -> None:
        dialog = QFileDialog(self, _("Working folder"), self._found.folder if self._found else "")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.folder_chosen)
        dialog.open()

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu

    def _pop_up(self, menu: QMenu, over: Button) -> None:
        corner = over.mapToGlobal(QPoint(0, 0))
        menu.popup(corner - QPoint(0, menu.sizeHint().height() + 2))


def _tone(made: Button, tone: str) -> None:
    if made.property("tone") != tone:
        made.setProperty("tone", tone)
        made.style().unpolish(made)
        made.style().polish(made)
