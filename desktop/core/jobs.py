"""The verbs of the schedule: jobs and reminders, and the ledger of their runs."""

import time
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from desktop.api.permissions import MODES
from desktop.core.verbs import Json, Send, Verb
from desktop.cron.job import Job, new_id
from desktop.cron.schedule import At, Cron, Every, Spec, check
from desktop.cron.service import Scheduler
from desktop.cron.words import sentence, upcoming
from desktop.errors import UsageError
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core

_SHOWN = 5
_MISSED = ("late", "skip", "ask")


class JobVerbs:
    """Acts on jobs."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    def verbs(self) -> dict[str, Verb]:
        """Each under its name; the jobs are read before."""
        return {name: self._reading(verb) for name, verb in self._own().items()}

    def _reading(self, verb: Verb) -> Verb:
        async def do(arguments: Json, send: Send) -> Json:
            await self._scheduler.read()
            return await verb(arguments, send)

        return do

    def _own(self) -> dict[str, Verb]:
        return {
            "jobs": self.all,
            "job": self.one,
            "job_add": self.add,
            "job_change": self.change,
            "job_remove": self.remove,
            "job_switch": self.switch,
            "job_run": self.run,
            "job_answer": self.answer,
            "job_check": self.check,
            "runs": self.runs,
        }

    async def all(self, _arguments: Json, _send: Send) -> Json:
        """All jobs, those due next first; `state` and `detail` tell of the scheduler."""
        status = self._scheduler.status
        jobs = sorted(self._scheduler.jobs(), key=_order)
        lines = await in_thread(lambda: [self._line(job) for job in jobs])
        return {
            "jobs": lines,
            "state": status.state.value,
            "detail": status.detail,
            "zone": self._scheduler.zone,
        }

    async def one(self, arguments: Json, _send: Send) -> Json:
        """A job (`id`, or its name), with its next times."""
        job = self._find(arguments)
        return {"job": {**self._line(job), "upcoming": self._upcoming(job.spec)}}

    async def add(self, arguments: Json, _send: Send) -> Json:
        """Make a job: `name`, `message`, one of `at` (ISO), `every` (seconds) and `cron` (with `tz`), and
        where wanted `plain`, `session`, `missed`, `mode`, `retries`. Raises UsageError."""
        now = time.time()
        spec = self._spec(arguments, now)
        if spec is None:
            raise UsageError(
                _("When shall it be?"), _("Give a moment, an interval or five fields of cron.")
            )
        job = Job(new_id(), "", spec, "", delete_after_run=isinstance(spec, At), created=now, updated=now)
        added = await self._scheduler.add(self._changed(job, arguments))
        return {"job": self._line(added)}

    async def change(self, arguments: Json, _send: Send) -> Json:
        """Change a job; what is not given stays. Raises UsageError."""
        job, now = self._find(arguments), time.time()
        changed = self._changed(replace(job, spec=self._spec(arguments, now) or job.spec), arguments)
        fields = {name: getattr(changed, name) for name in _CHANGEABLE}
        return {"job": self._line(await self._scheduler.change(job.id, **fields))}

    async def remove(self, arguments: Json, _send: Send) -> Json:
        """Take a job away; its runs stay in the ledger."""
        job = self._find(arguments)
        await self._scheduler.remove(job.id)
        return {"removed": job.id, "name": job.name}

    async def switch(self, arguments: Json, _send: Send) -> Json:
        """Switch a job `on` or off."""
        job = await self._scheduler.switch(self._find(arguments).id, bool(arguments["on"]))
        return {"job": self._line(job)}

    async def run(self, arguments: Json, _send: Send) -> Json:
        """Do a job now; with `wait` its end is waited for."""
        await self._scheduler.take()
        job = self._find(arguments)
        run = await self._scheduler.run_now(job.id)
        if arguments.get("wait"):
            await self._scheduler.runs.ended(job.id)
            run = await self._core.background.ledger.get(run.id) or run
        return {"run": run.as_json()}

    async def answer(self, arguments: Json, _send: Send) -> Json:
        """Whether a missed run (`run`) shall be made up for (`yes`)."""
        await self._scheduler.answer(str(arguments["run"]), bool(arguments["yes"]))
        return {}

    async def check(self, arguments: Json, _send: Send) -> Json:
        """What a schedule means: in words, and its next times. Raises UsageError."""
        spec = self._spec(arguments, time.time())
        if spec is None:
            raise UsageError(_("When shall it be?"))
        return {"sentence": sentence(spec, self._scheduler.zone), "upcoming": self._upcoming(spec)}

    async def runs(self, arguments: Json, _send: Send) -> Json:
        """Runs, the newest first: of a job (`id`) or all, of one `outcome` or any."""
        id_ = str(arguments.get("id") or "")
        before = arguments.get("before")
        runs = await self._core.background.ledger.list(
            job=self._find(arguments).id if id_ and self._found(id_) else id_,
            outcome=str(arguments.get("outcome") or ""),
            limit=int(arguments.get("limit") or 200),
            before=float(before) if before is not None else None,
        )
        return {"runs": [run.as_json() for run in runs]}

    # ---- how

    @property
    def _scheduler(self) -> Scheduler:
        return self._core.background.scheduler

    def _found(self, id_: str) -> Job | None:
        jobs = self._scheduler.jobs()
        named = (job for job in jobs if job.name.casefold() == id_.casefold())
        return next((job for job in jobs if job.id == id_), None) or next(named, None)

    def _find(self, arguments: Json) -> Job:
        id_ = str(arguments["id"])
        if job := self._found(id_):
            return job
        raise UsageError(
            _("There is no job {name}.").format(name=id_), _("List them with: nanobot-desktop cron list")
        )

    def _spec(self, given: Json, now: float) -> Spec | None:
        """The schedule that was given; None if there was none. Raises UsageError."""
        zone = self._scheduler.zone
        spec: Spec | None = None
        if given.get("at"):
            spec = At(_moment(given["at"], zone))
        elif given.get("every") is not None:
            spec = Every(float(given["every"]), now)
        elif given.get("cron"):
            spec = Cron(str(given["cron"]).strip(), str(given.get("tz") or ""))
        if spec is not None:
            check(spec, zone, now)
        return spec

    def _changed(self, job: Job, given: Json) -> Job:
        """A job with what was given. Raises UsageError."""
        fields = {name: given[name] for name in _GIVEN if given.get(name) is not None}
        job = replace(job, **fields)
        job = replace(job, name=" ".join(job.name.split()), message=job.message.strip())
        if not job.name or not job.message:
            raise UsageError(_("A job needs a name, and a text that says what to do."))
        if job.missed not in _MISSED or job.mode not in ("", *MODES):
            raise UsageError(_("There is no such mode: {mode}.").format(mode=job.mode or job.missed))
        return job

    def _line(self, job: Job) -> Json:
        """A job in JSON types. Moments in Unix time."""
        spec = job.spec
        return {
            "id": job.id,
            "name": job.name,
            "message": job.message,
            "plain": job.plain,
            "enabled": job.enabled,
            "paused": job.paused,
            "kind": type(spec).__name__.lower(),
            "at": spec.moment if isinstance(spec, At) else None,
            "every": spec.seconds if isinstance(spec, Every) else None,
            "cron": spec.expression if isinstance(spec, Cron) else "",
            "tz": spec.zone if isinstance(spec, Cron) else "",
            "sentence": sentence(spec, self._scheduler.zone),
            "session": job.session,
            "missed": job.missed,
            "mode": job.mode,
            "retries": job.retries,
            "next": job.next_due if job.enabled else None,
            "last": job.last_run,
            "planned": job.last_due,
            "outcome": job.last_outcome,
            "detail": job.last_detail,
            "failures": job.failures,
        }

    def _upcoming(self, spec: Spec) -> list[float]:
        return upcoming(spec, time.time(), self._scheduler.zone, _SHOWN)


_GIVEN = ("name", "message", "plain", "session", "missed", "mode", "retries")
_CHANGEABLE = ("spec", *_GIVEN)


def _order(job: Job) -> tuple[bool, float, str]:
    due = job.next_due if job.enabled else None
    return due is None, due or 0.0, job.name


def _moment(given: object, zone: str) -> float:
    """A moment in Unix time: a number, or ISO, in the person's zone unless it has an offset. Raises
    UsageError."""
    if isinstance(given, int | float):
        return float(given)
    try:
        moment = datetime.fromisoformat(str(given).strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone))).timestamp()
    except (ValueError, OverflowError) as error:
        raise UsageError(
            _("{text} is no moment.").format(text=repr(str(given))), _("Write it as 2026-12-24T18:00.")
        ) from error
