"""The engine for servers of the OpenAI wire: the openai SDK's raw post, without its models.

The request goes out as the bytes that came, and chunks come back as plain dicts: a tenth of the
cost of chat.completions.create.
"""

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from functools import cache
from typing import TYPE_CHECKING, Any

from desktop.providers.host.call import CONNECT_SECONDS, Call, Chunk, Failure
from desktop.providers.host.listing import Row, listed
from desktop.providers.host.wire import LOOPBACK, PROXY, UNPACKED, check_way, repaired

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncStream

_OPTIONS = b'"stream_options":{"include_usage":true},'


class OpenAIEngine:
    """Calls with one HTTP client for all, so that connections are kept from turn to turn."""

    def __init__(self) -> None:
        self._http: httpx2.AsyncClient
        self._without_options: set[str] = set()
        """Addresses of servers that refused stream_options."""

    def prepare(self) -> None:
        from openai import AsyncOpenAI, AsyncStream

        self._http = _client()
        AsyncOpenAI(api_key="-", base_url="http://127.0.0.1/", http_client=self._http)
        AsyncStream[object]

    async def models(self, call: Call) -> list[Row]:
        """Which models the server has. Raises Failure."""
        PROXY.set(call.proxy)
        return await listed(call, self._http)

    async def chunks(self, call: Call) -> AsyncGenerator[Chunk]:
        PROXY.set(call.proxy)
        stream = await self._open(call)
        try:
            if "json" in stream.response.headers.get("content-type", ""):
                yield _whole(await stream.response.aread())
                return
            async for chunk in stream:
                if isinstance(chunk, dict):
                    yield chunk
        finally:
            await stream.close()

    async def _open(self, call: Call) -> "AsyncStream[object]":
        from openai import BadRequestError

        if call.base_url in self._without_options:
            return await self._post(call, call.body.replace(_OPTIONS, b"", 1))
        try:
            return await self._post(call, call.body)
        except BadRequestError as error:
            if "stream_options" not in str(error):
                raise
        stream = await self._post(call, call.body.replace(_OPTIONS, b"", 1))
        self._without_options.add(call.base_url)
        return stream

    async def _post(self, call: Call, body: bytes) -> "AsyncStream[object]":
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
            "/chat/completions",
            content=body,
            cast_to=object,
            options={"headers": headers, "timeout": timeout},
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


def _client() -> "httpx2.AsyncClient":
    import httpx2

    class Answer(httpx2.AsyncByteStream):
        def __init__(self, response: httpx2.Response) -> None:
            self._response = response
            kind = response.headers.get("content-type", "") if response.is_success else ""
            self._chunks = repaired(response.aiter_bytes(), kind)

        def __aiter__(self) -> AsyncIterator[bytes]:
            return self._chunks  # the same one when asked again: the SDK drains what it left

        async def aclose(self) -> None:
            await self._response.aclose()

    class Client(httpx2.AsyncClient):
        async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
            sender = via(proxy).send if (proxy := PROXY.get()) else super().send
            response = await sender(request, **{**options, "stream": True})
            check_way(response)
            return httpx2.Response(
                response.status_code,
                headers=[(k, v) for k, v in response.headers.multi_items() if k.lower() not in UNPACKED],
                stream=Answer(response),
                request=request,
                extensions=response.extensions,
            )

    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=90)

    @cache
    def via(proxy: str) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(proxy=proxy, limits=limits, follow_redirects=True, trust_env=False)

    return Client(mounts=LOOPBACK, limits=limits, follow_redirects=True)
