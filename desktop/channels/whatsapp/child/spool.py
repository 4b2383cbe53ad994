"""Messages that came and that the program has not stored yet: WhatsApp tells each of them once."""

import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

type Json = dict[str, Any]
_MOST = 10_000


class Spool:
    """A folder with a file for each. From any thread."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self._folder, self._numbers = folder, itertools.count()

    def put(self, message: Json) -> str:
        """Keep one; its name. Raises OSError."""
        key = f"{time.time_ns():020}-{next(self._numbers)}"
        path, part = self._folder / f"{key}.json", self._folder / f"{key}.part"
        part.write_text(json.dumps(message), "utf-8")
        part.replace(path)
        return key

    def drop(self, key: str) -> None:
        """The program has it."""
        (self._folder / f"{key}.json").unlink(missing_ok=True)

    def left(self) -> Iterator[tuple[str, Json]]:
        """Those of before, in order."""
        for path in sorted(self._folder.glob("*.json"))[:_MOST]:
            try:
                found = json.loads(path.read_text("utf-8"))
            except (OSError, ValueError):
                path.unlink(missing_ok=True)
                continue
            yield path.stem, found
