"""What the scheduler puts into the inbox. Ids are made of job and moment: the same thing is told once."""

import math
from collections.abc import Sequence

from desktop.cron.job import Job
from desktop.cron.ledger import Run
from desktop.inbox.inbox import Notice
from desktop.text import _, ngettext

REMINDER, ERROR = "reminder", "error"


def due_id(run: Run) -> str:
    """The id of the notice of a due moment."""
    planned = math.floor(run.planned)  # rounded, two moments a second apart might be the same
    return f"due:{run.job}:{planned}" if run.cause != "hand" else f"due:{run.job}:{run.id}"


def reminder(job: Job, run: Run, now: float) -> Notice:
    """What the person asked to be reminded of."""
    body = {
        "text": job.message,
        "job": job.id,
        "run": run.id,
        "planned": run.planned,
        "late": max(0.0, now - run.planned),
        "missed": run.missed,
    }
    return Notice(due_id(run), REMINDER, job.session, run.id, job.name, body, at=now)


def question(job: Job, run: Run, now: float) -> Notice:
    """Whether a missed run shall be made up for."""
    body = {
        "ask": True,
        "text": job.message,
        "job": job.id,
        "run": run.id,
        "planned": run.planned,
        "late": max(0.0, now - run.planned),
        "missed": run.missed,
    }
    return Notice(due_id(run), REMINDER, job.session, run.id, job.name, body, at=now)


def skipped(missed: Sequence[tuple[Job, Run]], now: float) -> Notice:
    """The list of what was missed and not made up for."""
    first = missed[0][1]
    lines = [
        {"job": job.id, "name": job.name, "planned": run.planned, "missed": run.missed, "text": job.message}
        for job, run in missed
    ]
    title = ngettext("A task was missed", "{n} tasks were missed", len(missed)).format(n=len(missed))
    text = "\n".join(job.name for job, _run in missed)
    return Notice(
        f"skipped:{first.id}", REMINDER, "", first.id, title, {"text": text, "skipped": lines}, at=now
    )


def interrupted(job: Job, run: Run, now: float) -> Notice:
    """A run that the end of the program cut off."""
    text = _("The program quit while this task was running. Run it again if you need it.")
    body = {"text": text, "job": job.id, "run": run.id, "planned": run.planned}
    return Notice(f"interrupted:{run.id}", ERROR, job.session, run.id, job.name, body, at=now)


def failed(job: Job, run: Run, detail: str, now: float) -> Notice:
    """A job that comes once has failed for good."""
    text = _("The task failed: {reason}").format(reason=detail)
    body = {"text": text, "job": job.id, "run": run.id, "planned": run.planned}
    return Notice(f"failed:{run.id}", ERROR, job.session, run.id, job.name, body, at=now)


def paused(job: Job, run: Run, now: float) -> Notice:
    """A job that was switched off because it failed again and again."""
    body = {"text": job.paused, "job": job.id, "run": run.id, "planned": run.planned}
    return Notice(f"paused:{run.id}", ERROR, job.session, run.id, job.name, body, at=now)
