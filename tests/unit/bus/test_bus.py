"""The bus: everybody hears everything, deltas pile up into one, nothing grows without bound."""

import asyncio

from desktop.bus.bus import Bus
from desktop.bus.events import Event, ServiceChanged, TextDelta, TurnFinished


async def test_every_subscriber_gets_every_event_from_its_start() -> None:
    bus = Bus()
    with bus.subscribe() as early:
        bus.publish(ServiceChanged("host", "starting"))
        with bus.subscribe() as late:
            bus.publish(ServiceChanged("host", "running"))
            assert [(await anext(early)).kind, (await anext(early)).kind] == ["service_changed"] * 2
            assert await anext(late) == ServiceChanged("host", "running")


async def test_a_waiting_subscriber_wakes() -> None:
    bus = Bus()
    with bus.subscribe() as events:
        waiting = asyncio.get_running_loop().create_task(anext(events))
        await asyncio.sleep(0)
        bus.publish(ServiceChanged("host", "running"))
        assert (await waiting).kind == "service_changed"


async def test_deltas_of_one_turn_are_joined_while_nobody_reads() -> None:
    bus = Bus()
    with bus.subscribe() as events:
        for piece in "abc":
            bus.publish(TextDelta("s", "1", piece))
        bus.publish(TextDelta("s", "2", "other"))
        bus.publish(TextDelta("s", "1", "d"))
        texts = [(await anext(events)) for _ in range(3)]
    assert [(e.turn, e.text) for e in texts if isinstance(e, TextDelta)] == [
        ("1", "abc"),
        ("2", "other"),
        ("1", "d"),
    ]


async def test_a_subscriber_that_never_reads_keeps_the_newest_events() -> None:
    bus = Bus()
    with bus.subscribe() as events:
        for number in range(5_000):
            bus.publish(ServiceChanged("host", str(number)))
        bus.publish(TurnFinished("s", "1", "done"))
        kept: list[Event] = []
        while not kept or not isinstance(kept[-1], TurnFinished):
            kept.append(await anext(events))
    assert len(kept) <= 1_000


def test_an_event_as_json_names_itself() -> None:
    assert TextDelta("cli:direct", "7", "Hi").as_json() == {
        "event": "text_delta",
        "session": "cli:direct",
        "turn": "7",
        "text": "Hi",
    }
