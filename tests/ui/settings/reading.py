"""Finding what a person sees, by its words and only if it is shown, and doing what a person does."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit, QWidget

from desktop.ui.settings.rows import SettingRow
from desktop.ui.settings.window import SettingsWindow
from desktop.ui.widgets.rows import Row


def shown(root: QWidget) -> str:
    """All text of labels and buttons that can be seen."""
    labels, buttons = root.findChildren(QLabel), root.findChildren(QAbstractButton)
    return "\n".join(
        [label.text() for label in labels if label.isVisible()]
        + [button.text() for button in buttons if button.isVisible()]
    )


def press(root: QWidget, words: str) -> None:
    """Press the button with these words, or this accessible name; one at work, when it is done."""
    buttons = [b for b in root.findChildren(QAbstractButton) if b.isVisible() and b.isEnabled()]
    [button] = [b for b in buttons if words in (b.text(), b.accessibleName())]
    while button.property("busy"):
        QTest.qWait(1)
    button.click()


def row(window: SettingsWindow, name: str) -> SettingRow:
    """The row of a setting, with its page in front."""
    section = name.rpartition(".")[0]
    for view in window.views:
        places = {place for group in view.page.groups for place in group.names}
        providers = view.page.key == "model" and section.startswith("providers.")
        if not (places & {name, section} or providers):
            continue
        window.open_page(view.page.key)
        for found in view.findChildren(SettingRow):
            if found.setting.name == name:
                return found
    raise AssertionError(name)


def field(window: SettingsWindow, name: str) -> QLineEdit:
    """The text field of a setting."""
    found = row(window, name).editor.field
    assert isinstance(found, QLineEdit)
    return found


def named(root: QWidget, words: str) -> QLineEdit:
    """The text field of this accessible name."""
    [found] = [e for e in root.findChildren(QLineEdit) if e.isVisible() and e.accessibleName() == words]
    return found


def choose(root: QWidget, name: str, item: str) -> None:
    """Choose an item of the list of this accessible name, as a person does."""
    [box] = [b for b in root.findChildren(QComboBox) if b.isVisible() and b.accessibleName() == name]
    at = box.findText(item)
    assert at >= 0, [box.itemText(i) for i in range(box.count())]
    box.setCurrentIndex(at)
    box.activated.emit(at)


def write(edit: QLineEdit, text: str) -> None:
    """Type into a field, over what is there."""
    edit.setFocus()
    edit.selectAll()
    QTest.keyClicks(edit, text)


def enter(edit: QLineEdit) -> None:
    """Press Enter in a field."""
    QTest.keyClick(edit, Qt.Key.Key_Return)


def complaint(root: QWidget, title: str) -> str:
    """What is said to be wrong in the row of this title; "" for nothing."""
    [found] = [r for r in root.findChildren(Row) if r.isVisible() and r.title.text() == title]
    return found.problem.text() if found.problem.isVisible() else ""
