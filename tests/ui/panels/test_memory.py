"""The page of the memory: read, corrected, forgotten and brought back; Dream run; versions compared."""

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QScrollArea
from pytestqt.qtbot import QtBot

from desktop.api.memory import Dreamed
from desktop.bus.events import MemoryChanged
from desktop.ui.loop import Loop
from desktop.ui.panels.memory.fact import FactRow
from desktop.ui.panels.memory.panel import SUMMARIES, VERSIONS, WAITING, MemoryPanel
from desktop.ui.panels.memory.summaries import Summaries, SummaryRow
from desktop.ui.panels.memory.versions import Versions
from desktop.ui.panels.memory.waiting import Waiting
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.diff import DiffView, pairs
from desktop.ui.widgets.order import stops
from desktop.ui.widgets.stock import Stock
from tests.ui.panels.remembered import FILES, MEMORY, USER, Memory, diff, staged
from tests.ui.program import tell
from tests.ui.settings.reading import named, press, shown, write
from tests.ui.waiting import exposed


class Page:
    """The page as a person uses it."""

    def __init__(self, memory: Memory, loop: Loop, qtbot: QtBot) -> None:
        self.memory, self._loop, self.until = memory, loop, qtbot.waitUntil
        self.panel = MemoryPanel(memory)
        self.area = QScrollArea()
        qtbot.addWidget(self.area)
        self.area.setWidgetResizable(True)
        self.area.setWidget(self.panel)
        self.area.resize(640, 700)
        self.area.show()
        exposed(qtbot, self.area)
        self.settle()

    def settle(self) -> None:
        self.until(lambda: not asyncio.all_tasks(self._loop) and not self._under_way())

    def _under_way(self) -> bool:
        panel = self.panel
        stocks: list[Stock[Any, Any]] = [note.facts for note in panel.knows.notes.values()]
        stocks += [panel.waiting.staged] if panel.waiting else []
        stocks += [section.stock for section in panel.summaries.sections] if panel.summaries else []
        stocks += [panel.versions.files] if panel.versions else []
        drawn = all(_drawn(view) for view in panel.findChildren(DiffView))
        return panel.knows.waiting or not drawn or any(stock.waiting for stock in stocks)

    @property
    def waiting(self) -> Waiting:
        assert self.panel.waiting is not None
        return self.panel.waiting

    @property
    def summaries(self) -> Summaries:
        assert self.panel.summaries is not None
        return self.panel.summaries

    @property
    def versions(self) -> Versions:
        assert self.panel.versions is not None
        return self.panel.versions

    def press(self, words: str) -> None:
        press(self.area, words)
        self.settle()

    def turn_to(self, tab: int) -> None:
        self.panel.tabs.choose(tab)
        self.settle()

    @property
    def text(self) -> str:
        return shown(self.area)

    @property
    def facts(self) -> list[str]:
        """From top to bottom."""
        rows = [row for row in self.panel.findChildren(FactRow) if row.isVisible()]
        rows.sort(key=lambda row: row.mapTo(self.panel, row.rect().topLeft()).y())
        return [row.fact.text for row in rows if row.fact is not None]

    def edit(self, name: str, text: str) -> None:
        """Open a note and put this text in."""
        self.press(f"Edit {name}")
        [card] = [c for c in self.panel.knows.notes.values() if c.editing]
        assert card.editor is not None
        card.editor.text.setPlainText(text)

    def diffs(self) -> list[str]:
        return [view.toPlainText() for view in self.panel.findChildren(DiffView) if view.isVisible()]


@pytest.fixture
def memory() -> Memory:
    return Memory()


@pytest.fixture
def page(qapp: QApplication, qtbot: QtBot, memory: Memory) -> Iterator[Page]:
    theme()
    loop = Loop(qapp)
    made = Page(memory, loop, qtbot)
    yield made
    made.area.deleteLater()
    qtbot.waitUntil(lambda: not asyncio.all_tasks(loop))
    loop.close()


def test_facts_stand_with_when_and_from_where_they_came(page: Page) -> None:
    assert page.facts == [
        "Anna lives in Lisbon.",
        "Prefers short answers, without lists.",
        "The flat in Rua das Flores is let from June on.",
    ]
    assert "from “Moving house”" in page.text
    assert "About you" in page.text
    assert page.panel.knows.notes["SOUL"].text.toPlainText() == FILES["SOUL"].strip()
    assert "Nothing yet." in page.text, "AGENTS is empty"
    assert "Pending · 2" in page.text


