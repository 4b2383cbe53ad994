"""The page of the skills over a real core: seen, opened, written, switched off, deleted, brought back."""

import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.ui.panels.skills.panel import SkillsPanel
from desktop.ui.panels.skills.row import SkillRow
from desktop.ui.settings.window import SettingsWindow
from desktop.ui.widgets.order import stops
from tests.ui.program import Running
from tests.ui.settings.reading import named, press, shown, write

HERBS = "---\nname: herbs\ndescription: Herb facts.\n---\n\nMint is a herb.\n"
LAME = "---\ndescription: Lame.\nmetadata: {nanobot: {requires: {bins: [no-such-program]}}}\n---\nBody\n"


def put(home: Path, name: str, text: str) -> Path:
    path = home / "workspace" / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


class Page:
    """The page, as a person uses it."""

    def __init__(self, window: SettingsWindow, running: Running, qtbot: QtBot) -> None:
        self.window, self.running, self._bot = window, running, qtbot
        window.open_page("skills")
        self.settle()
        views = [part for view in window.views for part in view.parts if isinstance(part, SkillsPanel)]
        [self.panel] = views
        self.settle()

    def settle(self) -> None:
        self.running.settle()
        QApplication.sendPostedEvents()
        if hasattr(self, "panel"):
            self._bot.waitUntil(lambda: not self.panel.list.waiting)
            self.running.settle()

    def rows(self) -> list[str]:
        """The names in the list, from top to bottom."""
        return [row.skill.name for row in self.panel.findChildren(SkillRow) if row.isVisible()]

    def row(self, name: str) -> SkillRow:
        [found] = [r for r in self.panel.findChildren(SkillRow) if r.isVisible() and r.skill.name == name]
        return found

    def open(self, name: str) -> None:
        QTest.mouseClick(self.row(name), Qt.MouseButton.LeftButton)
        self.settle()
        assert self.panel.editor.isVisible()

    def press(self, words: str) -> None:
        press(self.window, words)
        self.settle()

    def look_for(self, text: str) -> None:
        field = named(self.window, "Search skills")
        field.clear()
        write(field, text)
        self.settle()

    def type(self, text: str) -> None:
        """Type at the end of the text of the open skill."""
        field = self.panel.editor.text
        field.moveCursor(field.textCursor().MoveOperation.End)
        QTest.keyClicks(field, text)

    @property
    def text(self) -> str:
        return shown(self.window)


@pytest.fixture
def page(home: Path, request: pytest.FixtureRequest, qtbot: QtBot) -> Page:
    put(home, "herbs", HERBS)
    put(home, "lame", LAME)
    put(home, "calm", "---\ndescription: Never shout.\nalways: true\n---\nNever.\n")
    put(home, "weather", "---\ndescription: Our own station.\n---\nMine.\n")
    window: SettingsWindow = request.getfixturevalue("window")
    return Page(window, request.getfixturevalue("running"), qtbot)


def test_skills_are_listed_with_what_is_wrong_with_them(page: Page) -> None:
    assert page.rows()[:4] == ["calm", "herbs", "lame", "weather"]
    assert {"clawhub", "github", "skill-creator", "summarize", "tmux"} <= set(page.rows())
    lame = page.row("lame").accessibleName()
    assert "Unavailable: The program no-such-program is not installed." in lame
    assert "turn the skill off" in lame
    assert "in every conversation" in page.row("calm").accessibleName()
    assert "replaces the built-in" in page.row("weather").accessibleName()
    assert page.row("summarize").accessibleName().startswith("summarize, built-in, Summarizes web pages")
    assert "Yours" in page.text
    assert "Built-in" in page.text
    assert str(page.running.home.workspace / "skills") in page.text


def test_the_list_is_searched(page: Page) -> None:
    page.look_for("HERB")
    assert page.rows() == ["herbs"]
    page.look_for("nothing like that")
    assert page.rows() == []
    assert "No results" in page.text
    page.look_for("")
    assert len(page.rows()) == 11


