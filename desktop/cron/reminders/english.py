"""How English says when: each part of a time as a pattern, and what it means."""

import re
from collections.abc import Callable, Iterator

from dateutil.parser import parserinfo  # type: ignore[import-untyped]

from desktop.cron.reminders.days import Date, LastDay, MonthDay, Offset, Repeat, Span, Today, Weekday
from desktop.cron.reminders.when import MIDNIGHT, Clock, When

type Match = re.Match[str]

_calendar = parserinfo()
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_WEEKDAY = (
    r"(?:mon(?:day)?|tues?(?:day)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?|"
    r"sun(?:day)?)"
)
_HOURS = "one two three four five six seven eight nine ten eleven twelve"
_WORDS: dict[str, float] = {word: n for n, word in enumerate(_HOURS.split(), start=1)}
_WORDS |= {"fifteen": 15, "twenty": 20, "twenty-five": 25, "thirty": 30, "forty": 40}
_WORDS |= {"forty-five": 45, "fifty": 50, "sixty": 60, "ninety": 90, "half": 0.5, "a couple of": 2}
_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_NUMBER = rf"(?:\d{{1,6}}(?:[.,]\d+)?|(?:{_WORD}|an?)(?![a-z]))"
_UNIT = (
    r"(?:seconds?|secs?|s|minutes?|mins?|min|m|hours?|hrs?|hr|h|days?|d|weeks?|wks?|w|months?|years?|yrs?)"
)
_AND_HALF = r"(?:\s+and\s+a\s+half)?"
_AMOUNT = (
    r"(?:half\s+an?\s+(?:hour|day)|an?\s+quarter\s+of\s+an\s+hour|"
    rf"{_NUMBER}{_AND_HALF}\s*{_UNIT}{_AND_HALF})"
)
_SPAN = rf"{_AMOUNT}(?:\s*,?\s*(?:and\s+)?{_NUMBER}\s*{_UNIT})*"
_HOUR = rf"(?:\d{{1,2}}|{_HOURS.replace(' ', '|')})"
_SURE = (
    rf"(?:half\s+past\s+{_HOUR}|(?:a\s+)?quarter\s+(?:past|to)\s+{_HOUR}|"
    rf"(?:\d{{1,2}}|five|ten|twenty|twenty-five)(?:\s+minutes)?\s+(?:past|to)\s+{_HOUR}|"
    rf"{_HOUR}\s*o['’]?clock|\d{{1,2}}[:.]\d{{2}}(?::\d{{2}})?|noon|midday|midnight)"
)
"""A time that needs no "at" before it."""
_TIME = rf"(?:{_SURE}|{_HOUR})"
_HALF = r"(?:\s*(?P<half>a\.?m\.?|p\.?m\.?)(?![a-z]))"
_ONE = rf"(?:{_TIME}(?:\s*(?:a\.?m\.?|p\.?m\.?)(?![a-z]))?)"
_PART = r"(?P<part>morning|afternoon|evening|night)"
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_UNITS |= {"mo": "months", "y": "years"}


def _number(said: str) -> float:
    said = said.lower().strip()
    if said in ("a", "an"):
        return 1
    return _WORDS[said] if said in _WORDS else float(said.replace(",", "."))


def _span(said: str) -> Span:
    if re.match(r"an?\s+quarter", said, re.IGNORECASE):
        return Span.of(15, "minutes")
    total = Span()
    for number, half, unit, more in re.findall(
        rf"({_NUMBER})(\s+and\s+a\s+half)?\s*(?:an?\s+)?({_UNIT})(?![a-z])(\s+and\s+a\s+half)?",
        said,
        re.IGNORECASE,
    ):
        name = unit.lower()
        amount = _number(number) + (0.5 if half or more else 0)
        total += Span.of(amount, _UNITS["mo" if name.startswith("mo") else name[0]])
    return total


def _hour(said: str) -> int:
    return int(_number(said))


def _clock(said: str, half: str | None) -> Clock:
    said, part = said.lower().strip(), f"{half[0].lower()}m" if half else ""
    if said in ("noon", "midday"):
        return Clock(12, whole=True)
    if said == "midnight":
        return MIDNIGHT
    if found := re.fullmatch(rf"half\s+past\s+({_HOUR})", said):
        return Clock(_hour(found[1]), 30, part)
    past = rf"(?:(?:a\s+)?quarter|({_NUMBER})(?:\s+minutes)?)\s+(past|to)\s+({_HOUR})"
    if found := re.fullmatch(past, said):
        minutes, hour = int(_number(found[1])) if found[1] else 15, _hour(found[3])
        return (
            Clock(hour, minutes, part) if found[2] == "past" else Clock(hour - 1 or 12, 60 - minutes, part)
        )
    if found := re.match(r"(\d{1,2})[:.](\d{2})", said):
        return Clock(int(found[1]), int(found[2]), part, whole=not part and found[1].startswith("0"))
    return Clock(_hour(re.sub(r"\s*o['’]?clock$", "", said)), 0, part)


