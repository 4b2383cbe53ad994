"""jobs.json: the jobs, readable and editable by hand, and safe from every half-written state of it.

Each change is made on what the file holds at that moment, under a lock, and put in place whole. A copy
beside it holds the last good state: with that the jobs go on while the file is nonsense, which is not
written over until it is whole again or the person changes a job in the program.
"""

import asyncio
import hashlib
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from desktop import jsontext
from desktop.cron import file, form
from desktop.cron.job import Job
from desktop.errors import AppError, StorageError, UsageError, explain
from desktop.files import Place
from desktop.tasks import in_thread
from desktop.text import _

FILE, LAST, LOCK = "jobs.json", ".jobs.last.json", ".jobs.lock"
_LOCK_S = 20.0
_PIECE, _PAUSE_S = 128, 0.003
"""A long list is read in pieces of so many jobs, with pauses, so that the loop has its turn between."""
_STATE = (
    *("next_due", "last_due", "last_run", "last_run_id", "last_outcome", "last_detail", "failures"),
    *("paused", "planned_as", "planned_in"),
)
_log = logging.getLogger(__name__)

type Change = Callable[[Mapping[str, Job]], Mapping[str, Job | None]]
"""From the jobs by id to those that are to be put in place, or taken away (None)."""
type _Mark = tuple[int, int, int] | None
"""What tells that the file has changed: time, size and inode; None where there is none."""
_UNREAD = (-1, -1, -1)
_UNREADABLE = (-2, -2, -2)


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of the file: a job, or what is kept for others."""

    text: str
    job: Job | None = None


@dataclass(frozen=True, slots=True)
class _State:
    """What is known of the file."""

    entries: tuple[_Entry, ...] = ()
    rest: Mapping[str, Any] = field(default_factory=lambda: {"version": 1})
    jobs: Mapping[str, Job] = field(default_factory=dict)
    mark: _Mark = _UNREAD
    trouble: str = ""
    """Why the file cannot be used, and what to do; empty where it can."""
    problems: tuple[str, ...] = ()
    """What is wrong with single jobs."""
    before: Mapping[str, Job] = field(default_factory=dict)
    """The jobs from which a change made these, where one did."""
    changed: Mapping[str, Job | None] = field(default_factory=dict)
    """What that change put in place or took away."""


class Store:
    """The file, and the jobs in it as they were last good."""

    def __init__(self, folder: Path, zone: Callable[[], str]) -> None:
        """`folder`: the workspace's `cron`. `zone`: the person's, for times without an offset."""
        self.folder, self._zone = folder, zone
        self.path = folder / FILE
        self._place = Place(folder.parent) / folder.name
        self._state = _State()
        self._busy = asyncio.Lock()

    @property
    def jobs(self) -> Mapping[str, Job]:
        """By id, in the order of the file."""
        return self._state.jobs

    def since(self, known: Mapping[str, Job]) -> Iterable[tuple[str, Job | None]]:
        """The jobs that may be others than in `known`, which was `jobs` at some time; None for one that
        went. After one change it is that change alone, however many jobs there are."""
        state = self._state
        return (state.changed if state.before is known else state.jobs).items()

    @property
    def unread(self) -> bool:
        """Whether nobody has looked at the file yet."""
        return self._state.mark == _UNREAD

    @property
    def trouble(self) -> str:
        """What the person must know of the file, with the remedy; empty where all is well."""
        return " ".join((self._state.trouble, *self._state.problems)).strip()

    @property
    def damage(self) -> str:
        """What is wrong with the file as a whole; empty where it can be used."""
        return self._state.trouble

    async def load(self) -> bool:
        """Read the file if it changed; whether it had. Never raises: what is wrong is in `trouble`."""
        async with self._busy:
            before = self._state
            self._state = await in_thread(self._look, before)
            return self._state is not before

    async def update(self, change: Change, *, by_person: bool) -> Mapping[str, Job | None]:
        """Change jobs on disk; what was changed. A file that is nonsense is replaced only where a person
        does it. Raises StorageError, and what `change` raises; then nothing is changed."""
        async with self._busy:
            self._state, changed = await in_thread(self._change, self._state, change, by_person)
            return changed

    def _look(self, known: _State) -> _State:
        """What the file holds now; `known` itself if nothing changed."""
        mark: _Mark = _UNREADABLE
        try:
            mark = self._mark()
            if mark == known.mark:
                return known
            if mark is None:
                return _State(mark=None)
            return replace(_kept(self._parsed(self._place.read(FILE)), known), mark=mark)
        except (OSError, StorageError) as error:
            return self._damaged(known, explain(error), mark)

    def _damaged(self, known: _State, error: AppError, mark: _Mark) -> _State:
        """The file is of no use: what was known before, or the copy."""
        if known.mark == _UNREAD:
            try:
                known = self._parsed(self._place.read(LAST))
            except (OSError, StorageError) as missing:
                _log.info("there is no copy of %s: %s", self.path, missing)
        return replace(known, mark=mark, trouble=str(error))

    def _change(
        self, known: _State, change: Change, by_person: bool
    ) -> tuple[_State, Mapping[str, Job | None]]:
        from filelock import FileLock, Timeout

        try:
            self._place.mkdir()
            with FileLock(self.folder / LOCK, mode=0o600, timeout=_LOCK_S):
                fresh = self._look(known)
                if changed := change(fresh.jobs):
                    fresh = self._put(_changed(fresh, changed), by_person)
                return fresh, changed
        except Timeout as error:
            raise StorageError(
                _("Another program is using the list of tasks."), _("Try again in a moment.")
            ) from error
        except OSError as error:
            raise explain(error) from error

    def _put(self, state: _State, by_person: bool) -> _State:
        state = replace(state, entries=tuple(map(_worded, state.entries)))
        data = file.join((entry.text for entry in state.entries), state.rest)
        if state.trouble and by_person:
            if self._place.exists(FILE):
                moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
                self._place.write(f"{FILE}.damaged-{moment}", self._place.read(FILE))
            state = replace(state, trouble="")
        if not state.trouble:
            self._place.write(FILE, data)
            state = replace(state, mark=self._mark())
        try:
            if state.trouble:
                self._place.write(LAST, data)
            else:  # a copy need not be on the disk at once
                self._place.write(LAST, data, mode=0o600, durable=False)
        except OSError as error:
            if state.trouble:
                raise
            _log.info("no copy of %s could be kept: %s", self.path, error)
        return state

    def _mark(self) -> _Mark:
        try:
            seen = self._place.stat(FILE)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return seen.st_mtime_ns, seen.st_size, seen.st_ino

    def _parsed(self, data: bytes) -> _State:
        reading = _Reading(self._zone())
        found = file.parse(data, FILE, reading.take)
        rest = {"version": 1} | dict(found.rest)
        return _State(tuple(found.entries), rest, reading.jobs, problems=tuple(reading.problems))


class _Reading:
    """What is found while the file is read."""

    def __init__(self, zone: str) -> None:
        self._zone, self._number = zone, 0
        self.jobs: dict[str, Job] = {}
        self.problems: list[str] = []

    def take(self, raw: Any, text: str) -> _Entry:
        """The next entry."""
        self._number += 1
        if self._number % _PIECE == 0:
            time.sleep(_PAUSE_S)
        try:
            entry = _entry(raw, text, self._zone, self.jobs)
        except UsageError as error:
            self.problems.append(_problem(raw, self._number, error))
            return _Entry(text)
        if entry.job:
            self.jobs[entry.job.id] = entry.job
        return entry


def _worded(entry: _Entry) -> _Entry:
    return entry if entry.text or not entry.job else _Entry(file.render(form.write(entry.job)), entry.job)


def _entry(raw: Any, text: str, zone: str, jobs: Mapping[str, Job]) -> _Entry:
    if not isinstance(raw, dict):
        raise UsageError(_("It is not a JSON object."))
    if text.count("{") + text.count("[") > jsontext.DEEPEST and jsontext.too_deep(raw):
        raise UsageError(_("It is nested too deeply."))
    if form.system(raw):
        return _Entry(text)
    job = form.read(raw, zone)
    if job.id and job.id not in jobs:
        return _Entry(text, job)
    base = f"{text}{len(jobs)}"
    id_ = hashlib.sha256(base.encode("utf-8", "replace")).hexdigest()[:8]
    return _Entry("", replace(job, id=id_))


def _problem(raw: Any, number: int, error: UsageError) -> str:
    name = raw.get("name") or raw.get("id") if isinstance(raw, dict) else ""
    named = str(name) or str(number)
    return _("The task {name} in jobs.json can’t be used: {reason}").format(name=repr(named), reason=error)


def _kept(fresh: _State, known: _State) -> _State:
    """An editor may save what it read long ago: of two states of a job the later one counts."""
    jobs = dict(fresh.jobs)
    for id_, job in fresh.jobs.items():
        old = known.jobs.get(id_)
        if old and old is not job and form.identity(old.spec) == form.identity(job.spec):
            later = max(old.last_due or 0, old.last_run or 0) > max(job.last_due or 0, job.last_run or 0)
            if later:
                state = {name: getattr(old, name) for name in _STATE}
                if job.enabled:
                    state |= {"paused": "", "failures": job.failures}
                jobs[id_] = replace(job, **state)
    if all(jobs[id_] is job for id_, job in fresh.jobs.items()):
        return fresh
    entries = tuple(
        entry if entry.job is None or jobs[entry.job.id] is entry.job else _Entry("", jobs[entry.job.id])
        for entry in fresh.entries
    )
    return replace(fresh, entries=entries, jobs=jobs)


def _changed(state: _State, changed: Mapping[str, Job | None]) -> _State:
    jobs = dict(state.jobs)
    entries: list[_Entry] = []
    for entry in state.entries:
        if entry.job is None or entry.job.id not in changed:
            entries.append(entry)
        elif (job := changed[entry.job.id]) is not None:
            jobs[job.id] = job
            entries.append(_Entry("", job))
        else:
            del jobs[entry.job.id]
    for id_, job in changed.items():
        if job is not None and id_ not in state.jobs:
            jobs[id_] = job
            entries.append(_Entry("", job))
    return replace(state, entries=tuple(entries), jobs=jobs, before=state.jobs, changed=changed)
