"""The agent's page: who it is, which model answers, and how much it may use."""

from types import MappingProxyType
from typing import Any

from pydantic import Field, field_validator, model_validator

from desktop.config.base import Section, notes
from desktop.config.loosens import Loosens, names
from desktop.text import mark


class ModelRef(Section):
    """A model by name. In the file it may also be the name alone."""

    HARMLESS = names("model provider")

    model: str = Field(
        default="",
        title=mark("Model"),
        description=mark("The model's name. Empty: the provider's usual one."),
        max_length=300,
        json_schema_extra=notes(kind="own", applies="answer"),
    )
    provider: str = Field(
        default="auto",
        title=mark("Provider"),
        description=mark("Who runs the model. auto: chosen from the model's name and the keys you have."),
        min_length=1,
        max_length=100,
        json_schema_extra=notes(kind="own", applies="answer"),
    )

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        return {"model": value} if isinstance(value, str) else value

    @property
    def given(self) -> bool:
        """Whether it names anything."""
        return bool(self.model) or self.provider != "auto"


class Dream(Section):
    """When the agent goes over its notes by itself."""

    HARMLESS = names("enabled interval_h model_override max_batch_size max_iterations")

    enabled: bool = Field(
        default=True,
        title=mark("Learn from conversations"),
        description=mark(
            "From time to time the agent goes over what was said and keeps what lasts. Off: only when you "
            "have it do so."
        ),
        json_schema_extra=notes(applies="now"),
    )
    interval_h: float = Field(
        default=2,
        title=mark("How often"),
        description=mark("Only when there is something new."),
        ge=0.25,
        le=720,
        json_schema_extra=notes(unit=mark("hours"), applies="now"),
    )
    model_override: str = Field(
        default="",
        title=mark("Model for it"),
        description=mark("The model that does this, where it shall be another than the one that answers."),
        max_length=300,
        json_schema_extra=notes(empty=mark("The one that answers"), applies="now"),
    )

    max_batch_size: int = Field(
        default=20,
        title=mark("Summaries at once"),
        description=mark("How many summaries of what was said are gone over in one piece of work."),
        ge=1,
        le=200,
        json_schema_extra=notes(applies="now"),
    )
    max_iterations: int = Field(
        default=10,
        title=mark("Steps of one piece of work"),
        description=mark("After how many rounds of tools it is broken off."),
        ge=1,
        le=100,
        json_schema_extra=notes(applies="now"),
    )

    @field_validator("model_override", mode="before")
    @classmethod
    def _nobody(cls, value: object) -> object:
        return "" if value is None else value


