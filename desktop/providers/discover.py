"""Model servers that already run on this machine, to be offered, never to be picked by us.

Another user's program may listen on these ports. So: only 127.0.0.1, only GET, no key, no proxy, a
second, a small answer, and believed only if it is JSON of the shape that this very program gives.
"""

import asyncio
import ipaddress
import json
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from desktop.net import way_out

if TYPE_CHECKING:
    import httpx

_log = logging.getLogger(__name__)
_SECONDS = 1.0
_MOST_BYTES = 1 << 20

PORTS: Mapping[str, int] = MappingProxyType(
    {"ollama": 11434, "lm_studio": 1234, "llama_cpp": 8080, "vllm": 8000}
)
NAMES: Mapping[str, str] = MappingProxyType(
    {"ollama": "Ollama", "lm_studio": "LM Studio", "llama_cpp": "llama.cpp", "vllm": "vLLM"}
)


@dataclass(frozen=True, slots=True)
class Found:
    """A server to offer. `kind` is a key of NAMES, `window` the context in tokens if it said so."""

    kind: str
    base_url: str
    models: tuple[str, ...]
    window: int | None = None

    @property
    def name(self) -> str:
        """What people call the program."""
        return NAMES[self.kind]

    @property
    def provider(self) -> str:
        """The provider of the registry that speaks to it."""
        return "custom" if self.kind == "llama_cpp" else self.kind


type _Get = Callable[[str], Awaitable[Any]]
type _Shape = tuple[tuple[str, ...], int | None] | None


async def servers(ports: Mapping[str, int] | None = None) -> list[Found]:
    """Ask every known port at once; takes a second at most and never raises."""
    import httpx

    asked = dict(PORTS if ports is None else ports)
    if ports is None and (port := _ollama_port()):
        asked["ollama"] = port
    # Each question has a connection of its own: some servers close after an answer without saying so, and a
    # question sent into that moment would count as "no server here".
    once = {"Connection": "close"}
    async with way_out.client(httpx, timeout=_SECONDS, headers=once) as client:
        found = await asyncio.gather(*(_probe(client, kind, port) for kind, port in asked.items()))
    return [server for server in found if server]


def _ollama_port() -> int | None:
    """The port of OLLAMA_HOST, if that names this machine's loopback."""
    value = os.environ.get("OLLAMA_HOST", "")
    try:
        parts = urlsplit(value if "//" in value else f"//{value}")
        host, port = parts.hostname or "", parts.port
        loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return None
    return port if loopback else None


async def _probe(client: "httpx.AsyncClient", kind: str, port: int) -> Found | None:
    root = f"http://127.0.0.1:{port}"

    async def get(path: str) -> Any:
        return await _json(client, root + path)

    try:
        async with asyncio.timeout(_SECONDS):
            shape = await _SHAPES[kind](get)
    except Exception as error:  # whatever listens there, it is not what we look for
        _log.debug("no %s on port %s: %r", kind, port, error)
        return None
    return Found(kind, f"{root}/v1", *shape) if shape else None


async def _json(client: "httpx.AsyncClient", url: str) -> Any:
    async with client.stream("GET", url) as response:
        if response.status_code != 200:
            return None
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > _MOST_BYTES:
                return None
    return json.loads(body)


async def _ollama(get: _Get) -> _Shape:
    version = await get("/api/version")
    if not (isinstance(version, dict) and isinstance(version.get("version"), str)):
        return None
    return _names(await get("/api/tags"), "models", "name"), None


async def _lm_studio(get: _Get) -> _Shape:
    listing = await get("/api/v0/models")
    entries = listing.get("data") if isinstance(listing, dict) else None
    if not isinstance(entries, list):
        return None
    talkers = [
        entry
        for entry in entries
        if isinstance(entry, dict) and entry.get("type") in ("llm", "vlm") and "state" in entry
    ]
    if not talkers:
        return None
    loaded = [entry for entry in talkers if entry["state"] == "loaded"]
    window = next((entry.get("loaded_context_length") for entry in loaded), None)
    return _names({"data": [*loaded, *(e for e in talkers if e not in loaded)]}, "data", "id"), _tokens(
        window
    )


async def _llama_cpp(get: _Get) -> _Shape:
    props = await get("/props")
    settings = props.get("default_generation_settings") if isinstance(props, dict) else None
    if not isinstance(settings, dict):
        return None
    models = _names(await get("/v1/models"), "data", "id")
    return (models, _tokens(settings.get("n_ctx"))) if models else None


async def _vllm(get: _Get) -> _Shape:
    listing = await get("/v1/models")
    entries = listing.get("data") if isinstance(listing, dict) else None
    if not isinstance(entries, list) or not entries or not isinstance(entries[0], dict):
        return None
    if entries[0].get("owned_by") != "vllm":
        return None
    return _names(listing, "data", "id"), _tokens(entries[0].get("max_model_len"))


_SHAPES: Mapping[str, Callable[[_Get], Awaitable[_Shape]]] = MappingProxyType(
    {"ollama": _ollama, "lm_studio": _lm_studio, "llama_cpp": _llama_cpp, "vllm": _vllm}
)


def _names(listing: Any, key: str, field: str) -> tuple[str, ...]:
    entries = listing.get(key) if isinstance(listing, dict) else None
    if not isinstance(entries, list):
        return ()
    names = (entry.get(field) for entry in entries if isinstance(entry, dict))
    return tuple(name for name in names if isinstance(name, str) and name)


def _tokens(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
