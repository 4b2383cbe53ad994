"""Provider, carried out by the model host: a request becomes bytes, frames become deltas and errors."""

import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from desktop.logs import mask, masked
from desktop.providers.base import (
    Completion,
    Delta,
    Endpoint,
    Message,
    ProviderError,
    Request,
    ToolCall,
    Usage,
)
from desktop.providers.behaviour import WireRules
from desktop.providers.call_errors import error_for
from desktop.providers.host_process import ModelHost
from desktop.providers.options import name_of, request_body
from desktop.tasks import in_thread

type Serialise = Callable[[Sequence[Message], WireRules, str], bytes]
"""Messages, the rules of the wire, the conversation's key -> a JSON array. Called in a thread."""

_log = logging.getLogger(__name__)


type Row = Sequence[Any]
"""A model of a server's list: see host/listing.py. As it came: there may be very many."""


class HostedProvider:
    """Streams through a ModelHost."""

    def __init__(self, host: ModelHost, serialise: Serialise) -> None:
        self._host = host
        self._serialise = serialise

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion]:
        """Deltas, then one Completion. Raises ProviderError. aclose() ends the call at the server."""
        endpoint = request.endpoint
        mask(endpoint.api_key)
        messages = await in_thread(self._serialise, request.messages, endpoint.rules, request.conversation)
        header = _header(endpoint)
        if endpoint.session_header:
            header["headers"][endpoint.session_header] = name_of(request.conversation)
        call = await self._host.call(header, request_body(request, messages))
        text: list[str] = []
        reasoning: list[str] = []
        try:
            while True:
                frame = await call.next()
                if frame["op"] != "delta":
                    break
                text.append(frame["text"])
                reasoning.append(frame["reasoning"])
                yield Delta(frame["text"], frame["reasoning"])
        finally:
            call.close()
        if frame["op"] == "error":
            raise _error(endpoint, frame)
        completion = _completion("".join(text), "".join(reasoning), frame, endpoint.rules.author)
        if endpoint.behaviour.speaks_in_thoughts and not (completion.text or completion.tool_calls):
            completion = replace(completion, text=completion.reasoning, reasoning="")
        yield completion

    async def models(self, endpoint: Endpoint, way: str) -> list[Row]:
        """Which models the server has, by name; `way` of asking: openai, anthropic or gemini. Raises
        ProviderError."""
        mask(endpoint.api_key)
        header = _header(endpoint) | {"engine": "openai", "lists": way}
        call = await self._host.call(header, b"")
        found: list[Row] = []
        try:
            while (frame := await call.next())["op"] == "models":
                found += frame["models"]
        finally:
            call.close()
        if frame["op"] == "error":
            raise _error(endpoint, frame)
        return found


def _header(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "engine": endpoint.engine,
        "api": endpoint.behaviour.api,
        "model": endpoint.model,
        "base_url": endpoint.base_url,
        "api_key": endpoint.api_key,
        "headers": dict(endpoint.headers),
        "query": dict(endpoint.query),
        "idle_seconds": endpoint.idle_seconds,
        "total_seconds": endpoint.total_seconds,
        "proxy": endpoint.proxy,
    }


def _completion(text: str, reasoning: str, frame: Mapping[str, Any], author: str) -> Completion:
    usage = frame["usage"]
    return Completion(
        text=text,
        reasoning=reasoning,
        tool_calls=tuple(ToolCall(**call) for call in frame["tool_calls"]),
        usage=Usage(**usage) if usage else None,
        finish=frame["finish"],
        thinking_blocks=tuple(frame["thinking_blocks"]),
        author=author,
    )


def _error(endpoint: Endpoint, frame: Mapping[str, Any]) -> ProviderError:
    detail = masked(frame["detail"])
    _log.info("%s: %s %s %s", endpoint.provider, frame["kind"], frame["status"], detail)
    error = error_for(
        frame["kind"], endpoint, detail=detail, status=frame["status"], retry_after=frame["retry_after"]
    )
    error.usage = Usage(**frame["usage"]) if frame["usage"] else None
    error.said = masked(frame["said"])
    return error
