"""From the records of a session log to the entries of a transcript."""

from collections.abc import Iterable, Mapping
from typing import Any

from desktop.session.model import moment_of
from desktop.text import _
from desktop.ui.conversation.transcript import Author, Entry, State

type Record = Mapping[str, Any]


def answer_id(turn: str) -> str:
    """The id of the entry that answers a turn."""
    return f"{turn}/answer"


def entries_of(records: Iterable[Record], running: Iterable[str]) -> list[Entry]:
    """What a conversation shows. `running`: turns that are being answered at this moment."""
    entries: dict[str, Entry] = {}
    for number, record in enumerate(records):
        entry = _entry(record, number)
        if entry is not None:
            entries[entry.id] = entry
    shown = list(entries.values())
    active = set(running)
    if shown and shown[-1].author is Author.YOU and shown[-1].id not in active:
        shown.append(_unanswered(shown[-1]))
    for entry in list(shown):
        if entry.id in active and answer_id(entry.id) not in entries:
            shown.insert(shown.index(entry) + 1, waiting(entry.id))
    return shown


def waiting(turn: str) -> Entry:
    """The answer of a turn before its first word."""
    return Entry(answer_id(turn), Author.NANOBOT, state=State.WAITING, detail=_("Asking the model…"))


SETTINGS_ERRORS = ("SignInNeeded", "ConfigError", "KeychainError")
"""Failures that asking once more does not mend."""


def failed(entry: Entry, error: str, remedy: str, kind: str) -> None:
    """Say in an entry that there is no answer, and why; `kind` is the name of the error's class."""
    entry.state = State.FAILED
    entry.detail, entry.remedy = error, remedy
    entry.to_settings = kind in SETTINGS_ERRORS
    entry.action = _("Open settings") if entry.to_settings else _("Try again")


def _entry(record: Record, number: int) -> Entry | None:
    role = record.get("role")
    if role not in ("user", "assistant") or any(str(key).startswith("_hidden") for key in record):
        return None
    turn = str(record.get("_turn") or "")
    text = _text(record.get("content"))
    when = moment_of(record.get("timestamp"))
    if role == "user":
        return Entry(turn or f"record-{number}", Author.YOU, text, when=when)
    entry = Entry(
        answer_id(turn) if turn else f"record-{number}",
        Author.NANOBOT,
        text,
        reasoning=str(record.get("reasoning_content") or ""),
        when=when,
    )
    if error := record.get("_error_text"):
        failed(entry, str(error), str(record.get("_error_remedy") or ""), str(record.get("_error")))
    elif record.get("_stopped"):
        entry.state, entry.detail = State.STOPPED, _("Stopped")
    elif not text and not entry.reasoning:
        return None
    return entry


def _unanswered(asked: Entry) -> Entry:
    return Entry(
        answer_id(asked.id),
        Author.NANOBOT,
        state=State.FAILED,
        detail=_("This message has no answer: the program ended before it came."),
        action=_("Ask again"),
    )


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict))
    return "\n\n".join(text for text in texts if isinstance(text, str))
