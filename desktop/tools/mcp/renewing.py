"""Sends a server's token along, renews it, and asks for more rights where a call needs them.

The SDK's own would begin a new sign-in whenever renewing fails, lets one request wait for the other, and
asks for more rights without an end. Here a sign-in never begins by itself: the person says yes to it, in
the middle of a call of theirs, and the same rights are not asked for twice.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from desktop.tools.mcp.failures import said
from desktop.tools.mcp.loopback import address_of, loopback
from desktop.tools.mcp.provider import settle


@dataclass(frozen=True, slots=True)
class Consent:
    """The person's yes to a new sign-in, good for one call."""

    open_page: Callable[[str], None]
    over: asyncio.Future[None]
    """Done when the call has ended: nobody waits for the sign-in then."""


type Widen = Callable[[frozenset[str]], Awaitable[Consent | None]]
"""Asks the person whether to sign in again for these rights."""

_log = logging.getLogger(__name__)

MOST_TRIES = 3
"""How often a server may ask for more rights until the person signs in anew by themselves."""


class Tries:
    """Which rights a server has asked for in the middle of calls."""

    def __init__(self) -> None:
        self._asked: list[frozenset[str]] = []

    def may(self, rights: frozenset[str]) -> bool:
        """Whether it is worth asking the person."""
        return len(self._asked) < MOST_TRIES and rights not in self._asked

    def note(self, rights: frozenset[str]) -> None:
        """They were asked for."""
        self._asked.append(rights)

    def forget(self) -> None:
        """The person has signed in by themselves: all begins anew."""
        self._asked.clear()


def lacking(response: Any) -> frozenset[str] | None:
    """The rights that an answer says are missing; None where it says no such thing."""
    from mcp.client.auth.utils import extract_field_from_www_auth, extract_scope_from_www_auth

    if response.status_code != 403:
        return None
    if extract_field_from_www_auth(response, "error") != "insufficient_scope":
        return None
    return frozenset((extract_scope_from_www_auth(response) or "").split())


def renewing(provider: Any, tries: Tries, widen: Widen, patience: float) -> Any:
    """The httpx2.Auth of a server that was signed in to; `provider`: the SDK's, with what is stored;
    `patience`: seconds that the person has in the browser."""
    import httpx2

    class Renewing(httpx2.Auth):
        async def async_auth_flow(self, request: Any) -> AsyncGenerator[Any, Any]:
            flow, response = _renewed(provider, request), None
            consent: Consent | None = None
            while True:
                try:
                    outgoing = await anext(flow)
                    while True:
                        response = yield outgoing
                        outgoing = await flow.asend(response)
                except StopAsyncIteration:
                    pass
                except Exception as error:
                    if consent is None:
                        raise
                    _log.info("more rights were not given: %s", said(str(error)))
                    if not consent.over.done():
                        yield request  # what was answered last was not the answer to this
                    return
                finally:
                    await flow.aclose()
                rights = lacking(response)
                if rights is None or not tries.may(rights):
                    return
                tries.note(rights)
                if (consent := await widen(rights)) is None:
                    return
                flow = _widened(provider, request, response, consent, patience)

    return Renewing()


async def _renewed(provider: Any, request: Any) -> AsyncGenerator[Any, Any]:
    """Where renewing fails, the refusal is the answer."""
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
            if outgoing is request and response.status_code in (401, 403):
                return
            outgoing = await flow.asend(response)
    except StopAsyncIteration:
        return
    finally:
        await flow.aclose()


async def _widened(
    provider: Any, request: Any, refusal: Any, consent: Consent, patience: float
) -> AsyncGenerator[Any, Any]:
    """A new sign-in, for the rights that the refusal names besides those that there are; then the request
    again. Raises what the SDK does, AppError, TimeoutError."""
    context = provider.context
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(_way_back(context, consent, patience))
        flow = provider.async_auth_flow(request)
        stack.push_async_callback(flow.aclose)
        try:
            outgoing = await anext(flow)
            if outgoing is request:  # it was sent, and this is the answer
                outgoing = await flow.asend(refusal)
            while True:
                response = yield outgoing
                outgoing = await flow.asend(response)
        except StopAsyncIteration:
            return


@asynccontextmanager
async def _way_back(context: Any, consent: Consent, patience: float) -> AsyncGenerator[None]:
    """The browser comes back to the port that the client is known for, where that is free."""
    from pydantic import AnyUrl

    known = context.client_info.redirect_uris if context.client_info else None
    wanted = (known[0].port if known else None) or 0
    async with loopback(wanted) as (port, answer):
        if wanted and port != wanted and not context.storage.by_hand:
            context.client_info = None  # it registers anew
        context.client_metadata.redirect_uris = [AnyUrl(address_of(port))]

        async def redirect(address: str) -> None:
            settle(context)
            consent.open_page(address)

        async def callback() -> Any:
            async with asyncio.timeout(patience):
                await asyncio.wait({answer, consent.over}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise TimeoutError
            return answer.result()

        context.redirect_handler, context.callback_handler = redirect, callback
        try:
            yield
        finally:
            context.redirect_handler = context.callback_handler = None
