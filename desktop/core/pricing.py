"""What a call costs, where the provider does not say it: by the price of a token, if that is known."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace

from desktop.providers.base import Completion, Delta, Provider, Request, Usage
from desktop.providers.windows import Price


class PricedProvider:
    """Another provider, whose completions tell what they cost where that can be known."""

    def __init__(self, inner: Provider, price: Callable[[], Awaitable[Price | None]]) -> None:
        self._inner, self._price = inner, price

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion]:
        """As the provider answers."""
        async with aclosing(self._inner.stream(request)) as stream:
            async for item in stream:
                if isinstance(item, Completion) and item.usage and item.usage.cost is None:
                    price = await self._price()
                    if price is not None:
                        yield replace(item, usage=replace(item.usage, cost=cost(item.usage, price)))
                        continue
                yield item


def cost(usage: Usage, price: Price) -> float:
    """US dollars."""
    fresh = max(0, usage.input_tokens - usage.cached_tokens)
    return fresh * price.asked + usage.cached_tokens * price.cached + usage.output_tokens * price.answered
