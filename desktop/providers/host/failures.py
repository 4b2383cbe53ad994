"""Says what went wrong with a model call, from whatever a library raised.

The kinds: sign_in, rate_limited, quota, context_too_long, bad_request, answer_too_long;
no_connection (refused, no such host, TLS), too_slow (silence or the total time), broken_off (reset,
cut, not understood), filtered, aborted, faulty (ended by the server before it was whole),
no_model_server (a web page instead), redirected (sent on to another address), no_list (no list of
models), proxy (not there, or it refuses), environment (a wrong variable), server_fault (5xx); internal
(a fault of the host itself). Servers disagree on codes, and litellm types some errors wrongly, so the
status and the server's words decide, not the exception's class.
"""

import contextlib
import email.utils
import json
import re
import time
from collections.abc import Mapping
from typing import Any

from desktop.net.way_out import WrongVariable, proxy_for
from desktop.providers.host.call import Call, Failure

_DETAIL = 300
_SAID = 8000

_OVERFLOW = (
    "context_length_exceeded",
    "context length",
    "context window",
    "exceed_context_size",
    "exceeds the available context size",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "range of input length",
    "reduce the length of the messages",
)
_NO_MONEY = (
    "insufficient_quota",
    "insufficient quota",
    "insufficient balance",
    "insufficient_balance",
    "insufficient credit",
    "credit balance",
    "exceeded your current quota",
    "arrearage",
    "余额不足",
)
_PER_MINUTE = ("per minute", "per_minute", "perminute", "retrydelay", "requests per")
_NO_CONNECTION = {"ConnectError", "ConnectTimeout", "gaierror", "SSLError", "ProxyError"}
_BROKEN = (
    "ConnectionError",
    "ConnectionReset",
    "ProtocolError",
    "ReadError",
    "WriteError",
    "DecodeError",
    "RecursionError",
)
_INVALID = ("invalid_request", "invalid_prompt", "image")
_STREAM_CODES = {
    "rate_limit": 429,
    "overloaded": 529,
    "server_error": 500,
    "authentication": 401,
    "api_key": 401,
}
_LITELLM_PREFIX = re.compile(r"^(?:litellm\.\w+: )*(?:\w+(?:Error|Timeout): )*(?:\w+Exception -? ?)?")


def failure(error: Exception, call: Call) -> Failure:
    """The failure for any exception of a call: its detail cut short, and all that was said, for who looks
    for what the server does not take; both without the key."""
    found = _diagnose(error)
    if (found.kind == "no_connection" or found.status == 407) and (call.proxy or _behind_proxy(call)):
        found.kind = "proxy"
    said = f"{found.detail} {getattr(error, 'body', None) or ''}"
    found.said = _clean(said, call, _SAID)
    found.detail = _clean(found.detail, call, _DETAIL)
    return found


def _behind_proxy(call: Call) -> bool:
    """Whether the environment names a proxy for the call's address."""
    try:
        return bool(proxy_for(call.base_url or "https://example.com"))
    except WrongVariable:
        return False


def _diagnose(error: Exception) -> Failure:
    causes = _causes(error)
    ours = next((cause for cause in causes if isinstance(cause, Failure)), None)
    if ours is not None:
        return ours
    if type(error).__name__ == "MidStreamFallbackError":  # litellm's wrapping of whatever came mid-stream
        if len(causes) < 2 or isinstance(causes[1], StopAsyncIteration):
            return Failure("broken_off", _words(error))
        error, causes = causes[1], causes[1:]
        if type(error) in (AttributeError, TypeError, KeyError, IndexError, ValueError):
            return Failure("broken_off", f"a piece of the answer has no known form: {error}")
    names = [type(cause).__name__ for cause in causes]
    text = _words(error)
    if "TooManyRedirects" in names:
        return Failure("redirected", text)
    if any(name in _NO_CONNECTION for name in names):
        return Failure("no_connection", text)
    if any("Timeout" in name for name in names):
        return Failure("too_slow", text)
    if _is_broken(names, text):
        return Failure("broken_off", text)
    status = _status(error) or _code_status(error)
    if status is None:
        return Failure("internal", f"{names[0]}: {text}")
    return Failure(kind(status, text), text, status=status, retry_after=_retry_after(error))


def kind(status: int, text: str) -> str:
    """The kind for an HTTP status and what the server said with it."""
    low = text.lower()
    if status == 401:
        return "sign_in"
    if status == 402 or (status < 500 and any(mark in low for mark in _NO_MONEY)):
        return "rate_limited" if status == 429 and any(mark in low for mark in _PER_MINUTE) else "quota"
    if status == 403:
        return "sign_in"
    if status < 500 and status != 429 and any(mark in low for mark in _OVERFLOW):
        return "context_too_long"
    if status == 429:
        return "rate_limited"
    if status in (408, 504):
        return "too_slow"
    return "bad_request" if status < 500 else "server_fault"


def _causes(error: Exception) -> list[Exception]:
    chain: list[Exception] = []
    current: BaseException | None = error
    while isinstance(current, Exception) and current not in chain:
        chain.append(current)
        current = current.__cause__ or current.__context__
    return chain


def _is_broken(names: list[str], text: str) -> bool:
    return any(mark in name for name in names for mark in _BROKEN) or "Connection error" in text


def _status(error: Exception) -> int | None:
    value = getattr(error, "status_code", None)
    return value if isinstance(value, int) and value >= 400 else None


def _code_status(error: Exception) -> int | None:
    body = getattr(error, "body", None)
    return code_status(body) if isinstance(body, dict) else None


def code_status(body: Mapping[str, Any]) -> int:
    """The status that an error inside a stream stands for; such errors come without HTTP's own."""
    codes = [body.get(name) for name in ("code", "status", "type")]
    for code in codes:
        with contextlib.suppress(TypeError, ValueError):
            if 400 <= int(code or 0) < 600:
                return int(code or 0)
    words = " ".join(str(code) for code in codes).lower()
    if any(mark in words for mark in (*_NO_MONEY, *_OVERFLOW, *_INVALID)):
        return 400
    return next((status for mark, status in _STREAM_CODES.items() if mark in words), 500)


def _words(error: Exception) -> str:
    """What the server said, with its code, else what the library says."""
    body = getattr(error, "body", None)
    text = _LITELLM_PREFIX.sub("", str(getattr(error, "message", "") or error))
    if not isinstance(body, dict):
        with contextlib.suppress(ValueError):
            body = json.loads(text[text.index("{") : text.rindex("}") + 1])
    inner = body.get("error", body) if isinstance(body, dict) else None
    if isinstance(inner, dict) and inner.get("message"):
        code = inner.get("code") or inner.get("type")
        return f"{inner['message']} ({code})" if code else str(inner["message"])
    return inner if isinstance(inner, str) else text


def _retry_after(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None)
    return retry_after(headers) if headers is not None else None


def retry_after(headers: Mapping[str, Any]) -> float | None:
    """Seconds to wait by the server's headers, given as milliseconds, seconds or a date."""
    with contextlib.suppress(TypeError, ValueError):
        return float(headers.get("retry-after-ms") or "") / 1000
    value = headers.get("retry-after") or ""
    with contextlib.suppress(TypeError, ValueError):
        return max(0.0, float(value))
    with contextlib.suppress(TypeError, ValueError):
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    return None


def _clean(text: str, call: Call, most: int) -> str:
    for secret in (call.api_key, *call.headers.values()):
        if len(secret) >= 6:
            text = text.replace(secret, "[hidden]")
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
