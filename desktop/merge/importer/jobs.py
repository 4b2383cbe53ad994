"""Jobs of nanobot's schedule, of either place, with their ids.

What it missed since then is not made up for here: a job begins with its next moment, and one whose only
moment has passed comes switched off.
"""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from desktop.config.loosening import Loose
from desktop.cron import file, form
from desktop.cron.arriving import switched_off
from desktop.cron.job import Job
from desktop.cron.schedule import At
from desktop.cron.store import Store
from desktop.errors import StorageError, UsageError
from desktop.merge.importer.places import Source, wrong
from desktop.merge.items import WRITING, Item, Step, step
from desktop.text import _


class OldJobs:
    """The old jobs beside those of this workspace."""

    def __init__(self, source: Source, store: Store, zone: str) -> None:
        """`store`: this workspace's, read. `zone`: the person's."""
        self._source, self._store, self._zone = source, store, zone
        self._new: dict[str, Job] = {}
        self.loose: dict[str, Loose] = {}
        """What waits for the person, by the ids of jobs."""

    def steps(self) -> list[Step]:
        """What becomes of each; all that are new are put in with one change of the file. Blocks."""
        places = [self._source.data / "cron"]
        if self._source.workspace is not None:
            places.insert(0, self._source.workspace / "cron")
        seen: set[str] = set()
        items = [item for place in dict.fromkeys(places) for item in self._read(place / "jobs.json", seen)]
        writing = (*WRITING, "waits")
        left = [step(item) for item in items if item.action not in writing]
        new = tuple(item for item in items if item.action in writing)
        return [*left, Step(new, self._put, lambda: list(self.loose.values()))] if new else left

    def _read(self, path: Path, seen: set[str]) -> list[Item]:
        try:
            data = self._source.read(path)
            if data is None or not data.strip():
                return []
            entries = file.parse(data, path.name).entries
        except OSError as error:
            return [Item("job", path.name, "left", wrong(error))]
        except StorageError as error:
            return [Item("job", path.name, "left", error.text)]
        return [item for raw, text in entries if (item := self._item(raw, text, seen)) is not None]

    def _item(self, raw: Any, text: str, seen: set[str]) -> Item | None:
        if not isinstance(raw, dict):
            return Item("job", text[:40], "left", _("It is not a JSON object."))
        id_ = raw.get("id")
        name = str(raw.get("name") or id_ or text[:40])
        if form.system(raw):
            why = _("A task of nanobot itself; this program has its own.")
            return Item("job", name, "left", why)
        try:
            job = form.read(raw, self._zone)
        except UsageError as error:
            return Item("job", name, "left", str(error))
        if not job.id:
            job = replace(job, id=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8])
        if job.id in seen:
            return None  # the older of the two places
        seen.add(job.id)
        if job.id in self._store.jobs:
            return Item("job", job.name, "same")
        passed = isinstance(job.spec, At) and job.spec.moment <= time.time()
        ready = replace(
            job, enabled=job.enabled and not passed, next_due=None, planned_as="", planned_in=""
        )
        self._new[job.id], loose = switched_off(ready)
        if loose is not None:
            self.loose[job.id] = loose
            return Item("job", job.name, "waits", loose.says)
        if passed and job.enabled:
            return Item("job", job.name, "change", _("Its time has passed, so it is off."))
        return Item("job", job.name, "take")

    async def _put(self) -> None:
        """Raises StorageError."""
        await self._store.update(partial(_missing, self._new), by_person=True)


def _missing(new: Mapping[str, Job], here: Mapping[str, Job]) -> dict[str, Job | None]:
    return {id_: job for id_, job in new.items() if id_ not in here}
