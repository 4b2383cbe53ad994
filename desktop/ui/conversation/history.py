"""From the records of a session log to the entries of a transcript."""

from collections.abc import Container, Iterable, Mapping
from typing import Any

from desktop.origin import mark_of
from desktop.session.model import moment_of
from desktop.text import _
from desktop.ui.conversation.file_entries import with_cards
from desktop.ui.conversation.step import Outcome, Step, ended, rough_gist
from desktop.ui.conversation.transcript import Author, Entry, State, own_words

type Record = Mapping[str, Any]

SETTINGS_ERRORS = ("SignInNeeded", "ConfigError", "KeychainError")
"""Failures that asking once more does not mend."""


def answer_id(turn: str) -> str:
    """The id of the entry that answers a turn."""
    return f"{turn}/answer"


def step_id(turn: str, call: str, taken: Container[str]) -> str:
    """The id of a call's entry: models give the same one to calls of different rounds."""
    wanted, number = f"{turn}/{call}", 1
    while (found := wanted if number == 1 else f"{wanted}#{number}") in taken:
        number += 1
    return found


def entries_of(records: Iterable[Record], running: Iterable[str]) -> list[Entry]:
    """What a conversation shows. `running`: turns that are being answered at this moment."""
    running = list(running)
    return with_cards(_History(running).read(records), running)


def waiting(turn: str, *, queued: bool = False) -> Entry:
    """The answer of a turn before its first word. `queued`: another is answered before it."""
    state, detail = State.WAITING, _("Asking the model…")
    if queued:
        state, detail = State.QUEUED, _("Queued")
    return Entry(answer_id(turn), Author.NANOBOT, state=state, detail=detail)


def new_start(turn: str) -> Entry:
    """The line below a command after which the agent knows nothing of what is above."""
    return Entry(f"{turn}/new", Author.BREAK)


def failed(entry: Entry, error: str, remedy: str, kind: str) -> None:
    """Say in an entry that there is no answer, and why; `kind` is the name of the error's class."""
    entry.state = State.FAILED
    entry.detail, entry.remedy = error, remedy
    entry.to_settings, entry.action = kind in SETTINGS_ERRORS, _("Try again")
    if kind == "SignInNeeded":  # what a terminal would be told is no help beside a button that leads there
        entry.remedy = _("Check the key, the sign-in or the model in Settings, then try again.")


