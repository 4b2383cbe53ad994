"""What the person says to a question of permission, and what becomes of it. Light: cards make replies."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Reply:
    """What the person says to a question."""

    yes: bool
    reason: str = ""
    """Why not; the agent is told."""
    network: bool = False
    """The command may use the internet."""
    always: bool = False
    """Calls like this are allowed from now on."""
    content: dict[str, Any] = field(default_factory=dict)
    """Of a form, by field."""
    front: str = "window"
    ask: bool = True
    """What a late answer meets that changed since is asked about at once; else it waits in the inbox."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of a reply."""

    late: bool = False
    """Its turn had ended: the answer began a new one."""
    faults: Mapping[str, str] = field(default_factory=dict)
    """What is wrong with the content of a form, by field; the question stays open."""
