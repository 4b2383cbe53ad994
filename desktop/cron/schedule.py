"""When a job is due: pure arithmetic on Unix seconds and named zones.

Five fields of cron name times of the local clock. Where the hour is `*` the job follows time as it passes:
it runs at every minute whose local clock shows what the fields say. Where hours are named each named time
comes once a day: in the hour that autumn repeats at its first passing, and what spring leaves out at the end
of the gap. cronsim reckons on local clock faces without a zone; what a face means in a zone is decided here,
because with zones it goes wrong where a clock is moved by half an hour (Lord Howe).
"""

import copy
import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from desktop.errors import UsageError
from desktop.text import _


@dataclass(frozen=True, slots=True)
class At:
    """Once."""

    moment: float


@dataclass(frozen=True, slots=True)
class Every:
    """At anchor + seconds, anchor + 2 x seconds, ..."""

    seconds: float
    anchor: float


@dataclass(frozen=True, slots=True)
class Cron:
    """By five fields in a zone; without one in the person's zone, also when that changes."""

    expression: str
    zone: str = ""


type Spec = At | Every | Cron
