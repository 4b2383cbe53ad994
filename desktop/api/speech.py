"""Turning speech into text: whether it can be done, its models on this computer, and what was said."""

import base64
import binascii
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from desktop.api.local import LocalModel
from desktop.bus.events import ModelFetching
from desktop.config.transcription import HERE
from desktop.errors import AppError, UsageError
from desktop.paths import resource
from desktop.providers.catalogue import Model
from desktop.providers.speech import engine, models
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.config.schema import Config
    from desktop.providers.downloads import Downloads
    from desktop.providers.speech.transcriber import Transcriber


@dataclass(frozen=True, slots=True)
class Speech:
    """How it stands. `title`: who is asked; `text` and `remedy`: why nobody can be."""

    on: bool
    title: str
    longest: int
    """Seconds that one recording may last."""
    text: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """What was said, and who wrote it down."""

    words: str
    title: str


class Transcription:
    """Acts on speech."""

    def __init__(
        self,
        transcriber: "Transcriber",
        downloads: "Downloads",
        config: "Callable[[], Config]",
        change: Callable[[Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        self._transcriber, self._downloads = transcriber, downloads
        self._config, self._change = config, change

    async def state(self) -> Speech:
        """Who would turn speech into text now. Nothing is asked of anybody."""
        settings = self._config().transcription
        try:
            who = await self._transcriber.who()
        except AppError as error:
            return Speech(settings.enabled, "", settings.max_duration_sec, error.text, error.remedy)
        return Speech(settings.enabled, who.title, settings.max_duration_sec)

    async def words(self, data: str) -> Heard:
        """What is said in a sound file (base64); nothing of it is kept. Raises AppError."""
        try:
            sound = base64.b64decode(data, validate=True)
        except binascii.Error:
            raise UsageError(_("This is not a file.")) from None
        who = await self._transcriber.who()
        return Heard(await self._transcriber.words(sound), who.title)

    async def test(self) -> Heard:
        """Have a sentence that came with the program turned into text. Raises AppError."""
        sound = await in_thread(resource("sounds", "test.ogg").read_bytes)
        who = await self._transcriber.who()
        return Heard(await self._transcriber.words(sound), who.title)

    async def models(self) -> tuple[LocalModel, ...]:
        """Those that can run here; none where nothing can run them."""
        if await in_thread(engine.unfit):
            return ()
        settings, here = self._config().transcription, await models.installed(self._transcriber.folder)
        chosen = settings.model or (here[0].id if here else "")
        return tuple([await self._line(model, here, chosen) for model in models.MODELS])

    async def _line(self, model: Model, here: list[Model], chosen: str) -> LocalModel:
        return LocalModel(
            model.id,
            model.name,
            model.licence,
            model.size,
            _(model.does),
            model in here,
            model.id == chosen and self._config().transcription.provider in ("", HERE),
            await self._downloads.state(model),
        )

    async def fetch(self, model: str) -> None:
        """Download one behind the conversation; waits for nothing. Raises UsageError."""
        self._downloads.begin(_found(model), chosen=False, use=False)

    async def pause(self, model: str) -> None:
        """Stop downloading; what came is kept."""
        await self._downloads.pause(model)

    async def follow(self, model: str) -> AsyncIterator[ModelFetching]:
        """What is told of a download, until it is neither under way nor waiting."""
        async for told in self._downloads.follow(model):
            yield told

    async def use(self, model: str) -> None:
        """Have speech turned into text by this one. Raises AppError."""
        wanted = _found(model)
        await self._change({"transcription.provider": HERE, "transcription.model": wanted.id})


def _found(model: str) -> Model:
    found = models.named(model)
    if found is None:
        raise UsageError(_("There is no speech model named {name}.").format(name=model))
    return found
