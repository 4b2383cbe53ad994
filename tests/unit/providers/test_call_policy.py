"""One call, from the budget to the bill: when it is tried again, who is asked instead, what it cost."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace

import pytest

from desktop.errors import AppError
from desktop.providers.base import (
    BadRequest,
    Completion,
    DayIsSpent,
    Delta,
    Endpoint,
    HostDied,
    ProviderError,
    QuotaExceeded,
    RateLimited,
    Request,
    SignInNeeded,
    Unreachable,
    Usage,
)
from desktop.providers.budget import MonthIsSpent
from desktop.providers.call_policy import CallPolicy, Candidate
from desktop.providers.windows import Price

REMOTE = Request(
    Endpoint("acme", "m", base_url="https://api.example.com/v1"), [], max_tokens=5, conversation="window:a"
)
LOCAL = Request(Endpoint("ollama", "m", base_url="http://127.0.0.1:11434/v1"), [], max_tokens=5)

type Step = ProviderError | Delta | Completion


class Wire:
    """Calls that go as told; the last script serves all further calls."""

    def __init__(self, *calls: Sequence[Step]) -> None:
        self._calls = list(calls)
        self.asked: list[Request] = []

    @property
    def count(self) -> int:
        return len(self.asked)

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion]:
        steps = self._calls[min(self.count, len(self._calls) - 1)]
        self.asked.append(request)
        for step in steps:
            if isinstance(step, ProviderError):
                raise step
            yield step


@dataclass
class Told:
    """What was waited for, instead of waiting, and what the person was told."""

    slept: list[float] = field(default_factory=list)
    waits: list[tuple[float, str]] = field(default_factory=list)
    instead: list[tuple[str, str]] = field(default_factory=list)
    counted: int = 0
    """How often the budget was looked up."""

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def on_wait(self, seconds: float, why: AppError) -> None:
        self.waits.append((seconds, why.text))

    def on_fallback(self, there: Endpoint, why: ProviderError) -> None:
        self.instead.append((there.provider, why.text))


def model(name: str, *, free: bool = False, shut: bool = False, cent: float | None = None) -> Candidate:
    """A candidate of this provider. `shut`: its key cannot be had; `cent`: what a token costs."""

    async def endpoint() -> Endpoint:
        if shut:
            raise AppError("The keychain is locked.")
        return Endpoint(name, "m", base_url="https://api.example.com/v1")

    async def price() -> Price | None:
        return None if cent is None else Price(cent, cent, cent, cent, cent)

    return Candidate(free, endpoint, price)


async def run(
    wire: Wire,
    request: Request = REMOTE,
    *,
    others: Sequence[Candidate] = (),
    spent: AppError | None = None,
) -> tuple[list[Delta | Completion], Told]:
    """A call of `acme`, and of others instead."""
    told = Told()

    async def may_spend() -> None:
        told.counted += 1
        if spent:
            raise spent

    policy = CallPolicy(
        wire,
        (model("acme", cent=0.5), *others),
        may_spend,
        told.on_wait,
        told.on_fallback,
        sleep=told.sleep,
    )
    return [item async for item in policy.stream(request)], told


GOOD: list[Step] = [Delta("hi"), Completion("hi")]
USED = Usage(input_tokens=3, output_tokens=1)


# ---- tried again


async def test_a_good_call_is_made_once() -> None:
    items, told = await run(Wire(GOOD))
    assert items == GOOD
    assert told == Told(counted=1)


async def test_a_fault_that_passes_is_waited_out_and_told() -> None:
    down = Unreachable("down", status=503)
    items, told = await run(Wire([down], [down], GOOD))
    assert items == GOOD
    assert told.slept == [1, 2]
    assert told.waits == [(1, "down"), (2, "down")]


async def test_after_three_retries_the_error_is_final() -> None:
    wire = Wire([Unreachable("down", status=503)])
    with pytest.raises(Unreachable):
        await run(wire)
    assert wire.count == 4


async def test_the_servers_time_is_kept() -> None:
    _, told = await run(Wire([RateLimited("busy", status=429, retry_after=12.5)], GOOD))
    assert told.slept == [12.5]


@pytest.mark.parametrize(("seconds", "said"), [(61, "in 1 min"), (600, "in 10 min"), (80_000, "in 22 h")])
async def test_a_server_that_wants_more_than_a_minute_is_not_waited_for(seconds: float, said: str) -> None:
    wire = Wire([RateLimited("busy", status=429, retry_after=seconds)])
    with pytest.raises(RateLimited, match=said) as caught:
        await run(wire)
    assert wire.count == 1
    assert caught.value.retry_after == seconds


@pytest.mark.parametrize("error", [SignInNeeded, QuotaExceeded, BadRequest, HostDied])
async def test_what_does_not_pass_is_not_tried_again(error: type[ProviderError]) -> None:
    wire = Wire([error("no")])
    with pytest.raises(error):
        await run(wire)
    assert wire.count == 1


async def test_nothing_is_tried_again_once_text_was_shown() -> None:
    wire = Wire([Delta("half"), Unreachable("cut")])
    with pytest.raises(Unreachable):
        await run(wire, others=[model("next")])
    assert wire.count == 1


async def test_a_dead_server_on_this_machine_is_tried_once_more_only() -> None:
    wire = Wire([Unreachable("refused")])
    with pytest.raises(Unreachable):
        await run(wire, LOCAL)
    assert wire.count == 2


# ---- asked instead


async def test_the_next_that_can_answer_does_and_says_so() -> None:
    wire = Wire([QuotaExceeded("no money")], [BadRequest("what?")], GOOD)
    items, told = await run(wire, others=[model("shut", shut=True), model("odd"), model("good")])
    assert items == [Delta("hi"), Completion("hi", answered=replace(REMOTE.endpoint, provider="good"))]
    assert [asked.endpoint.provider for asked in wire.asked] == ["acme", "odd", "good"]
    assert [asked.conversation for asked in wire.asked] == ["window:a", "", ""]
    assert told.instead == [("good", "no money")]


async def test_it_is_tried_again_before_another_is_asked_and_so_is_that() -> None:
    down = Unreachable("down", status=503)
    wire = Wire(*[[down]] * 4, [down], GOOD)
    _items, told = await run(wire, others=[model("next")])
    assert [asked.endpoint.provider for asked in wire.asked] == [*["acme"] * 4, "next", "next"]
    assert told.slept == [1, 2, 4, 1]


@pytest.mark.parametrize("error", [SignInNeeded, BadRequest, HostDied])
async def test_what_the_person_can_mend_is_not_hidden_by_another_model(error: type[ProviderError]) -> None:
    wire = Wire([error("no")])
    with pytest.raises(error):
        await run(wire, others=[model("next")])
    assert wire.count == 1


async def test_the_first_failure_is_told_where_all_fail() -> None:
    with pytest.raises(QuotaExceeded, match="first"):
        await run(Wire([QuotaExceeded("first")], [SignInNeeded("second")]), others=[model("next")])


# ---- what it may cost, and what it did


async def test_the_budget_is_looked_up_once_for_each_model_that_costs() -> None:
    down = Unreachable("down", status=503)
    others = [model("free", free=True), model("costs")]
    _items, told = await run(Wire(*[[down]] * 8, GOOD), others=others)
    assert len(told.slept) == 6
    assert told.counted == 2


async def test_when_the_month_is_spent_only_what_is_free_is_asked() -> None:
    wire, spent = Wire(GOOD), MonthIsSpent("spent")
    items, told = await run(wire, others=[model("costs"), model("free", free=True)], spent=spent)
    assert [asked.endpoint.provider for asked in wire.asked] == ["free"]
    assert items[0] == Delta("hi")
    assert told.instead == [("free", "spent")]
    with pytest.raises(MonthIsSpent):
        await run(wire, others=[model("costs")], spent=spent)
    assert wire.count == 1


async def test_when_the_day_is_spent_nobody_is_asked() -> None:
    wire = Wire(GOOD)
    with pytest.raises(DayIsSpent):
        await run(wire, others=[model("free", free=True)], spent=DayIsSpent("spent"))
    assert wire.count == 0


async def test_it_is_billed_at_the_price_of_who_answered() -> None:
    items, _told = await run(Wire([Completion("hi", usage=USED)]))
    assert isinstance(items[-1], Completion)
    assert items[-1].usage == replace(USED, cost=2.0, saved=0.0, reasoning_cost=0.0)
    wire = Wire([QuotaExceeded("no")], [Completion("hi", usage=USED)])
    items, _told = await run(wire, others=[model("dear", cent=2.0)])
    assert isinstance(items[-1], Completion)
    assert items[-1].usage is not None
    assert items[-1].usage.cost == 8.0


async def test_a_failure_tells_what_it_cost_all_the_same() -> None:
    error = BadRequest("no")
    error.usage = USED
    with pytest.raises(BadRequest) as raised:
        await run(Wire([error]))
    assert raised.value.usage is not None
    assert raised.value.usage.cost == 2.0
