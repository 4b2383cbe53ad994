"""The body that goes to the server, and the sentences for what comes back."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from desktop.providers.base import Endpoint, ProviderError, Request
from desktop.providers.call_errors import error_for
from desktop.providers.options import request_body

MESSAGES = '[{"role":"user","content":"Grüße"}]'.encode()


def body(endpoint: Endpoint, **options: Any) -> Mapping[str, Any]:
    request = Request(endpoint, [], max_tokens=50, **options)
    value: Mapping[str, Any] = json.loads(request_body(request, MESSAGES))
    return value


def test_the_body_has_what_was_asked_and_nothing_more() -> None:
    assert body(Endpoint("acme", "m")) == {
        "model": "m",
        "messages": [{"role": "user", "content": "Grüße"}],
        "max_tokens": 50,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@pytest.mark.parametrize(
    "kind",
    [
        "sign_in",
        "rate_limited",
        "quota",
        "context_too_long",
        "bad_request",
        "answer_too_long",
        "no_connection",
        "too_slow",
        "broken_off",
        "no_model_server",
        "server_fault",
        "internal",
        "a kind from the future",
    ],
)
@pytest.mark.parametrize("status", [None, 400, 403, 404, 413, 500])
def test_every_failure_is_a_sentence_with_a_remedy(kind: str, status: int | None) -> None:
    error = error_for(kind, Endpoint("acme", "m", base_url="http://x"), status=status, detail="said {so}")
    assert isinstance(error, ProviderError)
    assert error.text.endswith((".", "said {so}"))
    assert error.remedy
    assert "None" not in str(error)
    assert "{provider}" not in str(error)


def test_only_what_may_pass_by_itself_is_tried_again() -> None:
    endpoint = Endpoint("acme", "m")
    again = ("no_connection", "broken_off", "server_fault", "rate_limited")
    never = ("too_slow", "no_model_server", "quota", "sign_in")
    assert all(error_for(kind, endpoint).retryable for kind in again)
    assert not any(error_for(kind, endpoint).retryable for kind in never)


def test_the_servers_words_are_told_where_they_help() -> None:
    error = error_for("bad_request", Endpoint("acme", "m"), detail="unknown model", status=400)
    assert error.text == "acme rejected the request (400). It said: unknown model"
