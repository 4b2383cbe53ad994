"""The page of the tasks over a real core: listed, made, changed, run, switched, removed; the ledger."""

import json
import time
from collections.abc import Awaitable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu
from pytestqt.qtbot import QtBot

from desktop.api.client import Api
from desktop.api.jobs import AllJobs, JobLine
from desktop.bus.events import JobsChanged
from desktop.cron.ledger import DUE, FAILED, HAND, OK, RUNNING, Run
from desktop.cron.owner import Owner
from desktop.cron.wanted import Wanted
from desktop.ui.panels.tasks.panel import TasksPanel
from desktop.ui.panels.tasks.row import JobRow
from desktop.ui.panels.tasks.runs import Runs
from desktop.ui.settings.window import SettingsWindow
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.order import stops
from desktop.ui.words import speak
from tests.ui.program import Running
from tests.ui.settings.reading import choose, complaint, named, press, shown, write


def tomorrow(time_: str = "09:00") -> str:
    return f"{datetime.now().date() + timedelta(days=1)}T{time_}"


class Page:
    """The page, as a person uses it."""

    def __init__(self, window: SettingsWindow, running: Running, qtbot: QtBot) -> None:
        self.window, self.running, self._bot = window, running, qtbot
        window.open_page("tasks")
        running.settle()
        [self.panel] = [p for view in window.views for p in view.parts if isinstance(p, TasksPanel)]
        self.settle()

    def settle(self) -> None:
        self.running.settle()
        QApplication.sendPostedEvents()
        self._bot.waitUntil(lambda: not self.panel.list.waiting)
        self._bot.waitUntil(lambda: not self.panel.form.when._typing.isActive())
        self.running.settle()

    def wait[T](self, work: Awaitable[T]) -> T:
        done: T = self.running.wait(work)
        self.settle()
        return done

    @property
    def api(self) -> Api:
        return self.running.actions.api

    def add(self, name: str = "Tea", message: str = "Drink it", **given: Any) -> str:
        given = given or {"every": 7200, "plain": True}
        return str(self.wait(self.api.jobs.add(Wanted(name=name, message=message, **given))).id)

    def jobs(self) -> Sequence[JobLine]:
        return self.known().jobs

    def known(self) -> AllJobs:
        return self.wait(self.api.jobs.all())

    def rows(self) -> list[str]:
        return [row.job.name for row in self.panel.list.rows if row.isVisible()]

    def row(self, name: str) -> JobRow:
        [found] = [r for r in self.panel.list.rows if r.isVisible() and r.job.name == name]
        return found

    def more(self, name: str) -> IconButton:
        more = self.row(name).more
        assert more is not None
        return more

    def told(self, name: str) -> str:
        return self.row(name).accessibleName()

    def choose_in_menu(self, name: str, words: str) -> None:
        self.more(name).click()
        [menu] = [menu for menu in self.panel.findChildren(QMenu) if menu.isVisible()]
        [action] = [action for action in menu.actions() if action.text() == words]
        action.trigger()
        menu.close()
        self.settle()

    def press(self, words: str) -> None:
        press(self.window, words)
        self.settle()

    def write(self, name: str, text: str) -> None:
        write(named(self.window, name), text)
        self.settle()

    def choose(self, name: str, item: str) -> None:
        choose(self.window, name, item)
        self.settle()

    def ran(self, run: Run) -> None:
        self.running.wait(self.running.core.background.ledger.claim(run))

    @property
    def text(self) -> str:
        return shown(self.window)

    @property
    def lines(self) -> list[str]:
        """The text of each label that is seen."""
        return [label.text() for label in self.window.findChildren(QLabel) if label.isVisible()]


@pytest.fixture
def page(window: SettingsWindow, running: Running, qtbot: QtBot) -> Page:
    return Page(window, running, qtbot)


def test_an_empty_page_says_how_one_is_made(page: Page) -> None:
    assert "Nothing scheduled yet" in page.text
    assert "remind me in 20 minutes to call Anna" in page.text
    page.add()
    assert "Nothing scheduled yet" not in page.text
    assert page.rows() == ["Tea"]


