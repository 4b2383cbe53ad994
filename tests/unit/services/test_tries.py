"""When a service is tried again: after a failure, when told to, at a wake-up; and when it is not."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.errors import AppError, ConfigError, KeychainError
from desktop.services.service import SignInNeeded
from desktop.services.status import ServiceState
from desktop.services.timing import Allowance, Timing
from tests.unit.services.parts import TIMING, Bench, Part

LOST = AppError("The connection was lost.")


async def fail(bench: Bench, seconds: float) -> None:
    """The next failure is told with the exact moment of the next try."""
    before = time.time()
    told = await bench.reach("part", "degraded")
    after = time.time()
    assert told.detail == "No network. Connect."
    assert told.again_at is not None
    assert before + seconds - 1 <= told.again_at <= after + seconds
    assert bench.clock.waits == [seconds]


async def test_failures_are_retried_ever_more_rarely_at_the_moment_that_is_told(bench: Bench) -> None:
    part = Part("part", bench.bus, failures=11)
    bench.supervisor.add(part)
    for seconds in (1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300):
        await fail(bench, seconds)
        bench.clock.turn(seconds / 2)
        assert bench.clock.waits == [seconds / 2]
        bench.clock.turn(seconds / 2)
    await bench.reach("part", "running")
    assert part.starts == 12
    assert part.stops == 11, "what a start that failed left is stopped"
    assert part.status.again_at is None
    assert not bench.clock.waits, "nothing wakes up while it works"


async def test_one_that_is_lost_soon_after_it_came_up_is_tried_ever_more_rarely(bench: Bench) -> None:
    part = Part("part", bench.bus)
    await bench.up(part)
    for seconds in (1, 2, 4, 8):
        part.lost(LOST)
        part.lost(LOST)
        assert (await bench.reach("part", "degraded")).detail == "The connection was lost."
        await bench.clock.ring(seconds)
        await bench.reach("part", "running")
    bench.clock.turn(TIMING.steady)
    part.lost(LOST)
    await bench.clock.ring(1.0)
    await bench.reach("part", "running")


async def test_one_that_is_lost_while_it_starts_is_lost(bench: Bench) -> None:
    class Early(Part):
        async def start(self) -> None:
            await super().start()
            if self.starts == 1:
                self.lost(LOST)

    early = Early("part", bench.bus)
    bench.supervisor.add(early)
    assert (await bench.reach("part", "degraded")).detail == "The connection was lost."
    early.lost(LOST)  # a late word of a connection that is given up already
    await bench.clock.ring(1.0)
    await bench.reach("part", "running")
    assert early.starts == 2


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (SignInNeeded("Sign in."), ServiceState.NEEDS_SIGN_IN),
        (ConfigError("The address is no address."), ServiceState.FAILED),
        (KeychainError("There is none.", state="missing"), ServiceState.FAILED),
    ],
)
async def test_what_only_the_person_can_help_is_never_retried_until_told(
    bench: Bench, error: AppError, state: ServiceState
) -> None:
    part, other = Part("part", bench.bus, failures=2, error=error), Part("other", bench.bus)
    bench.supervisor.add(part)
    told = await bench.reach("part", state)
    assert (told.detail, told.again_at) == (error.text, None)
    await bench.up(other)
    for _ in range(3):
        bench.supervisor.again()
        await other.checked.acquire()
        bench.clock.turn(100_000)
    assert (part.starts, part.status.state, bench.clock.waits) == (1, state, [])
    bench.supervisor.retry("part")
    await bench.reach("part", state)
    assert part.starts == 2
    bench.supervisor.retry("part")
    await bench.reach("part", "running")


async def test_a_locked_keychain_passes(bench: Bench) -> None:
    bench.supervisor.add(
        Part("part", bench.bus, failures=1, error=KeychainError("Locked.", state="locked"))
    )
    await bench.reach("part", "degraded")
    await bench.clock.ring(1.0)
    await bench.reach("part", "running")


async def test_one_that_waits_is_tried_when_told_to_and_then_from_the_beginning(bench: Bench) -> None:
    part = Part("part", bench.bus, failures=5)
    bench.supervisor.add(part)
    for seconds in (1, 2, 4):
        await fail(bench, seconds)
        await bench.clock.ring(seconds)
    await fail(bench, 8)
    bench.supervisor.retry("part")
    await fail(bench, 1)
    bench.supervisor.switch("part", on=False)
    await bench.reach("part", "off")
    assert (part.starts, bench.clock.waits, part.status.again_at) == (5, [], None)


async def test_a_wake_up_tries_at_once_but_not_without_end(bench: Bench) -> None:
    part = Part("part", bench.bus, failures=1000)
    bench.supervisor.add(part)
    await bench.reach("part", "degraded")
    for starts in (2, 3, 4):
        bench.supervisor.again()
        await bench.reach("part", "degraded")
        assert part.starts == starts
    for _ in range(100):
        bench.supervisor.again()
        await bench.settle()
        bench.clock.turn(0.01)
    assert part.starts == 4
    await bench.clock.ring(bench.clock.waits[0])
    await bench.reach("part", "degraded")
    bench.clock.turn(TIMING.window)
    bench.supervisor.again()
    await bench.reach("part", "degraded")


async def test_a_link_that_flaps_for_ten_minutes_makes_few_tries(bench: Bench) -> None:
    part, probe = Part("part", bench.bus, failures=10_000), Part("probe", bench.bus)
    bench.supervisor.add(part)
    await bench.up(probe)
    checks = 0
    for _ in range(6_000):
        bench.supervisor.again()
        await bench.settle()
        bench.clock.turn(0.1)
    while not probe.checked.locked():
        await probe.checked.acquire()
        checks += 1
    assert 10 * TIMING.hurried <= part.starts <= 11 * TIMING.hurried + 12, "by hurry, and by the waits"
    assert 10 * TIMING.hurried <= checks <= 11 * TIMING.hurried
    assert probe.starts == 1


async def test_a_try_that_had_to_wait_is_told_with_its_moment(bench: Bench) -> None:
    part = Part("part", bench.bus, failures=1000)
    bench.supervisor.add(part)
    for seconds in (1, 2, 4, 8, 16, 32, 64):
        await fail(bench, seconds)
        await bench.clock.ring(seconds)
    await fail(bench, 128)
    for seconds in (256, 300, 300):
        bench.supervisor.again()
        await fail(bench, seconds)
    bench.clock.turn(10)
    bench.supervisor.again()
    before = time.time()
    told = await bench.reach("part", "degraded")
    assert told.again_at is not None
    assert before + 49 <= told.again_at <= time.time() + 50
    assert bench.clock.waits == [50]


async def test_what_is_up_is_checked_at_a_wake_up_and_back_at_once_if_it_was_cut_off(bench: Bench) -> None:
    part = Part("part", bench.bus)
    await bench.up(part)
    bench.supervisor.again()
    await part.checked.acquire()
    part.broken = AppError("No answer to a ping.")
    bench.supervisor.again()
    await bench.reach("part", "running")
    assert (part.starts, part.stops) == (2, 1)


async def test_checks_are_bounded_too(bench: Bench) -> None:
    part = Part("part", bench.bus)
    await bench.up(part)
    for _ in range(TIMING.hurried):
        bench.supervisor.again()
        await part.checked.acquire()
    bench.supervisor.again()
    await bench.clock.ring(TIMING.window)
    await part.checked.acquire()
    assert part.starts == 1


async def test_a_check_that_hangs_is_a_loss(bench: Bench) -> None:
    class Silent(Part):
        async def check(self) -> None:
            if self.starts == 1:
                await self.checked.acquire()

    silent = Silent("part", bench.bus)
    await bench.up(silent)
    bench.supervisor.again()
    await bench.clock.ring(TIMING.check)
    await bench.reach("part", "running")
    assert silent.starts == 2


def test_waits_are_jittered_and_bounded() -> None:
    timing = Timing()
    delays = [timing.delay(failures) for failures in range(1, 2000)]
    assert 0.8 <= delays[0] <= 1.2
    assert max(delays) <= 360
    assert len(set(delays)) > 1000


@given(st.lists(st.floats(0, 30), max_size=60))
def test_no_window_has_more_than_are_allowed(pauses: list[float]) -> None:
    allowance, now, taken = Allowance(3, 60.0), 0.0, [-1000.0]
    for pause in pauses:
        now = max(now, taken[-1]) + pause
        taken.append(allowance.next(now))
        allowance.take(taken[-1])
    assert all(later - first >= 59.999 for first, later in zip(taken, taken[3:], strict=False))
