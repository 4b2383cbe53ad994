"""What is damaged, what of it is whole, and repairing it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop.bus.events import JobsChanged, SettingsChanged
from desktop.doctor.damage import Damage, Damages
from desktop.errors import UsageError, explain
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.bus.bus import Bus

__all__ = ["Damage", "Found", "Mended", "Recovery"]


@dataclass(frozen=True, slots=True)
class Found:
    """What is damaged, whether any of it is `new` to the person, and what is sound, as sentences."""

    damage: tuple[Damage, ...] = ()
    new: bool = False
    sound: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mended:
    """A sentence for each thing that was repaired, and for each that could not be."""

    done: tuple[str, ...]
    failed: tuple[str, ...]


class Recovery:
    """Looks for damage and repairs it."""

    def __init__(self, damages: Damages, bus: "Bus") -> None:
        self._damages, self._bus = damages, bus

    async def look(self, *, deep: bool = False) -> Found:
        """What is damaged. `deep`: every record is looked at."""
        found, sound = await self._damages.all(deep=deep)
        seen = await in_thread(self._damages.seen)
        return Found(tuple(found), any(one.id not in seen for one in found), tuple(sound))

    async def seen(self) -> None:
        """The person has seen all of it: a start does not tell of it again. Raises StorageError."""
        found, _sound = await self._damages.all(deep=False)
        try:
            await in_thread(self._damages.see, [one.id for one in found])
        except OSError as error:
            raise explain(error) from error

    async def mend(self, id: str = "", *, deep: bool = False) -> Mended:  # noqa: A002
        """Repair what has this id or is of this part, or all. Raises UsageError where there is no such
        damage."""
        there, _sound = await self._damages.all(deep=deep)
        found = [one for one in there if id in ("", one.id, one.part)]
        if id and not found:
            raise UsageError(_("This damage no longer exists."), _("Check again."))
        done, failed = await self._damages.mend(found)
        if not id:
            closed, left = await in_thread(self._damages.close)
            cleared = await in_thread(self._damages.clear)
            done, failed = done + closed + cleared, failed + left
        if done:
            self._bus.publish(SettingsChanged())
            self._bus.publish(JobsChanged())
        return Mended(tuple(done), tuple(failed))
