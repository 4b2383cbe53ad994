"""The list: groups, search, the open conversation, naming and deleting by keyboard."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import QPersistentModelIndex, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QCursor
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from desktop.ui.sidebar.rows import (
    CHANNEL,
    FOLD,
    HEADING,
    KEY,
    SENDER,
    STATE,
    UNREAD,
    Conversation,
    Found,
    Rows,
)
from desktop.ui.sidebar.sidebar import Sidebar
from desktop.ui.theme.theme import theme
from desktop.ui.words import speak
from tests.ui.pictures import take
from tests.ui.settings.reading import shown as words
from tests.ui.waiting import exposed


def now() -> datetime:
    """Asked for when it is needed: a run may go past midnight."""
    return datetime.now(UTC)


def conversation(key: str, days: float = 0, title: str = "", unread: bool = False) -> Conversation:
    return Conversation(key, title or f"About {key}", now() - timedelta(days=days), unread)


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
    exposed(qtbot, made)
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


def test_a_conversation_of_a_chat_app_is_told_from_others(sidebar: Sidebar) -> None:
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    rows.fill([conversation("telegram:42", unread=True), conversation("window:1")])
    ours, plain = rows.index_of("telegram:42"), rows.index_of("window:1")
    assert (ours.data(CHANNEL), plain.data(CHANNEL)) == ("telegram", "")
    assert ours.data(Qt.ItemDataRole.AccessibleDescriptionRole) == "Telegram, unread"


def test_the_row_of_a_chat_tells_who_writes(sidebar: Sidebar, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    named = conversation("telegram:66", title="A table for four")
    named.sender = "Mallory"
    rows.fill([named, conversation("slack:C1", title="Release notes"), conversation("window:1")])
    telegram, slack, plain = map(rows.index_of, ("telegram:66", "slack:C1", "window:1"))
    assert [index.data(SENDER) for index in (telegram, slack, plain)] == ["Mallory", "Slack", ""]
    assert telegram.data(Qt.ItemDataRole.AccessibleTextRole) == "A table for four, Mallory"
    assert slack.data(Qt.ItemDataRole.AccessibleTextRole) == "Release notes"
    heights = [sidebar.list.visualRect(index).height() for index in (telegram, slack, plain)]
    assert heights[0] == heights[1] > heights[2]
    take(sidebar, "sidebar-senders", monkeypatch, QApplication.processEvents)
    sidebar.search.setText("mallory")
    assert keys(sidebar) == ["telegram:66"]


@pytest.fixture
def chatting(sidebar: Sidebar) -> Sidebar:
    """One with conversations of two apps, one of both, and one of the window."""
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    rows.fill(
        [
            conversation("window:1", title="Plan a trip"),
            conversation("telegram:42", 0.01, "Shopping list", unread=True),
            conversation("slack:C1:2", 0.02, "Release notes"),
            conversation("unified:default", 1, "What we talked about"),
        ]
    )
    return sidebar


def keys(sidebar: Sidebar) -> list[str]:
    return [key for key in shown(sidebar) if key and not key.startswith("#")]


def test_the_list_is_narrowed_to_one_chat_app_by_the_keyboard(
    chatting: Sidebar, monkeypatch: pytest.MonkeyPatch
) -> None:
    choice = chatting.filter
    chatting.search.setFocus()
    for _press in range(2):
        QTest.keyClick(chatting.focusWidget(), Qt.Key.Key_Tab)
    assert chatting.focusWidget() is choice
    assert (choice.accessibleName(), choice.currentText()) == ("Conversations of", "All conversations")
    found = {}
    for _press in range(3):
        QTest.keyClick(choice, Qt.Key.Key_Down)
        found[choice.currentText()] = keys(chatting)
    assert found == {
        "This computer": ["window:1"],
        "Telegram": ["telegram:42", "unified:default"],
        "Slack": ["slack:C1:2", "unified:default"],
    }
    chatting.search.setText("talked")
    assert keys(chatting) == ["unified:default"]
    chatting.search.clear()
    choice.choose("telegram")
    take(chatting, "sidebar-filter", monkeypatch, QApplication.processEvents)


def test_a_conversation_that_is_opened_is_shown_whatever_the_list_was_narrowed_to(
    chatting: Sidebar,
) -> None:
    chatting.filter.choose("slack")
    chatting.open("slack:C1:2")
    assert chatting.filter.value == "slack"
    chatting.open("window:1")
    assert chatting.filter.value == ""
    assert chatting.list.currentIndex().data(KEY) == "window:1"


def test_without_chat_apps_there_is_nothing_to_narrow_to(chatting: Sidebar) -> None:
    chatting.filter.choose("slack")
    rows = chatting.list.model()
    assert isinstance(rows, Rows)
    rows.fill([conversation("window:1")])
    assert chatting.filter.isHidden()
    assert keys(chatting) == ["window:1"]


def test_what_was_said_stands_below_the_titles(sidebar: Sidebar, qtbot: QtBot) -> None:
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    with qtbot.waitSignal(sidebar.looked_for) as looked:
        sidebar.search.setText("newest")
    assert looked.args == ["newest"]
    rows.find([Found("old", "About old", "the newest one is here", now())])
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


def test_an_empty_list_says_nothing_before_it_was_read(qtbot: QtBot) -> None:
    theme()
    rows = Rows()
    sidebar = Sidebar(rows)
    rows.setParent(sidebar)
    qtbot.addWidget(sidebar)
    sidebar.show()
    assert "appear here" not in words(sidebar)
    rows.fill([])
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


def editing(sidebar: Sidebar, key: str, typed: str) -> QLineEdit:
    """The field of a title, with words in it."""
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    sidebar.open(key)
    sidebar.list.setFocus()
    QTest.keyClick(sidebar.list, Qt.Key.Key_F2)
    editor = sidebar.list.findChild(QLineEdit)
    assert editor is not None
    editor.clear()
    QTest.keyClicks(editor, typed)
    return editor


def answered(rows: Rows) -> None:
    """An answer comes in the conversation that stood last."""
    rows.conversations[-1].updated = now() + timedelta(minutes=1)
    rows.fill(rows.conversations)


def arrived(rows: Rows) -> None:
    rows.fill([*rows.conversations, conversation("another", -0.001)])


def grown_old(rows: Rows) -> None:
    """Midnight has passed."""
    for one in rows.conversations:
        one.updated -= timedelta(days=1)
    rows.fill(rows.conversations)


def pinned(rows: Rows) -> None:
    """The one that is edited goes to the top."""
    rows.conversations[1].pinned = True
    rows.refresh()


def gone(rows: Rows) -> None:
    rows.fill(one for one in rows.conversations if one.key == "new")


@pytest.mark.parametrize("change", [answered, arrived, grown_old, pinned, gone])
def test_a_title_that_is_being_edited_stays_so_whatever_happens_to_the_list(
    sidebar: Sidebar, qtbot: QtBot, change: Callable[[Rows], None]
) -> None:
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    editor = editing(sidebar, "new", "A better na")
    before = shown(sidebar)
    change(rows)
    assert shown(sidebar) != before
    QApplication.processEvents()
    assert sidebar.list.state() == QAbstractItemView.State.EditingState
    assert sidebar.list.visualRect(rows.index_of("new")).contains(editor.geometry().center())
    assert sidebar.list.currentIndex().data(KEY) == "new"
    assert sidebar.list.selectionModel().selectedIndexes() == [rows.index_of("new")]
    QTest.keyClicks(editor, "me")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: rows.index_of("new").data() == "A better name")


def test_a_conversation_that_goes_while_its_title_is_edited_is_not_renamed(
    sidebar: Sidebar, qtbot: QtBot
) -> None:
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    editing(sidebar, "new", "A better na")
    with qtbot.assertNotEmitted(rows.renamed), qtbot.assertNotEmitted(sidebar.chosen):
        rows.fill(one for one in rows.conversations if one.key != "new")
        QApplication.processEvents()
    assert shown(sidebar) == ["# Today", "newest", "# Earlier", "old"]
    assert not sidebar.list.currentIndex().isValid()


def test_the_open_conversation_is_chosen_again_when_a_search_ends(sidebar: Sidebar, qtbot: QtBot) -> None:
    sidebar.open("new")
    with qtbot.assertNotEmitted(sidebar.chosen):
        sidebar.search.setText("old")
        assert not sidebar.list.selectionModel().selectedIndexes()
        sidebar.search.clear()
    assert sidebar.list.currentIndex().data(KEY) == "new"


def test_what_a_person_has_scrolled_to_stays_before_them(sidebar: Sidebar) -> None:
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    rows.fill(conversation(f"c{n:02}", n / 1000) for n in range(60))
    sidebar.open("c00")
    QApplication.processEvents()
    sidebar.list.scrollTo(rows.index_of("c40"), QAbstractItemView.ScrollHint.PositionAtTop)
    there = sidebar.list.visualRect(rows.index_of("c45"))
    for change in (answered, arrived, gone_one):
        change(rows)
        QApplication.processEvents()
        assert sidebar.list.visualRect(rows.index_of("c45")) == there, change.__name__


def gone_one(rows: Rows) -> None:
    rows.fill(one for one in rows.conversations if one.key != "c20")


def test_the_row_under_the_mouse_is_marked_and_not_one_that_was(sidebar: Sidebar, qtbot: QtBot) -> None:
    rows = sidebar.list.model()
    assert isinstance(rows, Rows)
    rows.fill([conversation("last", 0.002), conversation("new"), conversation("newest", -0.0001)])
    viewport = sidebar.list.viewport()
    under = sidebar.list.visualRect(rows.index_of("newest"))
    corner = QPoint(30, 8)

    def ground(place: QRect) -> QColor:
        return viewport.grab(place).toImage().pixelColor(corner)

    def reached() -> bool:
        QCursor.setPos(viewport.mapToGlobal(under.center()))  # anew: the window may be placed only now
        return ground(under) != plain

    plain = ground(under)
    qtbot.waitUntil(reached)
    answered(rows)
    assert shown(sidebar) == ["# Today", "last", "newest", "new"]
    assert ground(under) != plain
    assert ground(sidebar.list.visualRect(rows.index_of("newest"))) == plain


def test_the_list_keeps_what_qt_expects_of_it_through_many_changes(qtbot: QtBot) -> None:
    theme()
    rows = Rows()
    sidebar = Sidebar(rows)
    rows.setParent(sidebar)
    qtbot.addWidget(sidebar)
    sidebar.show()
    QAbstractItemModelTester(rows, QAbstractItemModelTester.FailureReportingMode.Fatal, sidebar)
    chance = random.Random(19)
    many = [conversation(f"{chance.choice(['slack:', ''])}c{n}", n / 4) for n in range(30)]
    kept: dict[str, QPersistentModelIndex] = {}
    for step in range(300):
        here = chance.sample(many, chance.randint(0, len(many)))
        for one in chance.sample(many, 4):
            one.updated = now() - timedelta(days=chance.random() * 4)
            one.pinned, one.archived = chance.random() < 0.2, chance.random() < 0.2
        rows.fill(here)
        rows.search(chance.choice(["", "", "c1"]))
        rows.find([Found(one.key, one.title, "said", now()) for one in chance.choices(many, k=step % 4)])
        rows.narrow_to(chance.choice(["", "", "slack"]))
        rows.fold(opened=chance.random() < 0.5)
        if here:
            sidebar.open(chance.choice(here).key)
        for key, index in kept.items():
            assert not index.isValid() or index.data(KEY) == key
        found = [rows.index(row) for row in range(rows.rowCount())]
        kept = {index.data(KEY): QPersistentModelIndex(index) for index in found if index.data(KEY)}
        QApplication.processEvents()
