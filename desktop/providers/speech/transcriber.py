"""Who turns a recording into text, by the settings, and that it is done within their limits."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from desktop.config.schema import Config
from desktop.config.transcription import HERE
from desktop.errors import AppError, ConfigError
from desktop.providers.catalogue import Model
from desktop.providers.registry import find, sign_in_needed
from desktop.providers.speech import endpoint, engine, models, sound, trouble
from desktop.providers.speech.sound import Sound
from desktop.tasks import in_thread
from desktop.text import _

_AUTOMATIC = ("groq", "openai")
_USUAL = {"groq": "whisper-large-v3-turbo", "openai": "whisper-1"}
_OTHERWISE = "whisper-1"
_TAKEN = frozenset({sound.OGG, sound.WAV, sound.FLAC, sound.MP3, sound.M4A, sound.WEBM})
"""What an endpoint takes as it is."""


@dataclass(frozen=True, slots=True)
class Hears:
    """Who it is: a model of this computer, or an endpoint."""

    title: str
    model: Model | None = None
    place: endpoint.Place | None = None


class Transcriber:
    """One for the program. For the loop only."""

    def __init__(
        self, config: Callable[[], Config], key: Callable[[str], Awaitable[str]], folder: Path
    ) -> None:
        """`key`: that of a provider, "" for none; raises KeychainError. `folder`: where models are."""
        self._config, self._key, self.folder = config, key, folder
        self.engine = engine.SpeechEngine()

    async def who(self) -> Hears:
        """Who would be asked now. Raises AppError where nobody can be."""
        settings = self._config().transcription
        if not settings.enabled:
            raise trouble.off()
        if settings.provider == HERE:
            return await self._here(settings.model)
        if settings.provider:
            return await self._provider(settings.provider)
        own = models.is_path(settings.model)
        if await in_thread(engine.unfit) is None and (own or await models.installed(self.folder)):
            return await self._here(settings.model)
        for name in _AUTOMATIC:
            if await self._key(name):
                return await self._provider(name)
        raise trouble.nobody()

    async def words(self, data: bytes) -> str:
        """What is said in a sound file. Raises AppError, NoSpeech among it."""
        settings = self._config().transcription
        who = await self.who()
        given = await in_thread(sound.look, data)
        if not given.kind:
            raise trouble.unknown("")
        if given.seconds is not None and given.seconds > settings.max_duration_sec:
            raise trouble.too_long(given.seconds, settings.max_duration_sec)
        if who.model is not None:
            text = await self._by_model(who.model, given)
        else:
            assert who.place is not None
            text = await self._by_endpoint(who.place, given)
        if not text:
            raise trouble.silence()
        return text

    async def stop(self) -> None:
        """End what runs."""
        await self.engine.stop()

    async def _by_model(self, model: Model, given: Sound) -> str:
        settings = self._config().transcription
        file = self.folder / model.file
        return await self.engine.words(given, file, settings.language, settings.max_duration_sec)

    async def _by_endpoint(self, place: endpoint.Place, given: Sound) -> str:
        settings = self._config().transcription
        data, kind = given.data, given.kind
        if kind not in _TAKEN:
            data, kind = await self.engine.wav(given, settings.max_duration_sec), sound.WAV
        if not data:
            raise trouble.silence()
        if len(data) > settings.max_upload_mb * 10**6:
            raise trouble.too_large(len(data), settings.max_upload_mb)
        return await endpoint.transcribe(place, data, kind, settings.language)

    async def _here(self, name: str) -> Hears:
        if fault := await in_thread(engine.unfit):
            raise fault
        if models.is_path(name):
            found = await in_thread(models.of_person, name)
            return Hears(found.name, model=found)
        there = await models.installed(self.folder)
        wanted = models.named(name)
        model = wanted if wanted is not None else next(iter(there), None)
        if model is None or model not in there:
            raise AppError(
                _("The speech model is not downloaded yet."), _("Download it in Settings › Speech.")
            )
        return Hears(model.name, model=model)

    async def _provider(self, name: str) -> Hears:
        config = self._config()
        spec = find(name, config)
        if spec is None:
            raise ConfigError(
                _("There is no provider named {name}.").format(name=name),
                _("Choose another one in Settings › Speech."),
            )
        settings, key = config.provider(spec.name), await self._key(spec.name)
        base = settings.api_base or spec.base
        if spec.needs_key and not key:
            raise sign_in_needed(spec)
        if not base or spec.oauth or spec.kind == "builtin":
            raise AppError(
                _("{provider} does not answer as a transcription service.").format(
                    provider=_(spec.display)
                ),
                _("Choose another one in Settings › Speech."),
            )
        wanted = config.transcription.model
        ours = models.is_path(wanted) or models.named(wanted) is not None
        model = wanted if wanted and not ours else _USUAL.get(spec.name, _OTHERWISE)
        headers = dict(settings.extra_headers)
        title = _(spec.display)
        return Hears(title, place=endpoint.Place(title, base, model, key, headers, settings.proxy or ""))