def _clocks(match: Match) -> When:
    found = re.finditer(rf"(?P<time>{_TIME}){_HALF}?", match["times"], re.IGNORECASE)
    return When(clocks=tuple(_clock(one["time"], one["half"]) for one in found))


def _weekdays(said: str) -> str:
    """Fields of cron, Sunday being 0."""
    names = re.findall(_WEEKDAY, said, re.IGNORECASE)
    numbers = [(_calendar.weekday(name) + 1) % 7 for name in names]
    if re.search(r"\b(?:to|through|thru)\b|[-–]", said):
        first, last = numbers
        numbers = [n % 7 for n in range(first, last + 1 if last >= first else last + 8)]
    return ",".join(str(n) for n in sorted(set(numbers)))


def _repeat(match: Match) -> When:
    unit = (match["unit"] or match["adverb"] or "").lower()
    unit = {
        "daily": "day",
        "weekly": "week",
        "monthly": "month",
        "yearly": "year",
        "annually": "year",
        "hourly": "hour",
    }.get(unit, unit)
    if unit in ("hour", "minute"):
        return When(repeat=Repeat(seconds={"hour": 3600, "minute": 60}[unit]))
    if unit in ("morning", "afternoon", "evening", "night"):
        return When(repeat=Repeat(), part=unit)
    if unit == "day":
        return When(repeat=Repeat())
    if unit in ("week", "month", "year"):
        return When(repeat=Repeat(unit=unit))
    return When(repeat=Repeat(weekdays="0,6" if unit.startswith("weekend") else "1-5"))


def _each(match: Match) -> When | None:
    """Every so many hours; every so many days would not keep to the clock, and is nothing of ours."""
    span = _span(match["span"])
    return None if span.dated else When(repeat=Repeat(seconds=span.seconds))


def _on_weekdays(match: Match) -> When:
    return When(repeat=Repeat(weekdays=_weekdays(match["days"])), part=(match["part"] or "").lower())


def _weekday(match: Match) -> When:
    how, number = (match["how"] or "").lower(), _calendar.weekday(match["day"])
    return When(day=Weekday(number, next_=how == "next"), part=(match["part"] or "").lower())


def _date(match: Match) -> When:
    year = int(match["year"]) if match["year"] else None
    day = Date(int(match["day"]), _calendar.month(match["month"].rstrip(".")), year)
    return When(day=day, repeat=Repeat(unit="year") if match["every"] else None)


def _numeric(match: Match) -> When:
    """24/12 or 12/24; where both would do, both."""
    a, b = int(match["a"]), int(match["b"])
    year = int(match["year"]) if match["year"] else None
    if match["sign"] == "." or a == b or a > 12:
        return When(day=Date(a, b, year))
    if b > 12:
        return When(day=Date(b, a, year))
    return When(day=Date(a, b, year, or_=Date(b, a, year)))


def _monthly(match: Match) -> When:
    if match["last"]:
        return When(day=LastDay(), repeat=Repeat(unit="month") if match["of"] or match["every"] else None)
    day = int(re.sub(r"\D", "", match["nth"])) if match["nth"][0].isdigit() else 1
    again = bool(match["every"] or match["of"])
    return When(day=MonthDay(day), repeat=Repeat(unit="month") if again else None)


_SIMPLE = {
    "today": When(day=Today(0)),
    "tonight": When(day=Today(0), part="night"),
    "tomorrow": When(day=Offset(1)),
    "tmrw": When(day=Offset(1)),
    "tmr": When(day=Offset(1)),
}
_BEFORE = r"(?:on\s+|at\s+|,\s*)?"

type Rule = tuple[re.Pattern[str], Callable[[Match], When | None]]


def _rule(pattern: str, make: Callable[[Match], When | None]) -> Rule:
    return re.compile(rf"(?:{pattern})(?![\w-])", re.IGNORECASE), make


