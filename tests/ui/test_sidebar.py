"""The list: groups, search, the open conversation, naming and deleting by keyboard."""

from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QLineEdit
from pytestqt.qtbot import QtBot

from desktop.ui.sidebar.rows import FOLD, HEADING, KEY, STATE, UNREAD, Conversation, Found, Rows
from desktop.ui.sidebar.sidebar import Sidebar
from desktop.ui.theme.theme import theme
from desktop.ui.words import speak
from tests.ui.settings.reading import shown as words

NOW = datetime.now(UTC)


def conversation(key: str, days: float = 0, title: str = "", unread: bool = False) -> Conversation:
    return Conversation(key, title or f"About {key}", NOW - timedelta(days=days), unread)


@pytest.fixture
def sidebar(qtbot: QtBot) -> Sidebar:
    theme()
    rows = Rows()
    rows.fill([conversation("old", 9), conversation("new"), conversation("newest", -0.0001)])
    made = Sidebar(rows)
    rows.setParent(made)
    qtbot.addWidget(made)
    made.resize(268, 500)
    made.show()
    made.activateWindow()
    qtbot.waitExposed(made)
    return made


def shown(sidebar: Sidebar) -> list[str]:
    rows = sidebar.list.model()
    return [
        f"# {rows.index(row, 0).data()}"
        if rows.index(row, 0).data(HEADING)
        else rows.index(row, 0).data(KEY)
        for row in range(rows.rowCount())
    ]


def test_the_newest_stands_first_under_its_day(sidebar: Sidebar) -> None:
    assert shown(sidebar) == ["# Today", "newest", "new", "# Earlier", "old"]


def test_what_was_said_stands_below_the_titles(sidebar: Sidebar, qtbot: QtBot) -> None:
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    with qtbot.waitSignal(sidebar.looked_for) as looked:
        sidebar.search.setText("newest")
    assert looked.args == ["newest"]
    rows.find([Found("old", "About old", "the newest one is here", NOW)])
    assert shown(sidebar) == ["# Today", "newest", "# In messages", "old"]
    index = rows.index(3, 0)
    assert "the newest one" in index.data(Qt.ItemDataRole.AccessibleDescriptionRole)
    with qtbot.waitSignal(sidebar.chosen) as chosen:
        QTest.mouseClick(
            sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=sidebar.list.visualRect(index).center()
        )
    assert chosen.args == ["old"]
    sidebar.search.clear()
    rows.find(())
    assert shown(sidebar) == ["# Today", "newest", "new", "# Earlier", "old"]


def test_yesterday_is_told_apart(sidebar: Sidebar) -> None:
    today = datetime.now().astimezone().replace(hour=12, minute=0)
    rows = Rows()
    rows.fill(
        [
            Conversation("a", "a", today),
            Conversation("b", "b", today - timedelta(days=1)),
            Conversation("c", "c", today - timedelta(days=2)),
        ]
    )
    assert [rows.index(row).data() for row in (0, 2, 4)] == ["Today", "Yesterday", "Earlier"]


def test_a_search_narrows_by_all_its_words_and_says_when_nothing_is_left(
    sidebar: Sidebar, qtbot: QtBot
) -> None:
    QTest.keyClicks(sidebar.search, "NEW about")
    assert [row for row in shown(sidebar) if row[0] != "#"] == ["newest", "new"]
    QTest.keyClicks(sidebar.search, " zebra")
    assert shown(sidebar) == []
    assert "No results" in words(sidebar)
    QTest.keyClick(sidebar.search, Qt.Key.Key_Escape)
    assert len(shown(sidebar)) == 5


def test_choosing_opens_once_and_headings_cannot_be_chosen(sidebar: Sidebar, qtbot: QtBot) -> None:
    chosen: list[str] = []
    sidebar.chosen.connect(chosen.append)
    sidebar.open("newest")
    assert chosen == []
    sidebar.list.setFocus()
    for _ in range(3):
        QTest.keyClick(sidebar.list, Qt.Key.Key_Down)
    assert chosen == ["new", "old"]
    QTest.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(40, 12))
    assert chosen == ["new", "old"]


def test_stepping_passes_the_headings(sidebar: Sidebar) -> None:
    chosen: list[str] = []
    sidebar.chosen.connect(chosen.append)
    sidebar.open("new")
    sidebar.step(1)
    sidebar.step(1)
    sidebar.step(-1)
    assert chosen == ["old", "new"]


def test_the_open_one_stays_chosen_when_the_list_is_filled_anew(sidebar: Sidebar) -> None:
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    sidebar.open("old")
    rows.fill([*rows.conversations, conversation("another")])
    assert sidebar.list.currentIndex().data(KEY) == "old"


def test_a_title_is_edited_in_place(sidebar: Sidebar, qtbot: QtBot) -> None:
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    renamed: list[tuple[str, str]] = []
    rows.renamed.connect(lambda key, title: renamed.append((key, title)))
    sidebar.open("new")
    sidebar.list.setFocus()
    QTest.keyClick(sidebar.list, Qt.Key.Key_F2)
    editor = sidebar.list.findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    editor.clear()
    QTest.keyClicks(editor, "  Better   title ")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: renamed == [("new", "Better title")])
    found = rows.get("new")
    assert found is not None
    assert found.title == "Better title"


