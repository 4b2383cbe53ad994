"""Who runs the jobs of a workspace: one process, by a lock; beside it stands who that is."""

import json
import logging
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.files import Place
from desktop.text import _

if TYPE_CHECKING:
    from filelock import FileLock

LOCK, CARD = ".scheduler.lock", ".scheduler.json"
_log = logging.getLogger(__name__)


class Owner:
    """The lock of one workspace. Everything blocks for a moment; it is called in threads."""

    def __init__(self, folder: Path, front: str) -> None:
        """`folder`: the workspace's `cron`. `front`: what this process is: window, serve, ..."""
        self._folder, self._front = folder, front
        self._place = Place(folder.parent) / folder.name
        self._lock: FileLock | None = None

    @property
    def mine(self) -> bool:
        """Whether this process has it."""
        return self._lock is not None

    def take(self) -> bool:
        """Take the lock; whether it is held now. Raises OSError for an unusable folder."""
        from filelock import FileLock, Timeout

        if self._lock is None:
            self._place.mkdir()
            lock = FileLock(self._folder / LOCK, mode=0o600, thread_local=False)
            try:
                lock.acquire(blocking=False)
            except Timeout:
                return False
            self._lock = lock
            self._sign()
        return True

    def release(self) -> None:
        """Let the next process have it; harmless where it is not held."""
        if self._lock is not None:
            with suppress(OSError):
                self._place.unlink(CARD, missing_ok=True)
            self._lock.release()
            self._lock = None

    def who(self) -> str:
        """Who runs the jobs, as a sentence; empty if that is this process."""
        if self.mine:
            return ""
        card = self._read()
        pid, front = card.get("pid"), card.get("front")
        if (began := _started(pid)) is None or began != card.get("started"):
            return _("Another program runs the tasks of this folder. They are only shown here.")
        return _(
            "Another program runs the tasks of this folder ({front}, process {pid}). They are only shown "
            "here."
        ).format(front=front or "nanobot-desktop", pid=pid)

    def _sign(self) -> None:
        pid = os.getpid()
        card = {"pid": pid, "started": _started(pid), "front": self._front, "since": int(time.time())}
        try:
            self._place.write(CARD, json.dumps(card).encode())
        except OSError as error:
            _log.info("who runs the jobs could not be noted: %s", error)

    def _read(self) -> dict[str, Any]:
        try:
            card = json.loads(self._place.read(CARD))
        except (OSError, ValueError):
            return {}
        return card if isinstance(card, dict) else {}


def _started(pid: Any) -> float | None:
    """When a process began: with its number that tells it from a later one of the same number."""
    import psutil

    try:
        return round(psutil.Process(int(pid)).create_time(), 2)
    except (psutil.Error, ValueError, TypeError):
        return None
