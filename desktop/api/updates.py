"""Newer versions of the program: what is known of them, and a look by hand."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop import __version__, remedies
from desktop.paths import APP
from desktop.tasks import in_thread
from desktop.text import _
from desktop.updates.source import installer

if TYPE_CHECKING:
    from desktop.updates.service import UpdateCheck


@dataclass(frozen=True, slots=True)
class Newer:
    """A version that is newer than the one that runs."""

    version: str
    date: str
    """In ISO's form."""
    news: tuple[str, ...]
    page: str


@dataclass(frozen=True, slots=True)
class Updates:
    """What is known. `looks`: whether this build knows where to look; `last`: when it did, in Unix time."""

    looks: bool
    version: str
    last: float | None
    newer: Newer | None
    how: str
    """How to get it, where a package manager installed this program; "" where the page is the way."""
    wrong: str
    """Why the last look brought nothing; "" where it did."""
    remedy: str


class Releases:
    """Answers what is released."""

    def __init__(self, check: "Callable[[], Awaitable[UpdateCheck]]") -> None:
        """`check`: the service, once it knows what is known."""
        self._check = check

    async def known(self) -> Updates:
        """What the last look brought."""
        return await _told(await self._check())

    async def look(self) -> Updates:
        """Look now, because the person wants to know."""
        check = await self._check()
        await check.look()
        await check.rhythm.beaten()
        check.apply()
        return await _told(check)


async def _told(check: "UpdateCheck") -> Updates:
    known, found = check.known, check.available
    newer = Newer(found.version, found.date, found.told, found.page) if found else None
    family = await in_thread(installer)
    wrong, remedy = "", ""
    if known.refused:
        wrong = _(known.refused)
        remedy = _("Get new versions from: {page}").format(page=check.source.page if check.source else "")
    elif known.unreachable:
        wrong, remedy = _("The server for updates can’t be reached."), _("Try again later.")
    how = remedies.update(APP, family) if family else ""
    looks = check.source is not None
    return Updates(looks, __version__, check.rhythm.last, newer, how, wrong, remedy)
