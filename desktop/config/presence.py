"""Being there: what is shown when, what may be spent while nobody looks, and how the program is reached."""

from types import MappingProxyType

from pydantic import Field

from desktop.config.base import Section, notes
from desktop.config.loosens import Loosens, names
from desktop.text import mark

_CLOCK = r"^([01]\d|2[0-3]):[0-5]\d$"


class Heartbeat(Section):
    """Looking from time to time whether there is something to do."""

    LOOSENS = MappingProxyType(
        {
            "enabled": Loosens(
                mark("The agent works on the tasks in HEARTBEAT.md on its own."), order=(False, True)
            )
        }
    )
    HARMLESS = names("interval_s")

    enabled: bool = Field(
        default=True,
        title=mark("Check open tasks"),
        description=mark("From time to time, the agent checks HEARTBEAT.md for tasks that are due."),
        json_schema_extra=notes(applies="now"),
    )
    interval_s: int = Field(
        default=1800,
        title=mark("Interval"),
        description=mark("Only when HEARTBEAT.md has open tasks; otherwise no model is used."),
        ge=60,
        le=604_800,
        json_schema_extra=notes(unit=mark("seconds"), applies="now"),
    )


class Gateway(Section):
    """nanobot's name for what works in the background."""

    heartbeat: Heartbeat = Field(default_factory=Heartbeat, title=mark("Heartbeat"))


class Limits(Section):
    """What may be spent: in a day by work that nobody waits for (jobs, heartbeat, memory), in a month by
    everything."""

    LOOSENS = MappingProxyType(
        {
            "daily_usd": Loosens(mark("Background work can cost more per day."), grows=True),
            "daily_tokens": Loosens(mark("Background work can use more tokens per day."), grows=True),
            "monthly_usd": Loosens(mark("The monthly limit is higher."), grows=True),
        }
    )

    daily_usd: float = Field(
        default=1.0,
        title=mark("Daily budget"),
        description=mark(
            "The most that tasks, the heartbeat and Dream can spend per day. When it is used up, they "
            "pause until the next day. Reminders and your own questions are not affected."
        ),
        ge=0,
        le=10_000,
        json_schema_extra=notes(unit=mark("US dollars"), applies="now"),
    )
    daily_tokens: int = Field(
        default=1_000_000,
        title=mark("Daily tokens"),
        description=mark(
            "The same limit for models with unknown prices. Models on this computer are free."
        ),
        ge=0,
        le=1_000_000_000,
        json_schema_extra=notes(unit=mark("tokens"), applies="now"),
    )
    monthly_usd: float | None = Field(
        default=None,
        title=mark("Monthly limit"),
        description=mark(
            "You are notified at 80% and 100%. After that, paid models are not used until next month; "
            "models on this computer still are. Only known prices count."
        ),
        ge=0,
        le=1_000_000,
        json_schema_extra=notes(unit=mark("US dollars"), empty=mark("No limit"), applies="now"),
    )


class Notifications(Section):
    """What appears on the screen. All of it is in the inbox either way."""

    HARMLESS = names("answer reminder heartbeat subagent approval error quiet quiet_from quiet_to")

    answer: bool = Field(
        default=True,
        title=mark("Your answer is ready"),
        description=mark("When an answer arrives while you are elsewhere."),
        json_schema_extra=notes(applies="now"),
    )
    reminder: bool = Field(
        default=True,
        title=mark("Reminders and tasks"),
        description=mark("Your reminders, and the results of tasks."),
        json_schema_extra=notes(applies="now"),
    )
    heartbeat: bool = Field(
        default=True,
        title=mark("Heartbeat"),
        description=mark("What the agent found while checking open tasks."),
        json_schema_extra=notes(applies="now"),
    )
    subagent: bool = Field(
        default=True,
        title=mark("Subagent results"),
        description=mark("When background work is done."),
        json_schema_extra=notes(applies="now"),
    )
    approval: bool = Field(
        default=True,
        title=mark("Permission questions"),
        description=mark("When the agent needs your permission to continue."),
        json_schema_extra=notes(applies="now"),
    )
    error: bool = Field(
        default=True,
        title=mark("Problems"),
        description=mark("When something in the background stops working."),
        json_schema_extra=notes(applies="now"),
    )
    quiet: bool = Field(
        default=False,
        title=mark("Quiet hours"),
        description=mark(
            "Only permission questions appear. Afterwards, one notification tells you about the rest."
        ),
        json_schema_extra=notes(applies="now"),
    )
    quiet_from: str = Field(
        default="22:00",
        title=mark("From"),
        description=mark("When quiet hours start, for example 22:00."),
        pattern=_CLOCK,
        json_schema_extra=notes(applies="now"),
    )
    quiet_to: str = Field(
        default="07:00",
        title=mark("To"),
        description=mark("When quiet hours end, for example 07:00."),
        pattern=_CLOCK,
        json_schema_extra=notes(applies="now"),
    )


class Presence(Section):
    """How the program is reached while its window is closed."""

    LOOSENS = MappingProxyType(
        {
            "paused": Loosens(
                mark("Tasks, the heartbeat and Dream run automatically."), order=(True, False)
            ),
            "login": Loosens(mark("The program starts when you log in."), order=(False, True)),
        }
    )
    HARMLESS = names("tray shortcut")

    paused: bool = Field(
        default=False,
        title=mark("Pause background work"),
        description=mark(
            "Tasks, the heartbeat and Dream pause until you turn this off. Reminders still arrive."
        ),
        json_schema_extra=notes(applies="now"),
    )

    tray: bool = Field(
        default=True,
        title=mark("Tray icon"),
        description=mark("When off, closing the window minimizes it."),
        json_schema_extra=notes(applies="now"),
    )
    login: bool = Field(
        default=False,
        title=mark("Start at login"),
        description=mark("Start in the tray when you log in."),
        json_schema_extra=notes(applies="now"),
    )
    shortcut: str = Field(
        default="Ctrl+Alt+Space",
        title=mark("Quick chat shortcut"),
        description=mark("Opens quick chat from anywhere."),
        max_length=60,
        json_schema_extra=notes(empty=mark("None"), applies="now"),
    )
