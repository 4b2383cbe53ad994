"""The page of what runs on this machine: the model host and the built-in model."""

from types import MappingProxyType

from pydantic import Field

from desktop.config.base import ADDRESS, Section, notes
from desktop.config.loosens import Loosens, names
from desktop.text import mark


class ModelHost(Section):
    """The child process that speaks to models."""

    HARMLESS = names("idle_stop_s")

    idle_stop_s: float = Field(
        default=600,
        title=mark("Stop model host after"),
        description=mark(
            "How long the process that talks to models stays in memory after a call. Starting it again "
            "takes a second or two."
        ),
        ge=1,
        le=86_400,
        json_schema_extra=notes(unit=mark("seconds"), applies="answer"),
    )


class LocalModel(Section):
    """The model that runs on this machine, without a key."""

    LOOSENS = MappingProxyType(
        {"server": Loosens(mark("Your messages go to the model server at this address."))}
    )
    HARMLESS = names("model files idle_stop_s")

    model: str = Field(
        default="",
        title=mark("Built-in model"),
        description=mark("The model to run: one from the catalog, or the path of your own GGUF file."),
        max_length=2000,
        json_schema_extra=notes(empty=mark("Based on free memory"), applies="answer"),
    )
    files: list[str] = Field(
        default_factory=list,
        title=mark("Your model files"),
        description=mark("Paths of the GGUF files you chose."),
        max_length=100,
        json_schema_extra=notes(applies="answer"),
    )
    idle_stop_s: float = Field(
        default=600,
        title=mark("Stop built-in model after"),
        description=mark(
            "How long the built-in model stays in memory after a question. While the window is open, it "
            "stays as long as there is enough memory."
        ),
        ge=1,
        le=86_400,
        json_schema_extra=notes(unit=mark("seconds"), applies="answer"),
    )
    server: str = Field(
        default="",
        title=mark("Model server"),
        description=mark(
            "The address of your own model server. It answers when the provider is chosen automatically."
        ),
        pattern=ADDRESS,
        max_length=2000,
        json_schema_extra=notes(empty=mark("None"), applies="answer"),
    )
