"""Voice messages of the chat apps: their words go to the agent in their place.

What can't be turned into text stays a file, and the person is told why, once for each reason.
"""

import hashlib
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.config.schema import Config
from desktop.errors import AppError, StorageError, explain
from desktop.files import Place
from desktop.inbox.inbox import ERROR, Inbox, Notice
from desktop.providers.speech.sound import may_be
from desktop.providers.speech.trouble import NoSpeech
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.providers.speech.transcriber import Transcriber

_LARGEST = 50_000_000
_AGAIN_S = 86_400.0
"""The same trouble is told once in this time."""
_log = logging.getLogger(__name__)


class Voices:
    """For the loop only."""

    def __init__(
        self, config: Callable[[], Config], transcriber: "Callable[[], Transcriber]", inbox: Inbox
    ) -> None:
        """`transcriber` makes the one of the program with the first voice."""
        self._config, self._transcriber, self._inbox = config, transcriber, inbox

    async def hear(self, files: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """What is said in those that are voices, as lines to be read, and the files that are left to be
        looked at. Raises StorageError."""
        if not self._config().transcription.enabled:
            return "", files
        lines, left = [], []
        for path in files:
            words = await self._words(path) if may_be(path) else None
            if words is None:
                left.append(path)
            elif words:
                lines.append(f"[transcription: {words}]")
            else:
                left.append(path)
                lines.append(f"[voice: {path}]")
        return "\n".join(lines), tuple(left)

    async def _words(self, path: str) -> str:
        """Empty where there are none, or they can't be had."""
        place = Path(path)
        try:
            data = await in_thread(Place(place.parent).read, place.name, _LARGEST)
            return await self._transcriber().words(data)
        except NoSpeech as error:
            _log.info("a voice message: %s", error.text)
        except StorageError:
            raise
        except (AppError, OSError, ValueError) as error:
            await self._tell(explain(error))
        return ""

    async def _tell(self, error: AppError) -> None:
        day = int(time.time() // _AGAIN_S)
        name = hashlib.sha256(f"{error.text}\0{day}".encode()).hexdigest()[:16]
        body = {"text": error.text, "remedy": error.remedy}
        title = _("A voice message was not turned into text")
        await self._inbox.add(Notice(f"voice:{name}", ERROR, "", "", title, body))