RULES: list[Rule] = [
    _rule(rf"in\s+(?P<span>{_SPAN})(?:['’]?s?\s+time)?", lambda m: When(after=_span(m["span"]))),
    _rule(rf"(?P<span>{_SPAN})\s+from\s+now", lambda m: When(after=_span(m["span"]))),
    _rule(rf"(?:every|each)\s+(?P<span>(?:\d{{1,6}}|{_WORD})\s*(?:minutes|mins?|hours|hrs?))", _each),
    _rule(
        rf"(?:(?:every|each)\s+|on\s+)?(?P<days>{_WEEKDAY}s(?:\s*(?:,|and|&)\s*{_WEEKDAY}s)*)(?:\s+{_PART}s?)?",
        _on_weekdays,
    ),
    _rule(
        rf"(?:every|each)\s+(?P<days>{_WEEKDAY}\s*(?:to|through|thru|-|–)\s*{_WEEKDAY}"
        rf"|{_WEEKDAY}(?:\s*(?:,|and|&|,\s*and)\s*(?:every\s+)?{_WEEKDAY})*)(?:\s+{_PART}s?)?",
        _on_weekdays,
    ),
    _rule(
        rf"(?:from\s+)?(?P<days>{_WEEKDAY}\s*(?:to|through|thru|-|–)\s*{_WEEKDAY})(?P<part>(?!))?",
        _on_weekdays,
    ),
    _rule(
        rf"(?:on\s+)?(?:(?P<every>every|each)\s+)?(?:the\s+)?(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+(?P<month>{_MONTH}))"
        r"(?:,?\s+(?P<year>\d{4}))?",
        _date,
    ),
    _rule(
        rf"(?:on\s+)?(?:(?P<every>every|each)\s+)?(?P<month>{_MONTH})\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?"
        r"(?:,?\s+(?P<year>\d{4}))?",
        _date,
    ),
    _rule(
        r"(?:on\s+)?(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?:T(?=\d))?",
        lambda m: When(day=Date(int(m["day"]), int(m["month"]), int(m["year"]))),
    ),
    _rule(r"(?:on\s+)?(?P<a>\d{1,2})(?P<sign>[/.])(?P<b>\d{1,2})(?P=sign)(?P<year>\d{4})", _numeric),
    _rule(r"on\s+(?P<a>\d{1,2})(?P<sign>[/.])(?P<b>\d{1,2})(?P<year>(?!))?\.?", _numeric),
    _rule(
        r"(?:on\s+)?(?:(?P<every>every)\s+)?(?:the\s+)?(?:(?P<last>last\s+day)|(?P<nth>\d{1,2}(?:st|nd|rd|th)|first))"
        rf"(?!\s+{_WEEKDAY})"
        r"(?P<of>\s+(?:day\s+)?of\s+(?:each|every|the)\s+month)?",
        _monthly,
    ),
    _rule(
        r"(?:every|each)\s+(?P<unit>day|weekday|working\s*day|workday|business\s*day|weekend|week|month|year|hour|minute|"
        r"morning|afternoon|evening|night)(?P<adverb>(?!))?",
        _repeat,
    ),
    _rule(r"(?:on\s+)?(?P<unit>weekdays|workdays|weekends)(?P<adverb>(?!))?", _repeat),
    _rule(r"(?P<adverb>daily|weekly|monthly|yearly|annually|hourly)(?P<unit>(?!))?", _repeat),
    _rule(r"(?:the\s+)?day\s+after\s+tomorrow", lambda m: When(day=Offset(2))),
    _rule(r"today|tonight|tomorrow|tmrw|tmr", lambda m: _SIMPLE[m[0].lower()]),
    _rule(rf"this\s+{_PART}", lambda m: When(day=Today(0), part=m["part"].lower())),
    _rule(
        rf"(?:on\s+)?(?:(?P<how>this|next|this\s+coming|coming)\s+)?(?P<day>{_WEEKDAY})(?:\s+{_PART})?",
        _weekday,
    ),
    _rule(rf"(?:in\s+the\s+|at\s+)?{_PART}", lambda m: When(part=m["part"].lower())),
    _rule(
        rf"(?:at\s+|@\s*)?(?P<time>{_SURE}|{_HOUR}){_HALF}",
        lambda m: When(clocks=(_clock(m["time"], m["half"]),)),
    ),
    _rule(rf"(?:at|@)\s*(?P<times>{_ONE}(?:\s*(?:,|and|&)\s*(?:at\s+)?{_ONE})+)", _clocks),
    _rule(rf"(?:at|@)\s*(?P<time>{_TIME})(?:\s*h)?", lambda m: When(clocks=(_clock(m["time"], None),))),
    _rule(rf"(?P<time>{_SURE})(?:\s*h)?", lambda m: When(clocks=(_clock(m["time"], None),))),
]


def parts(text: str, at: int) -> Iterator[tuple[When, int]]:
    """What can be read at a place, and where it ends; the longest first."""
    found = [
        (made, match.end())
        for rule, make in RULES
        if (match := rule.match(text, at)) and (made := make(match))
    ]
    yield from sorted(found, key=lambda pair: -pair[1])