def test_all_notes_are_searched_together(page: Page) -> None:
    field = named(page.panel, "Search what the agent knows")
    write(field, "rua das")
    page.settle()
    assert page.facts == ["The flat in Rua das Flores is let from June on."]
    assert not page.panel.knows.notes["SOUL"].isVisible()
    write(field, "moving HOUSE")
    page.settle()
    assert page.facts == ["Anna lives in Lisbon."], "where a fact came from is searched too"
    write(field, "calm")
    assert page.panel.knows.notes["SOUL"].isVisible()
    write(field, "no such thing")
    assert "No results." in page.text
    field.clear()
    page.settle()
    assert len(page.facts) == 3


def test_a_note_is_corrected_and_saved_on_the_spot(page: Page) -> None:
    page.edit("About you", USER.replace("Lisbon", "Porto"))
    page.press("Save")
    assert page.memory.files["USER"] == USER.replace("Lisbon", "Porto")
    assert page.facts[0] == "Anna lives in Porto."
    assert "Saved · " in page.text
    assert page.panel.knows.notes["USER"].edit.hasFocus()


def test_a_conflict_keeps_both_texts(page: Page) -> None:
    page.edit("About you", "- Mine.\n")
    page.memory.change("USER", "- Theirs.\n")
    page.press("Save")
    assert "Both versions are kept." in page.text
    assert page.memory.files["USER"] == "- Theirs.\n"
    editor = page.panel.knows.notes["USER"].editor
    assert editor is not None
    assert editor.text.toPlainText() == "- Mine.\n"
    assert editor.theirs.isVisible()
    assert editor.theirs.toPlainText() == "- Theirs.\n"
    page.press("Save")
    assert page.memory.files["USER"] == "- Mine.\n"
    assert page.facts[0] == "Mine."


def test_the_text_of_the_file_can_be_taken_instead(page: Page) -> None:
    page.edit("About you", "- Mine.\n")
    page.memory.change("USER", "- Theirs.\n")
    page.press("Save")
    page.press("Use the file’s text")
    editor = page.panel.knows.notes["USER"].editor
    assert editor is not None
    assert editor.text.toPlainText() == "- Theirs.\n"
    assert not editor.save.isEnabled()
    QTest.keyClick(editor.text, Qt.Key.Key_Escape)
    assert not editor.isVisible()
    assert page.facts[0] == "Theirs."


def test_a_change_elsewhere_leaves_what_is_being_written(page: Page) -> None:
    page.edit("About you", "- Mine.\n")
    page.memory.change("USER", "- Theirs.\n")
    tell(page.memory.bus, MemoryChanged("window:a", 3), page.until)
    page.settle()
    editor = page.panel.knows.notes["USER"].editor
    assert editor is not None
    assert editor.text.toPlainText() == "- Mine.\n"
    QTest.keyClick(editor.text, Qt.Key.Key_Escape)
    assert editor.isVisible(), "Esc does not lose what was written"
    assert editor.cancel.hasFocus()


def test_a_fact_is_forgotten_and_brought_back(page: Page) -> None:
    page.press("Forget: Anna lives in Lisbon.")
    assert page.facts[0] == "Prefers short answers, without lists."
    page.press("Undo")
    assert page.facts[0] == "Anna lives in Lisbon."


def test_undo_takes_back_nothing_else(page: Page) -> None:
    page.press("Forget: Anna lives in Lisbon.")
    page.memory.change("MEMORY", MEMORY + "- New.\n")
    page.press("Undo")
    assert "Memory has changed since then." in page.text
    assert "- New.\n" in page.memory.files["MEMORY"]


@pytest.mark.soak
def test_many_facts_come_in_parts(page: Page) -> None:
    page.memory.change("MEMORY", "".join(f"- Fact {number}.\n" for number in range(95)))
    page.panel.refresh()
    page.settle()
    assert len(page.facts) == 42
    page.press("Show 55 more")
    page.press("Show 15 more")
    assert len(page.facts) == 97


def test_dream_is_run_and_says_what_came_of_it(page: Page) -> None:
    page.turn_to(WAITING)
    assert "2 summaries pending" in page.text
    press(page.panel, "Run Dream now")
    page.until(lambda: "Reading new summaries…" in page.text)
    assert page.waiting.run.busy
    page.memory.go_on.set()
    page.settle()
    assert "Changed: About you (USER.md)." in page.text
    assert "Nothing pending" in page.text
    page.memory.dreams = Dreamed((), "", skipped=True, staged=0, told="")
    page.press("Run Dream now")
    assert "Nothing new to process." in page.text


