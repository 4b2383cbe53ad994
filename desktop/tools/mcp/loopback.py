"""A port of this computer that the browser comes back to after a sign-in; open just so long."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import parse_qs, urlsplit

from desktop.errors import AppError
from desktop.text import _
from desktop.tools.mcp.failures import said

_PAGE = (
    '<!doctype html><meta charset="utf-8"><title>Nanobot</title>'
    '<body style="font: 1.2em sans-serif; margin: 4em">{text}'
)
_HOST = "127.0.0.1"
_LONGEST_LINE = 16_384


def address_of(port: int) -> str:
    """Where the browser is sent back to."""
    return f"http://{_HOST}:{port}/callback"


@asynccontextmanager
async def loopback(wanted: int = 0) -> AsyncGenerator[tuple[int, asyncio.Future[Any]]]:
    """A port of this computer that the browser comes back to, and what it brought. Another than the wanted
    one where that is taken."""
    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, ValueError, asyncio.LimitOverrunError, asyncio.IncompleteReadError):
            line = await reader.readuntil(b"\r\n")
            await reader.readuntil(b"\r\n\r\n")
            target = urlsplit(line.split()[1].decode("ascii"))
            given = {key: values[0] for key, values in parse_qs(target.query).items()}
            ours = target.path == "/callback" and ("code" in given or "error" in given)
            if ours and not answer.done():
                _settle(answer, given)
            text = _("You can close this page and go back to Nanobot.") if ours else _("Nothing here.")
            body = _PAGE.format(text=text).encode()
            status = "200 OK" if ours else "404 Not Found"
            head = (
                f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            )
            writer.write(head.encode() + body)
            await writer.drain()
        writer.close()

    try:
        server = await asyncio.start_server(serve, _HOST, wanted, limit=_LONGEST_LINE)
    except OSError:
        if not wanted:
            raise
        server = await asyncio.start_server(serve, _HOST, 0, limit=_LONGEST_LINE)
    try:
        yield server.sockets[0].getsockname()[1], answer
    finally:
        server.close()
        if answer.done() and not answer.cancelled():
            answer.exception()  # looked at, or asyncio would complain
        answer.cancel()


def _settle(answer: asyncio.Future[Any], given: dict[str, str]) -> None:
    from mcp.shared.auth import AuthorizationCodeResult

    if "code" in given:
        code, state, iss = given["code"], given.get("state"), given.get("iss")
        answer.set_result(AuthorizationCodeResult(code=code, state=state, iss=iss))
    else:
        answer.set_exception(_declined(given))


def _declined(given: dict[str, str]) -> AppError:
    reason = said(given.get("error_description") or given["error"]).rstrip(".")
    return AppError(_("The server did not sign you in: {reason}.").format(reason=reason), _("Try again."))