def test_a_skill_is_switched_off_and_on(page: Page) -> None:
    switch = page.row("herbs").switch
    assert switch.isChecked()
    QTest.mouseClick(switch, Qt.MouseButton.LeftButton)
    page.settle()
    assert page.running.stored["agents"]["defaults"]["disabledSkills"] == ["herbs"]
    assert not page.row("herbs").switch.isChecked()
    assert page.panel.list.isVisible(), "the switch does not open the skill"
    page.row("herbs").switch.click()
    page.settle()
    assert page.running.stored["agents"]["defaults"]["disabledSkills"] == []


def test_a_skill_is_read_and_changed(page: Page) -> None:
    page.open("herbs")
    assert page.panel.editor.text.toPlainText() == HERBS
    page.type("Sage too.")
    page.press("Save")
    assert (page.running.home.workspace / "skills/herbs/SKILL.md").read_text().endswith("Sage too.\n")
    assert page.panel.list.isVisible()
    assert "herbs is saved. It applies from the next message." in page.text
    assert page.row("herbs").hasFocus()


def test_what_was_not_saved_is_kept_until_it_is_cancelled(page: Page) -> None:
    page.open("herbs")
    page.type("Sage")
    page.window.open_page("tools")
    page.window.open_page("skills")
    page.settle()
    assert page.panel.editor.text.toPlainText().endswith("Sage")
    page.press("Back to skills")
    assert "not saved" in page.row("herbs").accessibleName()
    page.window.hide()
    page.window.open_page("skills")
    page.settle()
    page.open("herbs")
    assert page.panel.editor.text.toPlainText().endswith("Sage")
    page.press("Cancel")
    assert "not saved" not in page.row("herbs").accessibleName()
    page.open("herbs")
    assert page.panel.editor.text.toPlainText() == HERBS


def test_a_file_that_changed_meanwhile_is_told(page: Page, home: Path) -> None:
    page.open("herbs")
    page.type("Sage")
    page.press("Back to skills")
    put(home, "herbs", HERBS + "By the agent.\n")
    page.open("herbs")
    assert "The file changed while you were editing." in page.text
    page.press("Save")
    assert put(home, "x", "").exists()
    assert (home / "workspace/skills/herbs/SKILL.md").read_text() == HERBS + "Sage\n"


def test_a_new_skill_is_written(page: Page) -> None:
    page.press("New skill")
    name = named(page.window, "Name")
    write(name, "Water Bill")
    assert name.text() == "water-bill"
    write(named(page.window, "When to use it"), "Check the bill: when it comes.")
    QTest.keyClicks(page.panel.form.text, "Compare it.")
    page.press("Create skill")
    text = (page.running.home.workspace / "skills/water-bill/SKILL.md").read_text()
    assert text == (
        '---\nname: water-bill\ndescription: "Check the bill: when it comes."\n---\n\nCompare it.\n'
    )
    assert "water-bill" in page.rows()
    assert "when you type $water-bill" in page.text
    assert "- water-bill: Check the bill: when it comes." in page.running.core.skills.prompt()
    page.press("New skill")
    assert named(page.window, "Name").text() == ""


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("a--b", "single hyphens"),
        ("-a", "single hyphens"),
        ("x!", "single hyphens"),
        ("herbs", "already"),
    ],
)
def test_a_name_is_checked_while_it_is_typed(page: Page, name: str, complaint: str) -> None:
    page.press("New skill")
    write(named(page.window, "Name"), name)
    assert complaint in page.text
    write(named(page.window, "Name"), "good")
    assert complaint not in page.text


def test_what_is_missing_in_a_new_skill_is_said_and_nothing_lost(page: Page) -> None:
    page.press("New skill")
    page.press("Create skill")
    for words in (
        "Enter a name.",
        "Say when the agent should use it.",
        "Write what the agent should do.",
    ):
        assert words in page.text
    write(named(page.window, "Name"), "good")
    page.press("Create skill")
    assert "Enter a name." not in page.text
    assert named(page.window, "When to use it").hasFocus()
    page.press("Back to skills")
    page.press("New skill")
    assert named(page.window, "Name").text() == "good"
    page.press("Cancel")
    page.press("New skill")
    assert named(page.window, "Name").text() == ""


def test_a_skill_is_deleted_and_brought_back(page: Page) -> None:
    page.open("herbs")
    page.press("Delete")
    assert "herbs" not in page.rows()
    assert "“herbs” deleted" in page.text
    page.press("Undo")
    assert "herbs" in page.rows()
    assert (page.running.home.workspace / "skills/herbs/SKILL.md").read_text() == HERBS


