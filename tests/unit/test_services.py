"""Services: a failing one is retried and never stops another."""

import asyncio

from desktop.bus.bus import Bus
from desktop.bus.events import ServiceChanged
from desktop.errors import AppError
from desktop.services import ServiceState, Status, Supervisor


class Part:
    """A service that fails a number of times before it runs."""

    def __init__(self, name: str, bus: Bus, failures: int = 0) -> None:
        self.status = Status(name, bus)
        self.failures = failures
        self.starts = 0
        self.stopped = False

    async def start(self) -> None:
        self.starts += 1
        if self.starts <= self.failures:
            raise AppError("No network.", "Connect.")
        self.status.set(ServiceState.RUNNING)

    async def stop(self) -> None:
        self.stopped = True
        self.status.set(ServiceState.OFF)


async def reach(bus: Bus, *wanted: tuple[str, str]) -> list[ServiceChanged]:
    seen: list[ServiceChanged] = []
    missing = set(wanted)
    with bus.subscribe() as events:
        async with asyncio.timeout(60):
            async for event in events:
                if isinstance(event, ServiceChanged):
                    seen.append(event)
                    missing.discard((event.name, event.state))
                if not missing:
                    return seen
    return seen


async def test_a_failing_service_is_retried_beside_one_that_runs() -> None:
    bus = Bus()
    supervisor = Supervisor(base_delay=0.001)
    good, bad = Part("good", bus), Part("bad", bus, failures=3)
    supervisor.add(good)
    supervisor.add(bad)
    seen = await reach(bus, ("good", "running"), ("bad", "running"))
    assert [e.detail for e in seen if e.state == "degraded"] == ["No network. Connect."] * 3
    assert good.starts == 1
    await supervisor.stop()
    assert good.stopped
    assert bad.stopped


async def test_a_lost_service_is_started_again() -> None:
    bus = Bus()
    supervisor = Supervisor(base_delay=0.001)
    part = Part("part", bus)
    lost = supervisor.add(part)
    await reach(bus, ("part", "running"))
    lost()
    await reach(bus, ("part", "running"))
    assert part.starts == 2
    await supervisor.stop()


async def test_a_state_that_does_not_change_is_not_announced() -> None:
    bus = Bus()
    status = Status("part", bus)
    with bus.subscribe() as events:
        status.set(ServiceState.RUNNING, "fine")
        status.set(ServiceState.RUNNING, "fine")
        status.set(ServiceState.OFF)
        assert [(await anext(events)) for _ in range(2)] == [
            ServiceChanged("part", "running", "fine"),
            ServiceChanged("part", "off"),
        ]
    assert status.last_ok is not None
