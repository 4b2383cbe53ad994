"""What came switched off with a backup or another program's home, and waits for the person: listed in the
inbox, put in force by a yes to each, whenever that comes."""

import hashlib
import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from desktop.bus.events import JobsChanged
from desktop.config.loosening import Loose, changes
from desktop.config.permissions import Rule
from desktop.cron import arriving as jobs
from desktop.cron.job import Job
from desktop.errors import AppError, UsageError
from desktop.inbox.inbox import OPEN, WAITING, Notice
from desktop.skills import arriving as skills
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core

type Json = dict[str, Any]

_DISABLED = ("agents", "defaults", "disabledSkills")
_MODES = ("ask", "risky", "autonomous")
_SHOWN = 2
"""No notification: who restored is told where it is listed."""
_LONGEST = 2_000


class Waiting:
    """The list, and the answers."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    async def add(self, loose: Sequence[Loose], source: str) -> None:
        """List them. `source`: where they came from, for the person. What is listed already stays once."""
        now = time.time()
        for number, one in enumerate(loose):
            body = {
                "ask": True,
                "loose": one.as_json(),
                "text": _told(one),
                "remedy": _("It came with {source}, and is off until you say yes.").format(source=source),
            }
            id_ = _id(one)
            if (known := await self._core.inbox.get(id_)) is not None and known.state != OPEN:
                id_ = f"{id_}-{int(now)}"
            notice = Notice(id_, WAITING, "", "", one.name, body, at=now - number / 1000, shown=_SHOWN)
            await self._core.inbox.add(notice)

    async def switch_off(self, skill: str) -> None:
        """Switch a skill off that is about to come."""
        off = self._core.store.config.agents.defaults.disabled_skills
        if skill.casefold() not in map(str.casefold, off):
            await self._take({_DISABLED: [*off, skill]})

    async def answer(self, id_: str, yes: bool) -> str:
        """A yes puts one in force, else it stays off and leaves the list; its name. Raises UsageError where
        it does not wait any more, or was changed since it was listed."""
        notice = await self._core.inbox.get(id_)
        if notice is None or notice.kind != WAITING or notice.state != OPEN:
            raise UsageError(
                _("Nothing of this id waits."), _("List what waits with: nanobot-desktop waiting list")
            )
        if yes:
            await self._accept(_loose(notice.body["loose"]))
        await self._core.inbox.settle(notice.id, "yes" if yes else "no")
        return notice.title

    async def _accept(self, loose: Loose) -> None:
        if loose.kind == "job":
            await self._accept_job(loose)
        elif loose.kind == "skill":
            await self._accept_skill(loose)
        elif values := changes(loose, self._core.store.config):
            await self._take(values)

    async def _take(self, values: dict[tuple[str, ...], Any]) -> None:
        await self._core.store.take_over(values)
        await self._core.apply()

    async def _accept_job(self, loose: Loose) -> None:
        scheduler, (id_,) = self._core.background.scheduler, loose.keys
        await scheduler.read()
        job: Job | None = next((job for job in scheduler.jobs() if job.id == id_), None)
        if job is None:
            raise UsageError(_("There is no job {name}.").format(name=loose.name), _("Refuse this entry."))
        mode = str(loose.value["mode"])
        if jobs.digest(job) != loose.value["digest"] or mode not in _MODES:
            raise _changed()
        await scheduler.change(id_, mode=mode)
        if loose.value["enabled"]:
            await scheduler.switch(id_, True)
        self._core.bus.publish(JobsChanged())

    async def _accept_skill(self, loose: Loose) -> None:
        (name,) = loose.keys
        try:
            digest = await in_thread(skills.digest, self._core.skills.folder / name)
        except OSError:
            raise _changed() from None
        if digest != loose.value["digest"]:
            raise _changed()
        off = self._core.store.config.agents.defaults.disabled_skills
        await self._take({_DISABLED: [one for one in off if one.casefold() != name.casefold()]})


def _changed() -> AppError:
    return UsageError(
        _("It was changed since it came: a yes would not be to what you were shown."),
        _("Look at it, and switch it on where it is listed."),
    )


def _told(loose: Loose) -> str:
    """What a yes does, and the value, whole as far as a person reads."""
    from desktop.tools.permissions.rules import sentence
    from desktop.tools.permissions.visible import visible

    if loose.kind in ("job", "skill"):
        return visible(loose.says)
    if loose.keys == ("permissions", "rules"):
        text = sentence(Rule.model_validate(loose.value))
    elif isinstance(loose.value, dict) and loose.value.get("command"):
        text = " ".join([str(loose.value["command"]), *map(str, loose.value.get("args") or ())])
        rest = {key: one for key, one in loose.value.items() if key not in ("command", "args")}
        text += f"\n{json.dumps(rest, ensure_ascii=False)}" if rest else ""
    else:
        value = loose.value
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return visible(f"{_(loose.says)}\n{text[:_LONGEST]}")


def _id(loose: Loose) -> str:
    text = json.dumps([loose.kind, list(loose.keys), loose.value], sort_keys=True, ensure_ascii=False)
    return "w" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:7]


def _loose(stored: Json) -> Loose:
    keys = tuple(str(key) for key in stored["keys"])
    return Loose(str(stored["kind"]), str(stored["name"]), keys, stored["value"], str(stored["says"]))
