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
from desktop.ui.funnel import Funnel
from desktop.ui.loop import Loop

type Told = list[tuple[str, str]]


@pytest.fixture
def funnel(qapp: QApplication) -> Iterator[Funnel]:
    before = sys.excepthook
    loop = Loop(qapp)
    made = Funnel()
    made.install(loop)
    yield made
    tasks.report_to(None)
    sys.excepthook = before
    loop.close()


def told(funnel: Funnel) -> Told:
    seen: Told = []
    funnel.told.connect(lambda text, remedy: seen.append((text, remedy)))
    return seen


async def fail(error: Exception) -> None:
    raise error


def test_an_expected_failure_is_told_as_it_is(funnel: Funnel, qtbot: QtBot) -> None:
    seen = told(funnel)
    funnel.run(fail(AppError("No disk.", "Buy one.")), name="test")
    qtbot.waitUntil(lambda: seen == [("No disk.", "Buy one.")])


@pytest.mark.expected_log("unexpected")
def test_an_unexpected_one_is_a_sentence_without_a_traceback(funnel: Funnel, qtbot: QtBot) -> None:
    seen = told(funnel)
    funnel.run(fail(ZeroDivisionError("secret detail")), name="test")
    qtbot.waitUntil(lambda: len(seen) == 1)
    assert "secret detail" not in seen[0][0]
    assert seen[0][1]


@pytest.mark.expected_log("unexpected|task .* failed")
def test_a_task_that_nobody_waits_for_is_told(funnel: Funnel, qtbot: QtBot) -> None:
    seen = told(funnel)
    spawn(fail(KeyError("x")), name="lonely")
    qtbot.waitUntil(lambda: len(seen) == 1)


def test_the_same_failure_is_told_each_time_it_comes(funnel: Funnel, qtbot: QtBot) -> None:
    seen = told(funnel)
    error = AppError("The core did not start.")
    for _ in range(2):
        funnel.run(fail(error), name="test")
    qtbot.waitUntil(lambda: len(seen) == 2)


@pytest.mark.expected_log("unexpected")
def test_callbacks_and_slots_end_in_it(funnel: Funnel, qtbot: QtBot) -> None:
    seen = told(funnel)
    asyncio.get_running_loop().call_soon(lambda: 1 / 0)
    qtbot.waitUntil(lambda: len(seen) == 1)
    sys.excepthook(ValueError, ValueError("in a slot"), None)
    assert len(seen) == 2
