"""Subagents in the open conversation, over a real core: the strip, their questions, their results."""

import json

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QAbstractButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.api.reply import Reply
from desktop.bus.events import (
    PermissionAsked,
    PermissionSettled,
    SubagentChanged,
    ToolFinished,
    ToolStarted,
)
from desktop.ui.conversation.cells.result_cell import ResultCell
from desktop.ui.conversation.copying import as_markdown
from desktop.ui.conversation.foot.strip import Strip
from desktop.ui.conversation.step import sentence
from desktop.ui.conversation.subagents import Subagent, Subagents
from desktop.ui.conversation.transcript import Author, Entry, Transcript
from desktop.ui.conversation.view import ConversationView
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.theme.theme import theme
from tests.servers.scripted import ScriptedServer
from tests.ui.program import Running
from tests.ui.talking import Desk
from tests.ui.waiting import exposed


@pytest.fixture
def desk(talking: Desk) -> Desk:
    return talking


def spawning(*labels: str) -> str:
    return f"use:{json.dumps([['spawn', {'task': f'Task {label}', 'label': label}] for label in labels])}"


def labels(desk: Desk) -> list[tuple[str, str]]:
    return [(s.label, s.state) for s in desk.talk.subagents.here]


def results(desk: Desk) -> list[str]:
    return [e.label for e in desk.talk.transcript.entries if e.author is Author.RESULT]


def said(desk: Desk) -> list[str]:
    return [sentence(e.step) if e.step else e.text for e in desk.talk.transcript.entries]


def rest(desk: Desk) -> None:
    desk.until(lambda: not desk.talk.stoppable)
    desk.settle()


def test_they_are_known_while_they_work_and_the_result_is_an_entry_of_its_own(
    desk: Desk, server: ScriptedServer
) -> None:
    held = server.hold("Task A")
    server.when("Task A", "say:Found **A**.")
    server.when("Found **A**.", "say:It found A for you.")
    server.script(spawning("A"), "say:One has begun.")
    desk.open("window:a")
    desk.talk.send("Look into it")
    desk.until(lambda: labels(desk) == [("A", "running")] and not desk.talk.busy)
    assert desk.talk.stoppable
    desk.open("window:b")
    assert labels(desk) == []
    assert not desk.talk.stoppable
    desk.open("window:a")
    assert labels(desk) == [("A", "running")]
    held.set()
    desk.until(lambda: said(desk)[-1:] == ["It found A for you."])
    rest(desk)
    [result] = [e for e in desk.talk.transcript.entries if e.author is Author.RESULT]
    assert (result.label, result.text) == ("A", "Found **A**.")
    assert "## result\n\nFound **A**." in as_markdown(
        desk.talk.transcript.entries, lambda entry: entry.author.value
    )


def test_stop_ends_them_and_one_can_be_ended_alone(desk: Desk, server: ScriptedServer) -> None:
    holds = [server.hold(f"Task {label}") for label in "AB"]
    for label in "AB":
        server.when(f"Task {label}", "say:Too late.")
    server.when("stopped", "say:It was stopped.")
    server.script(spawning("A", "B"), "say:Two have begun.", "say:So be it.")
    desk.open("window:a")
    desk.talk.send("Look into both")
    expected = [("A", "running"), ("B", "running")]
    desk.until(lambda: labels(desk) == expected and not desk.talk.busy)
    desk.talk.subagents.stop(desk.talk.subagents.here[0].id)
    desk.until(lambda: results(desk) == ["A"] and not desk.talk.busy)
    assert labels(desk) == [("B", "running")]
    desk.settle()
    desk.talk.stop()
    rest(desk)
    assert results(desk) == ["A"]
    for held in holds:
        held.set()


def test_a_question_of_one_is_asked_and_answered_in_the_conversation(
    desk: Desk, server: ScriptedServer
) -> None:
    command = f"use:{json.dumps([['exec', {'command': 'touch made.txt'}]])}"
    server.when("Task A", command)
    server.when("exit code 0", "say:Made.")
    server.script(spawning("A"), "say:It has begun.", "say:All is done.")
    desk.talk.send("Have it made")

    def guests() -> list[Entry]:
        return [entry for entry in desk.talk.transcript.entries if entry.guest]

    desk.until(lambda: len(guests()) == 1 and not desk.talk.busy)
    desk.settle()
    key = desk.talk.key
    desk.open("window:b")
    assert guests() == []
    desk.open(key)
    [entry] = guests()
    assert entry.step
    assert entry.step.question
    assert said(desk)[-1] == "Run touch made.txt, waiting for your answer"
    assert entry.step.question.card["origin"] == "Subagent A"
    assert desk.talk.subagents.here[0].doing == "Running touch made.txt"
    desk.talk.questions.answer(entry.step.question.id, Reply(True))
    desk.until(lambda: guests() == [])
    desk.until(lambda: said(desk)[-1:] == ["All is done."])
    rest(desk)
    assert desk.talk.questions.all == []


