"""What a call costs, where the provider does not say it: by the price of a token, if that is known."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace

from desktop.providers.base import Completion, Delta, Provider, ProviderError, Request, Usage
from desktop.providers.windows import Price


class PricedProvider:
    """Another provider, whose completions tell what they cost where that can be known."""

    def __init__(self, inner: Provider, price: Callable[[], Awaitable[Price | None]]) -> None:
        self._inner, self._price = inner, price

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion]:
        """As the provider answers. Raises ProviderError, which tells likewise what the call cost."""
        try:
            async with aclosing(self._inner.stream(request)) as stream:
                async for item in stream:
                    if isinstance(item, Completion):
                        yield replace(item, usage=await self._told(item.usage))
                    else:
                        yield item
        except ProviderError as error:
            error.usage = await self._told(error.usage)
            raise

    async def _told(self, usage: Usage | None) -> Usage | None:
        price = await self._price() if usage else None
        return priced(usage, price) if usage and price else usage


def priced(usage: Usage, price: Price) -> Usage:
    """What a call cost in US dollars, in all unless its server said so, and the parts of it."""
    fresh = max(0, usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens)
    said = max(0, usage.output_tokens - usage.reasoning_tokens)
    thought = min(usage.reasoning_tokens, usage.output_tokens) * price.thought
    asked = (
        fresh * price.asked + usage.cached_tokens * price.cached + usage.cache_write_tokens * price.written
    )
    saved = usage.cached_tokens * (price.asked - price.cached)
    saved -= usage.cache_write_tokens * (price.written - price.asked)
    cost = asked + said * price.answered + thought if usage.cost is None else usage.cost
    return replace(usage, cost=cost, saved=saved, reasoning_cost=thought)
