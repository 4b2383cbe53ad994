"""What servers taught us of their models, in state.db: asked once, known until the model's entry or the
program's table is another."""

import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass

from desktop.database.database import Database
from desktop.errors import StorageError
from desktop.providers.base import Endpoint

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Lesson:
    """Something that one model does not take, as healing.py names it. `at`: Unix time, seconds."""

    what: str
    at: float


class Lessons:
    """Read once, for there are few; what is lost with a database that cannot be used is asked anew."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[tuple[str, str], tuple[str, list[Lesson]]] | None = None

    async def of(self, endpoint: Endpoint) -> tuple[str, ...]:
        """What holds for a model, the oldest first."""
        return tuple(lesson.what for lesson in await self.dated(endpoint))

    async def dated(self, endpoint: Endpoint) -> list[Lesson]:
        """The same, with when it was learned."""
        entry, lessons = (await self._all()).get((endpoint.provider, endpoint.model), ("", []))
        return list(lessons) if entry == endpoint.entry else []

    async def keep(self, endpoint: Endpoint, whats: Iterable[str]) -> None:
        """Remember these as well; what was learned of another entry of this model is forgotten."""
        place, now = (endpoint.provider, endpoint.model), time.time()
        kept = await self.dated(endpoint)
        new = [Lesson(what, now) for what in whats if what not in {one.what for one in kept}]
        (await self._all())[place] = (endpoint.entry, [*kept, *new])
        try:
            await self._database.write(
                "DELETE FROM lessons WHERE provider = ? AND model = ? AND entry <> ?",
                (*place, endpoint.entry),
            )
            for lesson in new:
                await self._database.write(
                    "INSERT OR REPLACE INTO lessons (provider, model, entry, what, at) VALUES (?,?,?,?,?)",
                    (*place, endpoint.entry, lesson.what, lesson.at),
                )
        except StorageError as error:
            _log.warning("what was learned of a model could not be stored: %s", error)

    async def forget(self, endpoint: Endpoint) -> None:
        """Forget what was learned of a model. Raises StorageError."""
        place = (endpoint.provider, endpoint.model)
        await self._database.write("DELETE FROM lessons WHERE provider = ? AND model = ?", place)
        (await self._all()).pop(place, None)

    async def _all(self) -> dict[tuple[str, str], tuple[str, list[Lesson]]]:
        if self._known is None:
            found: dict[tuple[str, str], tuple[str, list[Lesson]]] = {}
            try:
                rows = await self._database.read(
                    "SELECT provider, model, entry, what, at FROM lessons ORDER BY at, rowid"
                )
            except StorageError as error:
                _log.warning("what was learned of models cannot be read: %s", error)
                return found
            for provider, model, entry, what, at in rows:
                found.setdefault((provider, model), (entry, []))[1].append(Lesson(what, at))
            self._known = found
        return self._known
