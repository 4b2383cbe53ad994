"""How Chinese says when: each part of a time as a pattern, and what it means."""

import re
from collections.abc import Callable, Iterator

from desktop.cron.reminders.days import Date, LastDay, MonthDay, Offset, Repeat, Span, Today, Weekday
from desktop.cron.reminders.when import MIDNIGHT, Clock, When

type Match = re.Match[str]
type Rule = tuple[re.Pattern[str], Callable[[Match], When | None]]

_DIGITS = {sign: n for n, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "日": 7, "天": 7}
_NUMBER = r"(?:\d{1,6}(?:\.\d+)?|[一二两三四五六七八九十零〇]{1,4})"
_UNIT = r"(?:秒钟?|分钟|分|刻钟|小时|钟头|天|日|周|星期|礼拜|月|年)"
_AMOUNT = rf"(?:半个?{_UNIT}|{_NUMBER}个?半?{_UNIT}半?)"
_SPAN = rf"{_AMOUNT}(?:[零又]?{_AMOUNT})*"
_PARTS = {
    "凌晨": "small hours",
    **dict.fromkeys(("清晨", "清早", "早上", "早晨", "上午"), "morning"),
    "中午": "noon",
    **dict.fromkeys(("下午", "午后"), "afternoon"),
    "傍晚": "evening",
    **dict.fromkeys(("晚上", "晚间", "夜晚"), "night"),
    **dict.fromkeys(("夜里", "深夜", "半夜"), "dead of night"),
}
_PART = rf"(?P<part>{'|'.join(_PARTS)})"
_SHORT = {"早": "morning", "晚": "night"}
"""Parts of the day only behind the name of one."""
_TIME = (
    rf"(?:(?:{_NUMBER})[点點](?:钟|整|半|[一三]刻|{_NUMBER}分?)?|\d{{1,2}}:\d{{2}}(?::\d{{2}})?|"
    rf"\d{{1,2}}时(?:{_NUMBER}分)?|午夜)"
)
_A_BIT = r"(?!(?<=[早晚快多少慢好有大小])一点(?![钟整半零一二三四五]))"
"""Not the "one o'clock" that means "a bit"."""
_POINTS = r"(?!建议|意见|注意|要求|原因|内容|理由|想法|事|[之以]?[前内])"
_WEEK = r"(?:周|星期|礼拜)"
_UNITS = {
    "秒": "seconds",
    "分": "minutes",
    "小": "hours",
    "钟": "hours",
    "天": "days",
    "日": "days",
    "周": "weeks",
    "星": "weeks",
    "礼": "weeks",
    "月": "months",
    "年": "years",
}
_DAYS = {"今": Today(0), "明": Offset(1), "后": Offset(2), "大后": Offset(3)}


def _number(said: str) -> float:
    """Digits, or characters up to 99. Raises ValueError."""
    if said[0].isascii():
        return float(said)
    tens, ten, ones = said.partition("十")
    if not ten:
        return int("".join(str(_DIGITS[sign]) for sign in said))
    return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones[-1]] if ones else 0)


def _span(said: str) -> Span:
    total = Span()
    for number, half, unit, more in re.findall(rf"({_NUMBER})?(?:个)?(半?)(?:个)?({_UNIT})(半?)", said):
        amount = (_number(number) if number else 0) + (0.5 if half or more else 0)
        total += Span.of(15 * amount, "minutes") if unit == "刻钟" else Span.of(amount, _UNITS[unit[0]])
    return total


def _clock(said: str) -> Clock:
    if said == "午夜":
        return MIDNIGHT
    if ":" in said:
        digits = said.split(":")
        return Clock(int(digits[0]), int(digits[1]), whole=said.startswith("0"))
    hours, rest = re.split(r"[点點时]", said, maxsplit=1)
    rest = rest.removesuffix("分")
    minutes = {"": 0, "钟": 0, "整": 0, "半": 30, "一刻": 15, "三刻": 45}
    minute = minutes[rest] if rest in minutes else int(_number(rest))
    return Clock(int(_number(hours)), minute, whole=hours.startswith("0"))


def _clocks(match: Match) -> When:
    return When(clocks=tuple(_clock(said) for said in re.findall(_TIME, match["times"])))


def _part(said: str | None) -> str:
    return (_PARTS | _SHORT)[said] if said else ""


def _day(match: Match) -> When:
    return When(day=_DAYS[match["day"]], part=_part(match["part"]))


def _weekday(match: Match) -> When:
    how = match["how"] or ""
    weeks = {"": None, "这": 0, "本": 0}.get(how, how.count("下"))
    return When(day=Weekday(_DIGITS[match["day"]] - 1, weeks))


