"""When jobs are due, against a second reckoning that looks at the wall clock minute by minute."""

import math
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from desktop.cron.schedule import At, Cron, Every, check, last_until, missed, next_after, sane
from desktop.errors import UsageError
from tests.unit.cron.bed import unix
from tests.unit.cron.oracle import ZONES, walk


def shown(moment: float | None, zone: str) -> str:
    assert moment is not None
    return datetime.fromtimestamp(moment, ZoneInfo(zone)).isoformat(timespec="minutes")


def steps(spec: Cron | Every | At, zone: str, start: float, end: float) -> Iterator[float]:
    while (due := next_after(spec, start, zone)) is not None and due <= end:
        yield (start := due)


@pytest.mark.parametrize(
    ("zone", "expression", "start", "end", "due"),
    [
        # New York: 2026-03-08 02:00 -> 03:00, 2026-11-01 02:00 -> 01:00
        (
            "America/New_York",
            "30 2 * * *",
            "2026-03-07T12:00",
            "2026-03-09T12:00",
            ["08T03:00-04:00", "09T02:30-04:00"],
        ),
        (
            "America/New_York",
            "30 1 * * *",
            "2026-10-31T12:00",
            "2026-11-02T12:00",
            ["01T01:30-04:00", "02T01:30-05:00"],
        ),
        (
            "America/New_York",
            "0,15,45 2,3 * * *",
            "2026-03-08T00:00",
            "2026-03-08T12:00",
            ["08T03:00-04:00", "08T03:15-04:00", "08T03:45-04:00"],
        ),
        (
            "America/New_York",
            "0 * * * *",
            "2026-10-31T23:59",
            "2026-11-01T02:30",
            ["01T00:00-04:00", "01T01:00-04:00", "01T01:00-05:00", "01T02:00-05:00"],
        ),
        (
            "America/New_York",
            "*/30 1 * * *",
            "2026-11-01T00:00",
            "2026-11-01T12:00",
            ["01T01:00-04:00", "01T01:30-04:00"],
        ),
        # Berlin: 2026-03-29 02:00 -> 03:00, 2026-10-25 03:00 -> 02:00
        (
            "Europe/Berlin",
            "0 2 * * *",
            "2026-03-28T12:00",
            "2026-03-30T12:00",
            ["29T03:00+02:00", "30T02:00+02:00"],
        ),
        (
            "Europe/Berlin",
            "15 2 * * *",
            "2026-10-24T12:00",
            "2026-10-26T12:00",
            ["25T02:15+02:00", "26T02:15+01:00"],
        ),
        (
            "Europe/Berlin",
            "0 9 * * 1-5",
            "2026-10-23T12:00",
            "2026-10-27T12:00",
            ["26T09:00+01:00", "27T09:00+01:00"],
        ),
        # Lord Howe, half an hour: 2026-04-05 02:00 -> 01:30, 2026-10-04 02:00 -> 02:30
        (
            "Australia/Lord_Howe",
            "45 1 * * *",
            "2026-04-04T12:00",
            "2026-04-06T12:00",
            ["05T01:45+11:00", "06T01:45+10:30"],
        ),
        (
            "Australia/Lord_Howe",
            "15 2 * * *",
            "2026-10-03T12:00",
            "2026-10-05T12:00",
            ["04T02:30+11:00", "05T02:15+11:00"],
        ),
        (
            "Australia/Lord_Howe",
            "0 * * * *",
            "2026-04-05T00:30",
            "2026-04-05T03:10",
            ["05T01:00+11:00", "05T02:00+10:30", "05T03:00+10:30"],
        ),
        (
            "Australia/Lord_Howe",
            "0 */2 * * *",
            "2026-04-05T01:00",
            "2026-04-05T05:00",
            ["05T02:00+10:30", "05T04:00+10:30"],
        ),
    ],
)
def test_both_clock_changes(zone: str, expression: str, start: str, end: str, due: list[str]) -> None:
    first, last = unix(start, zone), unix(end, zone)
    moments = list(steps(Cron(expression, zone), "UTC", first, last))
    assert [shown(moment, zone)[8:] for moment in moments] == due
    assert moments == walk(expression, zone, first, last)


