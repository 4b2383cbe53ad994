"""Failures of slots, tasks and callbacks reach the person as one sentence each."""

import asyncio
import sys
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop import tasks
from desktop.errors import AppError
from desktop.tasks import spawn
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.loop import Loop

type Told = list[tuple[str, str]]


@pytest.fixture
def reporter(qapp: QApplication) -> Iterator[ErrorReporter]:
    before = sys.excepthook
    loop = Loop(qapp)
    made = ErrorReporter()
    made.install(loop)
    yield made
    tasks.report_to(None)
    sys.excepthook = before
    loop.close()


def told(reporter: ErrorReporter) -> Told:
    seen: Told = []
    reporter.told.connect(lambda text, remedy: seen.append((text, remedy)))
    return seen


async def fail(error: Exception) -> None:
    raise error


def test_an_expected_failure_is_told_as_it_is(reporter: ErrorReporter, qtbot: QtBot) -> None:
    seen = told(reporter)
    reporter.run(fail(AppError("No disk.", "Buy one.")), name="test")
    qtbot.waitUntil(lambda: seen == [("No disk.", "Buy one.")])


@pytest.mark.expected_log("unexpected")
def test_an_unexpected_one_is_a_sentence_without_a_traceback(reporter: ErrorReporter, qtbot: QtBot) -> None:
    seen = told(reporter)
    reporter.run(fail(ZeroDivisionError("secret detail")), name="test")
    qtbot.waitUntil(lambda: len(seen) == 1)
    assert "secret detail" not in seen[0][0]
    assert seen[0][1]


@pytest.mark.expected_log("unexpected|task .* failed")
def test_a_task_that_nobody_waits_for_is_told(reporter: ErrorReporter, qtbot: QtBot) -> None:
    seen = told(reporter)
    spawn(fail(KeyError("x")), name="lonely")
    qtbot.waitUntil(lambda: len(seen) == 1)


def test_the_same_failure_is_told_each_time_it_comes(reporter: ErrorReporter, qtbot: QtBot) -> None:
    seen = told(reporter)
    error = AppError("The core did not start.")
    for _ in range(2):
        reporter.run(fail(error), name="test")
    qtbot.waitUntil(lambda: len(seen) == 2)


@pytest.mark.expected_log("unexpected")
def test_callbacks_and_slots_end_in_it(reporter: ErrorReporter, qtbot: QtBot) -> None:
    seen = told(reporter)
    asyncio.get_running_loop().call_soon(lambda: 1 / 0)
    qtbot.waitUntil(lambda: len(seen) == 1)
    sys.excepthook(ValueError, ValueError("in a slot"), None)
    assert len(seen) == 2