# ---- what is heard, and the strip by itself


def test_what_one_does_is_told_in_the_words_of_calls(running: Running) -> None:
    known = Subagents(running.actions, ErrorReporter(), lambda: "s")
    running.tell(SubagentChanged("s", "t", "1", "A", "queued"))
    running.tell(SubagentChanged("s", "t", "1", "A", "running"))
    running.tell(ToolStarted("subagent:1", "u", "c", "grep", "words", "read"))
    assert known.here[0].doing == "Searching files for words"
    running.tell(PermissionAsked("s", "u", "c", "q"))
    assert known.here[0].asks
    running.tell(PermissionSettled("s", "u", "c", "q", "yes"))
    assert not known.here[0].asks
    running.tell(ToolFinished("subagent:1", "u", "c", "grep"))
    assert known.here[0].doing == ""
    running.tell(ToolStarted("s", "t", "c", "grep", "words", "read"))
    running.tell(ToolStarted("subagent:unknown", "u", "c", "grep", "words", "read"))
    assert known.here[0].doing == ""
    running.tell(SubagentChanged("s", "t", "1", "A", "done"))
    assert known.here == []


def subagent(number: int, *, state: str = "running", doing: str = "") -> Subagent:
    return Subagent(str(number), "s", f"Part {number}", state, 0.0, doing)


@pytest.fixture
def strip(qtbot: QtBot) -> Strip:
    theme()
    around = QWidget()
    qtbot.addWidget(around)
    made = Strip()
    column = QVBoxLayout(around)
    column.addWidget(made)
    around.resize(QSize(600, 300))
    around.show()
    exposed(qtbot, around)
    made.keep = around  # type: ignore[attr-defined]
    return made


def lines(strip: Strip) -> list[str]:
    return [strip.lines[s.id].accessibleName() for s in strip._subagents if s.id in strip.lines]


def test_more_than_three_fold_and_open(strip: Strip) -> None:
    strip.show_subagents([subagent(n) for n in range(5)])
    assert lines(strip) == ["Subagent Part 0", "Subagent Part 1", "Subagent Part 2"]
    assert strip.more.text() == "and 2 more"
    strip.more.click()
    assert len(lines(strip)) == 5
    assert not strip.more.isVisible()
    strip.show_subagents([])
    assert not strip.isVisible()
    assert strip.lines == {}


def test_each_says_what_it_does_and_has_a_stop_of_its_own(strip: Strip, qtbot: QtBot) -> None:
    stopped: list[str] = []
    strip.stop_wanted.connect(stopped.append)
    asking = subagent(0, doing="Running ls")
    asking.asks = True
    strip.show_subagents([asking])
    assert lines(strip) == ["Subagent Part 0, waiting for your answer"]
    strip.show_subagents([subagent(0, doing="Running ls"), subagent(1, state="queued")])
    assert lines(strip) == ["Subagent Part 0, Running ls", "Subagent Part 1, queued"]
    strip.lines["1"].stop.click()
    assert stopped == ["1"]
    first = strip.lines["1"]
    strip.show_subagents([subagent(1)])
    assert strip.lines == {"1": first}  # the button never becomes that of another one
    assert first.stop.accessibleName() == "Stop subagent Part 1"


def test_seconds_are_counted_only_while_it_is_seen(strip: Strip) -> None:
    strip.show_subagents([subagent(0)])
    assert strip._seconds.isActive()
    assert strip._seconds.interval() == 1000
    strip.hide()
    assert not strip._seconds.isActive()


def test_a_result_is_a_line_that_opens_to_its_text(qtbot: QtBot) -> None:
    theme()
    transcript = Transcript()
    view = ConversationView(transcript)
    qtbot.addWidget(view)
    view.resize(700, 500)
    view.show()
    exposed(qtbot, view)
    transcript.fill(
        [
            Entry("a", Author.YOU, "Hello"),
            Entry("r", Author.RESULT, "Found **it**.\n\n```py\ncode\n```", label="Old letters"),
        ]
    )
    [cell] = [slot for slot in view.slots if isinstance(slot, ResultCell)]
    assert cell.line.accessibleName() == "Result of Old letters, done"
    assert cell.reader is None
    folded = cell.height()
    cell.line.click()
    assert cell.reader is not None
    qtbot.waitUntil(lambda: cell.exact)
    assert cell.reader.toPlainText().startswith("Found it.")
    assert cell.height() > folded
    assert [b.isVisible() for b in cell.reader.copies.buttons] == [True]
    cell.line.click()
    assert cell.height() == folded
    assert not cell.reader.isVisible()
    assert [b for b in cell.findChildren(QAbstractButton) if b.isVisible()] == [cell.line]
