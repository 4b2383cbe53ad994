"""The bus: everybody hears everything, deltas pile up into one, nothing grows without bound."""

import asyncio

import pytest

from desktop.bus.bus import Bus
from desktop.bus.events import Event, ServiceChanged, TextDelta, TurnEvent, TurnFailed, TurnFinished


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


async def test_a_handler_gets_the_events_of_its_type_and_those_derived_from_it_until_it_is_ended() -> None:
    bus, ended, turns = Bus(), list[TurnFinished](), list[TurnEvent]()
    end = bus.on(TurnFinished, ended.append)
    bus.on(TurnEvent, turns.append)
    bus.publish(TurnFinished("s", "1", "done"))
    bus.publish(TurnFailed("s", "2", "It failed."))
    bus.publish(ServiceChanged("host", "running"))
    assert ended == [], "who publishes is not kept waiting"
    await asyncio.sleep(0)
    assert [event.turn for event in ended] == ["1"]
    assert [event.turn for event in turns] == ["1", "2"]
    end()
    end()
    bus.publish(TurnFinished("s", "3", "done"))
    await asyncio.sleep(0)
    assert [event.turn for event in ended] == ["1"]
    assert [event.turn for event in turns] == ["1", "2", "3"]


async def test_handlers_are_called_in_the_order_in_which_they_were_made_and_deltas_come_joined() -> None:
    bus, told = Bus(), list[str]()
    bus.on(TextDelta, lambda event: told.append(f"first {event.text}"))
    bus.on(TextDelta, lambda event: told.append(f"second {event.text}"))
    for piece in "abc":
        bus.publish(TextDelta("s", "1", piece))
    await asyncio.sleep(0)
    assert told == ["first abc", "second abc"]


async def test_what_handlers_have_not_come_to_is_bounded() -> None:
    bus, states = Bus(), list[str]()
    bus.on(ServiceChanged, lambda event: states.append(event.state))
    for number in range(5_000):
        bus.publish(ServiceChanged("host", str(number)))
    await asyncio.sleep(0)
    assert states == [str(number) for number in range(4_000, 5_000)]


@pytest.mark.expected_log("a handler of service_changed failed")
async def test_a_handler_that_fails_keeps_nobody_from_hearing() -> None:
    bus, heard = Bus(), list[Event]()

    def fail(_event: Event) -> None:
        raise ValueError

    bus.on(ServiceChanged, fail)
    bus.on(ServiceChanged, heard.append)
    bus.publish(ServiceChanged("host", "starting"))
    await asyncio.sleep(0)
    bus.publish(ServiceChanged("host", "running"))
    await asyncio.sleep(0)
    assert len(heard) == 2


async def test_nothing_is_handled_once_the_bus_is_closed() -> None:
    bus, heard = Bus(), list[Event]()
    bus.on(Event, heard.append)
    bus.publish(ServiceChanged("host", "stopping"))
    bus.close()
    bus.publish(ServiceChanged("host", "off"))
    await asyncio.sleep(0)
    assert heard == []


def test_an_event_as_json_names_itself() -> None:
    assert TextDelta("cli:direct", "7", "Hi").as_json() == {
        "event": "text_delta",
        "session": "cli:direct",
        "turn": "7",
        "text": "Hi",
    }
