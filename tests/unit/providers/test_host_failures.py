"""How the many ways of servers and libraries to fail become our few kinds."""

import email.utils
import time
from types import SimpleNamespace
from typing import Any

import pytest

from desktop.providers.host.call import Call
from desktop.providers.host.failures import failure, kind, retry_after

CALL = Call(1, "openai", "m", "http://x/v1", 9, 9, {"X-Key": "header-secret"}, "sk-secret-key", b"{}")


class Raised(Exception):
    """An exception as the libraries raise them: with a status, a body and a response."""

    def __init__(self, text: str, *, status: int | None = None, body: Any = None, **headers: str) -> None:
        super().__init__(text)
        self.status_code = status
        self.body = body
        self.response = SimpleNamespace(headers={name.replace("_", "-"): v for name, v in headers.items()})


@pytest.mark.parametrize(
    ("status", "text", "expected"),
    [
        (429, "You exceeded your current quota, please check your billing details", "quota"),
        (429, "exceeded your current quota ... retryDelay: 20s", "rate_limited"),
        (429, "Rate limit reached: 30 requests per minute", "rate_limited"),
        (400, "Your credit balance is too low to access the Anthropic API", "quota"),
        (403, "账户余额不足", "quota"),
        (403, "Country not supported", "sign_in"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", "context_too_long"),
        (400, "the request exceeds the available context size", "context_too_long"),
        (413, "payload too large", "bad_request"),
        (429, "Too many tokens, please wait", "rate_limited"),
        (529, "Overloaded", "server_fault"),
        (504, "Gateway timeout", "too_slow"),
    ],
)
def test_status_and_words_decide(status: int, text: str, expected: str) -> None:
    assert kind(status, text) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"message": "slow down", "code": "rate_limit_exceeded"}, "rate_limited"),
        ({"message": "try later", "type": "overloaded_error"}, "server_fault"),
        ({"message": "no", "code": "insufficient_quota"}, "quota"),
        ({"message": "no", "code": "invalid_api_key"}, "sign_in"),
        ({"message": "no", "type": "invalid_request_error"}, "bad_request"),
        ({"message": "too much", "code": "context_length_exceeded"}, "context_too_long"),
        ({"message": "bad gateway", "code": 502}, "server_fault"),
        ({"message": "who knows"}, "server_fault"),
    ],
)
def test_an_error_inside_a_stream_is_known_by_its_code(body: dict[str, Any], expected: str) -> None:
    assert failure(Raised("x", body=body), CALL).kind == expected


def test_words_inside_json_are_found_and_prefixes_dropped() -> None:
    text = (
        "litellm.AuthenticationError: AnthropicException - "
        '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}'
    )
    found = failure(Raised(text, status=401), CALL)
    assert (found.kind, found.detail) == ("sign_in", "invalid x-api-key (authentication_error)")


def test_secrets_are_hidden_and_words_cut_short() -> None:
    found = failure(Raised("key sk-secret-key or header-secret " + "x" * 400, status=400), CALL)
    assert found.detail.startswith("key [hidden] or [hidden] xx")
    assert len(found.detail) == 300


def test_a_fault_of_our_own_names_what_it_was() -> None:
    found = failure(KeyError("choices"), CALL)
    assert (found.kind, found.detail) == ("internal", "KeyError: 'choices'")


def test_the_cause_of_an_exception_counts() -> None:
    error = Raised("Internal server error", status=500)
    error.__cause__ = ConnectionResetError("reset by peer")
    assert failure(error, CALL).kind == "broken_off"


def test_retry_after_is_read_in_every_form() -> None:
    assert retry_after({"retry-after-ms": "1500", "retry-after": "9"}) == 1.5
    assert retry_after({"retry-after": "2.5"}) == 2.5
    assert retry_after({"retry-after": "-3"}) == 0
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None
    date = email.utils.formatdate(time.time() + 100, usegmt=True)
    assert retry_after({"retry-after": date}) == pytest.approx(100, abs=30)
    assert failure(Raised("busy", status=429, retry_after="4"), CALL).retry_after == 4
