"""Reminders in people's own words."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.cron.reminders.phrases import LIKELY
from desktop.cron.reminders.understand import Reminder, Unclear, understand
from desktop.cron.schedule import At, Cron, Every, Spec
from tests.unit.cron.phrases import CHINESE, ENGLISH, NEITHER

ZONE = "Europe/Berlin"
NOW = datetime(2026, 11, 25, 10, 0, tzinfo=ZoneInfo(ZONE)).timestamp()


def told(spec: Spec) -> str:
    match spec:
        case At(moment):
            return f"{datetime.fromtimestamp(moment, ZoneInfo(ZONE)):%Y-%m-%d %H:%M:%S}".removesuffix(":00")
        case Every(seconds, _anchor):
            return f"every {seconds:g}"
        case Cron(expression, _zone):
            return f"cron {expression}"


def read(said: str) -> tuple[str, str]:
    found = understand(said, NOW, ZONE)
    match found:
        case None:
            return "?none", ""
        case Reminder(text, spec, _note):
            return told(spec), text
        case Unclear(text, _question, _remedy, choices):
            return f"? {' | '.join(told(one.spec) for one in choices)}".rstrip(), text


@pytest.mark.parametrize(("said", "when", "text"), [*ENGLISH, *CHINESE])
def test_what_is_said_is_understood(said: str, when: str, text: str) -> None:
    assert read(said) == (when, text)
    assert LIKELY.search(said)


@pytest.mark.parametrize("said", NEITHER)
def test_what_is_no_reminder_never_becomes_one(said: str) -> None:
    assert understand(said, NOW, ZONE) is None


def test_both_tables_are_as_long_as_promised() -> None:
    assert len(ENGLISH) >= 60
    assert len(CHINESE) >= 60
    assert len(NEITHER) >= 60


def test_two_like_times_are_told_apart_and_lie_an_hour_from_one_another() -> None:
    found = understand("remind me on 31 October 2027 at 2:30 am to pay", NOW, ZONE)
    assert isinstance(found, Unclear)
    first, second = found.choices
    assert first.note != second.note
    assert isinstance(first.spec, At)
    assert isinstance(second.spec, At)
    assert second.spec.moment - first.spec.moment == 3600


MOMENTS = st.datetimes(datetime(2026, 11, 27), datetime(2030, 12, 31)).map(
    lambda m: m.replace(second=0, microsecond=0)
)
TEXTS = st.sampled_from(["call Anna", "buy milk", "water the 3 plants", "喝水", "给安娜打电话", "交房租"])
ZONES = st.sampled_from(
    ["Europe/Berlin", "America/New_York", "Asia/Shanghai", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]
)
DATES = [
    "remind me on {m:%Y-%m-%d} at {m:%H:%M} to {text}",
    "remind me to {text} on {day} {m:%B} {m:%Y} at {m:%H:%M}",
    "on {m:%B} {day}, {m:%Y} at {twelve}:{m:%M} {m:%p} remind me to {text}",
    "remind me at {twelve}.{m:%M}{half} on {day}.{m:%m}.{m:%Y} to {text}",
    "{m:%Y}年{month}月{day}日{m:%H}:{m:%M}提醒我{text}",
    "提醒我{m:%Y}-{m:%m}-{m:%d} {m:%H}点{m:%M}分{text}",
    "{m:%Y}年{month}月{day}号{part}{twelve}点{m:%M}提醒我{text}",
]


@given(MOMENTS, TEXTS, st.sampled_from(DATES), ZONES)
def test_every_date_in_every_wording_is_that_moment(
    moment: datetime, text: str, wording: str, zone: str
) -> None:
    if wording.endswith("{part}{twelve}点{m:%M}提醒我{text}") and moment.hour in (0, 4, 5):
        moment = moment.replace(hour=9)
    part = (
        "凌晨"
        if moment.hour < 6
        else "上午"
        if moment.hour < 12
        else "中午"
        if moment.hour == 12
        else "下午"
    )
    part = "晚上" if moment.hour > 18 else part
    twelve = (moment.hour - 1) % 12 + 1
    said = wording.format(
        m=moment,
        day=moment.day,
        month=moment.month,
        twelve=twelve,
        half=f"{moment:%p}".lower(),
        text=text,
        part=part,
    )
    found = understand(said, NOW, zone)
    assert found is not None, said
    assert found.text == text
    choices = [found] if isinstance(found, Reminder) else found.choices
    faces = [
        datetime.fromtimestamp(one.spec.moment, ZoneInfo(zone))
        for one in choices
        if isinstance(one.spec, At)
    ]
    if isinstance(found, Reminder):
        assert [face.replace(tzinfo=None) for face in faces] == [moment], said
    else:  # a face that the clock of this zone shows twice, or never
        assert len(faces) == 2, said
        both = {face.replace(tzinfo=None) for face in faces} == {moment}
        assert both or (faces[0].replace(tzinfo=None) < moment < faces[1].replace(tzinfo=None)), said


SPANS = {"seconds": ("秒", 1), "minutes": ("分钟", 60), "hours": ("小时", 3600)}


@given(st.integers(2, 9999), st.sampled_from(sorted(SPANS)), TEXTS, ZONES)
def test_every_span_is_that_long_in_every_zone(n: int, unit: str, text: str, zone: str) -> None:
    chinese, seconds = SPANS[unit]
    for said in (
        f"remind me in {n} {unit} to {text}",
        f"{n}{chinese}后提醒我{text}",
        f"remind me to {text} in {n} {unit}",
    ):
        found = understand(said, NOW, zone)
        assert found == Reminder(text, At(NOW + n * seconds)), said


@given(st.integers(0, 23), st.integers(0, 59), st.sets(st.integers(0, 6), min_size=1), TEXTS)
def test_what_repeats_comes_on_those_days_at_that_time(
    hour: int, minute: int, days: set[int], text: str
) -> None:
    english = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    listed = " and ".join(english[day] for day in sorted(days))
    characters = "".join("日一二三四五六"[day] for day in sorted(days))
    wanted = Reminder(text, Cron(f"{minute} {hour} * * {','.join(str(day) for day in sorted(days))}"))
    english_time = f"{hour:02}:{minute:02}"
    for said in (
        f"remind me every {listed} at {english_time} to {text}",
        f"每周{characters}{english_time}提醒我{text}",
    ):
        assert understand(said, NOW, ZONE) == wanted, said


@given(
    st.text(max_size=60),
    st.sampled_from(["remind me {}", "remind me {} to call", "{}提醒我开会", "提醒我{}", "{}"]),
    ZONES,
)
def test_no_text_can_do_harm(words: str, around: str, zone: str) -> None:
    found = understand(around.format(words), NOW, zone, meant=True)
    specs = (
        [found.spec]
        if isinstance(found, Reminder)
        else [one.spec for one in found.choices]
        if found
        else []
    )
    assert all(
        spec.moment > NOW - timedelta(minutes=10).total_seconds() for spec in specs if isinstance(spec, At)
    )
