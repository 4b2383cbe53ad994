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
        description=mark("The model’s name. Leave empty for the provider’s default."),
        max_length=300,
        json_schema_extra=notes(kind="own", applies="answer"),
    )
    provider: str = Field(
        default="auto",
        title=mark("Provider"),
        description=mark("Who runs the model. auto: chosen by the model’s name and your keys."),
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
            "From time to time, Dream goes through your conversations and saves what is worth "
            "remembering. When off, it runs only when you ask for it."
        ),
        json_schema_extra=notes(applies="now"),
    )
    interval_h: float = Field(
        default=2,
        title=mark("Interval"),
        description=mark("Runs only when there is something new."),
        ge=0.25,
        le=720,
        json_schema_extra=notes(unit=mark("hours"), applies="now"),
    )
    model_override: str = Field(
        default="",
        title=mark("Dream model"),
        description=mark("The model for Dream, if it should not be the one that answers."),
        max_length=300,
        json_schema_extra=notes(empty=mark("Same as answers"), applies="now"),
    )

    max_batch_size: int = Field(
        default=20,
        title=mark("Summaries per run"),
        description=mark("How many conversation summaries one run processes."),
        ge=1,
        le=200,
        json_schema_extra=notes(applies="now"),
    )
    max_iterations: int = Field(
        default=10,
        title=mark("Steps per run"),
        description=mark("A run stops after this many rounds of tool calls."),
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
                mark("The agent knows about these skills."), tight=lambda _name: True
            ),
            "unified_session": Loosens(
                mark("What you say in one chat app can come up in another."), order=(False, True)
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
        description=mark("The agent’s name."),
        min_length=1,
        max_length=60,
        json_schema_extra=notes(applies="answer"),
    )
    model: str = Field(
        default="",
        title=mark("Model"),
        description=mark(
            "The model’s name, for example deepseek-chat or anthropic/claude-sonnet-4-5. Leave empty for "
            "the provider’s default."
        ),
        max_length=300,
        json_schema_extra=notes(applies="answer"),
    )
    provider: str = Field(
        default="auto",
        title=mark("Provider"),
        description=mark("Who runs the model. auto: chosen by the model’s name and your keys."),
        min_length=1,
        max_length=100,
        json_schema_extra=notes(applies="answer"),
    )
    fallback_models: tuple[ModelRef, ...] = Field(
        default=(),
        title=mark("Fallback models"),
        description=mark("Used in this order when the default model can’t be reached or is out of quota."),
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
        title=mark("Vision model"),
        description=mark("Answers messages with images if the default model can’t see them."),
        json_schema_extra=notes(kind="own", applies="answer"),
    )
    workspace: str = Field(
        default="",
        title=mark("Workspace"),
        description=mark("The folder for the agent’s files, memory and conversations."),
        json_schema_extra=notes(kind="folder", empty=mark("Nanobot’s own folder"), applies="restart"),
    )
    timezone: str = Field(
        default="",
        title=mark("Time zone"),
        description=mark("The time zone for tasks, for example Europe/Berlin."),
        max_length=60,
        json_schema_extra=notes(empty=mark("Same as this computer"), applies="now"),
    )
    max_tokens: int = Field(
        default=8192,
        title=mark("Answer limit"),
        description=mark("Longer answers are cut off."),
        ge=1,
        le=1_000_000,
        json_schema_extra=notes(unit=mark("tokens"), applies="answer"),
    )
    context_window_tokens: int | None = Field(
        default=None,
        title=mark("Context window"),
        description=mark("How much of a conversation the model sees at once."),
        ge=512,
        le=10_000_000,
        json_schema_extra=notes(unit=mark("tokens"), empty=mark("Model default"), applies="answer"),
    )
    temperature: float = Field(
        default=0.1,
        title=mark("Temperature"),
        description=mark("0 picks the most likely words; higher values vary more."),
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
                "": mark("Model default"),
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
        title=mark("Parallel conversations"),
        description=mark(
            "How many conversations a provider can answer at the same time. A model on this computer "
            "answers one or two."
        ),
        ge=1,
        le=64,
        json_schema_extra=notes(applies="restart"),
    )
    max_tool_iterations: int = Field(
        default=200,
        title=mark("Steps per answer"),
        description=mark("An answer stops after this many rounds of tool calls."),
        ge=1,
        le=10_000,
        json_schema_extra=notes(applies="answer"),
    )
    max_concurrent_subagents: int = Field(
        default=3,
        title=mark("Parallel subagents"),
        description=mark("How many subagents can run at the same time. Others wait in a queue."),
        ge=1,
        le=64,
        json_schema_extra=notes(applies="restart"),
    )
    max_subagent_iterations: int = Field(
        default=15,
        title=mark("Steps per subagent"),
        description=mark("A subagent stops after this many rounds of tool calls."),
        ge=1,
        le=1_000,
        json_schema_extra=notes(applies="answer"),
    )
    auto_titles: bool = Field(
        default=True,
        title=mark("Generate conversation titles"),
        description=mark(
            "After the first answer, the small model writes the title, or the model that answered if "
            "there is none. The built-in model is too slow for this, so there the title stays your first "
            "words."
        ),
        json_schema_extra=notes(applies="answer"),
    )
    unified_session: bool = Field(
        default=False,
        title=mark("One conversation for all your chats"),
        description=mark(
            "Your private chats with the agent continue one another, whatever the app. Groups, other "
            "people’s chats and mail stay apart."
        ),
        json_schema_extra=notes(applies="answer"),
    )
    idle_compact_after_minutes: int = Field(
        default=15,
        title=mark("Summarize after"),
        description=mark(
            "How long a conversation must be idle before it is summarized for memory. 0: only when it "
            "gets too long."
        ),
        ge=0,
        le=10_080,
        json_schema_extra=notes(unit=mark("minutes"), applies="answer"),
    )
    dream: Dream = Field(
        default_factory=Dream,
        title=mark("Memory"),
        description=mark("When Dream goes through your conversations and saves what is worth remembering."),
        json_schema_extra=notes(kind="own"),
    )
    disabled_skills: tuple[str, ...] = Field(
        default=(),
        title=mark("Disabled skills"),
        description=mark("The agent doesn’t know about these."),
        json_schema_extra=notes(kind="own"),
    )
    skill_keys: dict[str, tuple[str, ...]] = Field(
        default_factory=dict,
        title=mark("Skill keys"),
        description=mark("Which skill variables have a value in the keychain."),
        json_schema_extra=notes(kind="own"),
    )


class Agents(Section):
    """Settings of agents."""

    defaults: AgentDefaults = Field(default_factory=AgentDefaults, title=mark("Agent"))