def test_within_the_repeated_hour() -> None:
    """Ten past one for the second time: half past one has had its run."""
    zone = "America/New_York"
    second = unix("2026-11-01T06:10")
    assert shown(second, zone) == "2026-11-01T01:10-05:00"
    assert shown(next_after(Cron("30 1 * * *"), second, zone), zone) == "2026-11-02T01:30-05:00"
    assert shown(last_until(Cron("30 1 * * *"), second, zone), zone) == "2026-11-01T01:30-04:00"
    assert shown(next_after(Cron("30 * * * *"), second, zone), zone) == "2026-11-01T01:30-05:00"
    assert missed(Cron("30 1 * * *"), second, second + 1800, zone) is None


FIELDS = (
    st.sampled_from(("*", "*/5", "*/7", "0", "15", "30", "59", "0,15,45", "10-20", "5-55/10")),
    st.sampled_from(("*", "*/2", "*/3", "0", "1", "2", "3", "23", "1,2", "0-3", "1-23/2", "9-17")),
    st.sampled_from(("*", "*/3", "1", "4", "5", "8", "25", "29", "31", "1,25", "20-31")),
    st.sampled_from(("*", "*/2", "3", "4", "10", "11", "3,11", "1-6")),
    st.sampled_from(("*", "0", "1", "1-5", "6", "0,3", "*/2")),
)
# Days around which clocks were changed, and an ordinary one.
DAYS = (
    *("2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01", "2026-06-10"),
    *("2026-02-15", "2026-03-22", "2026-04-04", "2026-09-06", "2026-09-27", "2011-12-30"),
)


@given(
    st.tuples(*FIELDS).map(" ".join),
    st.sampled_from(ZONES),
    st.sampled_from(DAYS),
    st.integers(-86400, 86400),
    st.integers(1, 36 * 3600),
)
def test_as_the_wall_clock_shows_it(expression: str, zone: str, day: str, shift: int, length: int) -> None:
    start = unix(day) + shift
    end, spec = start + length, Cron(expression)
    wanted = walk(expression, zone, start, end)
    try:
        assert list(steps(spec, zone, start, end)) == wanted
    except UsageError:
        return  # an expression that names no day, such as 31 4
    found = missed(spec, start, end, zone)
    assert found == ((wanted[-1], len(wanted) - 1) if wanted else None)
    if wanted:
        assert last_until(spec, end, zone) == wanted[-1]


@given(st.integers(1, 10**10), st.integers(0, 2 * 10**12), st.integers(0, 4 * 10**12))
@example(1, 0, 1001)
def test_an_interval_keeps_its_anchor(step: int, anchor: int, moment: int) -> None:
    """All in milliseconds."""
    spec, now = Every(step / 1000, anchor / 1000), moment / 1000
    due = next_after(spec, now, "UTC")
    assert due is not None
    assert due > now
    count, rest = divmod(round(due * 1000) - anchor, step)
    assert (count >= 1, rest) == (True, 0)
    assert count == 1 or round(due * 1000) - moment <= step
    assert last_until(spec, due, "UTC") == due


