"""From a log to what is shown: every message once, every end with its reason."""

from typing import Any

from desktop.ui.conversation.history import entries_of
from desktop.ui.conversation.transcript import Author, Entry, State


def asked(turn: str, text: str = "Hello?") -> dict[str, Any]:
    return {"role": "user", "content": text, "_turn": turn, "timestamp": "2026-11-28T03:00:00+00:00"}


def answered(turn: str, text: str = "Yes.", **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, "_turn": turn, **more}


def shape(entries: list[Entry]) -> list[tuple[Author, str, State]]:
    return [(entry.author, entry.text, entry.state) for entry in entries]


def test_a_plain_conversation() -> None:
    entries = entries_of([asked("a"), answered("a", reasoning_content="Hm.")], [])
    assert shape(entries) == [(Author.YOU, "Hello?", State.DONE), (Author.NANOBOT, "Yes.", State.DONE)]
    assert entries[1].reasoning == "Hm."
    assert entries[0].when is not None


def test_what_was_stopped_keeps_its_text_and_says_so() -> None:
    (_question, entry) = entries_of([asked("a"), answered("a", "Ye", _stopped=True)], [])
    assert (entry.text, entry.state, entry.detail) == ("Ye", State.STOPPED, "Stopped")


def test_a_failure_shows_why_and_what_to_do() -> None:
    failure = answered("a", "", _error="Unreachable", _error_text="No server.", _error_remedy="Start it.")
    (_question, entry) = entries_of([asked("a"), failure], [])
    assert (entry.state, entry.detail, entry.remedy) == (State.FAILED, "No server.", "Start it.")
    assert entry.action == "Try again"
    failure["_error"] = "SignInNeeded"
    refused = entries_of([asked("a"), failure], [])[1]
    assert (refused.action, refused.to_settings) == ("Try again", True)


def test_an_answer_after_a_failure_takes_its_place() -> None:
    failure = answered("a", "", _error="Unreachable", _error_text="No server.")
    entries = entries_of([asked("a"), failure, answered("a", "Here.")], [])
    assert shape(entries)[1:] == [(Author.NANOBOT, "Here.", State.DONE)]


def test_a_message_that_nobody_answered_is_shown_as_such() -> None:
    entries = entries_of([asked("a"), answered("a"), asked("b", "And?")], [])
    assert entries[-1].state is State.FAILED
    assert entries[-1].action == "Ask again"


def test_a_turn_that_runs_is_waited_for_beside_its_question() -> None:
    entries = entries_of([asked("a"), asked("b", "And?"), answered("b", "Both.")], ["a"])
    assert [entry.state for entry in entries] == [State.DONE, State.WAITING, State.DONE, State.DONE]


def test_records_of_other_programs_are_shown_and_what_is_no_speech_is_not() -> None:
    records: list[dict[str, Any]] = [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "image_url"}]},
        {"role": "assistant", "content": None, "tool_calls": [{}]},
        {"role": "tool", "content": "result"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": "x", "_hidden_marker": True},
    ]
    entries = entries_of(records, [])
    assert [entry.text for entry in entries] == ["one", "two"]
    assert len({entry.id for entry in entries}) == 2


def test_files_that_the_agent_sent_go_along_with_its_message() -> None:
    sent = answered("a", "Here it is.", _said=True, _files=["/w/report.pdf"])
    entries = entries_of([asked("a"), sent, answered("a", "")], [])
    assert [(entry.text, entry.files) for entry in entries if entry.author is Author.NANOBOT] == [
        ("Here it is.", ["/w/report.pdf"])
    ]
