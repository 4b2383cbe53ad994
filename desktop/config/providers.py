"""One provider's page: where its models are. Its key is in the OS keychain, never here."""

from typing import Literal

from pydantic import Field

from desktop.config.base import ADDRESS, PROXY, Section, notes
from desktop.text import mark


class ProviderSettings(Section):
    """Settings of one provider."""

    api_base: str | None = Field(
        default=None,
        title=mark("Address"),
        description=mark("The base URL of the API. Empty: the provider's own."),
        pattern=ADDRESS,
        max_length=2000,
        json_schema_extra=notes(applies="answer"),
    )
    extra_headers: dict[str, str] = Field(
        default_factory=dict,
        title=mark("Extra headers"),
        description=mark("HTTP headers sent with each request. They are stored in plain text."),
        json_schema_extra=notes(applies="answer"),
    )
    proxy: str | None = Field(
        default=None,
        title=mark("Proxy"),
        description=mark("Through which requests go, such as http://127.0.0.1:8118."),
        pattern=PROXY,
        max_length=2000,
        json_schema_extra=notes(empty=mark("The system's"), applies="answer"),
    )
    engine: Literal["auto", "openai", "litellm"] = Field(
        default="auto",
        title=mark("Engine"),
        description=mark(
            "How the provider is spoken to. Automatic is right unless its answers are refused."
        ),
        json_schema_extra=notes(
            choices={"auto": mark("Automatic"), "openai": "OpenAI", "litellm": "LiteLLM"}, applies="answer"
        ),
    )
    key_stored: bool = Field(
        default=False,
        title=mark("Key stored"),
        description=mark("Whether the keychain holds a key for this provider."),
    )
    idle_timeout_s: float | None = Field(
        default=None,
        title=mark("Longest silence"),
        description=mark("How long nothing may come before a call is given up."),
        gt=0,
        le=86_400,
        json_schema_extra=notes(unit=mark("seconds"), empty=mark("The usual time"), applies="answer"),
    )
