"""Between a link and the SDK: what a server said reaches us as it was said.

The SDK validates an answer as a whole, so one odd tool would take the list with it, and one unknown part
the result; and it tells its own errors by numbers that servers use, too. So it is given an answer that it
takes, with what the server said beside it, and the server's errors are marked as such.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from desktop.tools.mcp.link import Link

RAW = "nanobot-desktop/raw"
"""Under this name in `_meta`: the answer as it came."""
_MOST_OPEN = 1_000
_HEADER = "x-mcp-header"
_LIST, _CALL = "tools/list", "tools/call"

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answered:
    """The `data` of an error that the server itself sent, where its code is one that the SDK uses."""

    data: Any


def raw(answer: Any) -> Json:
    """What the server answered to tools/list or tools/call, unchecked; `answer` is the SDK's."""
    found = (answer.meta or {}).get(RAW)
    return found if isinstance(found, dict) else {}


def by_server(error: Any) -> bool:
    """Whether an MCPError with one of the SDK's own codes came from the server all the same."""
    return isinstance(error.data, Answered)


class Wire:
    """Wraps the streams of one link."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._open: dict[Any, str] = {}
        """The methods of the requests that wait for an answer, by id."""

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[Any]:
        """As those of the link. Raises what it does."""
        async with self._link.streams() as (read, write):
            yield _Reader(read, self), _Writer(write, self)

    def sent(self, item: Any) -> None:
        """Note a request, and that one was given up."""
        message = item.message
        method = getattr(message, "method", "")
        if method in (_LIST, _CALL):
            self._open[message.id] = method
            while len(self._open) > _MOST_OPEN:
                del self._open[next(iter(self._open))]
        elif method == "notifications/cancelled":
            self._open.pop((message.params or {}).get("requestId"), None)

    def came(self, item: Any) -> Any:
        """An item for the SDK."""
        from mcp_types import JSONRPCError, JSONRPCResponse

        message = getattr(item, "message", None)
        if isinstance(message, JSONRPCResponse):
            method = self._open.pop(message.id, "")
            tame = {_LIST: _list, _CALL: _result}.get(method)
            if tame:
                return replace(item, message=message.model_copy(update={"result": tame(message.result)}))
        elif isinstance(message, JSONRPCError):
            self._open.pop(message.id, None)
            if self._is_the_servers(message.error):
                error = message.error.model_copy(update={"data": Answered(message.error.data)})
                return replace(item, message=message.model_copy(update={"error": error}))
        return item

    def _is_the_servers(self, error: Any) -> bool:
        from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT

        return error.code in (CONNECTION_CLOSED, REQUEST_TIMEOUT) and not self._link.made_up(error)


class _Reader:
    """The SDK's end for reading."""

    def __init__(self, stream: Any, wire: Wire) -> None:
        self._stream, self._wire = stream, wire

    @property
    def last_context(self) -> Any:
        """The sender's context, where the transport gives one."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> Any:
        return self._wire.came(await self._stream.receive())

    async def aclose(self) -> None:
        await self._stream.aclose()

    def close(self) -> None:
        self._stream.close()

    def __aiter__(self) -> "_Reader":
        return self

    async def __anext__(self) -> Any:
        return self._wire.came(await self._stream.__anext__())

    async def __aenter__(self) -> "_Reader":
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self._stream.__aexit__(*error)


class _Writer:
    """The SDK's end for writing."""

    def __init__(self, stream: Any, wire: Wire) -> None:
        self._stream, self._wire = stream, wire

    async def send(self, item: Any) -> None:
        self._wire.sent(item)
        await self._stream.send(item)

    async def aclose(self) -> None:
        await self._stream.aclose()

    def close(self) -> None:
        self._stream.close()

    async def __aenter__(self) -> "_Writer":
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self._stream.__aexit__(*error)


def _list(said: Json) -> Json:
    """A list of tools that the SDK takes: their names, and what it looks for in a schema itself."""
    found = said.get("tools")
    tools = [
        {"name": tool["name"], "inputSchema": _headers(tool.get("inputSchema"))}
        for tool in (found if isinstance(found, list) else [])
        if isinstance(tool, dict) and isinstance(tool.get("name"), str)
    ]
    cursor = said.get("nextCursor")
    more = {"nextCursor": cursor} if isinstance(cursor, str) and cursor else {}
    kept = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    return {**kept, "tools": tools, **more, "_meta": {RAW: said}}


def _headers(schema: Any) -> Json:
    """A schema for the SDK, which looks in it for parameters that are sent in headers, for nothing else."""
    if not isinstance(schema, dict) or not _names_header(schema):
        return {"type": "object"}
    properties = schema.get("properties")
    kept = {key: value for key, value in schema.items() if key not in ("$schema", "required", "properties")}
    inner = (
        {key: value for key, value in properties.items() if isinstance(value, dict)}
        if (isinstance(properties, dict))
        else {}
    )
    return {**kept, "type": "object", "properties": inner}


def _names_header(schema: Json) -> bool:
    waiting: list[Any] = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if _HEADER in value:
                return True
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return False


def _result(said: Json) -> Json:
    """A result that the SDK takes. One that asks the person something first is left as it is."""
    if said.get("resultType") not in (None, "complete"):
        return said
    return {"content": [], "isError": False, "resultType": "complete", "_meta": {RAW: said}}
