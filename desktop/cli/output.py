"""What a command prints: text for people, or one JSON value a line for programs; errors to stderr."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from desktop.errors import AppError
from desktop.logs import masked
from desktop.text import _

type Json = dict[str, Any]


def say(text: str = "") -> None:
    """A line for the person, on stdout."""
    sys.stdout.write(f"{masked(text)}\n")
    sys.stdout.flush()


def hint(text: str) -> None:
    """A line beside the answer, on stderr, so that stdout holds the answer alone."""
    sys.stderr.write(f"{masked(text)}\n")
    sys.stderr.flush()


def emit(value: Json | list[Json]) -> None:
    """One JSON value on one line."""
    sys.stdout.write(masked(json.dumps(value, ensure_ascii=False)) + "\n")
    sys.stdout.flush()


def complain(error: AppError) -> None:
    """A failure on stderr: the sentence, then the remedy on its own line."""
    sys.stderr.write(masked(f"{error.text}\n{error.remedy}".rstrip()) + "\n")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], empty: str = "") -> None:
    """Rows under headings, as wide as they need to be."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    lines = [list(row) for row in rows]
    if not lines:
        say(empty or _("Nothing here yet."))
        return
    view = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for line in lines:
        view.add_row(*(Text(masked(cell)) for cell in line))  # a str would be read as markup
    console = Console()
    console.print(view)


class Answer:
    """Prints one turn as it comes: the text on stdout, everything about it on stderr."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._shown = 0
        self.ok = True

    def show(self, line: Json) -> None:
        """Take one event of an `ask`."""
        if self._as_json:
            self.ok = self.ok and line["event"] != "turn_failed"
            emit(line)
            return
        getattr(self, f"_{line['event']}", lambda _line: None)(line)

    def _turn_started(self, line: Json) -> None:
        if line["note"] and sys.stderr.isatty():
            hint(line["note"])

    def _service_changed(self, line: Json) -> None:
        if line["state"] == "starting" and line["detail"] and sys.stderr.isatty():
            hint(line["detail"])

    def _turn_waiting(self, line: Json) -> None:
        hint(_("{reason} Trying again in {seconds:.0f} s.").format(**line))

    def _text_delta(self, line: Json) -> None:
        self._write(line["text"])

    def _turn_finished(self, line: Json) -> None:
        self._write(line["text"][self._shown :])
        if self._shown:
            say()
        if line["stopped"]:
            hint(_("Stopped."))

    def _turn_failed(self, line: Json) -> None:
        self.ok = False
        if self._shown:
            say()
        complain(AppError(line["error"], line["remedy"]))

    def _write(self, text: str) -> None:
        self._shown += len(text)
        sys.stdout.write(masked(text))
        sys.stdout.flush()
