"""The page of what runs on this machine: the model host and the built-in model."""

from pydantic import Field

from desktop.config.base import Section


class ModelHost(Section):
    """The child process that speaks to models."""

    idle_stop_s: float = Field(
        default=600,
        title="Stop when idle",
        description="Seconds without a call after which the model host is stopped.",
        ge=1,
        le=86_400,
    )


class LocalModel(Section):
    """The model that runs on this machine, without a key."""

    model: str = Field(
        default="qwen2.5-coder-0.5b-instruct",
        title="Built-in model",
        description="Which of the catalogue's models is run.",
        min_length=1,
        max_length=200,
    )
    idle_stop_s: float = Field(
        default=600,
        title="Stop when idle",
        description="Seconds without a question after which the built-in model's server is stopped.",
        ge=1,
        le=86_400,
    )
    server: str = Field(
        default="",
        title="Model server",
        description="The address of a model server found on this machine that you chose to use.",
        pattern=r"^(https?://\S+)?$",
        max_length=2000,
    )
