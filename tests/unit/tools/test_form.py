"""What the person fills in, checked: by the kind of each field, and never a secret."""

from typing import Any

import pytest

from desktop.tools.form import Field, Form, Kind, filled
from desktop.tools.secret_words import looks_secret, sounds_secret

KEY = "This looks like a key or a password. Never send one to a server this way."
COLOURS = (("r", "Red"), ("g", "Green"), ("b", "Blue"))


def check(given: Any, kind: Kind, **more: Any) -> Any:
    """What comes of one value: the value, or what is wrong."""
    form = Form("s", "m", fields=(Field("f", kind, "F", **more),))
    content, faults = filled(form, {"f": given})
    return faults.get("f") or content.get("f")


@pytest.mark.parametrize(
    ("given", "kind", "more", "expected"),
    [
        ("Ada", Kind.TEXT, {}, "Ada"),
        (" kept as it is ", Kind.TEXT, {}, " kept as it is "),
        ("ab", Kind.TEXT, {"least": 3}, "Enter at least 3 characters."),
        ("abcd", Kind.TEXT, {"most": 3}, "Enter at most 3 characters."),
        (" ada@example.com ", Kind.TEXT, {"format": "email"}, "ada@example.com"),
        ("ada", Kind.TEXT, {"format": "email"}, "Enter an email address."),
        ("2026-02-30", Kind.TEXT, {"format": "date"}, "Enter a date, for example 2026-01-31."),
        ("2026-02-28", Kind.TEXT, {"format": "date"}, "2026-02-28"),
        ("2026-02-28T10:00:00Z", Kind.TEXT, {"format": "date-time"}, "2026-02-28T10:00:00Z"),
        ("nowhere", Kind.TEXT, {"format": "uri"}, "Enter a web address, for example https://example.com."),
        ("5", Kind.WHOLE, {}, 5),
        (5, Kind.WHOLE, {}, 5),
        ("12345678901234567890", Kind.WHOLE, {}, 12345678901234567890),
        ("5.5", Kind.WHOLE, {}, "Enter a whole number."),
        ("1e999", Kind.WHOLE, {}, "Enter a whole number."),
        ("five", Kind.NUMBER, {}, "Enter a number."),
        ("nan", Kind.NUMBER, {}, "Enter a number."),
        ("٥", Kind.NUMBER, {}, "Enter a number."),
        ("-0.5", Kind.NUMBER, {}, -0.5),
        ("0", Kind.NUMBER, {"least": 1}, "Enter 1 or more."),
        ("9", Kind.NUMBER, {"most": 8}, "Enter 8 or less."),
        (True, Kind.WHOLE, {}, "Enter a number."),
        (True, Kind.SWITCH, {}, True),
        ("Yes", Kind.SWITCH, {}, True),
        ("maybe", Kind.SWITCH, {}, "Yes or no?"),
        ("g", Kind.ONE, {"choices": COLOURS}, "g"),
        ("2", Kind.ONE, {"choices": COLOURS}, "g"),
        ("green", Kind.ONE, {"choices": COLOURS}, "g"),
        ("4", Kind.ONE, {"choices": COLOURS}, "Choose an option from the list."),
        ("1, 3,3", Kind.MANY, {"choices": COLOURS}, ["r", "b"]),
        (["r", "x"], Kind.MANY, {"choices": COLOURS}, "Choose an option from the list."),
        (["r"], Kind.MANY, {"choices": COLOURS, "least": 2}, "Choose at least 2."),
        ("", Kind.TEXT, {"required": True}, "Required."),
        (None, Kind.WHOLE, {"required": True}, "Required."),
        ("", Kind.TEXT, {"default": "x"}, None),
        ("ghp_0123456789abcdef0123", Kind.TEXT, {}, KEY),
    ],
)  # fmt: skip
def test_a_value_is_taken_or_what_is_wrong_is_said(
    given: Any, kind: Kind, more: dict[str, Any], expected: Any
) -> None:
    assert check(given, kind, **more) == expected


def test_what_is_not_given_has_its_default() -> None:
    form = Form("s", "m", fields=(Field("a", Kind.TEXT, "A", default="x"), Field("b", Kind.TEXT, "B")))
    assert filled(form, {}) == ({"a": "x"}, {})


ASKS = (
    *("password", "apiKey", "API_KEY", "Your API key", "GitHub token", "accessToken", "client_secret"),
    *(
        "Passwort",
        "mot de passe",
        "密码",
        "请输入您的密码",
        "パスワード",
        "كلمة المرور",
        "पासवर्ड",
        "пароль",
    ),
    *("p\u0430ssword", "p\u200bassword", "\uff50assword", "passwo\u0308rd token", "PIN", "cardNumber"),
    *("Enter the one-time code", "recovery phrase", "SSH private key", "OTP", "2FA code"),
)
HARMLESS = (
    *("name", "City", "max_tokens", "maxTokens", "Maximum number of tokens", "keyboard layout", "Keyword"),
    *(
        "monkey",
        "pinned",
        "Spin",
        "secretary",
        "Date of birth",
        "Surname",
        "token limit",
        "tokenize",
        "名前",
    ),
)


@pytest.mark.parametrize("text", ASKS)
def test_what_asks_for_a_secret_sounds_so(text: str) -> None:
    assert sounds_secret(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_asks_for_none_does_not(text: str) -> None:
    assert not sounds_secret(text)


@pytest.mark.parametrize("text", ["skateboarding-competition-2026", "hello", "basic", "ghost_in_the_shell"])
def test_ordinary_words_look_like_no_key(text: str) -> None:
    assert not looks_secret(text)
