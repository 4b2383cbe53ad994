"""A schedule in words."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from desktop import text
from desktop.cron.schedule import At, Cron, Every
from desktop.cron.words import sentence, upcoming
from desktop.errors import UsageError


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("0 9 * * *", "every day at 09:00"),
        ("@daily", "every day at 00:00"),
        ("0 9,17 * * *", "every day at 09:00 and 17:00"),
        ("0,30 9,17 * * 6", "every Saturday at 09:00, 09:30, 17:00 and 17:30"),
        ("0 9 * * 1-5", "every weekday at 09:00"),
        ("5 8 * * MON,THU", "every Monday and Thursday at 08:05"),
        ("0 10 * * 0,6", "every Saturday and Sunday at 10:00"),
        ("0 10 * * 7", "every Sunday at 10:00"),
        ("0 10 * * 0-7", "every day at 10:00"),
        ("0 8 1 * *", "every month on day 1 at 08:00"),
        ("0 8 1,15 * *", "every month on day 1 and 15 at 08:00"),
        ("0 8 L * *", "on the last day of every month at 08:00"),
        ("30 7 24 12 *", "every year on 24 December at 07:30"),
        ("*/20 * * * *", "every 20 minutes"),
        ("* * * * *", "every minute"),
        ("0 * * * *", "every hour"),
        ("0 */2 * * *", "every 2 hours"),
        ("15 */2 * * *", "every 2 hours, 15 minutes past the hour"),
        ("*/7 * * * *", "on cron expression */7 * * * *"),
        ("*/5 9-17 * * 1-5", "on cron expression */5 9-17 * * 1-5"),
        ("0 9 * * 1#2", "on cron expression 0 9 * * 1#2"),
        ("0 9 * * 1,1#2", "on cron expression 0 9 * * 1,1#2"),
        ("0 9 13 * 5", "on cron expression 0 9 13 * 5"),
    ],
)
def test_fields(expression: str, words: str) -> None:
    assert sentence(Cron(expression), "Europe/Berlin") == words


def test_the_rest() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    noon = datetime(2026, 11, 30, 12, 0, tzinfo=berlin).timestamp()
    assert sentence(At(noon), "Europe/Berlin") == "once on Monday, 2026-11-30 at 12:00"
    assert sentence(At(noon + 5), "UTC") == "once on Monday, 2026-11-30 at 11:00:05"
    assert [sentence(Every(n, 0), "UTC") for n in (1, 90, 60, 1200, 3600, 7200, 86400, 172800, 604800)] == [
        "every second",
        "every 90 seconds",
        "every minute",
        "every 20 minutes",
        "every hour",
        "every 2 hours",
        "every day",
        "every 2 days",
        "every week",
    ]
    assert sentence(Cron("0 9 * * *", "Asia/Tokyo"), "UTC") == "every day at 09:00 (Asia/Tokyo)"
    assert sentence(Cron("0 9 * * *", "UTC"), "UTC") == "every day at 09:00"
    with pytest.raises(UsageError):
        sentence(Cron("nonsense"), "UTC")


def test_one_of_a_kind_has_its_word_where_a_language_has_no_plural(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOBOT_DESKTOP_LANGUAGE", "zh_CN")
    text.use("")
    try:
        assert [sentence(Every(n, 0), "UTC") for n in (86400, 172800)] == ["每天", "每 2 天"]
        assert sentence(Cron("0 9 * * *"), "UTC") == "每天 09:00"
    finally:
        monkeypatch.undo()
        text.use("")


def test_what_comes_next() -> None:
    start = datetime(2026, 10, 24, 12, tzinfo=ZoneInfo("Europe/Berlin")).timestamp()
    found = upcoming(Cron("30 2 * * *"), start, "Europe/Berlin", 3)
    assert [datetime.fromtimestamp(m, ZoneInfo("Europe/Berlin")).isoformat()[:16] for m in found] == [
        "2026-10-25T02:30",
        "2026-10-26T02:30",
        "2026-10-27T02:30",
    ]
    assert upcoming(At(start), start - 1, "UTC") == [start]
    assert upcoming(At(start), start, "UTC") == []
