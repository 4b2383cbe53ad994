"""Which sessions and panels there are, and how far each is read.

How far is on disk. What a chat held before it was first seen is history, except in one that was not there
when the lists were last looked at: what was written since then is for the agent.
"""

import json
import time
from dataclasses import astuple, dataclass

from desktop.channels.mochat.incoming import Json, Room
from desktop.channels.mochat.rest import Rest
from desktop.channels.notes import Notes
from desktop.config.channels.mochat import Mochat as Settings

_LOOKED = "looked"
_ALL = "*"
_TEXT_PANEL = 0
_TWO = 2
_NOBODY_KNOWS = ("", "", "")


@dataclass(frozen=True, slots=True)
class Read:
    """How far a chat is read."""

    cursor: int = 0
    """Of a session: the number of its last event."""
    since: float = 0.0
    """Of a panel, and of a session until its first events are read: what was written before is not for the
    agent. Unix time, Mochat's."""
    last: str = ""
    """Of a panel: the last message."""


@dataclass(frozen=True, slots=True)
class _Look:
    """What the lists had, and when."""

    at: float = 0.0
    ids: tuple[str, ...] = ()


class Chats:
    """Those of one agent. Methods raise what Rest.call() does, and StorageError."""

    def __init__(self, rest: Rest, settings: Settings, notes: Notes) -> None:
        self._rest, self._settings, self._notes = rest, settings, notes
        self._me = settings.agent_user_id.strip()
        self.sessions: dict[str, tuple[str, ...]] = {}
        """The people of each that is listened to; none where Mochat does not say."""
        self.panels: dict[str, str] = {}
        """The group of each that is listened to; empty where Mochat does not say."""
        self.converses: dict[str, str] = {}
        """Sessions by what notices call them."""
        self._read: dict[str, Read] = {}

    @property
    def more(self) -> bool:
        """Whether chats count that are not known yet."""
        return _ALL in (*self._settings.sessions, *self._settings.panels)

    async def refresh(self) -> tuple[list[str], list[str]]:
        """Look at the lists; the sessions and panels that are new to this object."""
        settings, before = self._settings, await self._looked()
        listed = await self._listed_sessions()
        at = self._rest.clock or time.time()
        panels = await self._listed_panels() if settings.panels else {}
        sessions = _wanted(settings.sessions, listed, ())
        wanted = _wanted(settings.panels, panels, "")
        for id_ in (*sessions, *wanted):
            appeared = before.at and id_ in (*listed, *panels) and id_ not in before.ids
            if await self.read(id_) is None:
                await self.note(id_, Read(since=before.at if appeared else at))
        await self._notes.set(_LOOKED, json.dumps([self._me, at, [*listed, *panels]]))
        new = [id_ for id_ in sessions if id_ not in self.sessions]
        new_panels = [id_ for id_ in wanted if id_ not in self.panels]
        self.sessions, self.panels = self.sessions | sessions, self.panels | wanted
        return new, new_panels

    def room(self, id_: str, *, panel: bool) -> Room:
        """A chat as its messages have to be read."""
        return Room(id_, self._me, panel, len(self.sessions.get(id_, ())) > _TWO)

    def wrote(self, id_: str, person: str) -> None:
        """Somebody wrote in a session: they are in it, whatever the list said."""
        people = self.sessions[id_]
        if people and person and person not in people:
            self.sessions[id_] = (*people, person)

    def somebody_came(self, id_: str) -> None:
        """Until the next look at the list, nobody knows who reads a session."""
        if id_ in self.sessions:
            self.sessions[id_] = (*self.sessions[id_], *_NOBODY_KNOWS)

    def session_with(self, person: str) -> str:
        """The session of the agent and this person alone; empty where none is known."""
        pair = {person, self._me}
        return next((id_ for id_, people in self.sessions.items() if set(people) == pair), "")

    def is_panel(self, id_: str) -> bool:
        """Whether a chat is a panel; one that is not known is told by its name."""
        return id_ in self.panels or not (id_ in self.sessions or id_.startswith("session_"))

    async def read(self, id_: str) -> Read | None:
        """How far a chat is read; None where nothing of it was."""
        if id_ not in self._read and (note := await self._notes.get(f"read:{id_}")):
            self._read[id_] = Read(*json.loads(note))
        return self._read.get(id_)

    async def note(self, id_: str, read: Read) -> None:
        """It is read so far."""
        if self._read.get(id_) != read:
            await self._notes.set(f"read:{id_}", json.dumps(astuple(read)))
            self._read[id_] = read

    async def _looked(self) -> _Look:
        note = await self._notes.get(_LOOKED)
        me, at, ids = json.loads(note) if note else ("", 0.0, ())
        return _Look(at, tuple(ids)) if me == self._me else _Look()

    async def _listed_sessions(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        told = await self._rest.call("sessions/list")
        for one in dicts(told.get("sessions", told.get("found"))):
            if id_ := str(one.get("sessionId") or ""):
                people = one.get("participants")
                found[id_] = tuple(map(_person, people)) if isinstance(people, list) else ()
                if converse := one.get("converseId"):
                    self.converses[str(converse)] = id_
        return found

    async def _listed_panels(self) -> dict[str, str]:
        told = await self._rest.call("groups/get")
        group = str(told.get("_id") or told.get("id") or "")
        return {
            str(one.get("id") or one.get("_id")): group
            for one in dicts(told.get("panels"))
            if one.get("type", _TEXT_PANEL) == _TEXT_PANEL and (one.get("id") or one.get("_id"))
        }


def _wanted[T](named: tuple[str, ...], listed: dict[str, T], unknown: T) -> dict[str, T]:
    """Those that the settings name, listed or not, and all that are listed where they say so."""
    names = [name.strip() for name in named if name.strip()]
    mine = {name: listed.get(name, unknown) for name in names if name != _ALL}
    return listed | mine if _ALL in names else mine


def dicts(found: object) -> list[Json]:
    """The objects of a list, where it is one."""
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _person(told: object) -> str:
    """The ID of somebody who is in a session."""
    if isinstance(told, dict):
        return str(told.get("userId") or told.get("id") or told.get("_id") or "")
    return str(told)