class AgentDefaults(Section):
    """How every conversation starts."""

    LOOSENS = MappingProxyType(
        {
            "workspace": Loosens(mark("The agent works in this folder.")),
            "disabled_skills": Loosens(
                mark("The agent is told of these skills."), tight=lambda _name: True
            ),
        }
    )
    HARMLESS = names(
        "bot_name model provider fallback_models timezone max_tokens context_window_tokens temperature "
        "reasoning_effort max_concurrent_turns max_tool_iterations max_concurrent_subagents "
        "max_subagent_iterations auto_titles idle_compact_after_minutes skill_keys"
    )

    bot_name: str = Field(
        default="Nanobot",
        title=mark("Name"),
        description=mark("What the agent calls itself."),
        min_length=1,
        max_length=60,
        json_schema_extra=notes(applies="answer"),
    )
    model: str = Field(
        default="",
        title=mark("Model"),
        description=mark(
            "The model's name, such as deepseek-chat or anthropic/claude-sonnet-4-5. "
            "Empty: the provider's usual one."
        ),
        max_length=300,
        json_schema_extra=notes(applies="answer"),
    )
    provider: str = Field(
        default="auto",
        title=mark("Provider"),
        description=mark("Who runs the model. auto: chosen from the model's name and the keys you have."),
        min_length=1,
        max_length=100,
        json_schema_extra=notes(applies="answer"),
    )
    fallback_models: tuple[ModelRef, ...] = Field(
        default=(),
        title=mark("Instead of it"),
        description=mark(
            "Asked in this order when the usual model cannot be reached or has no quota left."
        ),
        json_schema_extra=notes(kind="own", applies="answer"),
    )
    small_model: ModelRef = Field(
        default_factory=ModelRef,
        title=mark("Small model"),
        description=mark("Writes titles and summaries."),
        json_schema_extra=notes(kind="own", applies="answer"),
    )
    vision_model: ModelRef = Field(
        default_factory=ModelRef,
        title=mark("Model that sees"),
        description=mark("Answers messages with pictures where the usual model cannot see them."),
        json_schema_extra=notes(kind="own", applies="answer"),
    )
    workspace: str = Field(
        default="",
        title=mark("Workspace"),
        description=mark("The folder of the agent's files, memory and conversations."),
        json_schema_extra=notes(
            kind="folder", empty=mark("In the program's own folder"), applies="restart"
        ),
    )
    timezone: str = Field(
        default="",
        title=mark("Time zone"),
        description=mark("Where your jobs keep their time, such as Europe/Berlin."),
        max_length=60,
        json_schema_extra=notes(empty=mark("This computer's"), applies="now"),
    )
    max_tokens: int = Field(
        default=8192,
        title=mark("Longest answer"),
        description=mark("Where one answer is cut off."),
        ge=1,
        le=1_000_000,
        json_schema_extra=notes(unit=mark("tokens"), applies="answer"),
    )
    context_window_tokens: int | None = Field(
        default=None,
        title=mark("Context window"),
        description=mark("How much of a conversation the model is shown at once."),
        ge=512,
        le=10_000_000,
        json_schema_extra=notes(unit=mark("tokens"), empty=mark("The model's own"), applies="answer"),
    )
    temperature: float = Field(
        default=0.1,
        title=mark("Temperature"),
        description=mark("0 keeps to the likeliest words, higher values vary more."),
        ge=0,
        le=2,
        json_schema_extra=notes(applies="answer"),
    )
    reasoning_effort: str | None = Field(
        default=None,
        title=mark("Reasoning effort"),
        description=mark("How long a reasoning model thinks before it answers."),
        max_length=20,
        json_schema_extra=notes(
            choices={
                "": mark("The model's own"),
                "off": mark("Off"),
                "low": mark("Low"),
                "medium": mark("Medium"),
                "high": mark("High"),
            },
            applies="answer",
        ),
    )
    max_concurrent_turns: int = Field(
        default=64,
        title=mark("Conversations at once"),
        description=mark(
            "How many conversations one provider may answer at the same time. A model on this computer "
            "answers one or two."
        ),
        ge=1,
        le=64,
        json_schema_extra=notes(applies="restart"),
    )
    max_tool_iterations: int = Field(
        default=200,
        title=mark("Steps of an answer"),
        description=mark("After how many rounds of tools an answer that does not come is broken off."),
        ge=1,
        le=10_000,
        json_schema_extra=notes(applies="answer"),
    )
    max_concurrent_subagents: int = Field(
        default=3,
        title=mark("Subagents at once"),
        description=mark("How many subagents may work at the same time; others wait their turn."),
        ge=1,
        le=64,
        json_schema_extra=notes(applies="restart"),
    )
    max_subagent_iterations: int = Field(
        default=15,
        title=mark("Steps of a subagent"),
        description=mark("After how many rounds of tools a subagent that does not end is broken off."),
        ge=1,
        le=1_000,
        json_schema_extra=notes(applies="answer"),
    )
    auto_titles: bool = Field(
        default=True,
        title=mark("Name conversations by their content"),
        description=mark(
            "After its first answer a conversation is named by the small model, or by the one that "
            "answered. Not by the built-in model, which would take too long: there the title "
            "stays your first words."
        ),
        json_schema_extra=notes(applies="answer"),
    )
    idle_compact_after_minutes: int = Field(
        default=15,
        title=mark("Notes are made after"),
        description=mark(
            "How long a conversation must be quiet before the agent makes notes of it for its memory. "
            "0: only when it grows too long."
        ),
        ge=0,
        le=10_080,
        json_schema_extra=notes(unit=mark("minutes"), applies="answer"),
    )
    dream: Dream = Field(
        default_factory=Dream,
        title=mark("Memory"),
        description=mark("When the agent goes over what was said and keeps what lasts."),
        json_schema_extra=notes(kind="own"),
    )
    disabled_skills: tuple[str, ...] = Field(
        default=(),
        title=mark("Skills that are off"),
        description=mark("The agent is not told of these."),
        json_schema_extra=notes(kind="own"),
    )
    skill_keys: dict[str, tuple[str, ...]] = Field(
        default_factory=dict,
        title=mark("Keys of skills"),
        description=mark("Which variables of which skills have a value in the keychain."),
        json_schema_extra=notes(kind="own"),
    )


class Agents(Section):
    """Settings of agents."""

    defaults: AgentDefaults = Field(default_factory=AgentDefaults, title=mark("Agent"))
