"""Turning speech into text: voice messages of the chat apps, and what is said into the microphone."""

from types import MappingProxyType
from typing import Any

from pydantic import Field, field_validator

from desktop.config.base import Section, notes
from desktop.config.loosens import Loosens, names
from desktop.text import mark

HERE = "local"
"""The name of the engine on this computer, in the place of a provider's."""


class Transcription(Section):
    """Who turns speech into text, and how much of it."""

    LOOSENS = MappingProxyType(
        {
            "provider": Loosens(mark("Voice messages and recordings go to this provider.")),
            "enabled": Loosens(mark("Voice messages are turned into text."), order=(False, True)),
        }
    )
    HARMLESS = names("model language max_duration_sec max_upload_mb")

    enabled: bool = Field(
        default=True,
        title=mark("Understand speech"),
        description=mark(
            "Voice messages in chat apps become text, and you can dictate with the microphone button."
        ),
        json_schema_extra=notes(applies="now"),
    )
    provider: str = Field(
        default="",
        title=mark("Speech provider"),
        description=mark(
            "Who turns speech into text. A provider must have an OpenAI-compatible transcription endpoint."
        ),
        max_length=100,
        json_schema_extra=notes(
            empty=mark("This computer if its model is downloaded, otherwise Groq or OpenAI"),
            choices={
                "": mark("Automatic"),
                HERE: mark("This computer"),
                "groq": "Groq",
                "openai": "OpenAI",
                "custom": mark("Custom server"),
            },
            applies="now",
        ),
    )
    model: str = Field(
        default="",
        title=mark("Speech model"),
        description=mark(
            "The provider’s name of the model; for this computer one of its speech models, or the path of "
            "your own Whisper file (ggml-….bin)."
        ),
        max_length=200,
        json_schema_extra=notes(empty=mark("The provider’s default"), applies="now"),
    )
    language: str = Field(
        default="",
        title=mark("Spoken language"),
        description=mark(
            "A code such as en or zh. Naming it makes short messages more accurate; otherwise it is "
            "recognized."
        ),
        pattern=r"^([a-z]{2,3})?$",
        json_schema_extra=notes(empty=mark("Recognized"), applies="now"),
    )
    max_duration_sec: int = Field(
        default=120,
        title=mark("Longest message"),
        description=mark("Longer voice messages stay files, and dictation stops after this time."),
        ge=5,
        le=3600,
        json_schema_extra=notes(unit=mark("seconds"), applies="now"),
    )
    max_upload_mb: int = Field(
        default=25,
        title=mark("Largest upload"),
        description=mark("Larger voice messages are not sent to a provider."),
        ge=1,
        le=50,
        json_schema_extra=notes(unit=mark("MB"), applies="now"),
    )

    @field_validator("provider", "language", "model", mode="before")
    @classmethod
    def _none_is_empty(cls, value: Any) -> Any:
        """nanobot writes null for what it chooses itself."""
        return value.strip() if isinstance(value, str) else "" if value is None else value

    @field_validator("provider")
    @classmethod
    def _automatic(cls, value: str) -> str:
        return "" if value.lower() == "auto" else value
