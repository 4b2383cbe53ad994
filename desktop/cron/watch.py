"""Tells when a file changes, by what the system says of its folder; nothing wakes up while nothing does."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.files import Place
from desktop.tasks import in_thread, see_through

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent
    from watchdog.observers.api import BaseObserver

_SETTLE_S = 0.2
"""An editor writes in several steps: one look after the last of them, seconds."""
_log = logging.getLogger(__name__)


class Watch:
    """Calls back, on the loop, after a file of that name was changed, made, moved or deleted."""

    def __init__(self, path: Path, changed: Callable[[], object]) -> None:
        self._path, self._changed = path, changed
        self._observer: BaseObserver | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def start(self) -> None:
        """Begin. Where the system has no watches left, it stays silent: then nothing is told."""
        loop = asyncio.get_running_loop()
        try:
            await see_through(in_thread(self._begin, loop), name="cron:watch")
        except (OSError, ImportError) as error:
            _log.info("%s is not watched: %s", self._path.parent, error)

    async def stop(self) -> None:
        """End it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._observer is not None:
            observer, self._observer = self._observer, None
            observer.stop()
            await in_thread(observer.join)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        from watchdog import events
        from watchdog.observers import Observer

        watch = self

        class Handler(events.FileSystemEventHandler):
            def on_any_event(self, event: "FileSystemEvent") -> None:
                names = {Path(str(path)).name for path in (event.src_path, event.dest_path)}
                if watch._path.name in names:
                    loop.call_soon_threadsafe(watch._soon)

        folder = self._path.parent
        Place(folder.parent, folder.name).mkdir()
        observer = Observer()
        kinds = [
            events.FileModifiedEvent,
            events.FileCreatedEvent,
            events.FileMovedEvent,
            events.FileDeletedEvent,
        ]
        observer.schedule(Handler(), str(self._path.parent), event_filter=kinds)
        observer.start()
        self._observer = observer

    def _soon(self) -> None:
        if self._observer is None:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(_SETTLE_S, self._changed)
