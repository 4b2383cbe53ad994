"""What came switched off with a backup or another program's home, and waits for the person: listed in the
inbox, put in force by a yes to each, whenever that comes."""

import hashlib
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.config.loosening import Loose, changes
from desktop.config.schema import Config
from desktop.cron import arriving as jobs
from desktop.cron.job import Job
from desktop.errors import AppError, UsageError
from desktop.inbox.inbox import OPEN, WAITING, Inbox, Notice
from desktop.inbox.words import Said, worded
from desktop.skills import arriving as skills
from desktop.tasks import in_thread
from desktop.text import _, mark

if TYPE_CHECKING:
    from desktop.cron.service import Scheduler

type Json = dict[str, Any]

_DISABLED = ("agents", "defaults", "disabledSkills")
_CAME = mark("It came with {source} and is off until you approve it.")
_MODES = ("ask", "risky", "autonomous")
_SHOWN = 2
"""No notification: who restored is told where it is listed."""


class Waiting:
    """The list, and the answers."""

    def __init__(
        self,
        inbox: Inbox,
        config: Callable[[], Config],
        take: Callable[[Mapping[tuple[str, ...], Any]], Awaitable[object]],
        jobs: "Callable[[], Scheduler]",
        skills: Path,
        describe: Callable[[Loose], str],
    ) -> None:
        """`take` puts settings in force by their places; `skills`: their folder; `describe` says what a yes
        does."""
        self._inbox, self._config, self._take, self._jobs = inbox, config, take, jobs
        self._skills, self._describe = skills, describe

    async def add(self, loose: Sequence[Loose], source: str) -> None:
        """List them. `source`: where they came from, for the person. What is listed already stays once."""
        now = time.time()
        for number, one in enumerate(loose):
            body = {
                "ask": True,
                "loose": one.as_json(),
            } | worded(text=self._says(one), remedy=(_CAME, {"source": source}, ""))
            id_ = _id(one)
            if (known := await self._inbox.get(id_)) is not None and known.state != OPEN:
                id_ = f"{id_}-{int(now)}"
            notice = Notice(id_, WAITING, "", "", one.name, body, at=now - number / 1000, shown=_SHOWN)
            await self._inbox.add(notice)

    def _says(self, loose: Loose) -> Said:
        """What a yes does: the sentence, and the value behind it."""
        return loose.says, {}, self._describe(loose).removeprefix(_(loose.says))

    async def answer(self, id_: str, yes: bool) -> str:
        """A yes puts one in force, else it stays off and leaves the list; its name. Raises UsageError where
        it does not wait any more, or was changed since it was listed."""
        notice = await self._inbox.get(id_)
        if notice is None or notice.kind != WAITING or notice.state != OPEN:
            raise UsageError(
                _("Nothing with this ID is waiting."),
                _("List what is waiting with: nanobot-desktop waiting list"),
            )
        if yes:
            await self._accept(_loose(notice.body["loose"]))
        await self._inbox.settle(notice.id, "yes" if yes else "no")
        return notice.title

    async def answer_all(self, ids: Sequence[str], yes: bool) -> None:
        """The same for several; what switches something on comes last, when all that it needs is in force.
        Those before one that cannot be answered stay answered."""
        notices = [(id_, await self._inbox.get(id_)) for id_ in ids]
        for id_, _notice in sorted(notices, key=lambda one: one[1] is not None and _switches_on(one[1])):
            await self.answer(id_, yes)

    async def _accept(self, loose: Loose) -> None:
        if loose.kind == "job":
            await self._accept_job(loose)
        elif loose.kind == "skill":
            await self._accept_skill(loose)
        elif values := changes(loose, self._config()):
            await self._take(values)

    async def _accept_job(self, loose: Loose) -> None:
        scheduler, (id_,) = self._jobs(), loose.keys
        await scheduler.read()
        job: Job | None = next((job for job in scheduler.jobs() if job.id == id_), None)
        if job is None:
            raise UsageError(
                _("There is no task named {name}.").format(name=loose.name), _("Reject this entry.")
            )
        mode = str(loose.value["mode"])
        if jobs.digest(job) != loose.value["digest"] or mode not in _MODES:
            raise _changed()
        await scheduler.change(id_, mode=mode)
        if loose.value["enabled"]:
            await scheduler.switch(id_, True)

    async def _accept_skill(self, loose: Loose) -> None:
        (name,) = loose.keys
        try:
            digest = await in_thread(skills.digest, self._skills / name)
        except OSError:
            raise _changed() from None
        if digest != loose.value["digest"]:
            raise _changed()
        off = self._config().agents.defaults.disabled_skills
        await self._take({_DISABLED: [one for one in off if one.casefold() != name.casefold()]})


def _switches_on(notice: Notice) -> bool:
    return list(notice.body["loose"]["keys"])[-1:] == ["enabled"]


def _changed() -> AppError:
    return UsageError(
        _("It has changed since it arrived, so you would be approving something you were not shown."),
        _("Review it and turn it on where it is listed."),
    )


def _id(loose: Loose) -> str:
    text = json.dumps([loose.kind, list(loose.keys), loose.value], sort_keys=True, ensure_ascii=False)
    return "w" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:7]


def _loose(stored: Json) -> Loose:
    keys = tuple(str(key) for key in stored["keys"])
    return Loose(str(stored["kind"]), str(stored["name"]), keys, stored["value"], str(stored["says"]))
