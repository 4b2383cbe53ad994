"""The page of MCP servers over a real core and a real server: added, looked at, switched, taken away."""

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from desktop.api.servers import Pasted, Secrets, ServerLine
from desktop.bus.events import ServiceChanged
from desktop.config.describe import setting
from desktop.config.mcp import KEYCHAIN, keychain_name
from desktop.ui.panels.servers.fields import Fields
from desktop.ui.panels.servers.form import Form
from desktop.ui.panels.servers.item import ServerPage
from desktop.ui.panels.servers.page import Servers
from desktop.ui.panels.servers.paste import Paste, apart
from desktop.ui.panels.servers.words import about, command_line, state, words_of
from desktop.ui.settings.pairs import PairsEditor
from desktop.ui.settings.window import SettingsWindow
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.order import stops
from desktop.ui.widgets.text_field import TextField
from desktop.ui.words import speak
from tests.ui.program import Running
from tests.ui.settings.reading import choose, named, press, shown, write
from tests.ui.waiting import exposed

TIME = str(Path(sys.executable).with_name("mcp-server-time"))
REAL = {"command": TIME, "args": ["--local-timezone", "UTC"]}
PLAIN = ["-IS", str(Path(__file__).parents[2] / "servers" / "mcp" / "plain.py")]
SERVER = {"command": sys.executable, "args": PLAIN}
"""Has the same two tools as the real one."""
SECONDS = 30_000


class Page:
    """The page in its window, which hears the bus as the program's does."""

    def __init__(self, running: Running, qtbot: QtBot) -> None:
        self.running, self.until = running, qtbot.waitUntil
        self.window = SettingsWindow(running.actions)
        qtbot.addWidget(self.window)
        self.window.open_page("mcp")
        exposed(qtbot, self.window)
        running.settle()
        [self.part] = [p for view in self.window.views for p in view.parts if isinstance(p, Servers)]

    def press(self, words: str) -> None:
        press(self.window, words)

    def sees(self, *texts: str) -> None:
        """Wait until all of these can be read."""
        self.until(lambda: all(text in shown(self.window) for text in texts), timeout=SECONDS)

    @property
    def stored(self) -> dict[str, Any]:
        found: dict[str, Any] = self.running.stored.get("tools", {}).get("mcpServers", {})
        return found

    @property
    def names(self) -> list[str]:
        """Of the servers in the list."""
        return [row.key for row in self.part.list.rows]

    def paste(self, text: str) -> Paste:
        self.press("Paste settings…")
        form = self.part.form
        assert isinstance(form, Paste)
        form.text.setPlainText(text)
        return form

    def by_hand(self, words: str) -> Fields:
        """Press what opens the form, and wait until all of it is there."""
        self.press(words)
        form = self.part.form
        assert isinstance(form, Form)
        self.until(lambda: form.ready and "Timeout" in shown(self.window))
        return form.fields

    @property
    def arguments(self) -> str:
        [field] = [e for e in self.window.findChildren(TextField) if e.accessibleName() == "Arguments"]
        return field.toPlainText()

    def add_time(self, server: Mapping[str, object] = SERVER) -> None:
        """Add the server, and wait until it runs and its tools are shown."""
        form = self.paste(json.dumps({"mcpServers": {"time": server}}))
        self.until(form.save.isEnabled, timeout=SECONDS)
        self.press("Add")
        self.sees("Running · 2 tools · 2 not accepted", "get_current_time")
        self.press("Accept")
        self.sees("Running · 2 tools")
        self.until(lambda: "not accepted" not in shown(self.window), timeout=SECONDS)


@pytest.fixture
def page(running: Running, qtbot: QtBot) -> Page:
    return Page(running, qtbot)


def test_an_empty_page_says_what_servers_are_for(page: Page) -> None:
    assert "An MCP server lets the agent use tools from another program" in shown(page.window)
    page.press("Add manually…")
    assert "An MCP server lets" not in shown(page.window)
    page.press("Cancel")
    assert "An MCP server lets" in shown(page.window)


def test_what_is_pasted_is_shown_before_it_is_added_and_a_secret_goes_to_the_keychain(page: Page) -> None:
    text = (
        '{"mcpServers": {"notes": {"command": "no-such-notes", "env": {"NOTES_API_KEY": "s3cret-value"}}}}'
    )
    form = page.paste(text)
    page.until(form.save.isEnabled, timeout=SECONDS)
    seen = shown(page.window)
    assert "notes" in seen
    assert "no-such-notes" in seen
    assert "Saved to this computer’s keychain: NOTES_API_KEY" in seen
    assert "s3cret-value" not in seen
    assert page.stored == {}
    page.press("Add")
    page.sees("Failed")
    assert page.stored["notes"]["env"] == {"NOTES_API_KEY": KEYCHAIN}
    name = keychain_name("notes", "env", "NOTES_API_KEY")
    assert page.running.wait(page.running.core.keychain.get(name)) == "s3cret-value"
    page.press("Remove: notes")
    page.sees("notes removed.")


