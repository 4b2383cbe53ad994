"""The marks of files, in state.db: who wrote what, which commands could have changed a file, which folders
the person vouches for.

A mark belongs to bytes, so it is kept by their hash: a copy or a renamed file has the mark of the original,
on any file system. Bytes without a mark are the person's only where they vouch for the folder and no
command that could write there was running when the file last changed; else nobody vouches for them. All of
it is lost together with state.db, and then every file is unknown.
"""

import json
import time
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path

from desktop.database.database import Database
from desktop.files import Seen
from desktop.origin import AGENT, TRUSTED, UNKNOWN, Mark, Origin, mark_of, unknown, worst
from desktop.tasks import in_thread

_MARGIN_S = 2.0
"""How far a file system's clock may be off."""
_RUNS = 9e15
"""The end of a command that has not ended."""
_CHUNK = 400
_MOST_LOOKED_AT = 2_000
"""Marked files of a folder that are looked for on the disk."""
_EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


class Marks:
    """Keeps them and looks them up. Every method raises StorageError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, files: Iterable[Seen], mark: Mark) -> None:
        """Note who made these bytes. Where both a trusted and another hand made the same, they are trusted:
        nothing in them is of the other's making alone."""
        for seen in files:
            if seen.digest and seen.digest != _EMPTY:
                await self._database.write(
                    "INSERT INTO file_marks (digest, origin, sources, path, at) VALUES (?, ?, ?, ?, ?)"
                    " ON CONFLICT (digest) DO UPDATE SET path = excluded.path, at = excluded.at,"
                    " origin = CASE WHEN file_marks.origin IN ('person', 'agent') THEN file_marks.origin"
                    " ELSE excluded.origin END",
                    (seen.digest, mark.origin.value, _listed(mark.sources), str(seen.path), time.time()),
                )

    async def of_files(self, files: Sequence[Seen]) -> Mark:
        """The mark of a text that has the content of these files in it."""
        known = await self._by_digest({seen.digest for seen in files if seen.digest})
        return worst([await self._of_file(seen, known) for seen in files if not _empty(seen)])

    async def _of_file(self, seen: Seen, known: dict[str, tuple[Mark, float]]) -> Mark:
        mark, at = known.get(seen.digest, (None, 0.0))
        if mark is None:
            return await self._unmarked(seen)
        if mark.origin is Origin.UNKNOWN and at < (await self._vouched_since(seen.path) or 0.0):
            return TRUSTED  # the person knows it now
        return mark

    async def _by_digest(self, digests: set[str]) -> dict[str, tuple[Mark, float]]:
        wanted, found = sorted(digests), dict[str, tuple[Mark, float]]()
        for at in range(0, len(wanted), _CHUNK):
            some = wanted[at : at + _CHUNK]
            holders = ", ".join("?" * len(some))
            rows = await self._database.read(
                f"SELECT digest, origin, sources, at FROM file_marks WHERE digest IN ({holders})",  # noqa: S608
                some,
            )
            found |= {digest: (_mark(origin, sources), at) for digest, origin, sources, at in rows}
        return found

    async def _unmarked(self, seen: Seen) -> Mark:
        since = await self._vouched_since(seen.path)
        touched = await self._touched(seen, since or 0.0)
        if touched is not None:
            return touched if since is not None else touched | UNKNOWN
        named = unknown(seen.path.name)
        return named if since is None else TRUSTED

    async def _touched(self, seen: Seen, since: float) -> Mark | None:
        """The mark of the commands that were running when a file last changed and could write there; None
        where there was none."""
        changed = seen.changed / 1e9
        rows = await self._database.read(
            "SELECT folders, origin, sources FROM commands WHERE began <= ? AND ended >= ? AND ended > ?",
            (changed + _MARGIN_S, changed - _MARGIN_S, since),
        )
        marks = [
            _mark(origin, sources)
            for folders, origin, sources in rows
            if _within(seen.path, json.loads(folders))
        ]
        return worst([AGENT, *marks]) if marks else None

    async def written(self, files: Sequence[Seen], since: float) -> list[Path]:
        """Those of these files that a tool or a command may have changed after a moment (Unix time)."""
        known = await self._since({seen.digest for seen in files if seen.digest}, since)
        return [
            seen.path
            for seen in files
            if seen.digest in known or await self._touched(seen, since) is not None
        ]

    async def _since(self, digests: set[str], since: float) -> set[str]:
        rows = [
            row
            for digest in digests
            for row in await self._database.read(
                "SELECT digest FROM file_marks WHERE digest = ? AND at > ?", (digest, since)
            )
        ]
        return {str(row[0]) for row in rows}

    # ---- commands

    async def begin_command(self, session: str, folders: Iterable[Path], mark: Mark) -> str:
        """A command of a conversation begins that may write to these folders ("/" for all); returns its
        id."""
        id_ = uuid.uuid4().hex
        await self._database.write(
            "INSERT INTO commands (id, began, ended, session, folders, origin, sources)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *(id_, time.time(), _RUNS, session, _listed(map(str, folders))),
                *(mark.origin.value, _listed(mark.sources)),
            ),
        )
        return id_

    async def end_command(self, id_: str) -> None:
        """Nothing of it runs any more."""
        await self._database.write("UPDATE commands SET ended = ? WHERE id = ?", (time.time(), id_))

    async def recover(self) -> None:
        """What a kill of the program cut off has ended by now."""
        await self._database.write("UPDATE commands SET ended = ? WHERE ended = ?", (time.time(), _RUNS))

    # ---- folders

    async def of_folders(self, folders: Iterable[Path]) -> Mark:
        """The mark of a text that may have anything of these folders in it: what a command prints."""
        return worst([await self._of_folder(folder) for folder in folders])

    async def _of_folder(self, folder: Path) -> Mark:
        since = await self._vouched_since(folder)
        if since is None:
            return unknown(folder.name)
        rows = await self._database.read(
            "SELECT path, origin, sources FROM file_marks WHERE origin = 'untrusted'"
            " OR (origin = 'unknown' AND at > ?) ORDER BY at DESC LIMIT ?",
            (since, _MOST_LOOKED_AT),
        )
        within = [row for row in rows if _within(Path(row[0]), [str(folder)])]
        there = await in_thread(lambda: [row for row in within if Path(row[0]).exists()])
        if len(rows) == _MOST_LOOKED_AT:
            there.append(("", UNKNOWN.origin.value, "[]"))
        ran = await self._database.read(
            "SELECT folders, origin, sources FROM commands WHERE ended > ?"
            " AND origin NOT IN ('person', 'agent')",
            (since,),
        )
        touching = [row for row in ran if _touches(folder, json.loads(row[0]))]
        return worst(_mark(origin, sources) for _where, origin, sources in (*there, *touching))

    async def vouch(self, folder: Path) -> None:
        """The person vouches for all that is in a folder now, but what was marked; and for what they will
        put there. The path is real."""
        await self._database.write(
            "INSERT OR REPLACE INTO vouched (path, at) VALUES (?, ?)",
            (str(folder), time.time()),
        )

    async def settle(self, session: str, folders: Iterable[Path]) -> None:
        """The person vouches for what a conversation had in view. Where they vouch for all the folders that
        its commands could read, too, what these made is no longer unknown."""
        if all([await self._vouched_since(folder) is not None for folder in folders]):
            await self._database.write(
                "UPDATE commands SET origin = 'agent' WHERE session = ? AND origin = 'unknown'", (session,)
            )

    async def unvouch(self, folder: str) -> None:
        """They do not any more."""
        await self._database.write("DELETE FROM vouched WHERE path = ?", (folder,))

    async def vouched(self) -> list[str]:
        """The folders that the person vouches for."""
        return [str(row[0]) for row in await self._database.read("SELECT path FROM vouched ORDER BY path")]

    async def _vouched_since(self, path: Path) -> float | None:
        """When the person vouched for a folder that a path is or lies in; None where they did not."""
        folders = [str(path), *map(str, path.parents)]
        holders = ", ".join("?" * len(folders))
        rows = await self._database.read(
            f"SELECT max(at) FROM vouched WHERE path IN ({holders})",  # noqa: S608
            folders,
        )
        return None if rows[0][0] is None else float(rows[0][0])


def _listed(values: Iterable[str]) -> str:
    return json.dumps(list(values))


def _mark(origin: object, sources: object) -> Mark:
    return mark_of({"_origin": origin, "_sources": json.loads(str(sources))})


def _within(path: Path, folders: Iterable[str]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _touches(folder: Path, others: Iterable[str]) -> bool:
    return any(folder.is_relative_to(other) or Path(other).is_relative_to(folder) for other in others)


def _empty(seen: Seen) -> bool:
    return seen.size == 0 and seen.digest in ("", _EMPTY)
