"""Which messages are commands, and what is said of a word that is none."""

import pytest

from desktop.agent.commands import COMMANDS, Typed, parse, unknown


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("/help", Typed("help", "")),
        ("  /HELP  ", Typed("help", "")),
        ("/model@my_bot gpt-5 mini", Typed("model", "gpt-5 mini")),
        ("/history\n5", Typed("history", "5")),
        ("/no-such", Typed("no-such", "")),
    ],
)
def test_a_first_word_behind_a_slash_is_a_command(text: str, typed: Typed) -> None:
    assert parse(text) == typed


@pytest.mark.parametrize(
    "text",
    [
        "/etc/hosts",
        "/etc/hosts is broken",
        "/tmp/x",
        "/",
        "// note",
        "see /help",
        "/2 of it",
        "/привет",
        "",
    ],
)
def test_paths_and_the_like_are_text(text: str) -> None:
    assert parse(text) is None


def test_a_wrong_word_is_answered_with_the_nearest_right_one() -> None:
    assert "/history" in unknown("histroy")
    assert "/stop" in unknown("stpo")
    assert all(command.usage.startswith(f"/{command.word}") for command in COMMANDS)
