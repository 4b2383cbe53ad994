"""What doctor says of the jobs. Only looks."""

from pathlib import Path

from desktop.cron.store import Store
from desktop.cron.zone import zone as here
from desktop.text import ngettext


async def look(workspace: Path, zone: str) -> list[tuple[bool, str]]:
    """For each thing to be said: whether it is fine, and a sentence. `zone`: the person's, if set."""
    store = Store(workspace / "cron", lambda: zone or here())
    await store.load()
    if trouble := store.trouble:
        return [(False, trouble)]
    n = len(store.jobs)
    state = ngettext("{n} reminder or task.", "{n} reminders and tasks.", n).format(n=n)
    paused = [(False, f"{job.name}: {job.paused}") for job in store.jobs.values() if job.paused]
    return paused or [(True, state)]
