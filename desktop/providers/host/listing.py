"""Which models a server has: asked and read here, where a list of any size holds up no window.

Three ways of asking: that of OpenAI, which all but two follow, and those of Anthropic and of Gemini.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from desktop.providers.host.call import CONNECT_SECONDS, Call, Failure
from desktop.providers.host.failures import kind
from desktop.tasks import in_thread

if TYPE_CHECKING:
    import httpx2

type Row = tuple[str, int | None, float | None, float | None, bool | None, bool | None]
"""A model: its name, its window in tokens, what a token of a question and of an answer costs in US dollars,
whether it sees, whether it calls tools; None for what the server does not say."""

_SECONDS = 30.0
_MOST = 50_000
_VERSION = "2023-06-01"
"""Of Anthropic's API."""


async def listed(call: Call, http: "httpx2.AsyncClient") -> list[Row]:
    """The server's models, by name. Raises Failure."""
    import httpx2

    address, headers = _question(call)
    timeout = httpx2.Timeout(_SECONDS, connect=CONNECT_SECONDS)
    response = await http.get(address, headers=headers, timeout=timeout)
    body = await response.aread()
    if not response.is_success:
        text = body[:2000].decode(errors="replace")
        raise Failure(kind(response.status_code, text), text, status=response.status_code)
    return await in_thread(_read, body)


def _question(call: Call) -> tuple[str, dict[str, str]]:
    base, headers = call.base_url.rstrip("/"), dict(call.headers)
    headers.setdefault("Accept", "application/json")
    if call.lists == "anthropic":
        headers |= {"x-api-key": call.api_key, "anthropic-version": _VERSION}
        return f"{base.removesuffix('/v1')}/v1/models?limit=1000", headers
    if call.lists == "gemini":
        return f"{base}/models?pageSize=1000", headers | {"x-goog-api-key": call.api_key}
    if call.api_key:
        headers.setdefault("Authorization", f"Bearer {call.api_key}")
    return f"{base}/models", headers


def _read(body: bytes) -> list[Row]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise Failure("no_list", body[:300].decode(errors="replace")) from None
    if isinstance(found, Mapping):
        found = found.get("data", found.get("models"))
    if not isinstance(found, list):
        raise Failure("no_list", body[:300].decode(errors="replace"))
    rows: dict[str, Row] = {}
    for entry in found:
        if isinstance(entry, Mapping) and (row := _row(entry)):
            rows[row[0]] = row
    if found and not rows:
        raise Failure("no_list", body[:300].decode(errors="replace"))
    return sorted(rows.values(), key=lambda row: row[0].casefold())[:_MOST]


def _row(entry: Mapping[str, Any]) -> Row | None:
    name = entry.get("id") or entry.get("name") or entry.get("model")
    if not isinstance(name, str) or not name.strip():
        return None
    prices = entry.get("pricing")
    pricing: Mapping[str, Any] = prices if isinstance(prices, Mapping) else {}
    window = next((entry[key] for key in _WINDOWS if isinstance(entry.get(key), int)), None)
    return (
        " ".join(name.removeprefix("models/").split())[:300],
        window or None,
        _price(pricing.get("prompt")),
        _price(pricing.get("completion")),
        _among("image", entry, "input_modalities"),
        _among("tools", entry, "supported_parameters"),
    )


_WINDOWS = ("context_length", "context_window", "max_model_len", "inputTokenLimit", "max_input_tokens")


def _price(value: Any) -> float | None:
    try:
        price = float(value)
    except (TypeError, ValueError):
        return None
    return price if 0 <= price < 1 else None


def _among(word: str, entry: Mapping[str, Any], where: str) -> bool | None:
    shape = entry.get("architecture")
    found = entry.get(where) or (shape.get(where) if isinstance(shape, Mapping) else None)
    return word in found if isinstance(found, list) else None
