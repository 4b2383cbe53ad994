"""The menu of a message: our words instead of the toolkit's."""

from collections.abc import Callable

from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QMenu, QWidget

from desktop.text import _
from desktop.ui.conversation.cells.actions import copy
from desktop.ui.conversation.text.body import Body
from desktop.ui.conversation.transcript import Entry


def show_menu(
    owner: QWidget,
    body: Body,
    entry: Entry,
    event: QContextMenuEvent,
    everything: Callable[[], None],
    pick: Callable[[str, str], None],
) -> None:
    """Open it where the event says. `pick` chooses the messages from one to another."""
    menu = QMenu(owner)
    menu.aboutToHide.connect(menu.deleteLater)
    selected = menu.addAction(_("Copy"))
    selected.setEnabled(body.textCursor().hasSelection())
    selected.triggered.connect(body.copy)
    menu.addAction(_("Copy message")).triggered.connect(lambda: copy(entry.text))
    menu.addAction(_("Select messages")).triggered.connect(lambda: pick(entry.id, entry.id))
    menu.addAction(_("Copy conversation")).triggered.connect(everything)
    if address := body.anchorAt(body.viewport().mapFromGlobal(event.globalPos())):
        menu.addSeparator()
        menu.addAction(_("Copy link address")).triggered.connect(lambda: copy(address))
    menu.popup(event.globalPos())
