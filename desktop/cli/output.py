"""What a command prints: text for people, or one JSON value a line for programs; errors to stderr."""

import io
import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from desktop.bus.events import (
    Event,
    PermissionAsked,
    PermissionSettled,
    ServiceChanged,
    SubagentChanged,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnFailed,
    TurnFinished,
    TurnSpoke,
    TurnStarted,
    TurnWaiting,
)
from desktop.errors import AppError
from desktop.logs import masked
from desktop.text import _
from desktop.tools.permissions.visible import legible, one_legible_line

type Json = dict[str, Any]

_GAP, _LEAST = 3, 12
"""Characters between two columns, and of one that is cut."""
_NO_END = 100_000
"""Characters of a line where nobody cuts it."""
_WORTH_SAYING = 1.0
"""Seconds from which on the duration of a tool is told."""


_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


def ready() -> None:
    """To be called at each entrance: pipes and files get UTF-8, whatever letters the locale or code page
    has, unless PYTHONIOENCODING says otherwise. A terminal of few letters costs letters, not the answer,
    and output that is closed goes nowhere."""
    wanted = os.environ.get("PYTHONIOENCODING", "").partition(":")[0]
    for name in ("stdout", "stderr"):
        stream: TextIO | None = getattr(sys, name)
        if stream is None:  # it was closed before, or there is no console
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 to the end
        elif isinstance(stream, io.TextIOWrapper):
            encoding = None if stream.isatty() else wanted or "utf-8"  # frozen, Python heeds no variable
            with suppress(LookupError):
                stream.reconfigure(encoding=encoding, errors="replace")


def cell(text: str) -> str:
    """What comes from somewhere, on one line: without secrets, and with every sign shown that a terminal
    would obey, that hides, or that turns the text around."""
    return one_legible_line(masked(text))


def say(text: str = "") -> None:
    """A line for the person, on stdout. What is to have several lines is a block."""
    _write(sys.stdout, cell(text) + "\n")


def hint(text: str, *, dim: bool = False) -> None:
    """A line beside the answer, on stderr, so that stdout holds the answer alone; `dim` on a terminal."""
    text = cell(text)
    _write(sys.stderr, f"\x1b[2m{text}\x1b[0m\n" if dim and sys.stderr.isatty() else f"{text}\n")


def block(text: str, *, indent: str = "", aside: bool = False) -> None:
    """A text of several lines, each with an indent; `aside`: on stderr. In a file it is the text as it is,
    but for secrets."""
    stream = sys.stderr if aside else sys.stdout
    lines = shown(text, stream).split("\n")
    _write(stream, "".join(f"{indent}{line}\n" for line in lines))


def shown(text: str, stream: TextIO) -> str:
    """A text as it may be written to a stream: without secrets, and on a terminal without what could move
    the cursor, change the title, fill the clipboard or turn the text around."""
    text = masked(text)
    return legible(text.replace("\r\n", "\n")) if stream.isatty() else text


def passing(text: str, *, last: bool = False) -> None:
    """A line on a terminal's stderr that the next one writes over; an empty one takes it away."""
    _write(sys.stderr, f"\r\x1b[K{cell(text)}" + ("\n" if last else ""))


def _write(stream: TextIO, text: str) -> None:
    stream.write(text)
    stream.flush()


def emit(value: Json | list[Json]) -> None:
    """One JSON value on one line."""
    _write(sys.stdout, _writable(masked(json.dumps(value, ensure_ascii=False)), sys.stdout) + "\n")


def _writable(text: str, stream: TextIO) -> str:
    """JSON of which nothing is lost on the way: what a stream has no letters for stands as escapes."""
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return _BEYOND_ASCII.sub(lambda found: json.dumps(found.group())[1:-1], text)
    return text


def complain(error: AppError) -> None:
    """A failure on stderr: the sentence, then the remedy on its own line."""
    for part in (error.text, error.remedy):
        for line in part.splitlines():
            hint(line)


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], empty: str = "", *, cut: bool = False
) -> None:
    """Rows under headings, as wide as they need to be. `cut`: each row is one line; on a terminal its last
    column is cut where the line ends."""
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    lines = [[Text(cell(one)) for one in row] for row in rows]  # a str would be read as markup
    if not lines:
        say(empty or _("Nothing here yet."))
        return
    console = Console()
    view = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)
    if cut and not console.is_terminal:
        console = Console(width=_NO_END)
    elif cut:
        widths = [
            max(map(cell_len, (name, *(line[at].plain for line in lines))))
            for at, name in enumerate(columns)
        ]
        room = console.width - sum(widths[:-1]) - _GAP * len(columns)
        for line in lines:
            line[-1].truncate(max(room, _LEAST), overflow="ellipsis")
    for line in lines:
        view.add_row(*line)
    console.print(view)


