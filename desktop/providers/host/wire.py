"""Bytes from a model server, counted and repaired before a library sees them.

Both libraries decode strictly, keep a line however long it gets, and read an error page whole: a
server could end the host with each of these. LOOPBACK is for the `mounts` of an HTTP client: a
server on this machine is never behind the proxy that the environment names.
"""

import codecs
from collections.abc import AsyncGenerator, AsyncIterator
from contextvars import ContextVar
from typing import Any

from desktop.providers.host.call import ANSWER_LIMIT, Failure

LOOPBACK = {"all://127.0.0.1": None, "all://localhost": None, "all://[::1]": None}

PROXY: ContextVar[str] = ContextVar("proxy", default="")
"""The proxy of the call that is being made in this task."""

UNPACKED = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers that are no longer true of an answer that repaired() has gone over."""


def check_way(response: Any) -> None:
    """Raises Failure where a question was sent on and became a mere look at a page, as browsers do it."""
    if response.history and response.request.method != response.history[0].request.method:
        raise Failure("redirected", str(response.url), status=response.history[0].status_code)


async def repaired(chunks: AsyncIterator[bytes], content_type: str) -> AsyncGenerator[bytes]:
    """The same bytes as valid UTF-8. Raises Failure past ANSWER_LIMIT, and for a web page."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    total = 0
    async for chunk in chunks:
        total += len(chunk)
        if total > ANSWER_LIMIT:
            raise Failure("answer_too_long")
        if content_type.startswith("text/html"):
            raise Failure("no_model_server", chunk[:300].decode(errors="replace"))
        yield decoder.decode(chunk).encode()