class _History:
    def __init__(self, running: list[str]) -> None:
        self._running = running
        self._entries: dict[str, Entry] = {}
        self._last: dict[str, str] = {}
        """Of each turn, the id of its last entry so far."""
        self._calls: dict[str, Entry] = {}
        """Calls without a result so far, by their id and turn."""
        self._asked: Entry | None = None
        """The last message of the person, until it is answered."""

    def read(self, records: Iterable[Record]) -> list[Entry]:
        for number, record in enumerate(records):
            if not any(str(key).startswith("_hidden") for key in record):
                self._take(record, number)
        active = set(self._running)
        if self._asked is not None and self._asked.id not in active:
            self._put(_unanswered(self._asked), self._asked.id)
        for key, entry in self._calls.items():
            self._unfinished(entry, runs=key.partition("/")[0] in active)
        return self._with_answers_on_their_way()

    def _take(self, record: Record, number: int) -> None:
        turn = str(record.get("_turn") or "")
        match record.get("role"):
            case "user":
                self._heard(record, turn, number)
            case "assistant":
                self._said(record, turn, number)
                if record.get("_new"):
                    self._put(new_start(f"{turn or number}"), turn)
            case "tool":
                self._result(record, turn)

    def _heard(self, record: Record, turn: str, number: int) -> None:
        label = str(record.get("_label") or record.get("_sender") or "")
        author = Author.YOU
        if record.get("_note"):
            author = Author.RESULT if label else Author.NOTE
        when = moment_of(record.get("timestamp"))
        text = _text(record.get("content"))
        entry = Entry(turn or f"record-{number}", author, text, when=when, label=" ".join(label.split()))
        entry.files = [str(path) for path in record.get("_files") or ()]
        entry.text = own_words(text, entry.files)
        if not record.get("_command"):  # it has its answer, also where the message before has none yet
            self._asked = entry
        self._put(entry, turn)

    def _said(self, record: Record, turn: str, number: int) -> None:
        calls = [call for call in record.get("tool_calls") or () if isinstance(call, dict)]
        on_the_way = bool(calls or record.get("_said") or record.get("_from"))
        own = bool(turn) and not on_the_way
        entry = _answer(record, answer_id(turn) if own else f"record-{number}", aside=bool(calls))
        if entry is not None:
            self._put(entry, turn)
        elif own:
            self._entries.pop(answer_id(turn), None)  # a failure that an answer without words came after
        for call in calls:
            self._call(call, turn or f"record-{number}")
        if self._asked is not None and not on_the_way and turn in ("", self._asked.id):
            self._asked = None

    def _call(self, call: Record, turn: str) -> None:
        id_, function = str(call.get("id") or ""), call.get("function")
        if not isinstance(function, dict):
            return
        name = str(function.get("name") or "")
        arguments = str(function.get("arguments") or "")
        step = Step(id_, name, rough_gist(arguments), arguments=arguments, read=True)
        entry = Entry(step_id(turn, id_, self._entries), Author.STEP, step=step)
        self._put(entry, turn)
        if before := self._calls.get(f"{turn}/{id_}"):
            self._unfinished(before, runs=False)
        self._calls[f"{turn}/{id_}"] = entry

    def _result(self, record: Record, turn: str) -> None:
        id_ = str(record.get("tool_call_id") or "")
        key = f"{turn}/{id_}"
        if key not in self._calls:  # of another program, which knows no turns
            own = (key for key in self._calls if key.startswith("record-") and key.endswith(f"/{id_}"))
            key = next(own, "")
        entry = self._calls.pop(key, None)
        if entry is not None and entry.step is not None:
            _finish(entry.step, record)

    def _unfinished(self, entry: Entry, *, runs: bool) -> None:
        if runs:
            entry.state = State.STREAMING
        elif entry.step is not None:
            entry.step.outcome = Outcome.INTERRUPTED

    def _put(self, entry: Entry, turn: str) -> None:
        self._entries.pop(entry.id, None)  # an answer after a failure takes its place
        self._entries[entry.id] = entry
        if turn:
            self._last[turn] = entry.id

    def _with_answers_on_their_way(self) -> list[Entry]:
        for turn in self._running:
            old = self._entries.get(answer_id(turn))
            if old is not None and old.state is not State.DONE:
                del self._entries[old.id]  # it is asked for again
        shown = list(self._entries.values())
        for place, turn in enumerate(self._running):
            if turn in self._last and answer_id(turn) not in self._entries:
                places = [n for n, entry in enumerate(shown) if entry.id.partition("/")[0] == turn]
                last = next((n for n, entry in enumerate(shown) if entry.id == self._last[turn]), -1)
                shown.insert(max([last, *places]) + 1, waiting(turn, queued=place > 0))
        return shown


def _answer(record: Record, id_: str, *, aside: bool) -> Entry | None:
    entry = Entry(
        id_,
        Author.NANOBOT,
        _text(record.get("content")),
        reasoning=str(record.get("reasoning_content") or ""),
        when=moment_of(record.get("timestamp")),
        aside=aside,
        files=[str(path) for path in record.get("_files") or ()],
    )
    if error := record.get("_error_text"):
        failed(entry, str(error), str(record.get("_error_remedy") or ""), str(record.get("_error")))
    elif record.get("_stopped"):
        entry.state, entry.detail = State.STOPPED, _("Stopped")
    elif record.get("_unsaid") is not None or not (entry.text.strip() or entry.reasoning):
        return None
    return entry


def _finish(step: Step, record: Record) -> None:
    """Write what came of a call into its step."""
    step.outcome = ended(str(record.get("_outcome") or "ok"))
    step.gist = str(record.get("_gist") or step.gist)
    step.decision = str(record.get("_decision") or "")
    step.result = _text(record.get("content"))
    step.outside = not mark_of(record).trusted
    step.pictures = [str(path) for path in record.get("_images") or ()]
    seconds = record.get("_seconds")
    step.seconds = float(seconds) if isinstance(seconds, int | float) else 0.0


def _unanswered(asked: Entry) -> Entry:
    return Entry(
        answer_id(asked.id),
        Author.NANOBOT,
        state=State.FAILED,
        detail=_("This message has no answer because the program quit first."),
        action=_("Ask again"),
    )


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict))
    return "\n\n".join(text for text in texts if isinstance(text, str))
