"""Quiet hours: when they are and when they end, in a year in which clocks are changed twice."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.inbox.quiet import quiet_until

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = [BERLIN, ZoneInfo("America/New_York"), ZoneInfo("Australia/Lord_Howe"), ZoneInfo("Asia/Shanghai")]


def at(text: str, zone: ZoneInfo = BERLIN, fold: int = 0) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold).timestamp()


@pytest.mark.parametrize(
    ("moment", "end"),
    [
        ("2026-11-28 21:59:59", None),
        ("2026-11-28 22:00", "2026-11-29 07:00"),
        ("2026-11-29 00:00", "2026-11-29 07:00"),
        ("2026-11-29 06:59:59", "2026-11-29 07:00"),
        ("2026-11-29 07:00", None),
        ("2026-03-28 23:00", "2026-03-29 07:00"),  # the night is an hour shorter
        ("2026-10-24 23:00", "2026-10-25 07:00"),  # and one longer
    ],
)
def test_a_night(moment: str, end: str | None) -> None:
    assert quiet_until(at(moment), "22:00", "07:00", BERLIN) == (end and at(end))


def test_in_the_day_and_never() -> None:
    noon = at("2026-11-28 12:30")
    assert quiet_until(noon, "12:00", "13:00", BERLIN) == at("2026-11-28 13:00")
    assert quiet_until(noon, "13:00", "12:00", BERLIN) is None
    assert quiet_until(noon, "12:30", "12:30", BERLIN) is None


def test_an_hour_that_is_left_out_ends_when_the_clocks_are_changed() -> None:
    changed = datetime(2026, 3, 29, 1, tzinfo=UTC).timestamp()
    assert quiet_until(changed - 60, "22:00", "02:30", BERLIN) == changed
    assert quiet_until(changed, "22:00", "02:30", BERLIN) is None


def test_an_hour_that_comes_twice_ends_the_first_time() -> None:
    assert quiet_until(at("2026-10-25 02:29"), "22:00", "02:30", BERLIN) == at("2026-10-25 02:30")
    assert quiet_until(at("2026-10-25 02:10", fold=1), "22:00", "02:30", BERLIN) is None


clocks = st.times().map(lambda time: time.strftime("%H:%M"))


@given(minute=st.integers(0, 366 * 24 * 60), begin=clocks, end=clocks, zone=st.sampled_from(ZONES))
def test_they_are_those_of_the_clock_on_the_wall(minute: int, begin: str, end: str, zone: ZoneInfo) -> None:
    moment = (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)).timestamp()
    until = quiet_until(moment, begin, end, zone)
    day = timedelta(days=1)
    around = {
        (datetime.fromtimestamp(moment, zone) + step).utcoffset() for step in (-day, timedelta(), day)
    }
    if len(around) == 1:
        wall = f"{datetime.fromtimestamp(moment, zone):%H:%M}"
        night = begin <= wall or wall < end if begin > end else begin <= wall < end
        assert (until is not None) == (night and begin != end)
    if until is not None:
        assert moment < until <= moment + 25 * 3600
        assert quiet_until(until, begin, end, zone) is None
        assert quiet_until(until - 1, begin, end, zone) == until


def test_the_zone_of_the_system() -> None:
    now = datetime(2026, 11, 28, 23, 0)
    assert quiet_until(now.timestamp(), "22:00", "07:00") == datetime(2026, 11, 29, 7, 0).timestamp()