def test_text_that_is_no_server_is_answered_in_place(page: Page) -> None:
    form = page.paste("npm install the-server")
    page.sees("This text contains no MCP server.")
    assert not form.save.isEnabled()
    form.text.setPlainText(json.dumps({"mcpServers": {"time": SERVER}}))
    page.until(form.save.isEnabled, timeout=SECONDS)
    assert "This text contains no MCP server" not in shown(page.window)
    form.text.setPlainText("npm")
    assert not form.save.isEnabled()  # what is offered is that of the older text


def test_a_server_runs_is_tested_and_its_tools_are_switched(page: Page) -> None:
    page.add_time(REAL)
    card = page.part.pages["time"]
    assert "says it is read-only" in shown(card)
    row = card.tools.rows["convert_time"]
    assert row.switch.isChecked()
    row.switch.click()
    page.sees("Running · 1 of 2 tools")
    assert page.stored["time"]["disabledTools"] == ["convert_time"]
    page.press("I trust this server")
    page.until(lambda: "read-only" in shown(card).splitlines(), timeout=SECONDS)
    assert page.stored["time"]["trusted"] is True
    page.press("Test: time")
    page.sees("It works: 2 tools")
    page.press("Log: time")
    page.sees("Error output (stderr)")


def test_switched_off_it_stops_and_on_it_comes_again(page: Page) -> None:
    page.add_time()
    page.press("Use server time")
    page.sees("Off")
    assert page.stored["time"]["enabled"] is False
    page.press("Use server time")
    page.sees("Running · 2 tools")


def test_one_that_was_removed_is_brought_back(page: Page) -> None:
    page.add_time()
    page.press("Remove: time")
    page.sees("time removed.")
    assert page.stored == {}
    page.until(lambda: "time" not in page.names)
    page.press("Undo")
    page.until(lambda: "time" in page.names, timeout=SECONDS)
    assert page.stored["time"]["command"] == sys.executable


