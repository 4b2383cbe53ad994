"""The jobs of a workspace, as any process may look at and change them; who runs them is another matter."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from desktop.bus.bus import Bus
from desktop.bus.events import JobsChanged
from desktop.cron.clock import Clock
from desktop.cron.decide import plan
from desktop.cron.job import Job, new_id
from desktop.cron.schedule import At, Every, Spec, check, zone_of
from desktop.cron.store import Store
from desktop.cron.zone import zone as here
from desktop.errors import AppError, UsageError
from desktop.tasks import in_thread
from desktop.text import _


class Listing:
    """Reads and edits jobs."""

    def __init__(self, store: Store, bus: Bus, clock: Clock, zone: Callable[[], str]) -> None:
        """`zone`: tells the person's zone; called in a thread."""
        self._store, self._bus, self._clock, self._ask_zone = store, bus, clock, zone
        self._zone = "UTC"

    async def read(self) -> None:
        """Know the jobs as they are in the file."""
        self._zone, _wrong = await in_thread(self._zone_now)
        await self._store.load()

    def _changed(self) -> None:
        """A job was changed here."""

    @property
    def zone(self) -> str:
        """The person's zone."""
        return self._zone

    def now(self) -> float:
        """The time by which jobs are due, Unix seconds."""
        return self._clock.now()

    def jobs(self) -> list[Job]:
        """All jobs, in the order of the file, due as they are in the person's zone of now."""
        return [self._now(job) for job in self._store.jobs.values()]

    def get(self, id_: str) -> Job:
        """One job. Raises UsageError if there is none."""
        job = self._store.jobs.get(id_)
        if job is None:
            raise UsageError(
                _("There is no task {id}.").format(id=repr(id_)), _("Find its ID in the list of tasks.")
            )
        return self._now(job)

    def _now(self, job: Job) -> Job:
        """The job as it is due here, whoever planned it in another zone."""
        return job if job.planned_in == self._zone else plan(job, self._clock.now(), self._zone)

    async def add(self, job: Job) -> Job:
        """Put a job in; what it became, with its id and next due moment. Raises UsageError for a schedule
        that makes no sense, StorageError."""
        now = self._clock.now()
        spec = _exact(job.spec, now)
        check(spec, self._zone, now)
        name = job.name.strip() or " ".join(job.message.split())[:60]
        now = round(now, 3)
        made = replace(job, spec=spec, name=name, created=now, updated=now, planned_as="", next_due=None)

        def put(jobs: Mapping[str, Job]) -> Mapping[str, Job]:
            id_ = made.id
            while not id_ or id_ in jobs:
                id_ = new_id()
            return {id_: plan(replace(made, id=id_), now, self._zone)}

        return await self._put(put)

    async def change(self, id_: str, **fields: Any) -> Job:
        """Change fields of a job. A run under way keeps what it began with. Raises UsageError,
        StorageError."""
        old, now = self.get(id_), self._clock.now()
        spec = _exact(fields.get("spec", old.spec), old.created)
        enabled = fields.get("enabled", old.enabled)
        if spec != old.spec or (enabled and not old.enabled):
            check(spec, self._zone, now)

        def put(jobs: Mapping[str, Job]) -> Mapping[str, Job]:
            job = replace(jobs.get(id_, old), **{**fields, "spec": spec, "updated": now})
            if enabled and not old.enabled:
                job = replace(job, failures=0, paused="", planned_as="")
            return {id_: plan(job, now, self._zone)}

        return await self._put(put)

    async def switch(self, id_: str, on: bool) -> Job:
        """Switch a job on or off. Raises UsageError, StorageError."""
        return await self.change(id_, enabled=on)

    async def remove(self, id_: str) -> None:
        """Take a job away; a run under way goes on to its end. Raises UsageError, StorageError."""
        self.get(id_)
        await self._store.update(lambda jobs: {id_: None} if id_ in jobs else {}, by_person=True)
        self._bus.publish(JobsChanged(id_))
        self._changed()

    async def _put(self, put: Callable[[Mapping[str, Job]], Mapping[str, Job]]) -> Job:
        changed = await self._store.update(put, by_person=True)
        job = next(job for job in changed.values() if job)
        self._bus.publish(JobsChanged(job.id))
        self._changed()
        return job

    def _zone_now(self) -> tuple[str, AppError | None]:
        """The person's zone; this computer's, and what to say, where theirs does not exist."""
        try:
            return zone_of(self._ask_zone()).key, None
        except AppError as error:
            return here(), error


def _exact(spec: Spec, created: float) -> Spec:
    """The schedule in whole milliseconds, as the file has it; an interval without an anchor begins when the
    job was made."""
    if isinstance(spec, At):
        return At(round(spec.moment, 3)) if math.isfinite(spec.moment) else spec
    if isinstance(spec, Every):
        return Every(round(spec.seconds, 3), round(spec.anchor or created, 3))
    return spec
