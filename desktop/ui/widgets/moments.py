"""Moments and results in words: near times as a person says them, far ones as a date."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from PySide6.QtCore import QLocale

from desktop import text as catalogue
from desktop.cron.ledger import ASKED, FAILED, HAND, INTERRUPTED, LATE, OK, RUNNING, SKIPPED, STOPPED
from desktop.text import _, mark, ngettext

if TYPE_CHECKING:
    from desktop.api.jobs import Run

OUTCOMES = {
    OK: ("circle-check", "success", mark("done")),
    FAILED: ("circle-x", "danger", mark("failed")),
    RUNNING: ("play", "link", mark("running")),
    STOPPED: ("ban", "muted", mark("stopped")),
    INTERRUPTED: ("circle-alert", "warning", mark("interrupted")),
    SKIPPED: ("ban", "muted", mark("skipped")),
    ASKED: ("circle-alert", "warning", mark("waiting for your answer")),
}
"""Icon, colour and word of each."""

_UNKNOWN = ("circle", "muted", "")
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_BELATED_S = 60.0
"""What began so much later than planned was late, seconds."""
_WEEK = 7


@dataclass(frozen=True, slots=True)
class Now:
    """This moment in Unix time, and the person's zone."""

    moment: float
    zone: str = ""
    """Empty for this computer's."""

    def face(self, moment: float) -> datetime:
        """What the person's clock shows at a moment."""
        return datetime.fromtimestamp(moment, ZoneInfo(self.zone) if self.zone else None)


def outcome(name: str) -> tuple[str, str, str]:
    """Icon, colour and word of a result."""
    icon, role, word = OUTCOMES.get(name, (*_UNKNOWN[:2], name))
    return icon, role, _(word) if word else ""


def at(moment: float, now: Now) -> str:
    """A moment, by the day where that is near."""
    face = now.face(moment)
    days = (face.date() - now.face(now.moment).date()).days
    time = f"{face:%H:%M}"
    if days == 0:
        return _("today {time}").format(time=time)
    if days == 1:
        return _("tomorrow {time}").format(time=time)
    if days == -1:
        return _("yesterday {time}").format(time=time)
    if 1 < days < _WEEK:
        return _("{weekday} {time}").format(weekday=weekday(face), time=time)
    return f"{face:%Y-%m-%d} {time}"


def soon(moment: float, now: Now) -> str:
    """A moment to come, by how far it is where it is near."""
    left = moment - now.moment
    if left <= 0:
        return _("now")
    if left < _MINUTE:
        return _("in less than a minute")
    if left < _HOUR - _MINUTE / 2:
        n = round(left / _MINUTE)
        return ngettext("in {n} minute", "in {n} minutes", n).format(n=n)
    return at(moment, now)


def weekday(face: datetime) -> str:
    """Its name."""
    return QLocale(catalogue.language()).dayName(face.isoweekday())


def date(moment: float, now: Now) -> str:
    """A moment with its weekday and date."""
    face = now.face(moment)
    return f"{weekday(face)} {face:%Y-%m-%d %H:%M}"


def lateness(seconds: float) -> str:
    """How late something was."""
    for size, words in ((_DAY, _days), (_HOUR, _hours)):
        if seconds >= size:
            return words(round(seconds / size))
    return _minutes(max(1, round(seconds / _MINUTE)))


def _days(n: int) -> str:
    return ngettext("{n} day late", "{n} days late", n).format(n=n)


def _hours(n: int) -> str:
    return ngettext("{n} hour late", "{n} hours late", n).format(n=n)


def _minutes(n: int) -> str:
    return ngettext("{n} minute late", "{n} minutes late", n).format(n=n)


def planned(run: "Run", now: Now) -> str:
    """Planned against actual, where a run was late; "" where it was in time."""
    late = run.claimed - run.planned
    if run.cause == HAND or (late < _BELATED_S and run.cause != LATE):
        return ""
    told = _("scheduled {when}, {late}").format(when=at(run.planned, now), late=lateness(late))
    if run.missed:
        return told + _(", ") + more_missed(run.missed)
    return told


def more_missed(n: int) -> str:
    """How many due moments it stands for besides its own."""
    return ngettext("{n} more missed", "{n} more missed", n).format(n=n)


def took(seconds: float) -> str:
    """How long something took."""
    if seconds < _MINUTE:
        return _("{n} s").format(n=f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}")
    return _("{n} min").format(n=round(seconds / _MINUTE))


def first_line(text: str, most: int = 200) -> str:
    """The first line of a text that says something."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= most else f"{line[: most - 1]}…"
