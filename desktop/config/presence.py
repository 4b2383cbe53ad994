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
                mark("The agent looks after the tasks in HEARTBEAT.md by itself."), order=(False, True)
            )
        }
    )
    HARMLESS = names("interval_s")

    enabled: bool = Field(
        default=True,
        title=mark("Look after open tasks"),
        description=mark("From time to time the agent looks into HEARTBEAT.md for tasks that are due."),
        json_schema_extra=notes(applies="now"),
    )
    interval_s: int = Field(
        default=1800,
        title=mark("How often"),
        description=mark("Only when HEARTBEAT.md has open tasks; else no model is asked."),
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
            "daily_usd": Loosens(mark("Work that nobody waits for may cost more in a day."), grows=True),
            "daily_tokens": Loosens(
                mark("Work that nobody waits for may use more tokens in a day."), grows=True
            ),
            "monthly_usd": Loosens(mark("A month may cost more."), grows=True),
        }
    )

    daily_usd: float = Field(
        default=1.0,
        title=mark("A day may cost"),
        description=mark(
            "What jobs, heartbeat and memory may spend in a day. When it is spent they pause until the "
            "next one; plain reminders and your own questions never do."
        ),
        ge=0,
        le=10_000,
        json_schema_extra=notes(unit=mark("US dollars"), applies="now"),
    )
    daily_tokens: int = Field(
        default=1_000_000,
        title=mark("Tokens of a day"),
        description=mark(
            "The same where the price of a model is not known. Models on this computer are free."
        ),
        ge=0,
        le=1_000_000_000,
        json_schema_extra=notes(unit=mark("tokens"), applies="now"),
    )
    monthly_usd: float | None = Field(
        default=None,
        title=mark("A month may cost"),
        description=mark(
            "You are told at 80 % and at 100 %. Then no model that costs money is asked until the next "
            "month; models on this computer go on. Only known prices count."
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
        description=mark("When an answer comes while you look elsewhere."),
        json_schema_extra=notes(applies="now"),
    )
    reminder: bool = Field(
        default=True,
        title=mark("Reminders and jobs"),
        description=mark("What you asked to be reminded of, and results of jobs."),
        json_schema_extra=notes(applies="now"),
    )
    heartbeat: bool = Field(
        default=True,
        title=mark("Heartbeat"),
        description=mark("What the agent found while it looked after open tasks."),
        json_schema_extra=notes(applies="now"),
    )
    subagent: bool = Field(
        default=True,
        title=mark("Results of subagents"),
        description=mark("When work in the background is done."),
        json_schema_extra=notes(applies="now"),
    )
    approval: bool = Field(
        default=True,
        title=mark("Questions of permission"),
        description=mark("When the agent may not go on without you."),
        json_schema_extra=notes(applies="now"),
    )
    error: bool = Field(
        default=True,
        title=mark("Trouble"),
        description=mark("When something that works in the background no longer does."),
        json_schema_extra=notes(applies="now"),
    )
    quiet: bool = Field(
        default=False,
        title=mark("Quiet hours"),
        description=mark(
            "Nothing appears but questions of permission; afterwards one message tells of the rest."
        ),
        json_schema_extra=notes(applies="now"),
    )
    quiet_from: str = Field(
        default="22:00",
        title=mark("From"),
        description=mark("When quiet hours begin, such as 22:00."),
        pattern=_CLOCK,
        json_schema_extra=notes(applies="now"),
    )
    quiet_to: str = Field(
        default="07:00",
        title=mark("To"),
        description=mark("When they end, such as 07:00."),
        pattern=_CLOCK,
        json_schema_extra=notes(applies="now"),
    )


class Presence(Section):
    """How the program is reached while its window is closed."""

    LOOSENS = MappingProxyType(
        {
            "paused": Loosens(
                mark("Jobs, the heartbeat and the memory work by themselves."), order=(True, False)
            ),
            "login": Loosens(mark("The program starts when you log in."), order=(False, True)),
        }
    )
    HARMLESS = names("tray shortcut")

    paused: bool = Field(
        default=False,
        title=mark("Pause what works by itself"),
        description=mark(
            "Jobs, the heartbeat and the memory wait until you take it back. Reminders still come."
        ),
        json_schema_extra=notes(applies="now"),
    )

    tray: bool = Field(
        default=True,
        title=mark("Icon in the tray"),
        description=mark("Off: a closed window is minimised."),
        json_schema_extra=notes(applies="now"),
    )
    login: bool = Field(
        default=False,
        title=mark("Start at login"),
        description=mark("The program starts in the tray when you log in."),
        json_schema_extra=notes(applies="now"),
    )
    shortcut: str = Field(
        default="Ctrl+Alt+Space",
        title=mark("Shortcut for quick chat"),
        description=mark("Opens the quick chat from everywhere."),
        max_length=60,
        json_schema_extra=notes(empty=mark("None"), applies="now"),
    )