def test_delete_and_undo_are_asked_for_by_keys(sidebar: Sidebar, qtbot: QtBot) -> None:
    deleted: list[str] = []
    undone: list[bool] = []
    sidebar.delete_wanted.connect(deleted.append)
    sidebar.undo_wanted.connect(lambda: undone.append(True))
    sidebar.open("old")
    QTest.keyClick(sidebar.list, Qt.Key.Key_Delete)
    QTest.keyClick(sidebar.list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert deleted == ["old"]
    assert undone == [True]


def test_unread_is_told_to_who_cannot_see_the_dot(sidebar: Sidebar) -> None:
    rows = Rows()
    rows.fill([conversation("a", unread=True), conversation("b", 0.001)])
    described = Qt.ItemDataRole.AccessibleDescriptionRole
    assert [rows.index(row).data(described) for row in (1, 2)] == ["unread", ""]


def test_another_language_is_spoken_at_once(sidebar: Sidebar, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NANOBOT_DESKTOP_LANGUAGE")
    try:
        speak("zh_CN")
        assert shown(sidebar)[0] == "# 今天"
        assert sidebar.settings.text().strip() == "设置"
    finally:
        speak("en")
    assert shown(sidebar)[0] == "# Today"


def test_a_title_that_is_being_edited_stays_so_while_an_answer_comes_elsewhere(
    sidebar: Sidebar, qtbot: QtBot
) -> None:
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    sidebar.list.edit(rows.index_of("old"))
    editor = sidebar.list.findChild(QLineEdit)
    assert editor is not None
    editor.setText("A new na")
    newest = rows.conversations[0]
    newest.updated, newest.unread = datetime.now(UTC), True
    rows.fill(rows.conversations)
    rows.refresh()
    assert sidebar.list.state() == QAbstractItemView.State.EditingState
    assert editor.text() == "A new na"
    assert rows.index_of(newest.key).data(UNREAD)
    QTest.keyClicks(editor, "me")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: rows.index_of("old").data() == "A new name")


def test_an_empty_list_says_why(sidebar: Sidebar) -> None:
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    rows.fill([])
    assert "appear here" in words(sidebar)
    sidebar.search.setText("plum")
    assert "No results" in words(sidebar)
    sidebar.search.clear()
    assert "appear here" in words(sidebar)


def kept(sidebar: Sidebar) -> Rows:
    """The list with one pinned and two put aside."""
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    made = [conversation("new"), conversation("old", 9), *(conversation(f"aside{n}", n) for n in (1, 2))]
    made[1].pinned = True
    made[2].archived = made[3].archived = True
    rows.fill(made)
    return rows


def test_the_pinned_stand_on_top_and_the_archived_behind_a_row(sidebar: Sidebar, qtbot: QtBot) -> None:
    rows = kept(sidebar)
    assert shown(sidebar) == ["# Pinned", "old", "# Today", "new", None]
    fold = rows.fold_index()
    assert (fold.data(), fold.data(FOLD)) == ("Archived (2)", False)
    with qtbot.assertNotEmitted(sidebar.chosen):
        QTest.mouseClick(
            sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=sidebar.list.visualRect(fold).center()
        )
    assert shown(sidebar)[4:] == [None, "aside1", "aside2"]
    assert rows.fold_index().data(Qt.ItemDataRole.AccessibleDescriptionRole) == "expanded"


def test_the_row_of_the_archived_is_opened_by_keyboard(sidebar: Sidebar, qtbot: QtBot) -> None:
    rows = kept(sidebar)
    sidebar.open("new")
    sidebar.list.setFocus()
    QTest.keyClick(sidebar.list, Qt.Key.Key_Down)
    QTest.keyClick(sidebar.list, Qt.Key.Key_Return)
    assert shown(sidebar)[4:] == [None, "aside1", "aside2"]
    with qtbot.waitSignal(sidebar.chosen) as chosen:
        QTest.keyClick(sidebar.list, Qt.Key.Key_Down)
    assert chosen.args == ["aside1"]
    QTest.keyClick(sidebar.list, Qt.Key.Key_Up)
    QTest.keyClick(sidebar.list, Qt.Key.Key_Space)
    assert shown(sidebar)[4:] == [None]
    assert not rows.fold_index().data(FOLD)


def test_a_search_finds_the_archived(sidebar: Sidebar) -> None:
    kept(sidebar)
    sidebar.search.setText("aside2")
    assert shown(sidebar) == [None, "aside2"]
    sidebar.search.clear()
    assert shown(sidebar)[4:] == [None]


def test_alt_and_an_arrow_pass_over_the_row_of_the_archived(sidebar: Sidebar, qtbot: QtBot) -> None:
    kept(sidebar).fold(opened=True)
    sidebar.open("new")
    with qtbot.waitSignal(sidebar.chosen) as chosen:
        sidebar.step(1)
    assert chosen.args == ["aside1"]


def test_a_title_that_comes_meanwhile_leaves_what_is_being_typed(sidebar: Sidebar, qtbot: QtBot) -> None:
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    sidebar.open("new")
    sidebar.list.setFocus()
    QTest.keyClick(sidebar.list, Qt.Key.Key_F2)
    editor = sidebar.list.findChild(QLineEdit)
    assert editor is not None
    QTest.keyClicks(editor, "Mine")
    named = rows.get("new")
    assert named is not None
    named.title = "By the model"
    rows.refresh()
    assert editor.text() == "Mine"
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: rows.index_of("new").data() == "Mine")


def test_a_row_says_what_goes_on_in_its_conversation(sidebar: Sidebar) -> None:
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    said = Qt.ItemDataRole.AccessibleDescriptionRole

    def told(key: str) -> tuple[str, str]:
        index = rows.index_of(key)
        return index.data(STATE), index.data(said)

    rows.mark(working={"newest", "new"}, asking={"new"})
    assert told("newest") == ("works", "answering")
    assert told("new") == ("asks", "needs your answer")
    assert told("old")[0] == ""
    sidebar.list.viewport().grab()
    rows.mark(working=set(), asking=set())
    assert [told(key)[0] for key in ("newest", "new")] == ["", ""]