def test_jobs_are_listed_with_their_times_those_due_next_first(page: Page) -> None:
    hour = (datetime.now() + timedelta(hours=12)).hour
    page.add("Later", cron=f"0 {hour} * * *")
    page.add("Soon", at=time.time() + 1200.5, plain=True)
    assert page.rows() == ["Soon", "Later"]
    assert page.told("Soon").startswith("Soon, Reminder, once on ")
    assert page.told("Soon").endswith("next in 20 minutes")
    assert page.told("Later").startswith(f"Later, Task, every day at {hour:02}:00 · next ")
    assert page.more("Soon").accessibleName() == "More about Soon"


def test_a_reminder_is_made_with_few_words(page: Page) -> None:
    page.press("New reminder or task")
    assert "New reminder" in page.text
    assert page.panel.form.text.hasFocus()
    QTest.keyClicks(page.panel.form.text, "Call Anna about the house in the valley")
    when = page.panel.form.when
    when.date.setDate(when.date.date().addDays(1))
    page.settle()
    assert "Once on " in page.text
    page.press("Save")
    [job] = page.jobs()
    assert job.name == job.message == "Call Anna about the house in the valley"
    assert (job.plain, job.kind, job.missed) == (True, "at", "late")
    assert page.row(job.name).hasFocus()
    page.press("New reminder or task")
    assert page.panel.form.text.toPlainText() == ""


def test_a_task_is_made_with_everything(page: Page) -> None:
    page.press("New reminder or task")
    page.choose("Type", "Task for the agent")
    QTest.keyClicks(page.panel.form.text, "Read the news")
    page.write("Name", "News")
    page.choose("When", "Cron expression")
    page.write("Expression", "30 7 * * 1-5")
    page.write("Time zone", "America/New_York")
    assert "Every weekday at 07:30 (America/New_York)" in page.text
    [dates] = [text for text in page.lines if text.startswith("In your time zone:")]
    assert len(dates.splitlines()) == 6
    page.choose("If it is missed", "Ask me")
    page.choose("Permissions", "Always ask")
    page.press("Save")
    [job] = page.jobs()
    assert {
        name: getattr(job, name) for name in ("name", "message", "plain", "cron", "tz", "missed", "mode")
    } == {
        "name": "News",
        "message": "Read the news",
        "plain": False,
        "cron": "30 7 * * 1-5",
        "tz": "America/New_York",
        "missed": "ask",
        "mode": "ask",
    }


def test_an_interval_is_a_number_and_a_unit(page: Page) -> None:
    page.press("New reminder or task")
    QTest.keyClicks(page.panel.form.text, "Stretch")
    page.choose("When", "Repeating")
    page.panel.form.when.number.setValue(90)
    page.choose("Unit", "minutes")
    assert "Every 90 minutes" in page.text
    page.press("Save")
    assert page.jobs()[0].every == 5400
    page.row("Stretch").click()
    page.settle()
    assert page.panel.form.when.number.value() == 90
    assert page.panel.form.when.unit.currentText() == "minutes"


@pytest.mark.parametrize(
    ("expression", "said"),
    [("61 * * * *", "61"), ("* * 30 2 *", "is not valid"), ("9", "9")],
)
def test_a_schedule_is_checked_while_it_is_typed(page: Page, expression: str, said: str) -> None:
    page.press("New reminder or task")
    page.choose("When", "Cron expression")
    page.write("Expression", expression)
    assert said in complaint(page.window, "Expression")
    page.write("Expression", "0 9 * * *")
    assert complaint(page.window, "Expression") == ""
    assert "Every day at 09:00" in page.text


def test_a_zone_that_is_none_is_said_at_its_field(page: Page) -> None:
    page.press("New reminder or task")
    page.choose("When", "Cron expression")
    page.write("Expression", "0 9 * * *")
    page.write("Time zone", "Mars/Olympus")
    assert "no time zone Mars/Olympus" in complaint(page.window, "Time zone")
    assert complaint(page.window, "Expression") == ""


