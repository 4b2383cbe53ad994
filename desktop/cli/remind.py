"""remind: a reminder in the person's own words, set without a model. What can mean two things is asked."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from desktop.cli import options
from desktop.cli.output import emit, hint, say
from desktop.cli.prompt import Lines
from desktop.cli.reach import connect
from desktop.cli.run import run
from desktop.errors import UsageError
from desktop.paths import Home
from desktop.text import _

if TYPE_CHECKING:
    from desktop.api.reminders import Reminder, Unclear


def register(app: click.Group) -> None:
    """Add the command to the command line."""

    @options.verb(
        app, "remind", _("Set a reminder in your own words, for example: in 20 minutes call Anna.")
    )
    @click.argument("text", nargs=-1, required=True)
    def remind_command(text: tuple[str, ...], *, as_json: bool) -> None:
        run(lambda home: _remind(home, " ".join(text), as_json), as_json=as_json)


async def _remind(home: Home, text: str, as_json: bool) -> None:
    async with connect(home, "remind") as api:
        found = await api.reminders.read(text, meant=True)
        reminder = found.reminder
        if found.unclear is not None:
            reminder = await _chosen(found.unclear, ask=not as_json)
        elif reminder is None:
            raise UsageError(
                _("That is not a reminder I understand."),
                _("Say when and what, for example: nanobot-desktop remind tomorrow at 9 am call Anna"),
            )
        job = await api.jobs.add(reminder.job)
    if as_json:
        emit(asdict(job))
        return
    say(_("{text}: {when}").format(text=job.message, when=_when(reminder)))
    hint(_("Undo with: nanobot-desktop cron remove {id}").format(id=job.id))


async def _chosen(unclear: "Unclear", *, ask: bool) -> "Reminder":
    """The choice of the person; without a terminal the question is the failure. Raises UsageError."""
    choices, lines = unclear.choices, Lines()
    listed = [f"{number}  {_when(choice)}" for number, choice in enumerate(choices, 1)]
    if ask and choices and lines.interactive:
        hint(unclear.question)
        for line in listed:
            hint(f"  {line}")
        answer = ((await lines.next("? ")) or "").strip()
        if answer.isdecimal() and 1 <= int(answer) <= len(choices):
            return choices[int(answer) - 1]
        raise UsageError(_("Nothing chosen; no reminder was set."))
    raise UsageError(unclear.question, "\n".join([unclear.remedy, *(_when(one) for one in choices)]))


def _when(reminder: "Reminder") -> str:
    return f"{reminder.sentence} ({reminder.note})" if reminder.note else reminder.sentence
