"""One question to a transcription endpoint as OpenAI, Groq and many servers have it: a file in a form.

The openai package is for the model host alone; one request of httpx is all that it takes.
"""

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from desktop.errors import AppError
from desktop.net import way_out
from desktop.text import _

if TYPE_CHECKING:
    import httpx

_SECONDS = 120.0
_LARGEST_ANSWER = 2_000_000
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """Where to ask, and with what."""

    title: str
    """The provider, as people know it."""
    base_url: str
    model: str
    key: str = field(default="", repr=False)
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    proxy: str = ""


async def transcribe(place: Place, data: bytes, kind: str, language: str) -> str:
    """The words in a sound file. Raises AppError."""
    import httpx

    form = {"model": place.model, "response_format": "json", **({"language": language} if language else {})}
    headers = {**place.headers, **({"Authorization": f"Bearer {place.key}"} if place.key else {})}
    url = f"{place.base_url.rstrip('/')}/audio/transcriptions"
    ways = way_out.Ways(httpx, lambda: place.proxy)
    try:
        async with way_out.client(httpx, transport=ways, timeout=_SECONDS) as client:
            answer = await client.post(
                url, data=form, files={"file": (f"voice.{kind}", data, f"audio/{kind}")}, headers=headers
            )
    except httpx.InvalidURL:
        raise _no_endpoint(place) from None
    except httpx.TimeoutException:
        raise AppError(
            _("{provider} did not answer in time.").format(provider=place.title), _("Try again later.")
        ) from None
    except httpx.HTTPError as error:
        _log.info("transcription by %s: %r", place.title, error)
        raise AppError(
            _("{provider} can’t be reached.").format(provider=place.title),
            _("Check the connection, and the address in Settings › Provider and model."),
        ) from None
    return _words(place, answer)


def _words(place: Place, answer: "httpx.Response") -> str:
    if answer.status_code != 200:
        raise _refused(place, answer)
    try:
        found: Any = answer.json() if len(answer.content) <= _LARGEST_ANSWER else None
    except ValueError:
        found = None
    text = found.get("text") if isinstance(found, dict) else None
    if not isinstance(text, str):
        raise _no_endpoint(place)
    return " ".join(text.split())


def _refused(place: Place, answer: "httpx.Response") -> AppError:
    code = answer.status_code
    _log.info("transcription by %s: HTTP %s", place.title, code)
    named = {"provider": place.title}
    if code in (401, 403):
        return AppError(
            _("{provider} did not accept the key.").format(**named),
            _("Enter a valid key in Settings › Provider and model."),
        )
    if code == 413:
        return AppError(
            _("The recording is too large for {provider}.").format(**named), _("Send a shorter message.")
        )
    if code == 429:
        return AppError(
            _("{provider} takes no more recordings now.").format(**named),
            _("Try again later, or choose another provider in Settings › Speech."),
        )
    if code in (404, 405):
        return _no_endpoint(place)
    if code >= 500:
        return AppError(_("{provider} has a problem.").format(**named), _("Try again later."))
    return AppError(
        _("{provider} did not take the recording.").format(**named),
        sentence if (sentence := _own_words(answer)) else _("Check the model in Settings › Speech."),
    )


def _own_words(answer: "httpx.Response") -> str:
    """What the server says of it, where it says so in the usual way."""
    try:
        told = answer.json()["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return ""
    return " ".join(str(told).split())[:300]


def _no_endpoint(place: Place) -> AppError:
    return AppError(
        _("{provider} does not answer as a transcription service.").format(provider=place.title),
        _("Choose another speech provider or model in Settings › Speech, or check its address."),
    )