def test_what_is_missing_is_said_and_nothing_lost(page: Page) -> None:
    page.press("New reminder or task")
    page.choose("When", "Cron expression")
    page.press("Save")
    assert "Say what it is about." in page.text
    assert page.panel.form.text.hasFocus()
    QTest.keyClicks(page.panel.form.text, "Tea")
    page.press("Save")
    assert "Enter five fields." in page.text
    assert page.panel.form.when.expression.hasFocus()
    assert page.panel.form.text.toPlainText() == "Tea"
    assert page.jobs() == ()


def test_a_moment_that_is_past_is_refused_in_place(page: Page) -> None:
    page.press("New reminder or task")
    QTest.keyClicks(page.panel.form.text, "Tea")
    when = page.panel.form.when
    when.date.setDate(when.date.date().addDays(-3))
    page.settle()
    assert "That time is in the past." in complaint(page.window, "Date and time")
    page.press("Save")
    assert page.panel.form.isVisible()
    assert page.jobs() == ()


def test_a_job_is_changed_and_what_was_not_touched_stays(page: Page) -> None:
    page.add("Tea", every=90.5, plain=True)
    before = page.jobs()[0]
    page.row("Tea").click()
    page.settle()
    assert "Edit reminder" in page.text
    page.write("Name", "Green tea")
    page.press("Save")
    after = page.jobs()[0]
    assert after.name == "Green tea"
    assert (after.every, after.next, after.id) == (before.every, before.next, before.id)


def test_escape_leaves_the_form_and_the_window_stays(page: Page) -> None:
    page.add()
    QTest.keyClick(page.row("Tea"), Qt.Key.Key_Return)
    page.settle()
    assert page.panel.form.isVisible()
    QTest.keyClick(page.panel.form.text, Qt.Key.Key_Escape)
    page.settle()
    assert page.panel.list.isVisible()
    assert page.row("Tea").hasFocus()
    assert page.window.isVisible()


def test_a_job_is_switched_off_and_on(page: Page) -> None:
    page.add()
    QTest.mouseClick(page.row("Tea").switch, Qt.MouseButton.LeftButton)
    page.settle()
    assert page.panel.list.isVisible(), "the switch does not open the job"
    assert page.jobs()[0].enabled is False
    assert page.told("Tea").endswith("off")
    page.row("Tea").switch.click()
    page.settle()
    assert page.jobs()[0].enabled is True


def test_a_switch_that_cannot_be_goes_back_and_says_why(page: Page, home: Path) -> None:
    page.add("Once", at=tomorrow(), plain=True)
    path = home / "workspace" / "cron" / "jobs.json"
    held = json.loads(path.read_text())
    held["jobs"][0]["schedule"]["at"] = "2001-09-09T09:00:00+00:00"
    held["jobs"][0]["enabled"] = False
    path.write_text(json.dumps(held))
    page.jobs()
    page.running.tell(JobsChanged())
    page.settle()
    page.row("Once").switch.click()
    page.settle()
    assert "That time is in the past." in page.text
    assert not page.row("Once").switch.isChecked()


def test_a_job_is_run_now_and_the_result_is_marked(page: Page) -> None:
    page.add()
    page.choose_in_menu("Tea", "Run now")
    assert "done today" in page.told("Tea")
    [notice] = page.running.wait(page.running.core.inbox.list())
    assert notice.title == "Tea"


def test_a_late_run_tells_planned_against_actual(page: Page) -> None:
    id_ = page.add()
    now = time.time()
    page.ran(Run(id_, "Tea", now - 7200, 0, DUE, 3, now - 10, now - 5, OK, "Two cups\nand more"))
    page.running.tell(JobsChanged())
    page.settle()
    told = page.told("Tea")
    assert "2 hours late, 3 more missed" in told
    assert "scheduled " in told
    assert told.endswith(": Two cups")


