"""Services come and go while the program runs; what one does touches no other."""

import asyncio
from collections.abc import Callable

import pytest

from desktop.bus.bus import Bus
from desktop.bus.events import ServiceChanged
from desktop.services.status import ServiceState, Status
from desktop.services.supervisor import Supervisor
from desktop.tasks import spawn
from tests.unit.services.parts import TIMING, Bench, Part, Stubborn


async def test_a_service_is_switched_off_and_on_and_forgotten(bench: Bench) -> None:
    part, other = Part("part", bench.bus), Part("other", bench.bus)
    await bench.up(part)
    await bench.up(other)
    with pytest.raises(ValueError, match="part"):
        bench.supervisor.add(Part("part", bench.bus))
    bench.supervisor.switch("part", on=False)
    await bench.reach("part", "off")
    assert (part.up, part.stops, part.starts) == (False, 1, 1)
    bench.supervisor.retry("part")
    bench.supervisor.again()
    bench.supervisor.switch("part", on=True)
    await bench.reach("part", "running")
    assert (part.up, part.starts) == (True, 2)
    await bench.supervisor.remove("part")
    assert not part.up
    assert [status.name for status in bench.supervisor.statuses()] == ["other"]
    await bench.supervisor.remove("part")
    again = Part("part", bench.bus)
    await bench.up(again)
    assert again.up
    assert (other.starts, other.stops) == (1, 0)


async def test_one_that_is_added_off_stays_off_until_it_is_switched_on(bench: Bench) -> None:
    part = Part("part", bench.bus)
    bench.supervisor.add(part, on=False)
    await bench.up(Part("other", bench.bus))
    assert (part.starts, part.status.state) == (0, ServiceState.OFF)
    bench.supervisor.switch("part", on=True)
    await bench.reach("part", "running")
    assert part.starts == 1


async def test_all_are_stopped_at_the_end(bench: Bench) -> None:
    parts = [Part(name, bench.bus) for name in "abc"]
    for part in parts:
        await bench.up(part)
    await bench.supervisor.stop()
    assert [(part.up, part.stops) for part in parts] == [(False, 1)] * 3
    assert not bench.clock.waits
    assert not bench.supervisor.statuses()


class Slow(Part):
    """Comes up when it is let."""

    def __init__(self, name: str, bus: Bus) -> None:
        super().__init__(name, bus)
        self.let, self.begun = asyncio.Event(), asyncio.Event()

    async def start(self) -> None:
        self.begun.set()
        await self.let.wait()
        await super().start()


async def test_one_that_is_starting_is_stopped_at_once(bench: Bench) -> None:
    slow = Slow("slow", bench.bus)
    bench.supervisor.add(slow)
    await slow.begun.wait()
    bench.supervisor.switch("slow", on=False)
    await bench.reach("slow", "off")
    assert (slow.starts, slow.stops) == (0, 1)
    slow.begun.clear()
    bench.supervisor.switch("slow", on=True)
    await slow.begun.wait()
    await bench.supervisor.stop()
    assert (slow.starts, slow.stops) == (0, 2)


async def test_one_that_is_switched_off_and_on_while_it_starts_comes_up(bench: Bench) -> None:
    slow = Slow("slow", bench.bus)
    bench.supervisor.add(slow)
    await slow.begun.wait()
    bench.supervisor.switch("slow", on=False)
    bench.supervisor.switch("slow", on=True)
    slow.let.set()
    await bench.reach("slow", "running")
    assert slow.up


async def test_one_that_is_switched_on_again_while_its_start_is_given_up_comes_up(bench: Bench) -> None:
    class Torn(Slow):
        async def start(self) -> None:
            try:
                await super().start()
            except asyncio.CancelledError:
                bench.supervisor.switch("torn", on=True)
                self.let.set()
                raise

    torn = Torn("torn", bench.bus)
    bench.supervisor.add(torn)
    await torn.begun.wait()
    bench.supervisor.switch("torn", on=False)
    await bench.reach("torn", "running")
    assert (torn.up, torn.stops) == (True, 1)


async def test_one_that_takes_too_long_to_start_is_told_of_and_tried_again(bench: Bench) -> None:
    slow = Slow("slow", bench.bus)
    bench.supervisor.add(slow)
    await bench.clock.ring(TIMING.start)
    told = await bench.reach("slow", "degraded")
    assert told.detail == "No answer within 90 s. Check the internet connection."
    slow.let.set()
    await bench.clock.ring(1.0)
    await bench.reach("slow", "running")


