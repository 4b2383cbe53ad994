"""A memory for the page of it: three facts, summaries and versions, behind a scripted api."""

import asyncio
import difflib
from collections.abc import AsyncIterator

from desktop.api.memory import (
    Difference,
    Dreamed,
    DreamPhase,
    DreamState,
    Fact,
    Known,
    NoteFile,
    StagedChange,
    Summary,
    VersionLine,
)
from desktop.errors import UsageError
from tests.ui.scripted import Scripted

SOURCES = {
    "Anna lives in Lisbon.": ("2026-05-12T14:02:00+00:00", "Moving house"),
    "Prefers short answers, without lists.": ("2026-05-13T08:30:00+00:00", "A note to the landlord"),
}
USER = "# About you\n\n- Anna lives in Lisbon.\n- Prefers short answers, without lists.\n"
MEMORY = "# Notes\n\n- The flat in Rua das Flores is let from June on.\n"
FILES = {"SOUL": "Be calm, and say what you do.\n", "USER": USER, "MEMORY": MEMORY, "AGENTS": ""}
PATHS = {"SOUL": "SOUL.md", "USER": "USER.md", "MEMORY": "memory/MEMORY.md", "AGENTS": "AGENTS.md"}
CONTENT = (
    "12 May, 14:00 to 14:20. Anna moves to Lisbon in June. She decided for the flat in Rua das Flores. "
)


class Memory(Scripted):
    """Actions on it."""

    def __init__(self) -> None:
        super().__init__(
            memory_known=self._known,
            memory_save=self._save,
            memory_forget=self._forget,
            memory_undo=self._undo,
            memory_restore=self._restore,
            memory_log=self._log,
            memory_diff=self._diff,
            memory_summaries=self._summaries,
            memory_staged=lambda: tuple(self.staged),
            memory_answer=self._answer,
            memory_dream=self._dream,
        )
        self.files = dict(FILES)
        self.waiting = 2
        self.staged: list[StagedChange] = []
        self.summaries = [summary(cursor) for cursor in range(45, 0, -1)]
        self.versions: list[tuple[str, str, str, dict[str, str]]] = []
        self.go_on = asyncio.Event()
        self.dreams = Dreamed(("USER.md",), "", skipped=False, staged=0, told="")
        self.commit("dream", "Two facts about Anna")

    def commit(self, cause: str, message: str = "") -> str:
        """Keep the files as a version; returns its id."""
        number = len(self.versions) + 1
        self.versions.insert(0, (f"{number:040x}", cause, message, dict(self.files)))
        return self.versions[0][0]

    def change(self, name: str, text: str, cause: str = "dream") -> str:
        """Somebody writes a note."""
        self.files[name] = text
        return self.commit(cause)

    async def _dream(self) -> AsyncIterator[DreamPhase | Dreamed]:
        yield DreamPhase("reading")
        await self.go_on.wait()
        self.waiting = 0
        yield self.dreams

    def _known(self) -> Known:
        files = tuple(
            NoteFile(
                name,
                f"/home/anna/{PATHS[name]}",
                text,
                tuple(_fact(line[2:]) for line in text.splitlines() if line.startswith("- ")),
                editable=True,
                problem="",
                remedy="",
            )
            for name, text in self.files.items()
        )
        dream = DreamState("idle", last="2026-05-13T08:30:00+00:00", hours=2)
        return Known(files, self.waiting, dream=dream, staged=len(self.staged))

    def _save(self, name: str, text: str, base: str) -> str:
        if self.files[name] != base:
            raise UsageError(f"{PATHS[name]} has changed meanwhile, so it was not saved.")
        return self.change(name, text, "person")

    def _forget(self, name: str, fact: str) -> str:
        return self.change(name, self.files[name].replace(f"- {fact}\n", ""), "person")

    def _undo(self) -> str:
        self.files = dict(self.versions[1][3])
        return self.commit("restore")

    def _restore(self, version: str, file: str) -> str:
        then = self._files(version)
        self.files = {n: then[n] if file in ("", PATHS[n]) else text for n, text in self.files.items()}
        return self.commit("restore")

    def _log(self, limit: int) -> tuple[VersionLine, ...]:
        lines = []
        for number, (id_, cause, message, files) in enumerate(self.versions[:limit]):
            before = self.versions[number + 1][3] if number + 1 < len(self.versions) else {}
            changed = tuple(PATHS[name] for name in files if files[name] != before.get(name, ""))
            lines.append(VersionLine(id_, f"2026-05-13T08:{number:02}:00+00:00", cause, message, changed))
        return tuple(lines)

    def _files(self, id_: str) -> dict[str, str]:
        return next((files for one, _cause, _message, files in self.versions if one == id_), {})

    def _diff(self, a: str, b: str) -> tuple[Difference, ...]:
        ids = [version[0] for version in self.versions]
        older = self._files(a if b else ids[ids.index(a) + 1] if a != ids[-1] else "")
        newer = self.files if b == "now" else self._files(b or a)
        return tuple(
            Difference(PATHS[name], None, None, diff(older.get(name, ""), newer[name]))
            for name in PATHS
            if older.get(name, "") != newer[name]
        )

    def _summaries(self, query: str, limit: int, before: int | None) -> tuple[Summary, ...]:
        found = [one for one in self.summaries if one.cursor < (before or 1000) and query in one.content]
        return tuple(found[:limit])

    def _answer(self, id_: str, *, yes: bool) -> None:
        self.staged = [one for one in self.staged if one.id != id_]
        if yes:
            self.change("MEMORY", MEMORY + "- The key is under the mat.\n")


def diff(before: str, after: str) -> str:
    """In unified form."""
    return "\n".join(difflib.unified_diff(before.splitlines(), after.splitlines(), "a", "b", lineterm=""))


def summary(cursor: int) -> Summary:
    """One entry of the history."""
    text = f"Part {cursor}. " + CONTENT * (8 if cursor == 45 else 1)
    return Summary(
        cursor, "2026-05-12T14:20:00+00:00", text, f"window:{cursor}", "Moving house", raw=cursor == 44
    )


def staged(id_: str = "s1") -> StagedChange:
    """A change that a page from the web brought about."""
    after = MEMORY + "- The key is under the mat.\n"
    return StagedChange(
        id_,
        "memory/MEMORY.md",
        diff(MEMORY, after),
        "From “Moving house”, where a web page was read.",
        "window:45",
        "Moving house",
        "2026-05-12T14:20:00+00:00",
    )


def _fact(text: str) -> Fact:
    when, title = SOURCES.get(text, ("", ""))
    return Fact(text, when, session="", title=title, cursor=0)
