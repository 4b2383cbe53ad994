"""Questions that the program asks a model for itself, beside the conversations: the answer as a whole, and
each call in the ledger."""

import logging
import time
from contextlib import aclosing

from desktop.errors import StorageError
from desktop.providers.base import Completion, Endpoint, Provider, ProviderError, Request, Usage
from desktop.usage import Call, UsageLedger

_log = logging.getLogger(__name__)


async def answer(provider: Provider, request: Request) -> Completion:
    """All that a model says to a request. Raises ProviderError."""
    completion = Completion()
    async with aclosing(provider.stream(request)) as stream:
        async for item in stream:
            if isinstance(item, Completion):
                completion = item
    return completion


async def entered(
    provider: Provider, request: Request, ledger: UsageLedger, *, cause: str, session: str = ""
) -> Completion:
    """The answer, after the call was entered in the ledger, however it ended. Raises ProviderError."""
    begun, outcome, completion = time.monotonic(), "stopped", Completion()
    try:
        completion = await answer(provider, request)
        outcome = "ok"
    except ProviderError as error:
        outcome = type(error).__name__
        raise
    finally:
        seconds = time.monotonic() - begun
        call = call_of(
            request.endpoint, completion, cause=cause, session=session, outcome=outcome, seconds=seconds
        )
        await enter(ledger, call)
    return completion


async def enter(ledger: UsageLedger, call: Call) -> None:
    """Enter a call. An answer is not lost because the ledger cannot be written; the log says so."""
    try:
        await ledger.record(call)
    except StorageError as error:
        _log.warning("the call could not be entered in the ledger: %s", error)


def call_of(
    asked: Endpoint,
    completion: Completion,
    *,
    cause: str,
    seconds: float,
    session: str = "",
    turn: str = "",
    outcome: str = "ok",
) -> Call:
    """A call as the ledger has it, by who answered it in the end."""
    there, spent = completion.answered or asked, completion.usage or Usage()
    return Call(
        there.provider,
        there.model,
        cause,
        session,
        turn,
        outcome,
        seconds,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        cached_tokens=spent.cached_tokens,
        cache_write_tokens=spent.cache_write_tokens,
        reasoning_tokens=spent.reasoning_tokens,
        cost=spent.cost,
        saved=spent.saved,
        reasoning_cost=spent.reasoning_cost,
    )
