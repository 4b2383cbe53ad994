"""Jobs that arrive, with their ids: known ones are passed over, and what asks less than usual is off until
a yes."""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from desktop.config.loosening import Loose
from desktop.cron import file, form
from desktop.cron.arriving import switched_off
from desktop.cron.job import Job
from desktop.cron.schedule import At
from desktop.cron.store import Store
from desktop.errors import StorageError, UsageError
from desktop.merge.files import Undo
from desktop.merge.items import Item
from desktop.text import _


class Jobs:
    """Jobs beside those of this workspace."""

    def __init__(self, store: Store, zone: str, *, foreign: bool) -> None:
        """`store`: this workspace's, read. `zone`: the person's. `foreign`: they are nanobot's: what it
        missed is not made up for here, so a job begins with its next moment, and one whose only moment has
        passed comes switched off."""
        self._store, self._zone, self._foreign = store, zone, foreign
        self._seen: set[str] = set()
        self._new: dict[str, Job] = {}
        self.loose: list[Loose] = []
        """What waits for the person."""

    def read(self, data: bytes, name: str) -> list[Item]:
        """What becomes of the jobs in a file; of those with one id, the first that is read counts."""
        try:
            entries = file.parse(data, name, lambda raw, text: (raw, text)).entries
        except StorageError as error:
            return [Item("job", name, "left", error.text)]
        return [item for raw, text in entries if (item := self._item(raw, text)) is not None]

    def _item(self, raw: Any, text: str) -> Item | None:
        if not isinstance(raw, dict):
            return Item("job", text[:40], "left", _("It is not a JSON object."))
        id_ = raw.get("id")
        name = str(raw.get("name") or id_ or text[:40])
        if form.system(raw):
            why = _("A task of nanobot itself; this program has its own.")
            return Item("job", name, "left", why) if self._foreign else None
        try:
            job = form.read(raw, self._zone)
        except UsageError as error:
            return Item("job", name, "left", str(error))
        if not job.id:
            job = replace(job, id=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8])
        if job.id in self._seen:
            return None
        self._seen.add(job.id)
        if job.id in self._store.jobs:
            return Item("job", job.name, "same")
        passed = self._foreign and isinstance(job.spec, At) and job.spec.moment <= time.time()
        came = replace(job, enabled=job.enabled and not passed)
        if self._foreign:
            came = replace(came, next_due=None, planned_as="", planned_in="")
        self._new[job.id], loose = switched_off(came)
        if loose is not None:
            self.loose.append(loose)
            return Item("job", job.name, "waits", loose.says)
        if passed and job.enabled:
            return Item("job", job.name, "change", _("Its time has passed, so it is off."))
        return Item("job", job.name, "take" if self._foreign else "add")

    async def put(self, undo: Undo) -> None:
        """Put in those that are new, with one change of the file. Raises StorageError."""
        if self._new:
            await self._store.update(partial(_missing, self._new), by_person=True)
            gone: dict[str, Job | None] = dict.fromkeys(self._new)
            undo.later(lambda: self._store.update(lambda _here: gone, by_person=True))


def _missing(new: Mapping[str, Job], here: Mapping[str, Job]) -> dict[str, Job | None]:
    return {id_: job for id_, job in new.items() if id_ not in here}
