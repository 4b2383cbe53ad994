"""What reaches a terminal: the answer, no secret, and nothing that gives the terminal orders."""

import contextlib
import io
import json

import pytest

from desktop.bus.events import (
    Event,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnFailed,
    TurnFinished,
    TurnSpoke,
)
from desktop.cli.output import Answers, block, cell, complain, emit, hint, passing, say, shown, table
from desktop.errors import AppError
from desktop.logs import mask


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_an_answer_cannot_give_the_terminal_orders() -> None:
    said = "one\n\ttwo \x1b]0;title\x07 \x1b[2J\x9b31m\r\x7f 中 🙂"
    assert (
        shown(said, Terminal())
        == "one\n\ttwo ⟨U+001B⟩]0;title⟨U+0007⟩ ⟨U+001B⟩[2J⟨U+009B⟩31m⟨U+000D⟩⟨U+007F⟩ 中 🙂"
    )


def test_a_file_gets_the_answer_to_the_letter() -> None:
    assert shown("a\x1b[1mb", io.StringIO()) == "a\x1b[1mb"


def test_no_secret_is_shown() -> None:
    mask("sk-output-secret")
    assert shown("the key is sk-output-secret.", Terminal()) == "the key is [hidden]."


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", "cp1252", "cp437", "gbk", "utf-16"])
def test_json_is_whole_whatever_letters_a_stream_has(encoding: str) -> None:
    mask("clé-\N{BLACK STAR}-secret")
    value = {
        "text": 'café "中文" \N{WAVING HAND SIGN} \udcff \u2028 ⟨',
        "名": "the key: clé-\N{BLACK STAR}-secret",
    }
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="replace")
    with contextlib.redirect_stdout(stream):
        emit(value)
    line = stream.buffer.getvalue().decode(encoding)
    assert line.count("\n") == 1
    assert json.loads(line) == value | {"名": "the key: [hidden]"}


HOSTILE = [
    ("\x1b]0;owned\x07", "⟨U+001B⟩]0;owned⟨U+0007⟩"),
    ("\x1b[2J", "⟨U+001B⟩[2J"),
    ("\x9b31m", "⟨U+009B⟩31m"),
    ("a\u202egpj.exe", "a⟨U+202E⟩gpj.exe"),
    ("\u2066a\u2069", "⟨U+2066⟩a⟨U+2069⟩"),
    ("\u200fa", "⟨U+200F⟩a"),
    ("a\u200bb", "a⟨U+200B⟩b"),
    ("a\u2060b\ufeff", "a⟨U+2060⟩b⟨U+FEFF⟩"),
    ("a\u00adb", "a⟨U+00AD⟩b"),
    ("a\U000e0041b", "a⟨U+E0041⟩b"),
    ("a\u3164b", "a⟨U+3164⟩b"),
    ("a\u200db", "a⟨U+200D⟩b"),
    ("a\ufe0fb", "a⟨U+FE0F⟩b"),
    ("one\nwx1234  done", "one⏎wx1234  done"),
    ("one\u2028two\x85three\r\nfour\x0bfive", "one⏎two⏎three⏎four⏎five"),
    ("a\rb", "a⏎b"),
    ("⟨U+202E⟩", "⟨U+27E8⟩U+202E⟩"),
]
HARMLESS = ["Tea at five", "Größe: 5 €", "早上好", "مرحبا", "❤️ 1️⃣ 👩‍💻 👍🏽", "a  b"]


@pytest.mark.parametrize(("text", "told"), HOSTILE)
def test_what_comes_from_somewhere_is_one_line_that_shows_all(
    text: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cell(text) == told
    say(text)
    hint(text)
    complain(AppError("No.", text.replace("\n", "⏎")))
    passing(text)
    table(["Name"], [[text]])
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == told
    assert told in out.split("Name")[1]
    assert err.splitlines()[0] == told
    for written in (out, err.replace("\r\x1b[K", "")):
        assert "\x1b" not in written
        assert "\u202e" not in written


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert cell(text) == text


def test_a_space_of_another_width_is_a_space() -> None:
    assert cell("5\u00a0€ 10\u202f000") == "5 € 10 000"


def test_a_block_keeps_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    block("one\n  two", indent="> ")
    assert capsys.readouterr().out == "> one\n>   two\n"


def turn(*events: Event) -> Answers:
    answers = Answers(as_json=False)
    answers.begin()
    for event in events:
        answers.show(event)
    return answers


AT = ("s", "t")
CALL = (ToolStarted(*AT, "1", gist="notes.txt"), ToolFinished(*AT, "1", "read_file"))


def test_a_turn_prints_one_answer_and_its_progress_beside(capsys: pytest.CaptureFixture[str]) -> None:
    turn(
        TextDelta(*AT, "Let me look."),
        *CALL,
        TurnSpoke(*AT, "Half way.", ("/w/a.pdf",)),
        TextDelta(*AT, "Two apples."),
        TurnFinished(*AT, "Two apples."),
    )
    printed = capsys.readouterr()
    assert printed.out == "Two apples.\n"
    assert printed.err.splitlines() == ["Let me look.", "✓ read_file notes.txt", "Half way.", "/w/a.pdf"]


def test_a_message_of_its_own_is_the_answer_where_there_is_no_other(
    capsys: pytest.CaptureFixture[str],
) -> None:
    turn(*CALL, TurnSpoke(*AT, "Done.", ("/w/a.pdf",)), TurnFinished(*AT))
    assert capsys.readouterr().out == "Done.\n/w/a.pdf\n"


def test_a_turn_that_fails_prints_its_answer_as_far_as_it_came(capsys: pytest.CaptureFixture[str]) -> None:
    answers = turn(TextDelta(*AT, "Half a"), TurnFailed(*AT, "It broke.", "Try again."))
    printed = capsys.readouterr()
    assert (printed.out, answers.ok) == ("Half a\n", False)
    assert printed.err.splitlines() == ["It broke.", "Try again."]
