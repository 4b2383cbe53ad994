"""When a model call is tried again, how long after, and when not."""

from collections.abc import AsyncGenerator, Sequence

import pytest

from desktop.providers.base import (
    BadRequest,
    Completion,
    Delta,
    Endpoint,
    HostDied,
    ProviderError,
    QuotaExceeded,
    RateLimited,
    Request,
    SignInNeeded,
    Unreachable,
)
from desktop.providers.retry import RetryingProvider

REMOTE = Request(Endpoint("acme", "m", base_url="https://api.example.com/v1"), [], max_tokens=5)
LOCAL = Request(Endpoint("ollama", "m", base_url="http://127.0.0.1:11434/v1"), [], max_tokens=5)

type Step = ProviderError | Delta | Completion


class Scripted:
    """A provider whose calls go as told; the last script serves all further calls."""

    def __init__(self, *calls: Sequence[Step]) -> None:
        self._calls = list(calls)
        self.count = 0

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion]:
        steps = self._calls[min(self.count, len(self._calls) - 1)]
        self.count += 1
        for step in steps:
            if isinstance(step, ProviderError):
                raise step
            yield step


class Waits:
    """Records what is waited for instead of waiting."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self.told: list[tuple[float, str]] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def on_wait(self, seconds: float, error: ProviderError) -> None:
        self.told.append((seconds, error.text))


async def run(provider: Scripted, request: Request = REMOTE) -> tuple[list[Delta | Completion], Waits]:
    waits = Waits()
    retrying = RetryingProvider(provider, sleep=waits.sleep, on_wait=waits.on_wait)
    return [item async for item in retrying.stream(request)], waits


GOOD: list[Step] = [Delta("hi"), Completion("hi")]


async def test_a_good_call_is_made_once() -> None:
    items, waits = await run(Scripted(GOOD))
    assert items == GOOD
    assert waits.slept == []


async def test_a_fault_that_passes_is_waited_out_and_told() -> None:
    provider = Scripted([Unreachable("down", status=503)], [Unreachable("down", status=503)], GOOD)
    items, waits = await run(provider)
    assert items == GOOD
    assert waits.slept == [1, 2]
    assert waits.told == [(1, "down"), (2, "down")]


async def test_after_three_retries_the_error_is_final() -> None:
    provider = Scripted([Unreachable("down", status=503)])
    with pytest.raises(Unreachable):
        await run(provider)
    assert provider.count == 4


async def test_the_servers_time_is_kept() -> None:
    _, waits = await run(Scripted([RateLimited("busy", status=429, retry_after=12.5)], GOOD))
    assert waits.slept == [12.5]


@pytest.mark.parametrize(("seconds", "told"), [(61, "in 1 min"), (600, "in 10 min"), (80_000, "in 22 h")])
async def test_a_server_that_wants_more_than_a_minute_is_not_waited_for(seconds: float, told: str) -> None:
    provider = Scripted([RateLimited("busy", status=429, retry_after=seconds)])
    with pytest.raises(RateLimited, match=told) as caught:
        await run(provider)
    assert provider.count == 1
    assert caught.value.retry_after == seconds


@pytest.mark.parametrize("error", [SignInNeeded, QuotaExceeded, BadRequest, HostDied])
async def test_what_does_not_pass_is_not_tried_again(error: type[ProviderError]) -> None:
    provider = Scripted([error("no")])
    with pytest.raises(error):
        await run(provider)
    assert provider.count == 1


async def test_nothing_is_tried_again_once_text_was_shown() -> None:
    provider = Scripted([Delta("half"), Unreachable("cut")])
    with pytest.raises(Unreachable):
        await run(provider)
    assert provider.count == 1


async def test_a_dead_server_on_this_machine_is_tried_once_more_only() -> None:
    provider = Scripted([Unreachable("refused")])
    with pytest.raises(Unreachable):
        await run(provider, LOCAL)
    assert provider.count == 2
