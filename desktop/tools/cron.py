"""cron: reminders and jobs, in nanobot's words, and forgiving in how times are written.

A reminder needs no approval, and neither does a job, while nothing marked is in view; else setting one up
is asked about, for it lasts. A job cannot set up jobs.
"""

import functools
import re
from datetime import datetime
from typing import Annotated, Any, Protocol

from pydantic import Field, WithJsonSchema

from desktop.cron import schedule
from desktop.cron.form import moment_of
from desktop.cron.job import Job
from desktop.cron.ledger import Run
from desktop.cron.schedule import At, Every, Spec, check, zone_of
from desktop.cron.words import sentence
from desktop.errors import AppError, UsageError
from desktop.paths import temporary
from desktop.text import _, mark
from desktop.tools.base import Arguments, Claim, Effect, Json, Tool, ToolContext, ToolFailure

ACTIONS = ("add", "list", "remove", "enable", "disable", "run", "update")
SESSION = "cron:"
"""The conversations of jobs begin so."""
_GIST = 80
_SHORTEST_S = 60.0
"""What an agent sets up is not due more often than this, seconds."""
_AROUND = " \t\n.,;!。，；！"
"""What a model writes around a time."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_ASKS = {
    "add": (mark("Set a reminder?"), mark("Schedule a task?")),
    "remove": (mark("Remove reminder?"), mark("Remove task?")),
    "enable": (mark("Turn on reminder?"), mark("Turn on task?")),
    "disable": (mark("Turn off reminder?"), mark("Turn off task?")),
    "run": (mark("Show reminder now?"), mark("Run task now?")),
    "update": (mark("Change reminder?"), mark("Change task?")),
}
"""What the person is asked, by the action: of a reminder, of a task."""

Amount = Annotated[float | str | None, WithJsonSchema({"type": "number"})]


class Jobs(Protocol):
    """The scheduler, as the tool needs it."""

    @property
    def zone(self) -> str:
        """The person's zone."""

    def now(self) -> float:
        """The time, Unix seconds."""

    def jobs(self) -> list[Job]:
        """All jobs."""

    def get(self, id_: str) -> Job:
        """One. Raises UsageError."""

    async def add(self, job: Job) -> Job:
        """Put one in. Raises AppError."""

    async def change(self, id_: str, **fields: Any) -> Job:
        """Change one. Raises AppError."""

    async def remove(self, id_: str) -> None:
        """Take one away. Raises AppError."""

    async def run_now(self, id_: str) -> Run:
        """Run one. Raises AppError."""


class CronArguments(Arguments):
    """What to do with which job."""

    action: str = Field(default="", description="What to do.", json_schema_extra={"enum": list(ACTIONS)})
    message: str = Field(
        default="",
        description="add: what to remind the person of, to the person; or with plain=false the whole task, "
        "to yourself.",
    )
    name: str = Field(default="", description="Two or three words for the list.")
    in_minutes: Amount = Field(default=None, description="Once, so many minutes from now.")
    at: str = Field(
        default="", description="Once, at a date and time of the person: 2026-12-24T18:00, or 18:00."
    )
    every_seconds: Amount = Field(
        default=None, description="Again and again, with so many seconds between."
    )
    cron_expr: str = Field(
        default="", description="Again and again, by minute hour day month weekday: 0 9 * * 1-5."
    )
    tz: str = Field(
        default="",
        description="A zone such as Europe/Berlin, only if the person named a place for the time.",
    )
    plain: bool | None = Field(
        default=None,
        description="true: a reminder, shown word for word, with no work done (usual with in_minutes and "
        "at). false: a task that you do when it is due (usual for what repeats).",
    )
    missed: str = Field(
        default="",
        description="If the computer is off when it is due: do it late (default), skip it, or ask.",
        json_schema_extra={"enum": ["late", "skip", "ask"]},
    )
    job_id: str = Field(
        default="", description="Which reminder or task, by its id or name; not for add and list."
    )

    @property
    def verb(self) -> str:
        """The action, guessed where none is given."""
        said = self.action.strip().lower()
        return {
            "create": "add",
            "delete": "remove",
            "cancel": "remove",
            "edit": "update",
            "show": "list",
        }.get(said, said) or ("add" if self.message else "list")

    @property
    def timed(self) -> bool:
        """Whether it says when."""
        return any((self.in_minutes, self.at.strip(), self.every_seconds, self.cron_expr.strip()))


