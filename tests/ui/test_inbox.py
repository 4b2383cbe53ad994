"""The inbox over a real core: counted, shown by day in a drawer, acted on there, its history searched."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu
from pytestqt.qtbot import QtBot

from desktop.agent.forms import card
from desktop.api.jobs import JobLine
from desktop.api.reply import Reply
from desktop.config.loosening import Loose, loosens
from desktop.cron.job import Job
from desktop.cron.ledger import ASKED, DUE, Run
from desktop.cron.schedule import Every
from desktop.cron.wanted import Wanted
from desktop.inbox.inbox import APPROVAL, REMINDER, SUBAGENT, WAITING, Notice
from desktop.tools.form import Field, Form, Kind
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.main_window import MainWindow
from desktop.ui.panels.inbox.drawer import Drawer
from desktop.ui.panels.inbox.group import GroupItem
from desktop.ui.panels.inbox.item import NoticeItem, QuestionItem
from desktop.ui.panels.inbox.pending import PendingQuestions
from desktop.ui.sidebar.library import Library
from desktop.ui.sidebar.rows import Rows
from desktop.ui.state import StateFile
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.order import laid_out
from desktop.ui.words import speak
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.ui.pictures import take
from tests.ui.program import Running
from tests.ui.settings.reading import press, shown, write

DAY = 86400.0


class Desk:
    """The window over a core, with what the conductor connects for the inbox."""

    def __init__(self, running: Running, qtbot: QtBot) -> None:
        self.running, self.until = running, qtbot.waitUntil
        file, rows = StateFile(running.home.root / "window.json"), Rows()
        self.window = MainWindow(file.state, rows)
        qtbot.addWidget(self.window)
        self.window.close_wanted.connect(self.window.hide)
        self.window.resize(1000, 800)
        for owned in (file, rows):
            owned.setParent(self.window)
        reporter = ErrorReporter(self.window)
        pane = self.window.pane
        pane.begin(running.actions, reporter, file, lambda *_told: None)
        self.talk = pane.talk
        self.library = Library(running.actions, reporter, self.window, rows, file, self.talk)
        questions = self.talk.questions
        self.answering = PendingQuestions(
            running.actions, reporter, self.window, pane.view, questions, self.library
        )
        self.window.show()
        self.window.activateWindow()
        qtbot.waitUntil(self.window.isActiveWindow)
        self.answering.begin()
        self.settle()

    def settle(self) -> None:
        self.running.settle()
        if (drawer := self.window.inbox.drawer) is not None:
            self.until(lambda: not drawer.waiting and not drawer.search.typing)
        self.running.settle()
        QApplication.sendPostedEvents()

    def put(self, id_: str, text: str = "", **fields: Any) -> None:
        given = {"kind": REMINDER, "session": "", "turn": "t", "title": f"About {id_}"} | fields
        body = {"text": text, **given.pop("body", {})}
        self.running.wait(self.running.core.inbox.add(Notice(id_, body=body, **given)))
        self.settle()

    def ask(self, id_: str, command: str = "touch made.txt", at: float | None = None) -> None:
        card = {"title": "Run command?", "command": command, "remember": ""}
        body = {"card": card, "call": "c"}
        self.put(id_, kind=APPROVAL, at=at or time.time(), session=f"window:{id_}", body=body)

    def toggle(self) -> None:
        QTest.keyClick(self.window, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
        self.settle()

    @property
    def drawer(self) -> Drawer:
        assert self.window.inbox.drawer is not None
        return self.window.inbox.drawer

    def item(self, id_: str) -> NoticeItem:
        item = self.drawer.items[id_]
        assert isinstance(item, NoticeItem)
        return item

    def question(self, id_: str) -> QuestionItem:
        item = self.drawer.items[id_]
        assert isinstance(item, QuestionItem)
        return item

    def order(self) -> list[str]:
        """Days and ids, from top to bottom."""
        ids = {item: id_ for id_, item in self.drawer.items.items()}
        found = list(laid_out(self.drawer._column))
        return [w.text() if isinstance(w, QLabel) else ids[w] for w in found]  # type: ignore[index]

    def press(self, words: str) -> None:
        press(self.window.inbox, words)
        self.settle()

    def states(self) -> dict[str, tuple[str, str]]:
        found = self.running.wait(self.running.core.inbox.list(all_=True))
        return {notice.id: (notice.state, notice.answer) for notice in found}

    @property
    def text(self) -> str:
        return shown(self.window.inbox)


@pytest.fixture
def desk(running: Running, qtbot: QtBot) -> Desk:
    return Desk(running, qtbot)


def test_the_header_counts_all_that_waits(desk: Desk) -> None:
    assert not desk.window.header.inbox.isVisible()
    desk.ask("a")
    desk.put("b")
    assert desk.window.header.inbox.isVisible()
    assert desk.window.header.inbox.accessibleName() == "Waiting for you: 2"


def test_what_waited_before_the_start_is_counted(running: Running, qtbot: QtBot) -> None:
    running.wait(running.core.inbox.add(Notice("a", REMINDER, "", "", "Tea")))
    desk = Desk(running, qtbot)
    assert desk.window.header.inbox.accessibleName() == "Waiting for you: 1"


def test_the_drawer_comes_with_a_press_and_goes_with_escape(desk: Desk) -> None:
    desk.put("a")
    desk.window.header.inbox.click()
    desk.settle()
    inbox = desk.window.inbox
    assert inbox.isVisible()
    assert inbox.geometry().right() < desk.window.width()
    QTest.keyClick(desk.drawer.close_button, Qt.Key.Key_Escape)
    assert not inbox.isVisible()
    assert desk.window.composer.field.hasFocus()


def test_it_opens_by_key_also_where_nothing_waits(desk: Desk) -> None:
    desk.toggle()
    assert desk.window.inbox.isVisible()
    assert "All caught up" in desk.text
    desk.put("a")
    assert "All caught up" not in desk.text
    assert desk.order() == ["Today", "a"]
    desk.toggle()
    assert not desk.window.inbox.isVisible()


def test_all_kinds_are_shown_newest_first_under_their_days(desk: Desk) -> None:
    now = time.time()
    desk.put("old", at=now - 3 * DAY, title="Old")
    desk.put("result", "It is done.", kind=SUBAGENT, at=now - DAY)
    desk.ask("q", at=now - 1)
    desk.put("error", kind="error", at=now - 2, body={"remedy": "Sign in again."})
    desk.toggle()
    days = [line for line in desk.order() if line not in ("q", "error", "result", "old")]
    assert desk.order() == ["Today", "q", "error", "Yesterday", "result", days[2], "old"]
    assert "Sign in again." in desk.text
    assert "It is done." in desk.text
    assert desk.question("q").card.command.toPlainText() == "touch made.txt"


def test_each_question_is_answered_in_the_drawer_and_leads_to_its_conversation(desk: Desk) -> None:
    answers: list[tuple[str, object]] = []
    desk.window.inbox.answered.disconnect(desk.talk.questions.take)
    desk.window.inbox.answered.connect(lambda id_, given: answers.append((id_, given)))
    desk.ask("a")
    desk.ask("b", "rm old.txt")
    desk.toggle()
    assert desk.question("b").open.accessibleName() == "Open conversation: window:b"
    desk.question("b").card.yes.click()
    assert answers == [("b", Reply(True))]
    desk.question("a").open.click()
    desk.settle()
    assert desk.library.key == "window:a"
    assert not desk.window.inbox.isVisible()


def test_a_form_is_filled_in_in_the_drawer_and_one_that_no_call_waits_for_goes(desk: Desk) -> None:
    fields = (
        Field("name", Kind.TEXT, "Name on the ticket", required=True),
        Field("side", Kind.ONE, "Side", choices=(("w", "Window"), ("a", "Aisle")), default="w"),
    )
    body = {"card": card(Form("trains", "Who travels?", fields=fields), "terminal"), "call": "c"}
    desk.put("f", kind=APPROVAL, at=time.time(), session="window:f", body=body)
    desk.toggle()
    shown_card = desk.question("f").card
    assert shown_card.yes.text() == "Send"
    assert "Requested in: the terminal" in desk.text
    [name, _side] = shown_card.form.fields
    QTest.keyClicks(name.editor, "Ada")
    desk.put("r", session="window:r")
    assert shown_card.form.read() == {"name": "Ada", "side": "w"}, "another notice takes nothing away"
    if folder := os.environ.get("NANOBOT_TEST_SHOTS"):
        desk.window.grab().save(str(Path(folder) / "form-inbox.png"))
    shown_card.yes.click()
    desk.settle()
    assert desk.states()["f"] == ("done", "withdrawn")
    assert "f" not in desk.drawer.items


def test_what_was_being_written_stays_when_another_notice_comes(desk: Desk) -> None:
    desk.ask("a")
    desk.put("r", session="window:r")
    desk.toggle()
    card = desk.question("a").card
    card.no.click()
    QTest.keyClicks(card.reason, "becau")
    desk.item("r").reply.click()
    QTest.keyClicks(desk.item("r").field, "I wi")
    desk.ask("b")
    desk.put("c")
    assert desk.question("a").card is card
    assert card.reason.text() == "becau"
    assert desk.item("r").field.text() == "I wi"
    assert QApplication.focusWidget() is desk.item("r").field
    assert desk.order() == ["Today", "c", "b", "r", "a"]


def test_done_takes_one_away_and_the_keyboard_goes_on(desk: Desk) -> None:
    desk.put("a")
    desk.put("b")
    desk.toggle()
    assert not desk.item("b").yes.isVisible(), "there is nothing to be made up for"
    desk.item("b").done.setFocus()
    desk.press("Done: About b")
    assert desk.order() == ["Today", "a"]
    assert desk.states()["b"] == ("done", "done")
    assert desk.item("a").done.hasFocus()
    desk.press("Done: About a")
    assert not desk.window.inbox.isVisible(), "it goes with the last thing that waited"
    assert desk.window.composer.field.hasFocus()


def test_done_with_all_leaves_the_questions(desk: Desk) -> None:
    desk.ask("q")
    desk.put("a")
    desk.put("b")
    desk.toggle()
    desk.press("Mark all as done")
    assert desk.order() == ["Today", "q"]
    assert not desk.drawer.all_done.isVisible()


@pytest.mark.parametrize(
    ("words", "told"),
    [("10 minutes", "in 10 minutes"), ("1 hour", "today|tomorrow"), ("Tomorrow morning", "tomorrow 09:00")],
)
def test_a_notice_comes_again_later(desk: Desk, words: str, told: str) -> None:
    desk.put("a")
    desk.toggle()
    desk.item("a").snooze.click()
    [menu] = [menu for menu in desk.item("a").findChildren(QMenu) if menu.isVisible()]
    [action] = [action for action in menu.actions() if action.text() == words]
    action.trigger()
    menu.close()
    desk.settle()
    assert any(f"snoozed until {part}" in desk.text for part in told.split("|"))
    [notice] = desk.running.wait(desk.running.core.inbox.list())
    assert notice.due > time.time() + 500


def test_a_notice_opens_its_conversation(desk: Desk) -> None:
    desk.put("a", session="window:x")
    desk.put("b")
    desk.toggle()
    assert not desk.item("b").open.isVisible(), "it has no conversation"
    desk.press("Open: About a")
    assert desk.library.key == "window:x"
    assert not desk.window.inbox.isVisible()
    assert desk.states()["a"] == ("done", "seen")


def test_a_reply_is_written_in_place(
    home: Any, server: ScriptedServer, qtbot: QtBot, request: pytest.FixtureRequest
) -> None:
    Program(home).use_server(server.url, "say:Well done.")
    desk = Desk(request.getfixturevalue("running"), qtbot)
    desk.put("a", "Call Anna", session="window:x")
    desk.put("b")
    desk.toggle()
    desk.press("Reply: About a")
    field = desk.item("a").field
    assert field.hasFocus()
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not field.isVisible()
    assert desk.window.inbox.isVisible(), "Escape takes back the reply alone"
    desk.press("Reply: About a")
    QTest.keyClicks(field, "I have called her")
    QTest.keyClick(field, Qt.Key.Key_Return)
    desk.settle()
    assert desk.order() == ["Today", "b"]
    assert "Reply sent." in shown(desk.window)
    desk.until(lambda: bool(server.requests))
    assert "I have called her" in str(server.requests[-1].body["messages"][-1])
    press(desk.window, "Open")
    desk.settle()
    assert desk.library.key == "window:x"


@pytest.mark.parametrize("yes", [True, False])
def test_a_missed_job_is_made_up_for_or_not(desk: Desk, yes: bool) -> None:
    background, now = desk.running.core.background, time.time()
    given = Wanted(name="Tea", message="Drink", plain=True, every=7200, missed="ask")
    job: JobLine = desk.running.wait(desk.running.actions.api.jobs.add(given))
    desk.running.wait(background.scheduler.start())
    run = Run(job.id, "Tea", now - 7200, 0, DUE, 2, now, None, ASKED)
    desk.running.wait(background.ledger.claim(run))
    from desktop.cron import notices

    spec = Every(7200, now)
    asked = notices.question(Job(job.id, "Tea", spec, "Drink", plain=True), run, now)
    desk.running.wait(desk.running.core.inbox.add(asked))
    desk.toggle()
    assert "Run it now?" in desk.text
    assert "2 hours late" in desk.text
    assert not desk.item(asked.id).done.isVisible()
    desk.press("Run now: Tea" if yes else "Skip: Tea")
    assert desk.states()[asked.id] == ("done", "yes" if yes else "no")
    ended = desk.running.wait(background.ledger.get(run.id))
    assert ended.outcome == ("ok" if yes else "skipped")
    desk.running.wait(background.scheduler.stop())


def test_what_waits_of_a_chat_app_is_called_as_on_its_card_and_a_stranger_is_denied(desk: Desk) -> None:
    keys = ["channels", "telegram", "allowFrom"]
    for id_, told, name, body in (
        ("w1", "channels.telegram.allowFrom", "channels.telegram.allowFrom", {}),
        ("w2", "Mallory wants to write", "Mallory", {"stranger": True}),
    ):
        loose = {"kind": "item", "name": name, "keys": keys, "value": "66", "says": "More people."}
        asked = Notice(id_, WAITING, "", "", told, {"ask": True, "loose": loose, "text": "", **body})
        desk.running.wait(desk.running.core.inbox.add(asked))
    desk.toggle()
    assert "Telegram: Who may write" in desk.text
    assert desk.item("w1").no.text().strip() == "Keep off"
    assert "Mallory wants to write" in desk.text
    desk.press("Deny: Mallory wants to write")
    assert desk.states()["w2"] == ("done", "no")


ARRIVED = {
    ("channels", "telegram", "enabled"): True,
    ("channels", "telegram", "allowFrom"): "66",
    ("channels", "telegram", "groupPolicy"): "open",
    ("channels", "matrix", "homeserver"): "https://matrix.example.org",
    ("channels", "matrix", "enabled"): True,
    ("channels", "slack", "dm", "policy"): "open",
    ("tools", "exec", "timeout"): 900,
}


def arrive(desk: Desk) -> None:
    """Settings of chat apps come with an old home."""
    loose = []
    for keys, value in ARRIVED.items():
        kind = "item" if keys[-1] == "allowFrom" else "setting"
        says = loosens(keys)[0]
        loose.append(Loose(kind, ".".join(keys), keys, value, says.says if says else ""))
    desk.running.wait(desk.running.core.waiting.add(loose, "your nanobot home"))
    desk.settle()


def test_what_waits_of_one_chat_app_is_one_entry_that_opens(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrive(desk)
    assert desk.window.header.inbox.accessibleName() == "Waiting for you: 4"
    desk.toggle()
    assert len(desk.drawer.items) == 4
    item = desk.drawer.items["channels.telegram"]
    assert isinstance(item, GroupItem)
    assert "On\nWho may write: 66\nIn groups: Always" in desk.text
    assert "It came with your nanobot home and is off until you approve it." in desk.text
    assert "Telegram: Who may write" not in desk.text
    take(desk.window, "inbox-groups", monkeypatch, desk.settle)
    desk.press("Show all: Telegram")
    assert "Telegram: Who may write" in desk.text
    take(desk.window, "inbox-group-open", monkeypatch, desk.settle)
    gap = item.no.geometry().left() - item.yes.geometry().right() - 1
    assert gap >= Space.S
    desk.press("Keep off: Telegram: In groups")
    assert "On\nWho may write: 66\nIt came" in desk.text
    desk.press("Allow all: Telegram")
    telegram = desk.running.core.store.config.channels.telegram
    assert (telegram.enabled, telegram.allow_from, telegram.group_policy) == (True, ("66",), "mention")
    assert desk.window.header.inbox.accessibleName() == "Waiting for you: 3"
    desk.press("Keep all off: Matrix")
    assert not desk.running.core.store.config.channels.matrix.homeserver
    left = [id_ for id_, (state, _answer) in desk.states().items() if state == "open"]
    assert sorted(desk.drawer.items) == sorted(left)


def test_what_is_too_long_to_be_seen_whole_is_allowed_only_when_it_was_opened(desk: Desk) -> None:
    keys = ("channels", "discord", "allowFrom")
    many = [Loose("item", ".".join(keys), keys, f"dana{n:030}", "More people.") for n in range(20)]
    desk.running.wait(desk.running.core.waiting.add(many, "a backup"))
    desk.toggle()
    item = desk.drawer.items["channels.discord"]
    assert isinstance(item, GroupItem)
    assert item.yes.isHidden()
    desk.press("Show all: Discord")
    desk.press("Allow all: Discord")
    assert len(desk.running.core.store.config.channels.discord.allow_from) == 20


def test_yes_and_no_are_not_pressed_for_one_another(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.put("a", body={"ask": True})
    desk.toggle()
    item = desk.item("a")
    assert item.no.geometry().left() - item.yes.geometry().right() - 1 >= Space.S
    take(desk.window, "inbox-yes-no", monkeypatch, desk.settle)


def test_a_long_text_is_folded(desk: Desk) -> None:
    desk.put("a", "\n".join(f"line {n}" for n in range(30)))
    desk.toggle()
    assert "line 4" in desk.text
    assert "line 5" not in desk.text
    desk.press("Show all: About a")
    assert "line 29" in desk.text
    desk.press("Show less: About a")
    assert "line 29" not in desk.text


def test_text_from_outside_stays_text(desk: Desk) -> None:
    desk.put("a", "<img src=x><b>bold</b>" + "x" * 100_000, title="<b>Title</b>\u202eevil")
    desk.toggle()
    assert "<b>Title</b>[U+202E]evil" in desk.text
    desk.press("Show all: <b>Title</b>[U+202E]evil")
    assert "<img src=x><b>bold</b>" in desk.text


def test_history_shows_what_is_done_and_is_searched(desk: Desk) -> None:
    desk.put("a", "Water the plants")
    desk.put("b", "Call Anna")
    desk.put("c", "Plants again")
    desk.ask("q")
    for id_ in "ab":
        desk.running.wait(desk.running.core.inbox.settle(id_, "replied"))
    desk.running.wait(desk.running.core.inbox.settle("q", "yes"))
    desk.toggle()
    assert desk.order() == ["Today", "c"]
    QTest.mouseClick(desk.drawer.history, Qt.MouseButton.LeftButton)
    desk.settle()
    assert desk.order() == ["Today", "q", "c", "b", "a"]
    assert "replied, today" in desk.text
    assert "approved, today" in desk.text
    assert not desk.item("a").done.isVisible()
    write(desk.drawer.search, "PLANTS")
    desk.settle()
    assert desk.order() == ["Today", "c", "a"]
    write(desk.drawer.search, "nobody")
    desk.settle()
    assert "No results" in desk.text
    desk.drawer.history.click()
    desk.settle()
    assert desk.order() == ["Today", "c"]


@pytest.mark.soak
def test_two_hundred_notices_come_in_pages_and_small_steps(desk: Desk) -> None:
    for n in range(120):
        desk.running.wait(
            desk.running.core.inbox.add(Notice(f"n{n}", REMINDER, "", "", f"Number {n}", at=1e9 + n))
        )
    desk.settle()
    desk.toggle()
    assert desk.order()[1:] == [f"n{n}" for n in range(119, 69, -1)]
    desk.press("Show older")
    desk.press("Show older")
    assert len(desk.drawer.items) == 120
    assert not desk.drawer.older.isVisible()


def test_questions_are_found_behind_many_reminders(desk: Desk) -> None:
    desk.ask("q", at=1.0)
    for n in range(210):
        desk.running.wait(desk.running.core.inbox.add(Notice(f"n{n}", REMINDER, "", "", "N", at=1e9 + n)))
    desk.settle()
    assert [question.id for question in desk.talk.questions.all] == ["q"]
    desk.toggle()
    assert desk.order()[-1] == "q"


def test_what_went_wrong_is_said_in_the_drawer(desk: Desk) -> None:
    desk.put("a", body={"ask": True, "run": "none"})
    desk.toggle()
    desk.press("Run now: About a")
    assert "Tasks are not running." in desk.text
    assert desk.order() == ["Today", "a"]


def test_tab_stays_reachable_over_the_drawer(desk: Desk) -> None:
    desk.ask("q")
    desk.put("a", session="window:a")
    desk.toggle()
    seen = set()
    for _ in range(50):
        QTest.keyClick(QApplication.focusWidget() or desk.window, Qt.Key.Key_Tab)
        seen.add(QApplication.focusWidget())
    card, item, drawer = desk.question("q").card, desk.item("a"), desk.drawer
    wanted = {card.yes, card.no, item.done, item.snooze, item.reply, item.open}
    assert wanted | {drawer.all_done, drawer.history, drawer.close_button} <= seen
    assert desk.window.composer.field in seen


def test_it_speaks_the_language_that_is_chosen_while_it_is_open(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put("a")
    arrive(desk)
    desk.toggle()
    monkeypatch.delenv("NANOBOT_DESKTOP_LANGUAGE")
    speak("zh_CN")
    assert desk.drawer.close_button.accessibleName() == "关闭"
    desk.settle()
    assert "your nanobot home" in desk.text
    assert "is off until you approve it" not in desk.text
    assert "More people can write to the agent." not in desk.text
    speak("en")
    desk.settle()
    assert "More people can write to the agent.\nEveryone who may write" in desk.text
    assert desk.item("a").done.text() == " Done"
