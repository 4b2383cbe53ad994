"""What the window remembers of itself: where it stood, the list it showed, which message was being written.

A small JSON file in the home, read before the first window is painted and written again half a second
after a change. What is in it can be lost without loss: conversations are in their own files.
"""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer

from desktop.paths import temporary

_DELAY_MS = 500
_REMEMBERED = 60
QUICK = "quick:"
"""The name of what is being written in the quick chat, whichever conversation it shows."""
_FAR = 100_000
"""Pixels; no screen reaches there."""


@dataclass(slots=True)
class Remembered:
    """One line of the list as it was shown last."""

    key: str
    title: str
    updated: str
    """ISO, aware."""
    pinned: bool = False
    archived: bool = False
    sender: str = ""


@dataclass(slots=True)
class Unsent:
    """A message that was sent and is not known to be stored yet."""

    key: str
    """Of its conversation."""
    text: str
    files: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class WindowState:
    """All that is remembered."""

    geometry: list[int] = field(default_factory=list)
    """x, y, width, height; empty for the usual place."""
    maximized: bool = False
    session: str = ""
    """The conversation that was open; empty for a new one."""
    conversations: list[Remembered] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    drafts: dict[str, str] = field(default_factory=dict)
    """Text being written, by conversation; of a new conversation under the empty name, of the quick chat
    under its own."""
    attached: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Files that are to go along with them."""
    unsent: list[Unsent] = field(default_factory=list)
    told_about_tray: bool = False
    tray: bool = True
    """Whether the person wants an icon in the tray, as the settings said last."""

    def give_back(self, key: str, text: str, files: Iterable[dict[str, Any]] = ()) -> None:
        """Make a text, with its files, a draft of the conversation again, before what was written since."""
        if kept := "\n\n".join(part for part in (text, self.drafts.get(key, "")) if part):
            self.drafts[key] = kept
        if files := list(files):
            self.attached[key] = [*files, *self.attached.get(key, [])]


class StateFile(QObject):
    """Reads and writes the file; save() may be called as often as anything changes."""

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self.state = _read(path)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DELAY_MS)
        self._timer.timeout.connect(self.write)

    def save(self) -> None:
        """Write soon."""
        if not self._timer.isActive():
            self._timer.start()

    def write(self) -> None:
        """Write now. A failure costs the memory of the window, which is not worth a sentence."""
        self._timer.stop()
        self.state.conversations = self.state.conversations[:_REMEMBERED]
        data = json.dumps(_kept(self.state), ensure_ascii=False)
        temporary = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogatepass") as file:
                file.write(data)
            temporary.replace(self._path)
        except OSError:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def _kept(state: WindowState) -> dict[str, Any]:
    """What is written: nothing of temporary conversations."""
    found = asdict(state)
    for name in ("drafts", "attached"):
        found[name] = {key: value for key, value in found[name].items() if not temporary(key)}
    for name in ("conversations", "unsent"):
        found[name] = [line for line in found[name] if not temporary(line["key"])]
    found["unread"] = [key for key in state.unread if not temporary(key)]
    found["session"] = "" if temporary(state.session) else state.session
    return found


def _read(path: Path) -> WindowState:
    try:
        given = json.loads(path.read_text("utf-8", errors="replace"))
        return _state(given) if isinstance(given, dict) else WindowState()
    except (OSError, ValueError, TypeError, LookupError, OverflowError):
        return WindowState()


def _state(given: dict[str, Any]) -> WindowState:
    lines = given.get("conversations")
    state = WindowState(
        geometry=[max(-_FAR, min(int(n), _FAR)) for n in given.get("geometry") or []],
        maximized=bool(given.get("maximized")),
        session=str(given.get("session") or ""),
        conversations=[
            Remembered(
                str(line["key"]),
                str(line["title"]),
                str(line["updated"]),
                bool(line.get("pinned")),
                bool(line.get("archived")),
                str(line.get("sender") or ""),
            )
            for line in (lines if isinstance(lines, list) else [])
            if isinstance(line, dict) and {"key", "title", "updated"} <= line.keys()
        ],
        unread=[str(key) for key in given.get("unread") or []],
        drafts={str(key): str(text) for key, text in dict(given.get("drafts") or {}).items()},
        attached={
            str(key): [file for file in files if isinstance(file, dict)]
            for key, files in dict(given.get("attached") or {}).items()
        },
        told_about_tray=bool(given.get("told_about_tray")),
        tray=bool(given.get("tray", True)),
    )
    if draft := given.get("quick_draft"):  # of a version before
        state.give_back(QUICK, str(draft))
    for line in reversed(given.get("unsent") or []):
        key, text, files = (
            (line["key"], line["text"], line["files"]) if isinstance(line, dict) else (*line, [])
        )
        state.give_back(str(key), str(text), [file for file in files if isinstance(file, dict)])
    return state
