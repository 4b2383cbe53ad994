"""The conversation view: opening, scrolling, streaming; beside it Qt's own Markdown browser.

Milliseconds are CPU time of the process for one synchronous step, painting included.
"""

import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication, QTextBrowser, QWidget

from desktop.ui.conversation.text import markdown
from desktop.ui.conversation.transcript import Author, Entry, State, Transcript
from desktop.ui.conversation.view import ConversationView
from desktop.ui.theme.theme import load_later_fonts, theme
from tests.bench.table import Table, middle

MESSAGES, TOKENS = 10_000, 1_000
_TEXT = "the agent reads files runs commands and reports results while tokens stream from the model"
_WORDS = _TEXT.split(" ")
CODE = """```python
def fib(n: int) -> int:
    \"\"\"Return the n-th Fibonacci number.\"\"\"
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
```"""
TABLE = (
    "| Name | Model | Price |\n|---|:---:|---:|\n| Alpha | `gpt-x` | 1.25 |\n| Beta | `claude-y` | 3.00 |"
)


def paragraph(random_: random.Random, words: int) -> str:
    return " ".join(random_.choice(_WORDS) for _ in range(words)).capitalize() + "."


def message(number: int) -> str:
    """One of a mixed conversation; the same number gives the same."""
    r = random.Random(number)
    if number % 2 == 0:
        return paragraph(r, 20)
    kind = number % 10
    if kind in (1, 5):
        return f"## Result {number}\n\n{paragraph(r, 60)}\n\n{CODE}\n\n{paragraph(r, 30)}"
    if kind == 3:
        return f"{paragraph(r, 30)}\n\n{TABLE}\n\n{paragraph(r, 20)}"
    if kind == 7:
        return (
            f"{paragraph(r, 30)}\n\n- first **bold**\n- second `code`\n  - nested\n\n> {paragraph(r, 15)}"
        )
    return f"{paragraph(r, 60)}\n\n{paragraph(r, 60)}"


def conversation(count: int) -> list[Entry]:
    authors = (Author.YOU, Author.NANOBOT)
    return [Entry(str(number), authors[number % 2], message(number)) for number in range(count)]


def tokens(count: int) -> list[str]:
    """A long answer as it comes."""
    r = random.Random(3)
    parts: list[str] = []
    while len(parts) < count:
        text = "\n\n".join([paragraph(r, 70), CODE, paragraph(r, 70), TABLE, "- one\n- two", ""])
        parts += [word + " " for word in text.split(" ")]
    return parts[:count]


def application() -> QApplication:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication.instance()
    made = app if isinstance(app, QApplication) else QApplication([])
    theme()
    load_later_fonts()
    return made


def turn(widget: QWidget) -> None:
    """Let everything that is due happen, as the loop would."""
    widget.repaint()
    QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents)


def cpu_ms(step: Callable[[], object]) -> float:
    begin = time.process_time()
    step()
    return (time.process_time() - begin) * 1e3


def _p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def _open() -> tuple[float, ConversationView, Transcript]:
    entries = conversation(MESSAGES)
    transcript = Transcript()
    made: list[ConversationView] = []

    def run() -> None:
        view = ConversationView(transcript)
        view.resize(820, 900)
        transcript.fill(entries)
        view.show()
        turn(view)
        made.append(view)

    return cpu_ms(run), made[0], transcript


def _first() -> list[float]:
    """The first messages of a new conversation: what sending, waiting and the first words cost."""
    markdown.load()  # the program does it in a thread, before anybody asks
    transcript = Transcript()
    view = ConversationView(transcript)
    view.resize(820, 900)
    view.show()
    until = time.monotonic() + 0.5
    while time.monotonic() < until:  # as long as it takes to type a word
        turn(view)
    asked = Entry("asked", Author.YOU, paragraph(random.Random(1), 20))
    answer = Entry("answer", Author.NANOBOT, state=State.WAITING, detail="Asking the model…")
    found = []

    def step(change: Callable[[], None]) -> None:
        for part in (change, lambda: turn(view)):
            begin = time.thread_time()
            part()
            found.append((time.thread_time() - begin) * 1e3)

    step(lambda: transcript.add(asked))
    step(lambda: transcript.add(answer))
    for text in (
        "Well, ",
        "**that** is ",
        "easy:\n\n",
        "```python\nx = 1\n",
        "```\n",
        "| a |\n|---|\n| 1 |\n",
    ):
        answer.state, answer.detail = State.STREAMING, ""
        answer.text += text
        transcript.touch(answer.id)
        step(view.flush)
    answer.state = State.DONE
    step(lambda: transcript.touch(answer.id))
    view.close()
    view.deleteLater()
    return found


def _scroll(view: ConversationView) -> list[float]:
    bar = view.verticalScrollBar()

    def step() -> None:
        bar.setValue(bar.value() - 60)
        turn(view)

    return [cpu_ms(step) for _ in range(400)]


def _stream(view: ConversationView, transcript: Transcript) -> list[float]:
    """200 tokens a second, drawn 20 times a second: ten tokens a repaint."""
    answer = Entry("streamed", Author.NANOBOT, state=State.STREAMING)
    transcript.add(answer)
    view.to_end()
    words = tokens(TOKENS)
    found = []

    def step() -> None:
        view.flush()
        turn(view)

    for at in range(0, len(words), 10):
        answer.text += "".join(words[at : at + 10])
        transcript.touch(answer.id)
        found.append(cpu_ms(step))
    answer.state = State.DONE

    def end() -> None:
        transcript.touch(answer.id)
        turn(view)

    found.append(cpu_ms(end))
    return found


def _bare() -> list[float]:
    browser = QTextBrowser()
    browser.resize(820, 900)
    browser.show()
    turn(browser)
    text, found = "", []
    words = tokens(TOKENS)

    def step() -> None:
        browser.setMarkdown(text)
        browser.verticalScrollBar().setValue(browser.verticalScrollBar().maximum())
        turn(browser)

    for at in range(0, len(words), 10):
        text += "".join(words[at : at + 10])
        found.append(cpu_ms(step))
    return found


def measure(table: Table) -> None:
    """Print the figures."""
    application()
    cpu_ms(lambda: turn(QWidget()))
    opened, view, transcript = _open()
    table.line(f"open {MESSAGES:,} messages, cpu", f"{opened:.0f} ms", "", "350 ms", opened <= 350)
    steps = _scroll(view)
    worst = _p95(steps)
    table.line(
        "scroll one step, p50 / p95", f"{middle(steps):.1f} / {worst:.1f} ms", "", "16 ms", worst <= 16
    )
    streamed, bare = _stream(view, transcript), _bare()
    ours, peer = _p95(streamed), _p95(bare)
    table.line(
        "stream 200 tokens/s, a repaint, p50 / p95",
        f"{middle(streamed):.1f} / {ours:.1f} ms",
        f"{middle(bare):.1f} / {peer:.1f} ms setMarkdown",
        "16 ms",
        ours <= 16,
    )
    table.line(
        "  the longest", f"{max(streamed):.1f} ms", f"{max(bare):.1f} ms", "50 ms", max(streamed) <= 50
    )
    first = _first()
    table.line("first message, the longest step", f"{max(first):.1f} ms", "", "16 ms", max(first) <= 16)


if __name__ == "__main__":
    measure(Table())
