"""What is said on the screen: buttons by kind, which questions may be answered there, text that is text."""

from typing import Any

import pytest

from desktop.inbox.clean import clean
from desktop.inbox.inbox import Notice
from desktop.inbox.screen import Toast
from desktop.inbox.toasts import digest, toast

CARD: dict[str, Any] = {
    "title": "Run command?",
    "lines": ["ls -l"],
    "command": "ls -l",
    "body": "",
    "cwd": "/home/ada/notes",
    "environment": {},
    "why": "Commands are asked for.",
    "outside": False,
}


def of(kind: str, **body: Any) -> Toast:
    return toast(Notice("n", kind, "s", "t", "Stand-up", body))


def names(toast: Toast) -> list[str]:
    return [name for name, _label in toast.actions] + ["reply"] * toast.reply


@pytest.mark.parametrize(
    ("kind", "buttons"),
    [
        ("reminder", ["done", "snooze", "reply"]),
        ("heartbeat", ["reply"]),
        ("subagent", ["reply"]),
        ("error", []),
        ("telegram", []),
    ],
)
def test_the_buttons_of_a_kind(kind: str, buttons: list[str]) -> None:
    shown = of(kind, text="Bring the figures.", remedy="Or a picture.")
    assert (shown.title, shown.body) == ("Stand-up", "Bring the figures.\nOr a picture.")
    assert names(shown) == buttons
    assert shown.session == "s"
    assert of(kind, text="Stand-up").body == ""


def test_markdown_is_shown_as_text_and_commands_as_they_are() -> None:
    said = toast(
        Notice("n", "answer", "s", "t", "About **Rome**", {"text": "# Pack\n- a `coat`\n\n- **2** socks"})
    )
    assert (said.title, said.body) == ("About Rome", "Pack\na coat\n2 socks")
    command = "echo **/*.py `date`"
    assert command in of("approval", card=CARD | {"command": command, "lines": []}).body


def test_a_job_that_was_missed_asks() -> None:
    assert names(of("reminder", text="News", ask=True)) == ["do", "skip"]


def test_a_question_that_can_be_seen_whole_may_be_answered() -> None:
    shown = of("approval", card=CARD)
    assert shown.title == "Run command?"
    assert shown.body == "ls -l\nIn /home/ada/notes\nCommands are asked for."
    assert names(shown) == ["approve", "deny"]


@pytest.mark.parametrize(
    "more",
    [
        {"outside": True},
        {"body": "print(1)"},
        {"environment": {"LD_PRELOAD": "/tmp/x.so"}},
        {"command": "true " + "x" * 300},
        {"command": "true\n" * 9},
        {"lines": [f"Reads /etc/{n}" for n in range(20)]},
    ],
)
def test_one_with_more_to_see_can_only_be_opened(more: dict[str, Any]) -> None:
    assert names(of("approval", card=CARD | more)) == ["open"]


def test_one_without_a_card_can_only_be_opened() -> None:
    shown = of("approval")
    assert (shown.title, names(shown)) == ("Stand-up", ["open"])


def test_many_are_one() -> None:
    notices = [Notice(f"n{n}", "error", "", "", f"Trouble {n}") for n in range(7)]
    shown = digest(notices)
    assert (shown.notice, shown.title) == ("digest", "7 unread notices")
    assert shown.body.splitlines() == [*(f"• Trouble {n}" for n in range(5)), "and 2 more"]
    assert digest(notices, after_quiet=True).title == "7 notices during quiet hours"
    asked = digest([Notice(f"n{n}", "approval", "", "", "exec: ls") for n in range(5)])
    assert (asked.notice, asked.kind, asked.title) == (
        "digest:approval",
        "approval",
        "5 questions are waiting for you",
    )


def test_text_is_cut_and_nothing_but_text() -> None:
    title, body = clean(
        Toast("n", "error", "a\tb\nc\x00\x1b[31m" + "t" * 500, "<b>x</b>\n" + "b" * 100_000)
    )
    assert title.startswith("a b c[31mttt")
    assert (len(title), title[-1]) == (120, "…")
    assert body.startswith("<b>x</b>\nbbb")
    assert (len(body), body[-1]) == (600, "…")
    assert clean(Toast("n", "error", "\ud800a", "x\u202ey\u2066z"))[1] == "xyz"
    assert clean(Toast("n", "error", "\ud800a👩‍🚀", ""))[0] == "a👩‍🚀"
    assert clean(Toast("n", "error", "", "1\n" * 100))[1].count("\n") == 12