def _weekdays(match: Match) -> When:
    numbers = [_DIGITS[sign] % 7 for sign in re.findall(r"[一二三四五六日天]", match["days"])]
    if re.search(r"[到至\-–—~]", match["days"]):
        first, last = numbers
        numbers = [n % 7 for n in range(first, last + 1 if last >= first else last + 8)]
    return When(repeat=Repeat(weekdays=",".join(str(n) for n in sorted(set(numbers)))))


def _every(match: Match) -> When | None:
    """Every so many hours; every so many days would not keep to the clock, and is nothing of ours."""
    span = _span(match["span"])
    return None if span.dated else When(repeat=Repeat(seconds=span.seconds))


def _date(match: Match) -> When:
    year = match["year"]
    years = {"今年": 0, "明年": 1, "后年": 2}
    day, month = int(_number(match["day"])), int(_number(match["month"]))
    if match["again"]:
        return When(day=Date(day, month), repeat=Repeat(unit="year"))
    if year in years:
        return When(day=Date(day, month, ahead=years[year]))
    return When(day=Date(day, month, int(year.removesuffix("年")) if year else None))


def _month_day(match: Match) -> When:
    how = match["how"] or ""
    months = how.count("下") if how else None
    again = Repeat(unit="month") if how.startswith("每") else None
    if match["last"]:
        return When(day=LastDay(months or 0), repeat=again)
    return When(day=MonthDay(int(_number(match["day"])), None if again else months), repeat=again)


def _rule(pattern: str, make: Callable[[Match], When | None]) -> Rule:
    return re.compile(pattern), make


RULES: list[Rule] = [
    _rule(rf"(?:再?过)?(?P<span>{_SPAN})(?:之后|以后|过后|后)", lambda m: When(after=_span(m["span"]))),
    _rule(rf"再?过(?P<span>{_SPAN})", lambda m: When(after=_span(m["span"]))),
    _rule(
        rf"(?:每个?|逢){_WEEK}(?P<days>[一二三四五六日天](?:[、，,和与及到至\-–—~]*(?:{_WEEK})?[一二三四五六日天])*)",
        _weekdays,
    ),
    _rule(rf"{_WEEK}(?P<days>[一二三四五六日天][到至\-–—~](?:{_WEEK})?[一二三四五六日天])", _weekdays),
    _rule(r"(?:每个?)?工作日(?:每天)?", lambda _m: When(repeat=Repeat(weekdays="1-5"))),
    _rule(r"每个?周末", lambda _m: When(repeat=Repeat(weekdays="0,6"))),
    _rule(r"每[天日]|天天", lambda _m: When(repeat=Repeat())),
    _rule(
        rf"每天?(?P<part>{'|'.join(_PARTS)}|早|晚)", lambda m: When(repeat=Repeat(), part=_part(m["part"]))
    ),
    _rule(r"每个?(?:小时|钟头)", lambda _m: When(repeat=Repeat(seconds=3600.0))),
    _rule(r"每分钟", lambda _m: When(repeat=Repeat(seconds=60.0))),
    _rule(rf"每隔?(?P<span>{_SPAN})", _every),
    _rule(
        rf"(?:(?P<again>每年的?)|(?P<year>\d{{4}}年|[今明后]年)的?)?(?P<month>{_NUMBER})月(?P<day>{_NUMBER})[日号]",
        _date,
    ),
    _rule(
        r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})",
        lambda m: When(day=Date(int(m["day"]), int(m["month"]), int(m["year"]))),
    ),
    _rule(
        rf"(?P<how>每个?月的?|这个月|本月|下下个月|下个?月)?(?:(?P<day>{_NUMBER})[号日]|(?P<last>月?底|最后一天))",
        _month_day,
    ),
    _rule(r"(?P<day>大后|今|明|后)[天日]", lambda m: When(day=_DAYS[m["day"]])),
    _rule(r"(?P<day>今|明)(?P<part>早上?|晚上?)", _day),
    _rule(rf"(?P<how>下下|下|这|本)?个?{_WEEK}(?P<day>[一二三四五六日天])", _weekday),
    _rule(_PART, lambda m: When(part=_part(m["part"]))),
    _rule(rf"{_A_BIT}(?P<times>{_TIME}(?:(?:和|、|与|，|,)\s*{_TIME})*){_POINTS}", _clocks),
]


def parts(text: str, at: int) -> Iterator[tuple[When, int]]:
    """What can be read at a place, and where it ends; the longest first."""
    found = []
    for rule, make in RULES:
        if (match := rule.match(text, at)) and (made := make(match)):
            found.append((made, match.end()))
    yield from sorted(found, key=lambda pair: -pair[1])
