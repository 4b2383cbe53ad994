"""One provider's page: where its models are. Its key is in the OS keychain, never here."""

from typing import Literal

from pydantic import Field

from desktop.config.base import Section


class ProviderSettings(Section):
    """Settings of one provider."""

    api_base: str | None = Field(
        default=None,
        title="Address",
        description="The base URL of the API. Empty: the provider's own.",
        pattern=r"^(https?://\S+)?$",
        max_length=2000,
    )
    extra_headers: dict[str, str] = Field(
        default_factory=dict,
        title="Extra headers",
        description="HTTP headers sent with each request. They are stored in plain text.",
    )
    engine: Literal["auto", "openai", "litellm"] = Field(
        default="auto",
        title="Engine",
        description="How the provider is spoken to. auto is right unless its answers are refused.",
    )
    key_stored: bool = Field(
        default=False, title="Key stored", description="Whether the keychain holds a key for this provider."
    )
    idle_timeout_s: float | None = Field(
        default=None,
        title="Longest silence",
        description="Seconds without a byte after which a call is given up. Empty: the usual time.",
        gt=0,
        le=86_400,
    )