@pytest.mark.expected_log("hangs in start")
async def test_a_start_that_hangs_is_told_of_and_not_begun_twice(bench: Bench) -> None:
    stubborn, other = Stubborn("stubborn", bench.bus, "start"), Part("other", bench.bus)
    bench.supervisor.add(stubborn)
    await bench.up(other)
    await bench.clock.ring(TIMING.start)
    await bench.clock.ring(TIMING.end)
    told = await bench.reach("stubborn", "failed")
    assert told.detail == "It isn’t responding. If this lasts, restart Nanobot."
    bench.supervisor.retry("stubborn")
    bench.supervisor.again()
    await other.checked.acquire()
    assert (stubborn.starts, other.up) == (1, True)
    stubborn.hangs_in = ""
    stubborn.let_go.set()
    await bench.reach("stubborn", "running")
    assert (stubborn.starts, stubborn.stops) == (2, 2), "what the first start left was stopped"


@pytest.mark.expected_log("hangs in stop|stop.. failed")
async def test_a_stop_that_hangs_holds_up_nobody(bench: Bench) -> None:
    stubborn, other = Stubborn("stubborn", bench.bus, "stop"), Part("other", bench.bus)
    await bench.up(stubborn)
    await bench.up(other)
    stubborn.begun.clear()
    end = spawn(bench.supervisor.stop(), name="test:stop")
    await bench.reach("other", "off")
    assert not other.up
    await bench.clock.ring(TIMING.stop)
    await bench.clock.ring(TIMING.end)
    await asyncio.wait_for(end, 60)
    assert stubborn.up
    assert (stubborn.status.state, stubborn.status.detail) == (ServiceState.OFF, "It isn’t responding.")
    stubborn.let_go.set()


@pytest.mark.expected_log("service bad failed|stop.. failed")
async def test_whatever_one_raises_is_its_own(bench: Bench) -> None:
    class Rude(Part):
        async def start(self) -> None:
            await super().start()
            raise asyncio.CancelledError

        async def stop(self) -> None:
            raise ZeroDivisionError

    good = Part("good", bench.bus)
    await bench.up(good)
    bench.supervisor.add(Part("bad", bench.bus, failures=1, error=ZeroDivisionError()))
    told = await bench.reach("bad", "degraded")
    assert "ZeroDivisionError" in told.detail
    bench.supervisor.add(Rude("rude", bench.bus))
    assert (await bench.reach("rude", "degraded")).detail == "It was interrupted."
    await bench.supervisor.remove("rude")
    await bench.clock.ring(1.0)
    await bench.reach("bad", "running")
    assert (good.up, good.starts) == (True, 1)


class Listener:
    """Hears of a network that a test makes."""

    def __init__(self, changed: Callable[[], object]) -> None:
        self.changed, self.hearing = changed, asyncio.Event()
        self.hearing_no_more = asyncio.Event()

    async def start(self) -> None:
        self.hearing.set()

    async def stop(self) -> None:
        self.hearing_no_more.set()


async def test_the_network_is_listened_to_while_there_is_a_service_and_no_longer() -> None:
    ears: list[Listener] = []

    def ear(changed: Callable[[], object]) -> Listener:
        ears.append(Listener(changed))
        return ears[-1]

    supervisor = Supervisor(network=ear)
    assert not ears
    part = Part("part", Bus())
    supervisor.add(part)
    supervisor.add(Part("other", Bus()))
    await ears[0].hearing.wait()
    ears[0].changed()
    await part.checked.acquire()
    await supervisor.remove("other")
    assert not ears[0].hearing_no_more.is_set()
    await supervisor.remove("part")
    await ears[0].hearing_no_more.wait()
    supervisor.add(Part("part", Bus()))
    await ears[1].hearing.wait()
    await supervisor.stop()
    assert ears[1].hearing_no_more.is_set()


async def test_a_state_that_does_not_change_is_not_announced() -> None:
    bus = Bus()
    status = Status("part", bus)
    with bus.subscribe() as events:
        status.set(ServiceState.RUNNING, "fine")
        status.set(ServiceState.RUNNING, "fine")
        status.set(ServiceState.DEGRADED, "no", again_at=5.0)
        status.set(ServiceState.DEGRADED, "no", again_at=6.0)
        status.set(ServiceState.OFF)
        assert [(await anext(events)) for _ in range(4)] == [
            ServiceChanged("part", "running", "fine"),
            ServiceChanged("part", "degraded", "no", 5.0),
            ServiceChanged("part", "degraded", "no", 6.0),
            ServiceChanged("part", "off"),
        ]
    assert status.last_ok is not None
