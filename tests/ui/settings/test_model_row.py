"""A model of this computer in a row: its sign stands beside its name."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.api.local import LocalModel
from desktop.bus.events import ModelFetching
from desktop.ui.settings.builtin import ModelRow
from tests.ui.waiting import exposed


def test_the_better_one_says_so_beside_its_name(qtbot: QtBot) -> None:
    model = LocalModel(
        "a", "Small", "MIT", 10**9, "Talks.", False, False, ModelFetching("a", ""), better=True
    )
    row = ModelRow(model)
    qtbot.addWidget(row)
    row.resize(900, 120)
    row.show()
    exposed(qtbot, row)
    title, sign = (
        next(label for label in row.findChildren(QLabel) if label.text() == words)
        for words in ("Small", "Better for this computer")
    )
    end = title.mapTo(row, QPoint(title.fontMetrics().horizontalAdvance(title.text()), 0)).x()
    assert 0 < sign.mapTo(row, QPoint(0, 0)).x() - end < 40
