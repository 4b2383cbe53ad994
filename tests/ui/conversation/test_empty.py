"""Where nothing was said yet, greeting and suggestions stand in the middle."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.empty import EmptyState
from tests.ui.waiting import exposed


def middle(part: QWidget, of: QWidget) -> float:
    return part.mapTo(of, QPoint(0, 0)).x() + part.width() / 2


def test_the_suggestions_stand_under_the_greeting(qtbot: QtBot) -> None:
    empty = EmptyState()
    qtbot.addWidget(empty)
    empty.resize(900, 600)
    empty.show()
    exposed(qtbot, empty)
    chips = sorted(empty.findChildren(QPushButton), key=lambda chip: chip.x())
    assert len(chips) == 3
    between = (middle(chips[0], empty) + middle(chips[-1], empty)) / 2
    assert abs(between - empty.width() / 2) < chips[0].width()
    assert {round(middle(line, empty)) for line in empty.findChildren(QLabel)} == {empty.width() // 2}