def test_a_run_at_work_is_seen(page: Page) -> None:
    id_ = page.add(cron="0 9 * * *")
    now = time.time()
    page.ran(Run(id_, "Tea", now, 0, DUE, 0, now, None, RUNNING))
    page.running.tell(JobsChanged())
    page.settle()
    assert "running today" in page.told("Tea")


def test_a_paused_job_says_why_and_goes_on_with_a_press(page: Page) -> None:
    id_ = page.add()
    scheduler = page.running.core.background.scheduler
    page.running.wait(
        scheduler.change(id_, enabled=False, paused="Turned off after 3 failures in a row: no key.")
    )
    page.settle()
    assert "no key." in page.text
    assert "paused" in page.told("Tea")
    page.press("Resume: Tea")
    assert page.jobs()[0].enabled is True
    assert "no key." not in page.text


def test_a_job_is_removed_and_brought_back_as_it_was(page: Page) -> None:
    page.add("News", "Read it", cron="0 9 * * *", tz="Europe/Berlin", missed="skip", mode="ask")
    before = page.jobs()[0]
    page.row("News").switch.click()
    page.settle()
    page.choose_in_menu("News", "Remove")
    assert page.rows() == []
    assert "“News” removed" in page.text
    page.press("Undo")
    [after] = page.jobs()
    kept = ("name", "message", "plain", "cron", "tz", "missed", "mode", "retries")
    assert [getattr(after, name) for name in kept] == [getattr(before, name) for name in kept]
    assert after.enabled is False


def test_a_job_is_removed_from_its_form_and_by_key(page: Page) -> None:
    page.add("One")
    page.add("Two")
    page.row("One").click()
    page.settle()
    page.press("Remove")
    assert page.rows() == ["Two"]
    page.row("Two").setFocus()
    QTest.keyClick(page.row("Two"), Qt.Key.Key_Delete)
    page.settle()
    assert page.jobs() == ()


def test_the_keyboard_stays_with_its_job_when_the_order_changes(page: Page) -> None:
    page.add("Tea")
    page.row("Tea").switch.setFocus()
    page.add("Sooner", every=60, plain=True)
    assert page.rows() == ["Sooner", "Tea"]
    assert page.row("Tea").switch.hasFocus()


def test_the_keyboard_reaches_everything(page: Page) -> None:
    page.add()
    order = [stop for stop in stops(page.panel) if stop.isVisible()]
    names = [stop.accessibleName() for stop in order]
    assert names[:3] == ["Planned", "Runs", "New reminder or task"]
    assert names[4:] == ["Turn on: Tea", "More about Tea"]
    page.press("New reminder or task")
    page.choose("Type", "Task for the agent")
    for kind, fields in (
        ("Once", ["Date", "Time"]),
        ("Repeating", ["Number", "Unit"]),
        ("Cron expression", ["Expression", "Time zone"]),
    ):
        page.choose("When", kind)
        found = [s for s in stops(page.panel.form) if s.isVisible()]
        assert [s.accessibleName() or getattr(s, "text", str)() for s in found] == [
            "Back to tasks",
            "Type",
            "What to do",
            "Name",
            "When",
            *fields,
            "If it is missed",
            "Permissions",
            "Cancel",
            "Save",
        ]


