"""The way to a server at an address: streamable HTTP, or the older SSE.

The SDK turns every refusal into the same error, so the status is noted here; and it would take an answer of
any size.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from desktop.errors import AppError
from desktop.net import way_out
from desktop.tasks import cancel, spawn
from desktop.tools.mcp.environment import Ready
from desktop.tools.mcp.failures import RightsNeeded, refused, unreachable
from desktop.tools.mcp.link import LARGEST, too_large
from desktop.tools.mcp.renewing import lacking

CONNECT_SECONDS = 10.0
_PROBE_SECONDS = 0.3


class Http:
    """A Link to an address. `auth` is an httpx2.Auth."""

    def __init__(self, ready: Ready, kind: str, bell: asyncio.Event, auth: Any = None) -> None:
        self._ready, self._kind = ready, kind
        self._bell, self._auth = bell, auth
        self.lost = False
        self.failure: AppError | None = None
        self.status = 0
        """Of the last refusal."""
        self._lacks: frozenset[str] | None = None
        """The rights that it named, where it was for want of rights."""
        self._probing: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[Any]:
        """Connect. Raises AppError where the environment stands in the way."""
        from mcp.client.sse import sse_client
        from mcp.client.streamable_http import streamable_http_client

        await way_out.check(self._ready.url)
        if self._kind == "sse":
            async with (
                sse_client(
                    self._ready.url,
                    timeout=CONNECT_SECONDS,
                    sse_read_timeout=1e9,
                    httpx_client_factory=lambda headers=None, timeout=None, auth=None: self._client(),
                ) as (theirs, write),
                self._heard(theirs) as read,
            ):
                yield read, write
            return
        async with (
            self._client() as client,
            streamable_http_client(
                self._ready.url, http_client=client, max_sse_event_size=LARGEST
            ) as streams,
        ):
            yield streams

    @asynccontextmanager
    async def _heard(self, theirs: Any) -> AsyncGenerator[Any]:
        """The stream of the server's messages, with an ear at it for its end."""
        import anyio

        to_us, read = anyio.create_memory_object_stream[Any](0)

        async def hand_on() -> None:
            try:
                async for item in theirs:
                    await to_us.send(item)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                pass
            finally:
                self.lost = True
                self._bell.set()
                to_us.close()

        task = spawn(hand_on(), name="mcp:read")
        try:
            yield read
        finally:
            await cancel(task)
            to_us.close()
            read.close()

    def _client(self) -> Any:
        import httpx2

        async def note(response: Any) -> None:
            self._note(response)

        return way_out.client(
            httpx2,
            headers=self._ready.headers,
            # An answer may keep still for as long as the person is asked: who waits for it has the clock.
            timeout=httpx2.Timeout(CONNECT_SECONDS, read=None),
            auth=self._auth,
            event_hooks={"response": [note]},
        )

    def _note(self, response: Any) -> None:
        """Look at an answer before the SDK does."""
        if response.request.method == "POST" or self._kind == "sse":
            self.status = response.status_code if response.status_code >= 400 else 0
            self._lacks = lacking(response)
        events = response.headers.get("content-type", "").lower().startswith("text/event-stream")
        response.stream = _heard_out(response.stream, self, None if events else LARGEST)

    def broke_off(self, error: Exception) -> None:
        """An answer ended too early. Where the server is gone, that is told now: the SDK would try for some
        seconds to take the answer up again."""
        if not self.lost:
            self._probing = spawn(self._probe(error), name="mcp:probe")

    async def _probe(self, error: Exception) -> None:
        address = urlsplit(self._ready.url)
        port = address.port or (443 if address.scheme == "https" else 80)
        try:
            async with asyncio.timeout(_PROBE_SECONDS):
                reader, writer = await asyncio.open_connection(address.hostname, port)
        except (OSError, TimeoutError):
            return self._gone(error)
        try:
            async with asyncio.timeout(_PROBE_SECONDS):
                await reader.read(1)  # one that is ending may still be let in, and is then hung up on
        except TimeoutError:
            return None
        except OSError:
            pass
        finally:
            writer.close()
        return self._gone(error)

    def _gone(self, error: Exception) -> None:
        self.failure = self.failure or unreachable(error)
        self.lost = True
        self._bell.set()

    def refusal(self) -> AppError | None:
        """What the last status says, where it was a refusal."""
        if self._lacks is not None and self.failure is None:
            return RightsNeeded(self._lacks)
        return self.failure or (refused(self.status) if self.status else None)


def _heard_out(stream: Any, link: Http, most: int | None) -> Any:
    """The body of an answer, up to a size; where it breaks off, the link is told."""
    import httpx2

    class HeardOut(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            try:
                async for chunk in stream:
                    size += len(chunk)
                    if most and size > most:
                        link.failure = too_large()
                        raise httpx2.StreamError("too large")
                    yield chunk
            except httpx2.TransportError as error:
                link.broke_off(error)
                raise

        async def aclose(self) -> None:
            await stream.aclose()

    return HeardOut()
