"""Who may write: exact ids, and nobody by default."""

from dataclasses import replace

import pytest

from desktop.channels.access import Verdict, by_name, is_owner, judge
from desktop.channels.message import Address, Received
from desktop.config.channels.slack import Slack
from desktop.config.channels.telegram import Telegram

PRIVATE = Received(Address("telegram", "7"), "1", "7", "Ann", "hello", aliases=("@ann", "ann"))
GROUP = replace(PRIVATE, where=Address("telegram", "-5"), group=True)
MENTION = replace(GROUP, mentioned=True)


@pytest.mark.parametrize(
    ("settings", "received", "verdict"),
    [
        ({}, PRIVATE, Verdict.PAIR),
        ({"allow_from": ("7",)}, PRIVATE, Verdict.LET_IN),
        ({"allow_from": ("77", "07", " 7", "7 ")}, PRIVATE, Verdict.PAIR),
        ({"allow_from": ("@ann",)}, PRIVATE, Verdict.LET_IN),
        ({"allow_from": ("*",)}, PRIVATE, Verdict.LET_IN),
        ({"owner": "7"}, PRIVATE, Verdict.LET_IN),
        ({"owner": "Ann"}, PRIVATE, Verdict.PAIR),
        ({"allow_from": ("Ann",)}, PRIVATE, Verdict.PAIR),
        ({}, MENTION, Verdict.SILENT),
        ({"allow_from": ("7",)}, GROUP, Verdict.SILENT),
        ({"allow_from": ("7",)}, MENTION, Verdict.LET_IN),
        ({"allow_from": ("7",), "group_policy": "open"}, GROUP, Verdict.LET_IN),
        ({"group_policy": "open"}, GROUP, Verdict.SILENT),
        ({"group_allow_from": ("-5",)}, MENTION, Verdict.LET_IN),
        ({"group_allow_from": ("-5",), "group_policy": "allowlist"}, GROUP, Verdict.LET_IN),
        ({"allow_from": ("7",), "group_policy": "allowlist"}, MENTION, Verdict.SILENT),
        ({"allow_from": ("-5",)}, MENTION, Verdict.SILENT),
    ],
)
def test_who_is_let_in(settings: dict[str, object], received: Received, verdict: Verdict) -> None:
    assert judge(Telegram.model_validate(settings), received) is verdict


def test_only_the_id_makes_somebody_the_owner() -> None:
    settings = Telegram(owner="42")
    assert not is_owner(settings, replace(PRIVATE, name="42", aliases=("42", "@42")))
    assert is_owner(settings, replace(PRIVATE, sender="42"))
    assert not is_owner(Telegram(), replace(PRIVATE, sender=""))


def test_a_name_on_the_list_gives_way_to_the_id() -> None:
    assert by_name(Telegram(allow_from=("@ann",)), PRIVATE) == "@ann"
    assert by_name(Telegram(allow_from=("@ann", "7")), PRIVATE) == ""


@pytest.mark.parametrize(
    ("settings", "verdict"),
    [
        ({"allow_from": ("*",)}, Verdict.LET_IN),
        ({"allow_from": ("7",), "dm": {"enabled": False}}, Verdict.SILENT),
        ({"allow_from": ("*",), "dm": {"policy": "allowlist"}}, Verdict.PAIR),
        ({"allow_from": ("7",), "dm": {"policy": "allowlist"}}, Verdict.LET_IN),
        ({"owner": "7", "dm": {"policy": "allowlist"}}, Verdict.LET_IN),
        ({"dm": {"policy": "allowlist", "allowFrom": ["7"]}}, Verdict.LET_IN),
        ({"dm": {"policy": "allowlist", "allowFrom": ["*"]}}, Verdict.PAIR),
        ({"dm": {"policy": "open", "allowFrom": ["7"]}}, Verdict.PAIR),
        ({"dm": {"policy": "allowlist"}}, Verdict.PAIR),
    ],
)
def test_private_chats_of_an_app_may_have_rules_of_their_own(
    settings: dict[str, object], verdict: Verdict
) -> None:
    assert judge(Slack.model_validate(settings), PRIVATE) is verdict


def test_what_holds_in_private_does_not_hold_in_groups() -> None:
    named = {"policy": "allowlist", "allowFrom": ["7"]}
    assert judge(Slack.model_validate({"dm": named}), MENTION) is Verdict.SILENT
    off = Slack.model_validate({"allow_from": ("7",), "dm": {"enabled": False}})
    assert judge(off, MENTION) is Verdict.LET_IN