def test_the_ledger_is_filtered_by_job_and_by_result(page: Page) -> None:
    tea, news = page.add("Tea"), page.add("News", cron="0 9 * * *")
    now = time.time()
    page.ran(Run(tea, "Tea", now - 50, 0, DUE, 0, now - 50, now - 49, OK))
    page.ran(Run(news, "News", now - 40, 0, DUE, 0, now - 40, now - 10, FAILED, "No answer.\n", 1200, 0.5))
    page.ran(Run(news, "News", now - 4000, 1, HAND, 0, now - 5, now - 1, OK, "All quiet."))
    page.press("Runs")
    runs = page.panel.runs

    def told() -> list[str]:
        role = Qt.ItemDataRole.AccessibleTextRole
        return [str(runs.model.index(n).data(role)) for n in range(runs.model.rowCount())]

    assert [line.split(",")[0] for line in told()] == ["News", "News", "Tea"]
    assert "manual · attempt 2 · 4.0 s" in told()[0]
    assert "failed" in told()[1]
    assert told()[1].endswith("30 s · $0.5000 · 1,200 tokens, No answer.")
    page.choose("Result", "failed")
    assert len(told()) == 1
    page.choose("Runs of", "Tea")
    assert "No such runs yet." in page.text
    page.choose("Result", "All results")
    assert [line.split(",")[0] for line in told()] == ["Tea"]
    page.press("Planned")
    page.choose_in_menu("News", "Show runs")
    assert len(told()) == 2


def test_a_run_shows_all_of_its_result_and_leads_to_its_conversation(page: Page) -> None:
    news = page.add("News", cron="0 9 * * *")
    page.ran(Run(news, "News", 1.7e9, 0, DUE, 0, 1.7e9, 1.7e9 + 5, OK, "All quiet.\nTruly."))
    page.press("Runs")
    runs: Runs = page.panel.runs
    opened: list[str] = []
    runs.open_wanted.connect(opened.append)
    QTest.keyClick(runs.list, Qt.Key.Key_Down)
    runs.list.setCurrentIndex(runs.model.index(0))
    assert runs.detail.toPlainText() == "All quiet.\nTruly."
    page.press("Open conversation")
    assert opened == [news]


def test_a_damaged_file_is_said_with_the_remedy(page: Page, home: Path) -> None:
    page.add()
    path = home / "workspace" / "cron" / "jobs.json"
    path.write_text(path.read_text()[:40])
    page.running.wait(page.running.core.background.scheduler.start())
    page.running.tell(JobsChanged())
    page.settle()
    assert "jobs.json" in page.text


def test_who_runs_the_jobs_is_said_where_it_is_another_program(page: Page, home: Path) -> None:
    page.add()
    other = Owner(home / "workspace" / "cron", "serve")
    assert other.take()
    page.running.wait(page.running.core.background.scheduler.start())
    page.settle()
    assert page.known().detail
    assert page.known().detail in page.text
    page.choose_in_menu("Tea", "Run now")
    assert "Do it there, or quit that program." in page.text
    other.release()


def test_jobs_that_wait_for_a_pause_are_told(page: Page) -> None:
    page.wait(page.running.actions.api.settings.change({"presence.paused": True}))
    page.window.refresh()
    page.settle()
    assert "Background work is paused. Reminders still arrive." in page.text


@pytest.mark.soak
def test_a_thousand_jobs_are_made_in_small_steps(page: Page, home: Path) -> None:
    page.add()
    path = home / "workspace" / "cron" / "jobs.json"
    held = json.loads(path.read_text())
    [job] = held["jobs"]
    held["jobs"] = [{**job, "id": f"j{n:04}", "name": f"Number {n:04}"} for n in range(1000)]
    path.write_text(json.dumps(held))
    page.running.tell(JobsChanged())
    page.settle()
    assert len(page.rows()) == 50
    assert "Show 50 more" in page.text
    page.press("Show 50 more")
    assert len(page.rows()) == 100
    page.write("Search tasks", "number 0942")
    assert page.rows() == ["Number 0942"]
    page.write("Search tasks", "nothing like it")
    assert "No results" in page.text


def test_the_page_speaks_the_language_that_is_chosen_while_it_is_open(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.add()
    monkeypatch.delenv("NANOBOT_DESKTOP_LANGUAGE")
    speak("zh_CN")
    page.panel.list.new.click()
    page.settle()
    assert page.panel.form.cancel.text() == "取消"
    assert page.panel.form.kind.count() == 2
    speak("en")
    assert page.panel.form.cancel.text() == "Cancel"
    assert page.panel.form.kind.currentText() == "Reminder, word for word"
