"""One provider's page: where its models are. Its key is in the OS keychain, never here."""

from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field

from desktop.config.base import ADDRESS, PROXY, Section, notes
from desktop.config.loosens import Loosens, names
from desktop.text import mark

_YES_OR_NO = notes(
    choices={"": mark("Automatic"), "True": mark("Yes"), "False": mark("No")}, applies="answer"
)


class ModelOverride(Section):
    """What the person knows better of one model; empty for what the program knows of it."""

    HARMLESS = names("context_window_tokens input_price output_price tools vision reasoning")

    context_window_tokens: int | None = Field(
        default=None,
        title=mark("Context window"),
        description=mark("How much the model can read at once."),
        ge=512,
        le=10_000_000,
        json_schema_extra=notes(unit=mark("tokens"), empty=mark("Automatic"), applies="answer"),
    )
    input_price: float | None = Field(
        default=None,
        title=mark("Input price"),
        description=mark("In US dollars per million tokens. 0: free."),
        ge=0,
        le=100_000,
        json_schema_extra=notes(unit="$", empty=mark("Automatic"), applies="answer"),
    )
    output_price: float | None = Field(
        default=None,
        title=mark("Output price"),
        description=mark("In US dollars per million tokens. 0: free."),
        ge=0,
        le=100_000,
        json_schema_extra=notes(unit="$", empty=mark("Automatic"), applies="answer"),
    )
    tools: bool | None = Field(
        default=None,
        title=mark("Tools"),
        description=mark("Without tools, the model can only chat."),
        json_schema_extra=_YES_OR_NO,
    )
    vision: bool | None = Field(
        default=None,
        title=mark("Vision"),
        description=mark("Whether the model can see images."),
        json_schema_extra=_YES_OR_NO,
    )
    reasoning: bool | None = Field(
        default=None,
        title=mark("Reasoning"),
        description=mark("Whether the model has reasoning levels."),
        json_schema_extra=_YES_OR_NO,
    )


class ProviderSettings(Section):
    """Settings of one provider."""

    LOOSENS = MappingProxyType(
        {
            "api_base": Loosens(mark("Your messages and the key go to this address.")),
            "proxy": Loosens(mark("Your messages and the key go through this proxy.")),
            "extra_headers": Loosens(mark("These headers are sent with every request.")),
            "extra_body": Loosens(mark("These fields are sent with every request.")),
            "extra_query": Loosens(mark("These parameters are added to the address of every request.")),
        }
    )
    HARMLESS = names("engine api_type key_stored idle_timeout_s")

    api_base: str | None = Field(
        default=None,
        title=mark("Address"),
        description=mark("The base URL of the API. Leave empty for the provider’s own."),
        pattern=ADDRESS,
        max_length=2000,
        json_schema_extra=notes(applies="answer"),
    )
    extra_headers: dict[str, str] = Field(
        default_factory=dict,
        title=mark("Extra headers"),
        description=mark("HTTP headers sent with each request. Stored in plain text."),
        json_schema_extra=notes(applies="answer"),
    )
    extra_body: dict[str, Any] = Field(
        default_factory=dict,
        title=mark("Extra fields"),
        description=mark("Fields for the body of each request, as defined by the provider’s API."),
        json_schema_extra=notes(kind="own", applies="answer"),
    )
    extra_query: dict[str, str] = Field(
        default_factory=dict,
        title=mark("Extra query parameters"),
        description=mark("Added to the address of each request. Only for the OpenAI engine."),
        json_schema_extra=notes(kind="own", applies="answer"),
    )
    proxy: str | None = Field(
        default=None,
        title=mark("Proxy"),
        description=mark("The proxy for requests, for example http://127.0.0.1:8118."),
        pattern=PROXY,
        max_length=2000,
        json_schema_extra=notes(empty=mark("Same as system"), applies="answer"),
    )
    engine: Literal["auto", "openai", "litellm"] = Field(
        default="auto",
        title=mark("Engine"),
        description=mark("How Nanobot talks to the provider. Keep Automatic unless requests are rejected."),
        json_schema_extra=notes(
            choices={"auto": mark("Automatic"), "openai": "OpenAI", "litellm": "LiteLLM"}, applies="answer"
        ),
    )
    api_type: Literal["auto", "chat_completions", "responses"] = Field(
        default="auto",
        title=mark("API"),
        description=mark(
            "Which OpenAI API to use. Only for the OpenAI engine. Servers without Responses are called "
            "through Chat Completions."
        ),
        json_schema_extra=notes(
            choices={
                "auto": mark("Automatic"),
                "chat_completions": "Chat Completions",
                "responses": "Responses",
            },
            applies="answer",
        ),
    )
    models: dict[str, ModelOverride] = Field(
        default_factory=dict,
        title=mark("Models"),
        description=mark("Your own facts about models: context window, price, abilities."),
        json_schema_extra=notes(kind="own", applies="answer"),
    )
    key_stored: bool = Field(
        default=False,
        title=mark("Key stored"),
        description=mark("Whether the keychain holds a key for this provider."),
    )
    idle_timeout_s: float | None = Field(
        default=None,
        title=mark("Timeout"),
        description=mark("A call is stopped when no data arrives for this long."),
        gt=0,
        le=86_400,
        json_schema_extra=notes(unit=mark("seconds"), empty=mark("Default"), applies="answer"),
    )
