"""The last crash of the window's program: told once, and a report of it that the person reads, keeps or
sends themselves."""

import time
from dataclasses import dataclass
from pathlib import Path

from desktop import crashes
from desktop.api.diagnostics import about, clean, end_of_log, new_file
from desktop.errors import explain
from desktop.paths import Home
from desktop.tasks import in_thread

_FILE, _NAME = "crash.txt", "nanobot-crash.txt"
_LOG_BYTES = 20_000


@dataclass(frozen=True, slots=True)
class Report:
    """What is known of the last crash. `text` is "" where there was none."""

    at: float = 0.0
    text: str = ""


class Crashes:
    """Answers how the program ended."""

    def __init__(self, home: Home) -> None:
        self._home = home

    async def news(self) -> bool:
        """Whether the program crashed since this was asked the last time; its report is kept then."""
        return await in_thread(self._take)

    async def report(self) -> Report:
        """The report of the last crash."""
        return await in_thread(self._read)

    async def save(self, path: str, *, replace: bool = False) -> str:
        """Put the report into a file, where nothing is yet unless `replace`; its path. Raises UsageError,
        StorageError."""
        target = await in_thread(new_file, path, replace, _NAME)
        try:
            await in_thread(target.write_text, (await self.report()).text, "utf-8")
        except OSError as error:
            raise explain(error) from error
        return str(target)

    async def remove(self) -> None:
        """Forget the last crash."""
        await in_thread(self._path.unlink, missing_ok=True)

    @property
    def _path(self) -> Path:
        return self._home.logs / _FILE

    def _read(self) -> Report:
        try:
            return Report(self._path.stat().st_mtime, self._path.read_text("utf-8", "replace"))
        except OSError:
            return Report()

    def _take(self) -> bool:
        crash = crashes.take(self._home.logs)
        if crash is None:
            return False
        when = time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(crash.at))
        log = end_of_log(self._home.logs / "nanobot.log", _LOG_BYTES)
        parts = (f"Nanobot Desktop {crash.version} crashed: {when}\n", crash.text, about(), log)
        try:
            self._path.write_text(clean("\n".join(parts)), "utf-8")
        except OSError as error:
            raise explain(error) from error
        return True
