"""The engine for servers of OpenAI's two APIs: the openai SDK's raw post, without its models.

The request goes out as the bytes that came, and chunks come back as plain dicts: a tenth of the
cost of chat.completions.create.
"""

import contextlib
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from desktop.net import way_out
from desktop.providers.host.call import CONNECT_SECONDS, Call, Chunk, Failure
from desktop.providers.host.listing import Row, listed
from desktop.providers.host.responses import Reader, request_of
from desktop.providers.host.wire import PROXY, Wire
from desktop.tasks import in_thread

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncStream


class OpenAIEngine:
    """Calls with one HTTP client for all, so that connections are kept from turn to turn."""

    def __init__(self) -> None:
        self._http: httpx2.AsyncClient

    def prepare(self) -> None:
        import httpx2
        from openai import AsyncOpenAI, AsyncStream

        self._http = way_out.client(httpx2, transport=Wire(httpx2), follow_redirects=True)
        AsyncOpenAI(api_key="-", base_url="http://127.0.0.1/", http_client=self._http)
        AsyncStream[object]

    async def models(self, call: Call) -> list[Row]:
        """Which models the server has. Raises Failure."""
        PROXY.set(call.proxy)
        return await listed(call, self._http)

    async def chunks(self, call: Call) -> AsyncGenerator[Chunk]:
        PROXY.set(call.proxy)
        if call.api == "responses":
            body, path = await in_thread(request_of, call.body), "/responses"
        else:
            body, path = call.body, "/chat/completions"
        stream = await self._post(call, path, body)
        reader = Reader() if call.api == "responses" else None
        try:
            if "json" in stream.response.headers.get("content-type", ""):
                answer = _whole(await stream.response.aread())
                yield reader.whole(answer) if reader else answer
                return
            async for chunk in stream:
                if isinstance(chunk, dict):
                    yield reader.chunk(chunk) if reader else chunk
        finally:
            await stream.close()

    async def _post(self, call: Call, path: str, body: bytes) -> "AsyncStream[object]":
        import httpx2
        from openai import AsyncOpenAI, AsyncStream, omit

        client = AsyncOpenAI(
            api_key=call.api_key or "-", base_url=call.base_url, http_client=self._http, max_retries=0
        )
        headers: dict[str, Any] = {"Content-Type": "application/json", **call.headers}
        if not call.api_key:
            headers.setdefault("Authorization", omit)
        timeout = httpx2.Timeout(call.idle_seconds, connect=CONNECT_SECONDS)
        return await client.post(
            path,
            content=body,
            cast_to=object,
            options={"headers": headers, "timeout": timeout, "params": dict(call.query)},
            stream=True,
            stream_cls=AsyncStream[object],
        )


def _whole(payload: bytes) -> Chunk:
    """The answer of a server that does not stream."""
    import json

    with contextlib.suppress(ValueError):
        value = json.loads(payload)
        if isinstance(value, dict) and not value.get("error"):
            return value
    raise Failure("broken_off", payload[:300].decode(errors="replace"))
