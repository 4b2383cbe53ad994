"""Bytes from a model server, counted and repaired before a library sees them, and listened to.

Both libraries decode strictly, keep a line however long it gets, and read an error page whole: a
server could end the host with each of these. And both swallow signs of the end: what was heard of them
here, the reader of the answer is told.
"""

import codecs
import contextlib
import json
import re
import struct
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextvars import ContextVar
from typing import Any

from desktop.net.way_out import Ways, WrongVariable
from desktop.providers.host.call import ANSWER_LIMIT, Failure
from desktop.providers.host.ends import Ends

PROXY: ContextVar[str] = ContextVar("proxy", default="")
"""The proxy that the person named for the call that is being made in this task."""

_UNPACKED = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers that are no longer true of an answer that repaired() has gone over."""
_LAST_WORDS = re.compile(
    rb'"(?:finish_?[rR]eason|stop_reason|done_reason|blockReason|status)"\s*:\s*"|"usage"\s*:\s*\{'
    rb'|message_stop|"done"\s*:\s*true|response\.(?:completed|incomplete|failed)'
)
"""What a line has in it that may tell of an end; all others are not looked into."""
_LONGEST_LINE = 1 << 20
_FRAMES = "application/vnd.amazon.eventstream"
_FRAME = struct.Struct(">III")


class Heard:
    """Listens to the bytes of one answer for signs of its end."""

    def __init__(self, ends: Ends, *, closing_only: bool) -> None:
        """`closing_only`: only the [DONE] is wanted, which no library hands on."""
        self._ends, self._closing_only = ends, closing_only
        self._line = bytearray()

    def listen(self, data: bytes) -> None:
        """Take in the next bytes of a stream of events."""
        *whole, rest = data.replace(b"\r", b"\n").split(b"\n")
        for piece in whole:
            self._line += piece
            self._look(bytes(self._line))
            self._line.clear()
        if len(self._line) < _LONGEST_LINE:  # what is longer tells of no end
            self._line += rest

    def frames(self, data: bytes) -> None:
        """Take in the next bytes of an event stream of AWS. A frame is: its length, that of its headers, a
        checksum, the headers, a JSON payload, a checksum."""
        self._line += data
        while len(self._line) >= _FRAME.size:
            total, headers, _checksum = _FRAME.unpack_from(self._line)
            if total > _LONGEST_LINE or len(self._line) < total:
                return
            payload = bytes(self._line[_FRAME.size + headers : total - 4])
            del self._line[: max(total, _FRAME.size)]
            with contextlib.suppress(ValueError, RecursionError):
                event = json.loads(payload)
                if isinstance(event, Mapping) and event.get("stopReason"):
                    reason = {"stop_reason": event["stopReason"]}
                    self._ends.event({"type": "message_delta", "delta": reason})

    def end(self, *, whole: bool) -> None:
        """No more bytes come. `whole`: it was no stream, but the answer in one piece."""
        self._look(bytes(self._line))
        self._line.clear()
        self._ends.done |= whole

    def _look(self, line: bytes) -> None:
        text = line.strip().removeprefix(b"data:").strip()
        if text == b"[DONE]":
            self._ends.done = True
        elif text and not self._closing_only:
            event: Any = None
            if _LAST_WORDS.search(text):
                with contextlib.suppress(ValueError, RecursionError):
                    event = json.loads(text)
            if isinstance(event, Mapping):
                self._ends.event(event)
            elif line.startswith(b"data:"):
                self._ends.event({})  # something more came


HEARD: ContextVar[Heard | None] = ContextVar("heard", default=None)
"""Who listens to the answer of the call that is being made in this task."""


async def repaired(
    chunks: AsyncIterator[bytes], content_type: str, heard: Heard | None = None
) -> AsyncGenerator[bytes]:
    """The same bytes, as valid UTF-8 where they are text. Raises Failure past ANSWER_LIMIT, and for a web
    page."""
    framed = content_type.startswith(_FRAMES)
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    total = 0
    async for chunk in chunks:
        total += len(chunk)
        if total > ANSWER_LIMIT:
            raise Failure("answer_too_long")
        if content_type.startswith("text/html"):
            raise Failure("no_model_server", chunk[:300].decode(errors="replace"))
        if heard:
            (heard.frames if framed else heard.listen)(chunk)
        yield chunk if framed else decoder.decode(chunk).encode()
    if heard and not framed:
        heard.end(whole="json" in content_type)


class Wire(Ways):
    """The way out of the engines: answers are repaired and listened to, questions are not sent astray."""

    def __init__(self, library: Any) -> None:
        limits = library.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=90)
        super().__init__(library, PROXY.get, limits)

    async def handle_async_request(self, request: Any) -> Any:
        """Send a request. Raises Failure, and what the library does."""
        try:
            response = await super().handle_async_request(request)
        except WrongVariable as error:
            raise Failure("environment", f"{error.variable}|{error.fault}|{error.value}") from error
        response.request = request
        if response.status_code in (301, 302, 303) and request.method == "POST":
            # It would become a mere look at a page, as in browsers.
            to = str(request.url.join(response.headers.get("location", "")))
            await response.aclose()
            raise Failure("redirected", to, status=response.status_code)
        headers = [(k, v) for k, v in response.headers.multi_items() if k.lower() not in _UNPACKED]
        return self._library.Response(
            response.status_code,
            headers=headers,
            stream=_answer(self._library, response),
            extensions=response.extensions,
        )


def _answer(library: Any, response: Any) -> Any:
    kind = response.headers.get("content-type", "") if response.is_success else ""

    class Answer(library.AsyncByteStream):  # type: ignore[misc]  # of either library
        def __init__(self) -> None:
            self._chunks = repaired(response.aiter_bytes(), kind, HEARD.get() if kind else None)

        def __aiter__(self) -> AsyncIterator[bytes]:
            return self._chunks  # the same one when asked again: the SDK drains what it left

        async def aclose(self) -> None:
            await response.aclose()

    return Answer()