class Cron(Tool[CronArguments]):
    """Sets up reminders and jobs."""

    name: str = "cron"
    description: str = (
        "Reminders and scheduled tasks. Use it whenever the person wants to be reminded, or wants "
        "something done later or regularly; do not promise it without. add needs message and one of "
        "in_minutes, at, every_seconds, cron_expr. list shows ids. remove, enable, disable, run and update "
        "need job_id; update also what shall be other. Say in your answer when it is due."
    )
    brief: str = "Set a reminder. message: of what. at: when, in the words of the person."
    effect: Effect = Effect.WRITE
    arguments: type[CronArguments] = CronArguments

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    @functools.cached_property
    def brief_schema(self) -> Json:
        """For a small model: a reminder. Of two ways to say when it fills in both, one of them wrongly."""
        properties = {name: {"type": "string"} for name in ("message", "at")}
        return self._function(
            self.brief, {"type": "object", "properties": properties, "required": list(properties)}
        )

    def claim(self, args: CronArguments, context: ToolContext) -> Claim:
        """A list touches nothing, and a reminder says to the person what the person wanted; all else is a
        lasting change."""
        verb = self._allowed(args, context)
        if verb == "list":
            return Claim(Effect.READ, "")
        if verb == "add":
            spec = self._spec(args)
            when = sentence(spec, self._jobs.zone)
            gist, plain = _short(f"{args.message.strip()} ({when})"), _plain(args, spec)
            effect, asks = Effect.SEND if plain else Effect.WRITE, _asks(verb, plain)
            return Claim(effect, gist, asks, (when,), body=args.message, lasts=True)
        job = self._job(args)
        gist, asks = _short(f"{verb}: {job.name}"), _asks(verb, job.plain)
        facts = (job.name, *((sentence(self._spec(args), self._jobs.zone),) if args.timed else ()))
        return Claim(Effect.WRITE, gist, asks, facts, body=args.message, lasts=True)

    async def run(self, args: CronArguments, context: ToolContext) -> str:
        """Do it. Raises ToolFailure."""
        verb = self._allowed(args, context)
        try:
            if verb == "list":
                return self._list()
            if verb == "add":
                return await self._add(args, context)
            return await self._do(verb, args)
        except AppError as error:
            raise ToolFailure(str(error)) from None

    def _allowed(self, args: CronArguments, context: ToolContext) -> str:
        verb = args.verb
        if verb not in ACTIONS:
            raise ToolFailure(f"There is no action {args.action!r}: {', '.join(ACTIONS)}.")
        if verb != "list" and context.session.startswith(SESSION):
            raise ToolFailure(
                "A task can't set up or change tasks. Do the task itself, and say in your answer what "
                "should be scheduled: the person can do that."
            )
        if verb == "add" and temporary(context.session):
            raise ToolFailure(
                "This conversation is temporary: no reminder or task can belong to it. Tell the person "
                "to set it up in another conversation, or to keep this one first."
            )
        if verb == "add" and not args.message.strip():
            raise ToolFailure(
                "message is missing: what shall the person be reminded of, or what is the task?"
            )
        return verb

    async def _add(self, args: CronArguments, context: ToolContext) -> str:
        spec = self._spec(args)
        once = isinstance(spec, At)
        job = Job(
            "",
            args.name.strip(),
            spec,
            args.message.strip(),
            plain=_plain(args, spec),
            session=context.session,
            chat=context.chat,
            missed=_missed(args.missed),
            delete_after_run=once,
        )
        made = await self._jobs.add(job)
        when = _local(made.next_due, self._jobs.zone)
        if made.plain and once:
            return f"Done. The person will be reminded at {when}. (id {made.id})"
        return f"Done. {'Reminder' if made.plain else 'Job'} {self._line(made)}."

    async def _do(self, verb: str, args: CronArguments) -> str:
        job = self._job(args)
        if verb == "remove":
            await self._jobs.remove(job.id)
            return f"Removed: {job.name}."
        if verb == "run":
            await self._jobs.run_now(job.id)
            return f"{job.name} has begun. Its result comes by itself: do not wait for it."
        fields = {"enabled": verb == "enable"} if verb in {"enable", "disable"} else self._fields(args)
        if not fields:
            raise ToolFailure("Nothing is to be changed: give message, name, a time, plain or missed.")
        return f"Changed: {self._line(await self._jobs.change(job.id, **fields))}."

    def _fields(self, args: CronArguments) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        if args.message.strip():
            fields["message"] = args.message.strip()
        if args.name.strip():
            fields["name"] = args.name.strip()
        if args.timed:
            fields |= {"spec": self._spec(args), "enabled": True}
        if args.plain is not None:
            fields["plain"] = args.plain
        if args.missed:
            fields["missed"] = _missed(args.missed)
        return fields

    def _job(self, args: CronArguments) -> Job:
        wanted = (args.job_id or args.name).strip()
        if not wanted:
            raise ToolFailure("job_id is missing. The action list shows the ids.")
        jobs = self._jobs.jobs()
        found = [job for job in jobs if job.id == wanted] or [
            job for job in jobs if job.name.casefold() == wanted.casefold()
        ]
        if len(found) != 1:
            how_many = "no task" if not found else "more than one task"
            raise ToolFailure(f"There is {how_many} {wanted!r}. The action list shows the ids.")
        return found[0]

    def _spec(self, args: CronArguments) -> Spec:
        """When. Raises ToolFailure where that is missing or makes no sense."""
        now, zone = self._jobs.now(), args.tz.strip() or self._jobs.zone
        try:
            spec = _spec(args, now, zone)
            check(spec, zone, now)
        except UsageError as error:
            raise ToolFailure(f"{error} It is {_local(now, self._jobs.zone)} now.") from None
        if isinstance(spec, Every) and spec.seconds < _SHORTEST_S:
            raise ToolFailure("Once a minute is the most: give every_seconds of 60 or more.")
        return spec

    def _list(self) -> str:
        lines = [self._line(job) for job in self._jobs.jobs()]
        return "\n".join(f"- {line}" for line in lines) or "There are no reminders and no tasks."

    def _line(self, job: Job) -> str:
        zone = self._jobs.zone
        when = sentence(job.spec, zone)
        if job.paused:
            state = f"off: {job.paused}"
        elif not job.enabled:
            state = "off"
        else:
            state = f"next {_local(job.next_due, zone)}" if job.next_due else "not due any more"
        kind = "reminder" if job.plain else "task"
        last = f", last {job.last_outcome} {_local(job.last_run, zone)}" if job.last_run else ""
        return f"{job.id} {job.name!r} ({kind}, {when}, {state}{last})"


