"""What conversations with text from outside would add to the memory, until the person says yes or no.

memory/staged.jsonl is only appended to: a line for each change, and one with its answer.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from desktop.errors import UsageError, explain
from desktop.files import Place
from desktop.memory.files import append_line, records
from desktop.session.model import now
from desktop.text import _

_FILE = "staged.jsonl"


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file: these lines go, those are added at its end."""

    file: str
    """Its path in the workspace."""
    remove: tuple[str, ...] = ()
    add: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.remove or self.add)

    def applied(self, text: str) -> str:
        """A text with the change made in it, and nothing else; what is there already, or gone already, is
        left so."""
        end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
        lines = text.split("\n")
        for gone in self.remove:
            at = next((at for at, line in enumerate(lines) if line.rstrip("\r") == gone), None)
            if at is not None:
                del lines[at]
        text = "\n".join(lines)
        here = {line.rstrip("\r") for line in lines}
        added = (
            [line for line in self.add if line.strip() and line not in here] if text.strip() else self.add
        )
        if not added:
            return text
        if text and not text.endswith("\n"):
            text += end
        last = text.removesuffix("\n").rpartition("\n")[2].strip()
        if last and not (_listed(last) and _listed(added[0])):
            text += end
        return text + end.join(added) + end


def _listed(line: str) -> bool:
    return line.startswith(("- ", "* "))


@dataclass(frozen=True, slots=True)
class Staged:
    """A change that waits for the person."""

    id: str
    change: Change
    why: str
    cursor: int
    session: str
    at: str


class Staging:
    """The changes that wait. Everything blocks; it is called in threads."""

    def __init__(self, folder: Path) -> None:
        self._place = Place(folder.parent) / folder.name

    def add(self, change: Change, why: str, cursor: int, session: str) -> bool:
        """Keep a change; False where the very same waits or was answered already. Raises StorageError."""
        content = json.dumps([change.file, change.remove, change.add, cursor], ensure_ascii=False)
        id_ = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:12]
        if any(line.get("id") == id_ for line in records(self._place, _FILE)):
            return False
        self._append(
            {
                "id": id_,
                "file": change.file,
                "remove": list(change.remove),
                "add": list(change.add),
                "why": why,
                "cursor": cursor,
                "session": session,
                "at": now(),
            }
        )
        return True

    def waiting(self) -> list[Staged]:
        """Those without an answer, the oldest first."""
        found: dict[str, Staged] = {}
        for line in records(self._place, _FILE):
            id_ = str(line.get("id"))
            if "answer" in line:
                found.pop(id_, None)
            elif isinstance(line.get("file"), str):
                change = Change(line["file"], _texts(line.get("remove")), _texts(line.get("add")))
                cursor = line.get("cursor")
                found[id_] = Staged(
                    id_,
                    change,
                    str(line.get("why") or ""),
                    cursor if isinstance(cursor, int) else 0,
                    str(line.get("session") or ""),
                    str(line.get("at") or ""),
                )
        return list(found.values())

    def find(self, id_: str) -> Staged:
        """The one that waits under this id. Raises UsageError."""
        for one in self.waiting():
            if one.id == id_:
                return one
        raise UsageError(_("This has already been decided."))

    def answer(self, id_: str, *, yes: bool) -> None:
        """Note what the person said. Raises StorageError."""
        self._append({"id": id_, "answer": "yes" if yes else "no", "at": now()})

    def _append(self, record: dict[str, object]) -> None:
        try:
            append_line(self._place, _FILE, record)
        except OSError as error:
            raise explain(error) from error


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
