"""Signing in to a server in the browser (OAuth), and using what that gave.

The SDK does the talking. What it would keep in a file is one entry of the keychain: tokens, the moment they
end, and where to renew them; the SDK forgets the last two. A connection never begins a sign-in by itself.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from desktop import __version__, logs
from desktop.config.mcp import McpServer, sign_in_name
from desktop.errors import AppError
from desktop.net import way_out
from desktop.tasks import in_thread
from desktop.text import _
from desktop.tools.mcp.environment import Ready
from desktop.tools.mcp.failures import said, unreachable
from desktop.tools.mcp.http import CONNECT_SECONDS

PATIENCE_SECONDS = 300.0
"""How long the person has for it."""
_PAGE = (
    '<!doctype html><meta charset="utf-8"><title>Nanobot</title>'
    '<body style="font: 1.2em sans-serif; margin: 4em">{text}'
)
_LONGEST_LINE = 16_384


class Entries(Protocol):
    """The keychain, as far as it is needed here."""

    async def get(self, name: str) -> str | None: ...

    async def set(self, name: str, value: str) -> None: ...

    async def delete(self, name: str) -> None: ...


class _Storage:
    """The SDK's TokenStorage on one entry of the keychain."""

    def __init__(self, keychain: Entries, entry: str) -> None:
        self._keychain, self._entry = keychain, entry
        self._client: Any = None
        self.context: Any = None
        """The SDK's OAuthContext that this is the storage of."""

    async def load(self) -> bool:
        """Give the SDK what is stored; False where nothing is."""
        from mcp.shared.auth import (
            OAuthClientInformationFull,
            OAuthMetadata,
            OAuthToken,
            ProtectedResourceMetadata,
        )

        text = await self._keychain.get(self._entry)
        if not text:
            return False
        stored, context = json.loads(text), self.context
        context.current_tokens = OAuthToken.model_validate(stored["tokens"])
        context.token_expiry_time = stored["until"]
        context.client_info = self._client = OAuthClientInformationFull.model_validate(stored["client"])
        if stored["issuer"]:
            context.oauth_metadata = OAuthMetadata.model_validate(stored["issuer"])
        if stored["resource"]:
            context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(
                stored["resource"]
            )
        _mask(context.current_tokens)
        return True

    async def get_tokens(self) -> Any:
        return self.context.current_tokens

    async def set_tokens(self, tokens: Any) -> None:
        _mask(tokens)
        until = time.time() + tokens.expires_in if tokens.expires_in else None
        context = self.context
        value = {
            "tokens": _plain(tokens),
            "until": until,
            "client": _plain(self._client),
            "issuer": _plain(context.oauth_metadata),
            "resource": _plain(context.protected_resource_metadata),
        }
        await self._keychain.set(self._entry, json.dumps(value))

    async def get_client_info(self) -> Any:
        return self._client

    async def set_client_info(self, client_info: Any) -> None:
        self._client = client_info


def _plain(model: Any) -> Any:
    return model.model_dump(mode="json", exclude_none=True) if model is not None else None


def _mask(tokens: Any) -> None:
    for secret in (tokens.access_token, tokens.refresh_token):
        if secret:
            logs.mask(secret)


class SignIns:
    """What servers were signed in to."""

    def __init__(self, keychain: Entries, *, patience: float = PATIENCE_SECONDS) -> None:
        """`patience`: seconds that the person has for a sign-in."""
        self._keychain, self._patience = keychain, patience

    async def auth(self, name: str, server: McpServer, url: str) -> Any:
        """The httpx2.Auth of a server that was signed in to, else None. Raises KeychainError."""
        if server.auth != "oauth":
            return None
        provider, storage = await in_thread(_provider, self._keychain, name, url, 0)
        if not await storage.load():
            return None
        provider._initialized = True  # noqa: SLF001 or it would load again, and forget when the tokens end
        return _renewing(provider)

    async def sign_out(self, name: str) -> None:
        """Forget the tokens. Raises KeychainError."""
        await self._keychain.delete(sign_in_name(name))

    async def sign_in(
        self, name: str, server: McpServer, ready: Ready, open_page: Callable[[str], None]
    ) -> None:
        """Have the person sign in; `open_page` is given the address to open. Raises AppError. Cancelling it
        ends it."""
        import httpx2

        async with _loopback() as (port, answer):
            provider, _storage = await in_thread(_provider, self._keychain, name, ready.url, port)

            async def redirect(address: str) -> None:
                open_page(address)

            async def callback() -> Any:
                return await answer

            provider.context.redirect_handler = redirect
            provider.context.callback_handler = callback
            before = await self._keychain.get(sign_in_name(name))
            try:
                async with (
                    asyncio.timeout(self._patience),
                    way_out.client(
                        httpx2,
                        headers=ready.headers,
                        auth=provider,
                        timeout=httpx2.Timeout(CONNECT_SECONDS),
                    ) as client,
                ):
                    await _knock(client, ready.url, server.kind)
            except TimeoutError:
                raise AppError(
                    _("The sign-in was not finished in time."), _("Try again when you have a moment.")
                ) from None
            except httpx2.TransportError as error:
                raise unreachable(error) from error
            except Exception as error:
                if isinstance(error, AppError):
                    raise
                raise AppError(
                    _("The sign-in did not work: {reason}.").format(reason=said(str(error)).rstrip(".")),
                    _("Try again; if it stays, the server may not allow programs like this one."),
                ) from error
        if await self._keychain.get(sign_in_name(name)) == before:
            raise AppError(_("This server asks for no sign-in."), _("Connect to it without one."))


