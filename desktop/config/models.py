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
        title=mark("Model host stops after"),
        description=mark(
            "How long after a call the part that talks to models is kept in memory. "
            "Starting it again takes a second or two."
        ),
        ge=1,
        le=86_400,
        json_schema_extra=notes(unit=mark("seconds"), applies="answer"),
    )


class LocalModel(Section):
    """The model that runs on this machine, without a key."""

    LOOSENS = MappingProxyType(
        {"server": Loosens(mark("What you say goes to the model server at this address."))}
    )
    HARMLESS = names("model files idle_stop_s")

    model: str = Field(
        default="",
        title=mark("Built-in model"),
        description=mark("Which model is run: one of the catalogue, or the path of a GGUF file of yours."),
        max_length=2000,
        json_schema_extra=notes(empty=mark("By the memory that is free"), applies="answer"),
    )
    files: list[str] = Field(
        default_factory=list,
        title=mark("Model files of yours"),
        description=mark("GGUF files that you chose, by their paths."),
        max_length=100,
        json_schema_extra=notes(applies="answer"),
    )
    idle_stop_s: float = Field(
        default=600,
        title=mark("Built-in model stops after"),
        description=mark(
            "How long after a question the built-in model is kept in memory. While the window is open it "
            "stays as long as there is memory enough."
        ),
        ge=1,
        le=86_400,
        json_schema_extra=notes(unit=mark("seconds"), applies="answer"),
    )
    server: str = Field(
        default="",
        title=mark("Model server"),
        description=mark(
            "The address of a model server of yours. It answers where the provider is chosen automatically."
        ),
        pattern=ADDRESS,
        max_length=2000,
        json_schema_extra=notes(empty=mark("None"), applies="answer"),
    )
