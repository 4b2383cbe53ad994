"""Jobs of nanobot's schedule, of either place."""

from functools import partial

from desktop.merge.files import Undo
from desktop.merge.importer.places import Source, wrong
from desktop.merge.items import WRITING, Item, Step, step
from desktop.merge.jobs import Jobs


def steps(source: Source, jobs: Jobs) -> list[Step]:
    """What becomes of each; all that are new are put in together. Blocks."""
    places = [source.data / "cron"]
    if source.workspace is not None:
        places.insert(0, source.workspace / "cron")  # the newer of the two
    items: list[Item] = []
    for place in dict.fromkeys(places):
        path = place / "jobs.json"
        try:
            data = source.read(path)
        except OSError as error:
            items.append(Item("job", path.name, "left", wrong(error)))
            continue
        items += jobs.read(data, path.name) if data is not None and data.strip() else []
    new = tuple(item for item in items if item.action in (*WRITING, "waits"))
    left = [step(item) for item in items if item not in new]
    return [*left, Step(new, partial(jobs.put, Undo()), lambda: jobs.loose)] if new else left
