"""A memory for the page of it: three facts, summaries and versions, with the verbs of the core's door."""

import asyncio
import difflib
from collections.abc import AsyncIterator
from typing import Any

from desktop.errors import UsageError
from tests.ui.scripted import Scripted

type Json = dict[str, Any]

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


class Memory:
    """Actions on it. `calls` are those so far."""

    def __init__(self) -> None:
        self.files = dict(FILES)
        self.calls: list[tuple[str, Json]] = []
        self.api = Scripted().api
        self.waiting = 2
        self.staged: list[Json] = []
        self.summaries = [summary(cursor) for cursor in range(45, 0, -1)]
        self.versions: list[tuple[str, str, str, Json]] = []
        self.go_on = asyncio.Event()
        self.dreams = {"changed": ["USER.md"], "commit": "", "skipped": False, "staged": 0}
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

    async def call(self, verb: str, /, **arguments: Any) -> Json:
        self.calls.append((verb, arguments))
        reply: Json = getattr(self, f"_{verb}")(**arguments)
        return reply

    async def stream(self, verb: str, /, **arguments: Any) -> AsyncIterator[Json]:
        self.calls.append((verb, arguments))
        yield {"event": "dream", "phase": "reading"}
        await self.go_on.wait()
        self.waiting = 0
        yield {"result": self.dreams}

    def _memory(self) -> Json:
        files = [
            {
                "name": name,
                "path": f"/home/anna/{PATHS[name]}",
                "text": text,
                "facts": [_fact(line[2:]) for line in text.splitlines() if line.startswith("- ")],
                "editable": True,
                "problem": "",
                "remedy": "",
            }
            for name, text in self.files.items()
        ]
        dream = {"state": "idle", "detail": "", "last": "2026-05-13T08:30:00+00:00", "next": "", "hours": 2}
        return {"files": files, "waiting": self.waiting, "dream": dream, "staged": len(self.staged)}

    def _memory_save(self, name: str, text: str, base: str) -> Json:
        if self.files[name] != base:
            raise UsageError(f"{PATHS[name]} was changed meanwhile, so it was not saved.")
        return {"commit": self.change(name, text, "person")}

    def _memory_forget(self, name: str, fact: str) -> Json:
        return {"commit": self.change(name, self.files[name].replace(f"- {fact}\n", ""), "person")}

    def _memory_undo(self) -> Json:
        self.files = dict(self.versions[1][3])
        return {"commit": self.commit("restore")}

    def _memory_restore(self, file: str = "", **given: str) -> Json:
        then = self._files(given["id"])
        self.files = {n: then[n] if file in ("", PATHS[n]) else text for n, text in self.files.items()}
        return {"commit": self.commit("restore")}

    def _memory_log(self, limit: int) -> Json:
        lines = []
        for number, (id_, cause, message, files) in enumerate(self.versions[:limit]):
            before = self.versions[number + 1][3] if number + 1 < len(self.versions) else {}
            changed = [PATHS[name] for name in files if files[name] != before.get(name, "")]
            at = f"2026-05-13T08:{number:02}:00+00:00"
            lines.append({"id": id_, "at": at, "cause": cause, "message": message, "files": changed})
        return {"versions": lines}

    def _files(self, id_: str) -> Json:
        return next((files for one, _cause, _message, files in self.versions if one == id_), {})

    def _memory_diff(self, a: str, b: str = "") -> Json:
        ids = [version[0] for version in self.versions]
        older = self._files(a if b else ids[ids.index(a) + 1] if a != ids[-1] else "")
        newer = self.files if b == "now" else self._files(b or a)
        return {
            "files": [
                {"name": PATHS[name], "diff": diff(older.get(name, ""), newer[name])}
                for name in PATHS
                if older.get(name, "") != newer[name]
            ]
        }

    def _memory_summaries(self, limit: int, query: str = "", before: int = 1000) -> Json:
        found = [one for one in self.summaries if one["cursor"] < before and query in one["content"]]
        return {"entries": found[:limit]}

    def _staged(self) -> Json:
        return {"staged": list(self.staged)}

    def _staged_answer(self, yes: bool, **given: str) -> Json:
        self.staged = [one for one in self.staged if one["id"] != given["id"]]
        if yes:
            self.change("MEMORY", MEMORY + "- The key is under the mat.\n")
        return {}


def diff(before: str, after: str) -> str:
    """In unified form."""
    return "\n".join(difflib.unified_diff(before.splitlines(), after.splitlines(), "a", "b", lineterm=""))


def summary(cursor: int) -> Json:
    """One entry of the history."""
    raw = cursor == 44
    return {
        "cursor": cursor,
        "timestamp": "2026-05-12T14:20:00+00:00",
        "content": f"Part {cursor}. " + CONTENT * (8 if cursor == 45 else 1),
        "session": f"window:{cursor}",
        "title": "Moving house",
        "raw": raw,
    }


def staged(id_: str = "s1") -> Json:
    """A change that a page from the web brought about."""
    after = MEMORY + "- The key is under the mat.\n"
    return {
        "id": id_,
        "file": "memory/MEMORY.md",
        "diff": diff(MEMORY, after),
        "why": "From “Moving house”, where a web page was read.",
        "session": "window:45",
        "at": "2026-05-12T14:20:00+00:00",
    }


def _fact(text: str) -> Json:
    when, title = SOURCES.get(text, ("", ""))
    return {"text": text, "when": when, "title": title, "session": "", "cursor": 0}