def document(text: str) -> None:
    """A text in Markdown of our own: set on a terminal, as it is in a file."""
    if not sys.stdout.isatty():
        block(text.rstrip("\n"))
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(shown(text, sys.stdout), hyperlinks=False))


class Answers:
    """Prints one answer a turn on stdout; on stderr all about it, and what was said on the way to it.

    On a terminal words are shown as they come, what is beside the answer is dim, and three dots stand where
    an answer is about to begin.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._live = sys.stderr.isatty() and not as_json
        self._streams = sys.stdout.isatty()
        self._text = ""
        """Said since the last tool call, where it is not shown as it comes."""
        self._sent: list[str] = []
        """What the agent sent as messages of its own in this turn."""
        self._shown = 0
        self._dots = False
        self._notes: set[str] = set()
        self._gists: dict[str, str] = {}
        self.ok, self.over = True, False

    def begin(self) -> None:
        """A question was asked: what comes now is its answer."""
        self._shown, self.ok, self.over = 0, True, False
        self._text, self._sent = "", []

    def show(self, event: Event) -> None:
        """Take one event of a turn."""
        self.over = isinstance(event, TurnFinished | TurnFailed)
        if self.as_json:
            self.ok = self.ok and not isinstance(event, TurnFailed)
            emit(event.as_json())
            return
        match event:
            case TurnStarted():
                self._started(event.note)
            case TextDelta():
                self._said(event.text)
            case TurnFinished():
                self._finished(event)
            case TurnFailed():
                self._failed(event)
            case ToolStarted():
                self._gists[event.call] = event.gist
                self._progress()
            case ToolFinished():
                self._tool_ended(event)
            case TurnSpoke():
                self._spoke("\n".join([event.text, *event.files]))
            case PermissionAsked():
                self._clear()
            case _:
                if told := self._beside(event):
                    self._aside(told)

    def _beside(self, event: Event) -> str:
        """What is told of an event in a line beside the answer, if anything."""
        match event:
            case TurnWaiting():
                told = _("{reason} Retrying in {seconds:.0f} s.")
                return told.format(reason=event.reason, seconds=event.seconds)
            case ServiceChanged(state="starting", detail=detail) if detail and self._live:
                return _("Starting {name}…").format(name=detail)
            case SubagentChanged():
                return _of_subagent(event)
            case PermissionSettled(answer="parked"):
                return _("A question is waiting in your inbox: nanobot-desktop inbox list")
        return ""

    def _started(self, note: str) -> None:
        if self._live and note and note not in self._notes:
            self._notes.add(note)
            self._aside(note)
        self._wait()

    def _tool_ended(self, event: ToolFinished) -> None:
        marks = {"ok": "✓", "parked": "…"}
        taken = f"  {event.seconds:.1f} s" if event.seconds >= _WORTH_SAYING else ""
        gist = " ".join(self._gists.pop(event.call, "").split())
        self._aside(f"{marks.get(event.outcome, '✗')} {event.tool} {gist}{taken}")
        self._wait()

    def _spoke(self, text: str) -> None:
        self._progress()
        if self._streams:
            self._write(text)
            self._progress()
        else:
            self._sent.append(text)

    def _said(self, text: str) -> None:
        if self._streams:
            self._write(text)
        else:
            self._text += text

    def _finished(self, event: TurnFinished) -> None:
        answer, sent = event.text, "\n\n".join(self._sent)
        if self._streams:
            answer = answer[self._shown :]
        elif answer and sent:
            block(sent, aside=True)
        self._write(answer or sent)
        self._end()
        self._shown, self._text, self._sent = 0, "", []
        if event.stopped:
            self._aside(_("Stopped."))

    def _progress(self) -> None:
        """What was said so far was no answer yet."""
        self._end()
        self._shown = 0
        if self._text.strip():
            block(self._text.strip("\n"), aside=True)
        self._text = ""

    def _failed(self, event: TurnFailed) -> None:
        self.ok = False
        self._write(self._text)  # as far as the answer came
        self._text = ""
        self._progress()
        complain(AppError(event.error, event.remedy))

    def _write(self, text: str) -> None:
        self._clear()
        self._shown += len(text)
        _write(sys.stdout, shown(text, sys.stdout))

    def _end(self) -> None:
        self._clear()
        if self._shown:
            say()

    def _aside(self, text: str) -> None:
        self._clear()
        hint(text, dim=self._live)

    def _wait(self) -> None:
        if self._live:
            self._dots = True
            _write(sys.stderr, "\x1b[2m…\x1b[0m")

    def _clear(self) -> None:
        if self._dots:
            self._dots = False
            passing("")


def _of_subagent(event: SubagentChanged) -> str:
    said = {
        "running": _("Subagent {label} is running."),
        "done": _("Subagent {label} is done."),
        "failed": _("Subagent {label} failed."),
        "interrupted": _("Subagent {label} was interrupted."),
    }.get(event.state, "")
    return said.format(label=" ".join(event.label.split()))
