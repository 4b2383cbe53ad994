"""Signing in to a server in the browser (OAuth), and using what that gave.

The SDK does the talking. What it would keep in a file is one entry of the keychain: tokens, the moment they
end, and where to renew them; the SDK forgets the last two. A connection never begins a sign-in by itself.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from desktop.config.mcp import McpServer, sign_in_name
from desktop.errors import AppError
from desktop.net import way_out
from desktop.tasks import in_thread
from desktop.text import _
from desktop.tools.mcp.environment import Ready
from desktop.tools.mcp.failures import said, unreachable
from desktop.tools.mcp.http import CONNECT_SECONDS
from desktop.tools.mcp.keychain import Entries
from desktop.tools.mcp.knock import knock
from desktop.tools.mcp.loopback import loopback
from desktop.tools.mcp.provider import provider_of, settle
from desktop.tools.mcp.renewing import Tries, Widen, renewing

PATIENCE_SECONDS = 300.0
"""How long the person has for it."""


class SignIns:
    """What servers were signed in to."""

    def __init__(self, keychain: Entries, *, patience: float = PATIENCE_SECONDS) -> None:
        """`patience`: seconds that the person has for a sign-in."""
        self._keychain, self._patience = keychain, patience
        self._tries: dict[str, Tries] = {}

    async def auth(self, name: str, server: McpServer, ready: Ready, widen: Widen) -> Any:
        """The httpx2.Auth of a server that was signed in to, else None; `widen` asks the person where a
        call needs more rights. Raises KeychainError."""
        if server.auth != "oauth":
            return None
        provider, storage = await in_thread(provider_of, self._keychain, name, ready, 0)
        if not await storage.load():
            return None
        provider._initialized = True  # noqa: SLF001 or it would load again, and forget when the tokens end
        return renewing(provider, self._tries.setdefault(name, Tries()), widen, self._patience)

    async def sign_out(self, name: str) -> None:
        """Forget the tokens. Raises KeychainError."""
        await self._keychain.delete(sign_in_name(name))

    async def sign_in(
        self, name: str, server: McpServer, ready: Ready, open_page: Callable[[str], None]
    ) -> None:
        """Have the person sign in; `open_page` is given the address to open. Raises AppError. Cancelling it
        ends it."""
        import httpx2

        self._tries.setdefault(name, Tries()).forget()
        async with loopback() as (port, answer):
            provider, _storage = await in_thread(provider_of, self._keychain, name, ready, port)

            async def redirect(address: str) -> None:
                settle(provider.context)
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
                    await knock(client, ready.url, server.kind)
            except TimeoutError:
                raise AppError(_("The sign-in timed out."), _("Try again.")) from None
            except httpx2.TransportError as error:
                raise unreachable(error) from error
            except Exception as error:
                raise _told(error, ready) from error
        if await self._keychain.get(sign_in_name(name)) == before:
            raise AppError(_("This server needs no sign-in."), _("Connect without signing in."))


def _told(error: Exception, ready: Ready) -> AppError:
    if isinstance(error, AppError):
        return error
    reason = said(str(error)).rstrip(".")
    if "registration" in reason.casefold() and not ready.client_id:
        return AppError(
            _("Sign-in failed: {reason}.").format(reason=reason),
            _(
                "The server may only accept programs that were registered manually: register one, and "
                "enter its client ID and secret in this server’s settings."
            ),
        )
    return AppError(
        _("Sign-in failed: {reason}.").format(reason=reason),
        _("Try again. If it keeps happening, the server may not allow programs like this one."),
    )