def test_the_language_is_changed_after_an_open_one_was_taken_away(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.add_time()
    [gone] = page.part.findChildren(ServerPage)
    page.press("Remove: time")
    page.sees("time removed.")
    page.until(lambda: not isValid(gone))
    monkeypatch.delenv("NANOBOT_DESKTOP_LANGUAGE")
    speak("zh_CN")
    page.sees("粘贴配置…")
    speak("en")


def test_by_hand_fields_say_what_is_wrong_and_a_line_is_parted_into_words(page: Page) -> None:
    page.by_hand("Add manually…")
    page.press("Add")
    page.sees("Enter a name.", "Enter a program.")
    write(named(page.window, "Name"), "clock")
    program, timeout = named(page.window, "Program"), named(page.window, "Timeout")
    program.setText(" ".join((sys.executable, *PLAIN)))
    program.editingFinished.emit()
    assert program.text() == sys.executable
    assert page.arguments == "\n".join(PLAIN)
    write(timeout, "0")
    page.press("Add")
    page.sees("Enter a value from 1 to 3,600.")
    assert timeout.hasFocus()
    write(timeout, "45")
    assert "Enter a value" not in shown(page.window)
    page.press("Test")
    page.sees("It works: 2 tools")
    assert page.stored == {}
    page.press("Add")
    page.sees("Running · 2 tools")
    assert page.stored["clock"]["args"] == PLAIN
    assert page.stored["clock"]["toolTimeout"] == 45


def test_a_server_is_edited_and_renamed_and_keeps_what_the_form_does_not_show(page: Page) -> None:
    page.add_time()
    card = page.part.pages["time"]
    card.tools.rows["convert_time"].switch.click()
    page.sees("Running · 1 of 2 tools")
    page.by_hand("Edit: time")
    assert page.arguments == "\n".join(PLAIN)
    assert not card.isVisible()
    write(named(page.window, "Name"), "clock")
    page.press("Save")
    page.until(lambda: page.names == ["clock"], timeout=SECONDS)
    page.sees("Running · 1 of 2 tools")
    assert page.stored["clock"]["disabledTools"] == ["convert_time"]


def test_an_address_has_its_own_fields(page: Page) -> None:
    form = page.by_hand("Add manually…")
    choose(page.window, "Type", "A service at a URL")
    assert "Program" not in shown(page.window).splitlines()
    write(named(page.window, "Name"), "far")
    page.press("Add")
    page.sees("Enter an address that starts with https:// or http://.")
    address = named(page.window, "Address")
    write(address, "example.com/mcp")
    page.press("Add")
    page.sees("An address must start with http:// or https:// and contain no spaces.")
    write(address, "https://mcp.invalid/mcp")
    press(page.window, "Sign in")
    given = form.read()
    assert given
    assert given[0]["url"] == "https://mcp.invalid/mcp"
    assert given[0]["auth"] == "oauth"
    assert "command" not in given[0]


def test_the_keyboard_goes_from_the_list_to_a_server_and_back(page: Page) -> None:
    page.running.wait(page.running.actions.api.servers.save("broken", {"command": "no-such-one"}, new=True))
    page.part.refresh()
    page.until(lambda: page.names == ["broken"])
    order = [stop for stop in stops(page.part) if stop.isVisible()]
    told = "broken, no-such-one, Not running. It starts when a conversation needs it."
    assert [stop.accessibleName() for stop in order] == [
        "Paste settings…",
        "Add manually…",
        told,
        "Use server broken",
    ]
    order[2].setFocus()
    QTest.keyClick(order[2], Qt.Key.Key_Return)
    page.sees("Failed", "The program no-such-one was not found.")
    back = page.part.pages["broken"].back
    assert back.hasFocus()
    page.press("Edit: broken")
    page.until(lambda: isinstance(page.part.form, Form) and page.part.form.ready)
    QTest.keyClick(named(page.window, "Name"), Qt.Key.Key_Escape)
    assert page.part.pages["broken"].edit.hasFocus()
    QTest.keyClick(back, Qt.Key.Key_Escape)
    [row] = page.part.list.rows
    assert row.hasFocus()
    assert "The program no-such-one was not found." in shown(row)
    assert page.window.isVisible()
    row.switch.click()
    page.until(lambda: page.stored["broken"].get("enabled") is False)
    page.until(lambda: row.accessibleName() == "broken, no-such-one, Off")
    assert "was not found" not in shown(row)


def test_what_happens_elsewhere_is_shown_at_once(page: Page) -> None:
    saved = page.running.actions.api.servers.save("other", SERVER, new=True)
    page.running.wait(saved)
    page.running.tell(ServiceChanged("mcp:other", "starting"))
    page.until(lambda: "other" in page.names, timeout=SECONDS)


# ---- pieces by themselves


def test_lines_of_secrets(qtbot: QtBot) -> None:
    theme()
    pairs = PairsEditor(setting("tools.mcp_servers.some.env"))
    qtbot.addWidget(pairs)
    pairs.put({"API_TOKEN": KEYCHAIN, "LANG": "de"})
    token, lang = pairs.table.lines
    assert token.value.text() == ""
    assert token.value.echoMode() is QLineEdit.EchoMode.Password
    assert lang.value.echoMode() is QLineEdit.EchoMode.Normal
    assert pairs.given() == ({"API_TOKEN": KEYCHAIN, "LANG": "de"}, {})
    token.value.setText("another")
    assert pairs.given() == ({"API_TOKEN": KEYCHAIN, "LANG": "de"}, {"API_TOKEN": "another"})
    pairs.table.add.click()
    pairs.table.lines[2].name.setText("MY_PASSWORD")
    pairs.table.lines[2].value.setText("open sesame")
    assert pairs.table.lines[2].secret.isChecked()
    pairs.table.lines[2].secret.click()  # the person knows better
    plain, secret = pairs.given()
    assert plain["MY_PASSWORD"] == "open sesame"
    assert secret == {"API_TOKEN": "another"}


def test_secrets_are_taken_out_of_what_was_pasted() -> None:
    given = {"command": "x", "env": {"KEY": "k", "B": "b"}, "headers": {}}
    server, secrets = apart(Pasted("a", given, {"env": ("KEY",), "headers": ()}))
    assert server["env"] == {"KEY": KEYCHAIN, "B": "b"}
    assert secrets == Secrets(env={"KEY": "k"})


def test_a_server_in_words() -> None:
    assert about("npx", ["-y", "a b"], "") == "npx -y 'a b'"
    assert words_of(command_line("npx", ["-y", "a b"])) == ["npx", "-y", "a b"]
    assert about("", (), "https://a.example/mcp") == "https://a.example/mcp"
    server = ServerLine("a", state="running", tools_total=12, tools_on=12)
    assert state(server) == ("success", "Running · 12 tools")
    assert state(replace(server, tools_on=3)) == ("success", "Running · 3 of 12 tools")
    assert state(replace(server, enabled=False)) == ("faint", "Off")
    assert state(replace(server, state="needs_sign_in"))[1] == "Sign-in needed"