def test_a_built_in_skill_becomes_ones_own_and_goes_back(page: Page) -> None:
    page.open("summarize")
    editor = page.panel.editor
    assert editor.text.isReadOnly()
    assert "Delete" not in page.text
    page.press("Customize")
    page.type("Mine.")
    page.press("Save")
    assert "replaces the built-in" in page.row("summarize").accessibleName()
    page.open("summarize")
    assert editor.text.toPlainText().endswith("Mine.\n")
    page.press("Restore built-in")
    assert "built-in" in page.row("summarize").accessibleName()


def test_a_skill_that_cannot_be_used_opens_with_the_reason(page: Page, home: Path, tmp_path: Path) -> None:
    put(home, "huge", "x" * 2_000_000)
    (home / "workspace/skills/far").symlink_to(tmp_path)
    page.press("New skill")
    page.press("Back to skills")
    page.open("huge")
    assert "2,000 kB" in page.text
    assert page.panel.editor.text.isReadOnly()
    page.press("Back to skills")
    page.open("far")
    assert "leads out of the workspace" in page.text
    assert not page.panel.editor.text.isVisible()
    assert "Delete" in page.text


def test_the_keyboard_reaches_everything(page: Page) -> None:
    order = [stop for stop in stops(page.panel) if stop.isVisible()]
    names = [stop.accessibleName() for stop in order]
    assert all(names), order
    assert names[:2] == ["New skill", "Search skills"]
    row = page.row("herbs")
    assert order.index(row.switch) == order.index(row) + 1
    row.setFocus()
    QTest.keyClick(row, Qt.Key.Key_Return)
    page.settle()
    assert page.panel.editor.text.hasFocus()
    page.type("Sage")
    QTest.keyClick(page.panel.editor.text, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    page.settle()
    assert (page.running.home.workspace / "skills/herbs/SKILL.md").read_text().endswith("Sage\n")
    QTest.keyClick(page.row("herbs"), Qt.Key.Key_Space)
    page.settle()
    open_ = [stop.accessibleName() or getattr(stop, "text", str)() for stop in stops(page.panel)]
    assert open_ == ["Back to skills", "Text of herbs", "Delete", "Save"]
    QTest.keyClick(page.panel.editor.text, Qt.Key.Key_Escape)
    page.settle()
    assert page.panel.list.isVisible()
    assert page.window.isVisible()


@pytest.mark.soak
def test_a_hundred_skills_are_made_in_small_steps(page: Page, home: Path) -> None:
    for number in range(100):
        put(home, f"s{number:03}", f"---\ndescription: Number {number}.\n---\nBody")
    page.press("New skill")
    page.press("Back to skills")
    assert len(page.rows()) == 111
    page.look_for("number 42.")
    assert page.rows() == ["s042"]


def test_a_value_that_a_skill_needs_is_entered_hidden_and_removed(page: Page, home: Path) -> None:
    needy = "---\ndescription: The sky.\nrequires: {env: [SKY_KEY]}\n---\nLook up.\n"
    put(home, "sky", needy)
    page.panel.refresh()
    page.settle()
    assert "SKY_KEY" in page.row("sky").accessibleName()
    page.open("sky")
    field = page.panel.editor.keys.fields["SKY_KEY"]
    assert field.edit.accessibleName() == "Value of SKY_KEY"
    assert field.edit in set(stops(page.window))
    field.edit.setText("sky-secret-1")
    QTest.keyClick(field.edit, Qt.Key.Key_Return)
    page.settle()
    assert "Saved to the keychain." in page.text
    assert "sky-secret-1" not in page.text
    assert page.running.wait(page.running.core.keychain.get("skill:sky:SKY_KEY")) == "sky-secret-1"
    if folder := os.environ.get("NANOBOT_TEST_SHOTS"):
        page.window.grab().save(str(Path(folder) / "skill-keys.png"))
    assert "not set" not in page.text
    QTest.mouseClick(page.panel.editor.keys.removes["SKY_KEY"], Qt.MouseButton.LeftButton)
    page.settle()
    assert "Value removed." in page.text
    assert "SKY_KEY, which is not set" in page.text