async def _knock(client: Any, url: str, kind: str) -> None:
    """A request that a server answers only to who has signed in."""
    if kind == "sse":
        async with client.stream("GET", url, headers={"Accept": "text/event-stream"}):
            return
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "nanobot-desktop", "version": __version__},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    headers = {"Accept": "application/json, text/event-stream"}
    async with client.stream("POST", url, json=body, headers=headers):
        return


def _provider(keychain: Entries, name: str, url: str, port: int) -> tuple[Any, _Storage]:
    """The SDK's sign-in for a server (blocking: it loads the SDK)."""
    from mcp.client.auth import OAuthClientProvider
    from mcp.shared.auth import OAuthClientMetadata
    from pydantic import AnyUrl

    storage = _Storage(keychain, sign_in_name(name))
    metadata = OAuthClientMetadata(
        client_name="Nanobot Desktop",
        redirect_uris=[AnyUrl(f"http://127.0.0.1:{port}/callback")],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        token_endpoint_auth_method="none",  # noqa: S106 the name of a way, no password
    )
    provider = OAuthClientProvider(url, metadata, storage)
    storage.context = provider.context
    return provider, storage


def _renewing(provider: Any) -> Any:
    """Sends the token along and renews it; where that fails, the refusal is the answer. The SDK's own would
    begin a new sign-in then, and lets one request wait for the other."""
    import httpx2

    class Renewing(httpx2.Auth):
        async def async_auth_flow(self, request: Any) -> AsyncGenerator[Any, Any]:
            context = provider.context
            if context.is_token_valid():
                used = context.current_tokens.access_token
                request.headers["Authorization"] = f"Bearer {used}"
                response = yield request
                if response.status_code != 401:
                    return
                if context.current_tokens and context.current_tokens.access_token == used:
                    context.token_expiry_time = 1.0
            if not (context.is_token_valid() or context.can_refresh_token()):
                yield request
                return
            flow = provider.async_auth_flow(request)
            try:
                outgoing = await anext(flow)
                while True:
                    response = yield outgoing
                    if outgoing is request and response.status_code == 401:
                        return
                    outgoing = await flow.asend(response)
            except StopAsyncIteration:
                return
            finally:
                await flow.aclose()

    return Renewing()


@asynccontextmanager
async def _loopback() -> AsyncGenerator[tuple[int, asyncio.Future[Any]]]:
    """A port of this computer that the browser comes back to, and what it brought."""
    from mcp.shared.auth import AuthorizationCodeResult

    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, ValueError, asyncio.LimitOverrunError, asyncio.IncompleteReadError):
            line = await reader.readuntil(b"\r\n")
            await reader.readuntil(b"\r\n\r\n")
            target = urlsplit(line.split()[1].decode("ascii"))
            given = {key: values[0] for key, values in parse_qs(target.query).items()}
            ours = target.path == "/callback" and ("code" in given or "error" in given)
            if ours and not answer.done():
                if "code" in given:
                    answer.set_result(
                        AuthorizationCodeResult(
                            code=given["code"], state=given.get("state"), iss=given.get("iss")
                        )
                    )
                else:
                    answer.set_exception(_declined(given))
            text = (
                _("You can close this page and go back to Nanobot.")
                if ours
                else _("There is nothing here.")
            )
            body = _PAGE.format(text=text).encode()
            status = "200 OK" if ours else "404 Not Found"
            head = (
                f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            )
            writer.write(head.encode() + body)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=_LONGEST_LINE)
    try:
        yield server.sockets[0].getsockname()[1], answer
    finally:
        server.close()
        if answer.done() and not answer.cancelled():
            answer.exception()  # looked at, or asyncio would complain
        answer.cancel()


def _declined(given: dict[str, str]) -> AppError:
    reason = said(given.get("error_description") or given["error"]).rstrip(".")
    return AppError(_("The server did not sign you in: {reason}.").format(reason=reason), _("Try again."))
