"""The agent's page: who it is, which model answers, and how much it may use."""

from pydantic import Field

from desktop.config.base import Section


class AgentDefaults(Section):
    """How every conversation starts."""

    bot_name: str = Field(
        default="Nanobot",
        title="Name",
        description="What the agent calls itself.",
        min_length=1,
        max_length=60,
    )
    model: str = Field(
        default="",
        title="Model",
        description="The model's name, such as deepseek-chat or anthropic/claude-sonnet-4-5. "
        "Empty: the provider's usual one.",
        max_length=300,
    )
    provider: str = Field(
        default="auto",
        title="Provider",
        description="Who runs the model. auto: chosen from the model's name and the keys you have.",
        min_length=1,
        max_length=100,
    )
    workspace: str = Field(
        default="",
        title="Workspace",
        description="The folder of the agent's files, memory and conversations. "
        "Empty: inside the program's home.",
    )
    max_tokens: int = Field(
        default=8192, title="Longest answer", description="Tokens in one answer.", ge=1, le=1_000_000
    )
    context_window_tokens: int = Field(
        default=65_536,
        title="Context window",
        description="Tokens of a conversation that the model is shown at once.",
        ge=512,
        le=10_000_000,
    )
    temperature: float = Field(
        default=0.1,
        title="Temperature",
        description="0 keeps to the likeliest words, higher values vary more.",
        ge=0,
        le=2,
    )
    reasoning_effort: str | None = Field(
        default=None,
        title="Reasoning effort",
        description="How long a reasoning model thinks: low, medium, high. Empty: the model's own default.",
        max_length=20,
    )
    max_concurrent_turns: int = Field(
        default=4,
        title="Conversations at once",
        description="How many conversations may be answered at the same time.",
        ge=1,
        le=64,
    )


class Agents(Section):
    """Settings of agents."""

    defaults: AgentDefaults = Field(default_factory=AgentDefaults, title="Agent")