@pytest.mark.parametrize(("words", "kept"), [("Accept", True), ("Discard", False)])
def test_a_staged_change_waits_for_an_answer(page: Page, words: str, kept: bool) -> None:
    page.memory.staged = [staged()]
    page.panel.refresh()
    page.turn_to(WAITING)
    assert "Pending · 3" in page.text
    assert "where a web page was read." in page.text
    [diff] = page.diffs()
    assert "+ - The key is under the mat." in diff
    page.press(words)
    assert page.diffs() == []
    assert ("under the mat" in page.memory.files["MEMORY"]) is kept


def test_summaries_are_read_folded_searched_and_older_ones_fetched(page: Page) -> None:
    def rows() -> list[SummaryRow]:
        return [row for row in page.panel.findChildren(SummaryRow) if row.isVisible()]

    page.turn_to(SUMMARIES)
    assert len(rows()) == 20
    assert page.text.count("not summarized") == 1
    [longest] = [row for row in rows() if row.fold.isVisible()]
    before = longest.height()
    longest.fold.click()
    page.until(lambda: longest.height() > before + 40)
    assert longest.fold.text() == "Show less"
    page.press("Older")
    page.press("Older")
    assert len(rows()) == 45
    assert not page.summaries.more.isVisible()
    write(named(page.panel, "Search summaries"), "Part 7.")
    page.until(lambda: len(rows()) == 1)
    write(named(page.panel, "Search summaries"), "nothing like that")
    page.until(lambda: "No results" in page.text)


def test_without_a_summary_it_is_said_when_one_will_come(page: Page) -> None:
    page.memory.summaries = []
    page.turn_to(SUMMARIES)
    assert "None yet. A conversation is summarized when it no longer fits" in page.text
    assert page.summaries.search.isVisible()


def test_versions_are_looked_at_compared_and_brought_back(page: Page) -> None:
    page.memory.change("USER", USER.replace("Lisbon", "Porto"), "person")
    page.memory.change("USER", USER.replace("Lisbon", "Rome"), "agent")
    page.turn_to(VERSIONS)
    assert page.versions.list.row == 0
    [changed] = page.diffs()
    assert changed.splitlines()[2:4] == ["- - Anna lives in Porto.", "+ - Anna lives in Rome."]
    box = page.versions.other
    assert isinstance(box, QComboBox)
    box.setCurrentIndex(box.count() - 1)  # the first version
    box.activated.emit(box.currentIndex())
    page.settle()
    assert "- - Anna lives in Lisbon.\n+ - Anna lives in Rome." in page.diffs()[0]
    page.versions.beside.click()
    page.settle()
    assert "- - Anna lives in Lisbon.\n+ - Anna lives in Rome." in page.diffs()[0]
    QTest.keyClick(page.versions.list, Qt.Key.Key_Down)
    page.settle()
    page.press("Restore About you (USER.md) to this version")
    assert page.memory.files["USER"] == USER.replace("Lisbon", "Porto")
    assert "Restored." in page.text
    page.press("Undo last change")
    assert page.memory.files["USER"] == USER.replace("Lisbon", "Rome")


def test_the_keyboard_reaches_everything_and_each_has_a_name(page: Page) -> None:
    page.memory.staged = [staged()]
    for tab in range(4):
        page.turn_to(tab)
        for stop in stops(page.panel):
            assert stop.accessibleName() or getattr(stop, "text", str)(), stop
    page.panel.tabs.buttons[VERSIONS].setFocus()
    QTest.keyClick(page.panel.tabs.buttons[VERSIONS], Qt.Key.Key_Right)
    assert page.panel.tabs.current == 0


def _drawn(view: DiffView) -> bool:
    return not any(timer.isActive() for timer in view.findChildren(QTimer))


def test_a_long_diff_comes_in_steps_and_is_cut(page: Page, qtbot: QtBot) -> None:
    lines = [f"- Fact {number}." for number in range(500)]
    text = diff("", "\n".join(lines))
    for beside in (False, True):
        view = DiffView()
        qtbot.addWidget(view)
        view.show_diff(text, beside=beside)
        qtbot.waitUntil(partial(_drawn, view))
        assert [line for line in view.toPlainText().splitlines() if line] == [
            *(f"+ {line}" for line in lines[:300]),
            "… 200 more lines",
        ]


def test_pairs_stand_beside_one_another() -> None:
    assert list(pairs([" a", "-b", "-c", "+d", " e", "+f", "@", "-g"])) == [
        (" a", " a"),
        ("-b", "+d"),
        ("-c", ""),
        (" e", " e"),
        ("", "+f"),
        ("@", "@"),
        ("-g", ""),
    ]
