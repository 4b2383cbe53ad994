"""What `doctor` says of speech: who would turn it into text."""

from pathlib import Path

from desktop.config.store import ConfigStore
from desktop.errors import AppError
from desktop.providers.speech.transcriber import Transcriber
from desktop.text import _

type Look = tuple[bool, str, str]
"""Whether it works, a sentence, a remedy."""


async def look(store: ConfigStore, folder: Path) -> Look:
    """Nobody is asked, and no key is read. That nobody can do it is no fault unless one was chosen."""
    settings = store.config.transcription

    async def known(name: str) -> str:
        return "known" if name in store.keyed else ""

    try:
        who = await Transcriber(lambda: store.config, known, folder).who()
    except AppError as error:
        return not (settings.enabled and settings.provider), error.text, error.remedy
    return True, _("{name} turns speech into text.").format(name=who.title), ""
