"""Requests that a server answers only to who has signed in: what a sign-in begins with.

Many let anybody greet them, and ask for a sign-in at the first real request; so the tools are asked for,
too. A sign-in that lacks rights for that much would be of no use.
"""

import re
from typing import Any

from desktop import __version__
from desktop.tools.mcp.failures import refused

_PROTOCOL = "2025-11-25"
_ACCEPT = {"Accept": "application/json, text/event-stream"}
_SPOKEN = re.compile(r'"protocolVersion"\s*:\s*"([0-9-]{1,20})"')
_SESSION, _VERSION = "mcp-session-id", "mcp-protocol-version"
_READ_MOST = 256 * 1024


async def knock(client: Any, url: str, kind: str) -> None:
    """Greet a server and ask for its tools, by an httpx2 client that signs in where it has to. Raises
    AppError where it refuses even then, and what the client does."""
    if kind == "sse":
        async with client.stream("GET", url, headers={"Accept": "text/event-stream"}) as response:
            _check(response)
        return
    hello = {
        "protocolVersion": _PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "nanobot-desktop", "version": __version__},
    }
    headers = dict(_ACCEPT)
    async with client.stream(
        "POST", url, json=_request(1, "initialize", hello), headers=_ACCEPT
    ) as response:
        _check(response)
        if response.is_success:
            headers[_VERSION] = await _spoken(response)
            if session := response.headers.get(_SESSION):
                headers[_SESSION] = session
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    async with client.stream("POST", url, json=ready, headers=headers) as response:
        _check(response)
    async with client.stream("POST", url, json=_request(2, "tools/list", {}), headers=headers) as response:
        _check(response)


def _request(number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def _check(response: Any) -> None:
    """Raises AppError for a refusal that signing in did not change."""
    if response.status_code in (401, 403):
        raise refused(response.status_code)


async def _spoken(response: Any) -> str:
    """The version of the protocol that the server chose; ours where its answer does not tell."""
    text = ""
    async for part in response.aiter_text():
        text += part
        if found := _SPOKEN.search(text):
            return found[1]
        if len(text) > _READ_MOST:
            break
    return _PROTOCOL