def _spec(args: CronArguments, now: float, zone: str) -> Spec:
    if args.cron_expr.strip():
        return schedule.Cron(args.cron_expr.strip(), args.tz.strip())
    if args.every_seconds:
        return Every(_seconds(args.every_seconds, 1.0, "every_seconds", now), now)
    if args.in_minutes is not None and args.in_minutes != "":
        return At(now + _seconds(args.in_minutes, 60.0, "in_minutes", now))
    if text := args.at.strip(_AROUND):
        return At(_at(text, now, zone))
    raise ToolFailure("When? Give one of in_minutes, at, every_seconds, cron_expr.")


def _plain(args: CronArguments, spec: Spec) -> bool:
    return isinstance(spec, At) if args.plain is None else args.plain


def _asks(verb: str, plain: bool) -> str:
    reminder, task = _ASKS[verb]
    return _(reminder if plain else task)


def _missed(text: str) -> Any:
    said = text.strip().lower()
    return said if said in {"skip", "ask"} else "late"


def _seconds(value: float | str, unit: float, name: str, now: float) -> float:
    """A number of `unit` seconds, or words such as "20 minutes". Raises ToolFailure."""
    seconds = value * unit if not isinstance(value, str) else _duration(value, unit, now)
    if seconds is None or not seconds > 0:
        raise ToolFailure(f"{name} must be a number above 0, not {value!r}.")
    return seconds


def _duration(text: str, unit: float, now: float) -> float | None:
    text = text.strip(_AROUND).removeprefix("every ")
    try:
        return float(text) * unit
    except ValueError:
        found = _span(text, now)
        return None if found is None else found - now


def _span(text: str, now: float) -> float | None:
    """The moment so long from now."""
    from desktop.cron.reminders.understand import moment

    for said in (text, f"in {text}", f"{text}后"):
        found = moment(said, now, "UTC")
        if isinstance(found, At):
            return found.moment
    return None


def _at(text: str, now: float, zone: str) -> float:
    """A moment from ISO, or from words such as "tomorrow 9:00" and "in 20 minutes". Raises UsageError, also
    where the words can mean several moments."""
    from desktop.cron.reminders.understand import Unclear, moment

    if _DATE.match(text):
        return moment_of(text.removesuffix("Z") + "+00:00" if text.endswith("Z") else text, zone)
    found = moment(text, now, zone)
    if isinstance(found, At):
        return found.moment
    if isinstance(found, Unclear):
        choices = "; ".join(
            _local(one.spec.moment, zone) for one in found.choices if isinstance(one.spec, At)
        )
        raise UsageError(found.question, f"Ask the person which is meant: {choices}." if choices else "")
    if (later := _span(text, now)) is not None:
        return later
    return moment_of(text, zone)


def _local(moment: float | None, zone: str) -> str:
    return f"{datetime.fromtimestamp(moment or 0, zone_of(zone)):%a %Y-%m-%d %H:%M} {zone}"


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _GIST else f"{words[: _GIST - 1]}…"