@given(st.integers(1, 5000), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_missed_intervals_are_counted(seconds: int, anchor: int, since: int, length: int) -> None:
    spec, now = Every(seconds, anchor), since + length
    due = [m for m in range(anchor + seconds, now + 1, seconds) if m > since]
    assert missed(spec, since, now, "UTC") == ((due[-1], len(due) - 1) if due else None)


def test_a_moment_is_due_once() -> None:
    assert next_after(At(100.0), 99.0, "UTC") == 100.0
    assert next_after(At(100.0), 100.0, "UTC") is None
    assert missed(At(100.0), 99.0, 5000.0, "UTC") == (100.0, 0)
    assert missed(At(100.0), 100.0, 5000.0, "UTC") is None


@pytest.mark.parametrize("zone", ZONES)
def test_ten_years_of_mornings(zone: str) -> None:
    """Every day of ten years has its 07:30, counted by the calendar."""
    start, end = unix("2026-01-01T00:00", zone) - 1, unix("2036-01-01T00:00", zone) - 1
    due = list(steps(Cron("30 7 * * *"), zone, start, end))
    days = [datetime(2026, 1, 1) + timedelta(days=n, hours=7, minutes=30) for n in range(3652)]
    assert due == [day.replace(tzinfo=ZoneInfo(zone)).timestamp() for day in days]


def test_ten_years_of_minutes_are_counted_at_once() -> None:
    start, end = unix("2026-01-01"), unix("2036-01-01")
    before = time.process_time()
    assert missed(Cron("* * * * *"), start, end, "Europe/Berlin") == (end, (end - start) // 60 - 1)
    assert missed(Every(1.0, start), start, end, "UTC") == (end, end - start - 1)
    assert time.process_time() - before < 0.5


def test_the_zone_of_the_person_is_followed() -> None:
    spec, noon = Cron("0 12 * * *"), unix("2026-06-01")
    assert shown(next_after(spec, noon, "Asia/Tokyo"), "Asia/Tokyo") == "2026-06-01T12:00+09:00"
    assert shown(next_after(spec, noon, "Europe/Berlin"), "Europe/Berlin") == "2026-06-01T12:00+02:00"
    own = Cron("0 12 * * *", "America/New_York")
    assert next_after(own, noon, "Asia/Tokyo") == next_after(own, noon, "Europe/Berlin")


@pytest.mark.parametrize(
    ("seven", "sunday"), [("7/2", "0/2"), ("1,7/3", "1,0/3"), ("7", "0"), ("7/2,6", "0/2,6")]
)
def test_a_week_begins_with_sunday_by_either_number(seven: str, sunday: str) -> None:
    moment = unix("2026-11-28T18:00")
    for _time in range(8):
        due = next_after(Cron(f"0 9 * * {seven}"), moment, "UTC")
        assert due == next_after(Cron(f"0 9 * * {sunday}"), moment, "UTC")
        assert due
        moment = due


NOW = unix("2026-11-28T18:00")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (Cron("* * 30 2 *"), "is not a valid schedule"),
        (Cron("0 0 31 4,6,9 *"), "is not a valid schedule"),
        (Cron("0 9 * *"), "five fields"),
        (Cron("0 0 9 * * *"), "five fields"),
        (Cron("61 9 * * *"), "is not a valid schedule"),
        (Cron("every day"), "five fields"),
        (Cron(""), "five fields"),
        (Cron("0 9 * * *", "Europe/Atlantis"), "no time zone Europe/Atlantis"),
        (Cron("0 9 * * *", "../../etc/passwd"), "no time zone"),
        (Cron("0 9 * * *", "Europe"), "no time zone"),
        (Cron("0 9 * * *", "a\0b"), "no time zone"),
        (Cron("0 9 * * *", "Europe/" * 3_000 + "Berlin"), "no time zone Europe/Europe/"),
        (Every(0, NOW), "interval of 0 seconds"),
        (Every(-5, NOW), "interval of -5 seconds"),
        (Every(math.nan, NOW), "interval of nan"),
        (Every(math.inf, NOW), "interval of inf"),
        (At(0.0), "past"),
        (At(NOW - 3600), "past"),
        (At(unix("9999-12-31")), "too far away"),
        (At(math.inf), "too far away"),
        (At(math.nan), "too far away"),
    ],
)
def test_what_makes_no_sense_is_said(spec: Cron | Every | At, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        check(spec, "UTC", NOW)
    assert caught.value.remedy


def test_a_person_who_took_a_while_is_not_refused() -> None:
    check(At(NOW - 120), "UTC", NOW)
    check(At(NOW + 1), "UTC", NOW)
    check(Cron("@daily"), "UTC", NOW)
    check(Cron("0 0 29 2 *"), "UTC", NOW)
    check(Every(60, NOW), "UTC", NOW)


def test_what_a_file_may_hold() -> None:
    sane(At(NOW - 1e8))
    for nonsense in (At(0.0), At(1772970000 / 1000), At(unix("9999-12-31")), Every(0, 0)):
        with pytest.raises(UsageError):
            sane(nonsense)


def test_utc_faces_are_plain() -> None:
    assert (
        next_after(Cron("0 0 29 2 *"), unix("2026-01-01"), "UTC")
        == datetime(2028, 2, 29, tzinfo=UTC).timestamp()
    )
