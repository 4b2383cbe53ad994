"""The page of what the agent may do: how it asks, standing answers, folders that were granted."""

from types import MappingProxyType
from typing import Literal

from pydantic import Field

from desktop.config.base import Section, notes
from desktop.config.loosens import Loosens, names
from desktop.text import mark

type ModeName = Literal["ask", "risky"]
"""How the agent asks where a conversation has no way of its own. Autonomous is a conversation's only, and
ends."""


class Rule(Section):
    """A standing answer to calls of one kind. Empty fields do not narrow it."""

    tool: str = Field(min_length=1, max_length=100)
    answer: Literal["allow", "deny"] = "allow"
    program: str = Field(default="", max_length=4096)
    """The program of a command: its name as the command gave it, or its whole path."""
    arguments: tuple[str, ...] = ()
    """How the program's arguments must begin, word by word."""
    folder: str = Field(default="", max_length=4096)
    """Where the files that the call touches, or the command's working folder, must lie."""
    host: str = Field(default="", max_length=253)
    """The host of the address that is fetched."""
    network: bool = False
    """Whether the command may use the network."""
    files: dict[str, str] = Field(default_factory=dict)
    """The files that the command runs, by their paths, and the SHA-256 of what they said then."""
    at: float = 0.0
    """When the answer was given, Unix time in seconds."""


class Folder(Section):
    """A folder outside the workspace that the agent may use."""

    path: str = Field(min_length=1, max_length=4096)
    write: bool = False


class Permissions(Section):
    """When the agent asks before it acts."""

    LOOSENS = MappingProxyType(
        {
            "mode": Loosens(mark("The agent asks less often."), order=("ask", "risky")),
            "autonomous_minutes": Loosens(
                mark("An autonomous conversation runs longer before it asks again."), grows=True
            ),
            "rules": Loosens(
                mark("The agent no longer asks about this."),
                tight=lambda rule: rule.answer == "deny",
            ),
            "folders": Loosens(
                mark("The agent uses this folder without asking."), tight=lambda _folder: False
            ),
        }
    )
    HARMLESS = names("patience_minutes")

    mode: ModeName = Field(
        default="risky",
        title=mark("Ask before acting"),
        description=mark(
            "When the agent asks before it acts. Whatever you choose, it can never run commands that "
            "destroy a disk, or access keys and this program’s own settings."
        ),
        json_schema_extra=notes(
            choices={
                "ask": mark("Always"),
                "risky": mark("When risky"),
            },
            applies="answer",
        ),
    )
    autonomous_minutes: int = Field(
        default=60,
        title=mark("Autonomous mode ends after"),
        description=mark(
            "How long a conversation can act without asking after you turn on autonomous mode."
        ),
        ge=1,
        le=1440,
        json_schema_extra=notes(unit=mark("minutes")),
    )
    patience_minutes: int = Field(
        default=10,
        title=mark("Wait for an answer"),
        description=mark(
            "How long the agent waits for your answer before it continues without it. The question stays "
            "in your inbox, and you can answer it any time."
        ),
        ge=0,
        le=1440,
        json_schema_extra=notes(unit=mark("minutes")),
    )
    rules: tuple[Rule, ...] = Field(
        default=(),
        title=mark("Always allowed"),
        description=mark("What you chose to always allow or always deny."),
        json_schema_extra=notes(kind="own"),
    )
    folders: tuple[Folder, ...] = Field(
        default=(),
        title=mark("Folders"),
        description=mark("Folders outside the workspace that the agent can use without asking."),
        json_schema_extra=notes(kind="own"),
    )
