"""What a call costs, where the provider does not say it: by the price of a token, if that is known."""

from dataclasses import replace

from desktop.providers.base import Usage
from desktop.providers.windows import Price


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
