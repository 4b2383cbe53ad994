"""The commands of the schedule: jobs and reminders, when they are due, and what their runs came to."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from desktop.cli import options
from desktop.cli.output import block, emit, hint, say, table
from desktop.cli.reach import connect
from desktop.cli.run import run
from desktop.errors import UsageError
from desktop.paths import Home
from desktop.text import _

if TYPE_CHECKING:
    from desktop.api.jobs import JobLine, Jobs, Wanted

type Json = dict[str, Any]

_MISSED = click.Choice(["late", "skip", "ask"])


def register(app: click.Group) -> None:
    """Add the commands to the command line."""
    group = click.Group("cron", help=_("Reminders and tasks that run at set times."))
    app.add_command(group)
    _register_writing(group)
    _register_reading(group)
    for name, about, on in (
        ("enable", _("Turn on a task."), True),
        ("disable", _("Turn off a task."), False),
    ):
        _register_switch(group, name, about, on=on)

    @options.verb(group, "remove", _("Remove a task."))
    @click.argument("job")
    def remove_command(job: str, *, as_json: bool) -> None:
        run(lambda home: _remove(home, job, as_json), as_json=as_json)

    @options.verb(group, "run", _("Run a task now and print the result."))
    @click.argument("job")
    def run_command(job: str, *, as_json: bool) -> None:
        run(lambda home: _run(home, job, as_json), as_json=as_json)


def _register_switch(group: click.Group, name: str, about: str, *, on: bool) -> None:
    @options.verb(group, name, about)
    @click.argument("job")
    def switch_command(job: str, *, as_json: bool) -> None:
        run(lambda home: _switch(home, job, on, as_json), as_json=as_json)


def _register_reading(group: click.Group) -> None:
    @options.verb(group, "list", _("List tasks and when each runs next."))
    def list_command(*, as_json: bool) -> None:
        run(lambda home: _list(home, as_json), as_json=as_json)

    @options.verb(group, "show", _("Show a task and its next runs."))
    @click.argument("job")
    def show_command(job: str, *, as_json: bool) -> None:
        run(lambda home: _show(home, job, as_json), as_json=as_json)

    @options.verb(
        group, "log", _("Show the runs of one or all tasks: scheduled time, actual time, result.")
    )
    @click.argument("job", default="")
    @click.option("--limit", default=20, type=click.IntRange(1, 10_000), help=_("Maximum number."))
    def log_command(job: str, limit: int, *, as_json: bool) -> None:
        run(lambda home: _log(home, job, limit, as_json), as_json=as_json)


def _schedule(command: Any) -> Any:
    """The options that say when."""
    for option in (
        click.option("--tz", default="", help=_("Time zone for --cron, for example Europe/Berlin.")),
        click.option(
            "--cron",
            "expression",
            default="",
            help=_("Cron expression with five fields, for example '0 9 * * 1-5'."),
        ),
        click.option("--every", type=float, default=None, help=_("Repeat after this many seconds.")),
        click.option(
            "--at",
            default="",
            help=_("Run once, for example at 2026-12-24T18:00; a UTC offset is allowed."),
        ),
        click.option("--missed", type=_MISSED, default=None, help=_("What to do if a run is missed.")),
    ):
        command = option(command)
    return command


def _register_writing(group: click.Group) -> None:
    @options.verb(group, "add", _("Schedule a task or reminder. Give one of --at, --every or --cron."))
    @click.option("--name", required=True, help=_("Name."))
    @click.option("--message", required=True, help=_("What the agent should do, or the reminder’s text."))
    @click.option("--plain", is_flag=True, help=_("A reminder: shows the text itself, without a model."))
    @_schedule
    def add_command(plain: bool, *, as_json: bool, **given: Any) -> None:
        run(lambda home: _add(home, {**given, "plain": plain}, as_json), as_json=as_json)

    @options.verb(group, "edit", _("Change a task. Options you leave out stay as they are."))
    @click.argument("job")
    @click.option("--name", default="", help=_("Name."))
    @click.option("--message", default="", help=_("What the agent should do, or the reminder’s text."))
    @_schedule
    def edit_command(job: str, *, as_json: bool, **given: Any) -> None:
        run(lambda home: _edit(home, job, given, as_json), as_json=as_json)


def _wanted(given: Json) -> "Wanted":
    """What was said on the command line."""
    from desktop.api.jobs import Wanted

    names = {"expression": "cron"}
    return Wanted(**{names.get(name, name): value for name, value in given.items() if value != ""})


@asynccontextmanager
async def _jobs(home: Home) -> AsyncIterator["Jobs"]:
    async with connect(home, "cron") as api:
        yield api.jobs


async def _remove(home: Home, id_: str, as_json: bool) -> None:
    async with _jobs(home) as jobs:
        removed = await jobs.remove(id_)
    if as_json:
        emit(asdict(removed))
    else:
        say(_("Removed."))


async def _switch(home: Home, id_: str, on: bool, as_json: bool) -> None:
    async with _jobs(home) as jobs:
        job = await jobs.switch(id_, on=on)
    if as_json:
        emit({"job": asdict(job)})
    else:
        say(_("Turned on.") if on else _("Turned off."))


async def _add(home: Home, given: Json, as_json: bool) -> None:
    wanted = _wanted(given)
    if wanted.at is None and wanted.every is None and wanted.cron is None:
        raise UsageError(_("No time was given."), _("Give one of --at, --every or --cron."))
    async with _jobs(home) as jobs:
        job = await jobs.add(wanted)
    _told(job, as_json)


async def _edit(home: Home, id_: str, given: Json, as_json: bool) -> None:
    async with _jobs(home) as jobs:
        job = await jobs.change(id_, _wanted(given))
    _told(job, as_json)


def _told(job: "JobLine", as_json: bool) -> None:
    if as_json:
        emit(asdict(job))
        return
    say(f"{job.id}  {job.name}: {job.sentence}")
    if job.next:
        hint(_("Next: {when}").format(when=_when(job.next)))


async def _list(home: Home, as_json: bool) -> None:
    async with _jobs(home) as jobs:
        found = await jobs.all()
    if found.detail:
        hint(found.detail)
    if as_json:
        for job in found.jobs:
            emit(asdict(job))
        return
    table(
        [_("Task"), _("Name"), _("When"), _("Next"), _("Last"), _("Result")],
        [
            [
                job.id,
                job.name,
                job.sentence,
                _when(job.next) if job.enabled else _("off"),
                _when(job.last),
                job.outcome,
            ]
            for job in found.jobs
        ],
        _("No tasks."),
    )


async def _show(home: Home, id_: str, as_json: bool) -> None:
    async with _jobs(home) as jobs:
        job = await jobs.one(id_)
    if as_json:
        emit(asdict(job))
        return
    say(f"{job.name}: {job.sentence}")
    block(job.message, indent="  ")
    for moment in job.upcoming:
        say(f"  {_when(moment)}")
    if job.paused:
        hint(job.paused)


async def _log(home: Home, id_: str, limit: int, as_json: bool) -> None:
    async with _jobs(home) as jobs:
        runs = await jobs.runs(id_, limit=limit)
    if as_json:
        for one in runs:
            emit(asdict(one))
        return
    table(
        [_("Planned"), _("Started"), _("Name"), _("Result"), _("Duration (s)"), _("Details")],
        [
            [
                _when(one.planned),
                _when(one.claimed),
                one.name,
                one.outcome,
                "" if one.ended is None else f"{one.ended - one.claimed:.1f}",
                " ".join(one.detail.split())[:80],
            ]
            for one in runs
        ],
        _("No runs yet."),
    )


async def _run(home: Home, id_: str, as_json: bool) -> int:
    async with _jobs(home) as jobs:
        one = await jobs.run(id_, wait=True)
    if as_json:
        emit(asdict(one))
    elif one.detail:
        block(one.detail)
    return 0 if one.outcome in ("ok", "skipped") else 1


def _when(moment: float | None) -> str:
    """A Unix time as a person reads it; nothing for none."""
    return "" if moment is None else f"{datetime.fromtimestamp(moment).astimezone():%Y-%m-%d %H:%M}"
