"""Appointments in the window: made in a form, run, seen in the ledger, dealt with in the inbox."""

import json
import re

import pytest

from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, Window, running_window, until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.window.talk import rest


def open_page(window: Window, desk: Desk, page: str) -> None:
    desk.wait_active(TITLE)
    desk.key("ctrl+comma")
    window.wait("Settings", "dialog")
    window.select(page, within="Pages")


def close_settings(window: Window, desk: Desk) -> None:
    desk.close_active("Settings")
    window.gone("Settings", "dialog")
    desk.wait_active(TITLE)


def test_a_reminder_is_made_comes_and_is_dealt_with(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url)
    with running_window(program) as window:
        open_page(window, desk, "Tasks")
        window.wait("Nothing scheduled yet", "label")
        desk.screenshot("tasks-empty")
        desk.click_on(window.extents("New reminder or task", "push button"))
        window.wait("Text", "text", states="focused")
        desk.type("Drink some water")
        desk.key("Tab", "Tab", "Down")  # over the name to the list of ways
        window.wait("Number", "spin box")
        desk.key("Tab")
        desk.type("3")
        desk.key("Tab", "Up", "Up")
        window.wait("Every 3 seconds", "label")
        desk.screenshot("tasks-form")
        window.press("Save", "push button")
        window.wait(re.compile("^Drink some water, Reminder, every 3 seconds · next in less than a minute"))
        desk.wait_notification("Drink some water")
        window.wait(re.compile("^Drink some water, Reminder, .* done today"))
        window.press("Turn on: Drink some water", "check box")
        window.wait(re.compile("^Drink some water, Reminder, every 3 seconds · off"))
        desk.screenshot("tasks")
        window.press("Runs", "check box")
        window.wait(re.compile("^Drink some water, done, today"), "list item")
        desk.screenshot("tasks-runs")
        close_settings(window, desk)

        count = len(program.events("inbox", "list"))
        window.wait(f"Waiting for you: {count}")
        desk.key("ctrl+i")
        window.wait("Inbox", within=TITLE)
        window.wait("Snooze: Drink some water")
        desk.screenshot("inbox-reminder")
        window.press("Mark all as done")
        window.gone("Inbox", within=TITLE)
        window.gone(re.compile("^Waiting for you:"))
        assert program.events("inbox", "list") == []
        desk.key("ctrl+i")
        window.wait("All caught up", "label")
        window.press("History: include what is done", "check box")
        window.wait(re.compile("^Drink some water, done, today"))
        desk.screenshot("inbox-history")
        assert server.requests == []


@pytest.mark.soak
def test_a_task_is_run_now_and_leads_to_its_conversation(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Two invoices are due.")
    config = json.loads((program.home / "config.json").read_text())
    program.configure(**config, appearance={"theme": "dark"})
    program.run("cron", "add", "--name", "Invoices", "--message", "Look at the invoices", "--every", "7200")
    with running_window(program) as window:
        open_page(window, desk, "Tasks")
        window.press("More about Invoices")
        desk.key("Down")
        desk.screenshot("tasks-menu-dark")
        desk.key("Return")  # the first is "Run now"
        window.wait(re.compile("^Invoices, Task, .* done today .*: Two invoices are due."))
        window.press(re.compile("^Invoices, Task, "))
        window.wait("Every 2 hours", "label")
        desk.screenshot("tasks-form-dark")
        desk.key("Escape")
        window.press("Runs", "check box")
        window.focus("Runs", "list")
        desk.key("Down")
        window.wait("Open conversation", "push button")
        desk.screenshot("tasks-runs-dark")
        window.press("Open conversation", "push button")
        desk.wait_active(TITLE)
        window.wait_text("Nanobot", "Two invoices are due.")
        rest(window)
        desk.key("ctrl+i")
        window.wait("Reply: Invoices")
        desk.screenshot("inbox-task-dark")
        window.press("Reply: Invoices")
        window.wait("Reply to Invoices", "text", states="focused")
        server.script("say:I will pay them.")
        desk.type("Pay them")
        desk.key("Return")
        window.wait_text("Nanobot", "I will pay them.")
        until(lambda: program.events("inbox", "list") == [], "it is dealt with")


@pytest.mark.soak
def test_the_page_of_the_tray_says_what_works_here(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url)
    with running_window(program) as window:
        open_page(window, desk, "Tray and startup")
        window.wait("The tray icon is shown.", "label")
        desk.screenshot("reachable")
        window.select("Notifications", within="Pages")
        window.wait(re.compile("doesn’t support replies"), "label")
