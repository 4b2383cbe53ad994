"""Why speech did not become text: each a sentence and a remedy."""

from desktop.errors import AppError
from desktop.text import _


class NoSpeech(AppError):
    """There is nothing to write down."""


def off() -> AppError:
    """The person turned it off."""
    return AppError(_("Speech is not turned into text."), _("Turn it on in Settings › Speech."))


def nobody() -> AppError:
    """No provider and no model."""
    return AppError(
        _("Nothing here can turn speech into text yet."),
        _("Download a speech model or add a key for Groq or OpenAI in Settings › Speech."),
    )


def silence() -> NoSpeech:
    """Nobody spoke, or too low."""
    return NoSpeech(_("No speech was heard."), _("Check the microphone, and speak closer to it."))


def too_long(seconds: float, most: int) -> AppError:
    """Longer than the person wants to have written down."""
    return AppError(
        _("The recording is {seconds} s long; the limit is {most} s.").format(
            seconds=round(seconds), most=most
        ),
        _("Change the limit in Settings › Speech."),
    )


def too_large(size: int, most: int) -> AppError:
    """Larger than the person wants to have sent."""
    return AppError(
        _("The recording has {size:.1f} MB; the limit is {most} MB.").format(size=size / 1e6, most=most),
        _("Change the limit in Settings › Speech."),
    )


def unknown(kind: str) -> AppError:
    """Not a sound, or one that nothing here decodes."""
    if not kind:
        return AppError(_("This is not a sound file that can be read."))
    return AppError(
        _("Sound in the format {kind} can’t be read here.").format(kind=kind.upper()),
        _("Send it as OGG, MP3, FLAC or WAV, or choose a provider that takes it in Settings › Speech."),
    )


def failed() -> AppError:
    """The process that decodes and hears is gone."""
    return AppError(
        _("The recording could not be turned into text."), _("Try again. Details are in the log.")
    )


def damaged() -> AppError:
    """It says what it is, and is not."""
    return AppError(_("The sound file is damaged."), _("Record it again."))
