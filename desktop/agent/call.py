"""One call of a tool: what it was to do, whether it may, what came of it and whose words that is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop.agent.approvals import Plan, Ruling
from desktop.origin import TRUSTED, Mark
from desktop.providers.base import Message, ToolCall
from desktop.tools.base import Arguments, Tool, ToolResult


@dataclass(slots=True)
class Done:
    """One call and what came of it. `outcome`: ok, failed, denied or parked."""

    call: ToolCall
    gist: str = ""
    effect: str = ""
    tool: Tool[Any] | None = None
    args: Arguments | None = None
    plan: Plan | None = None
    meant: Mapping[Path, Path] = field(default_factory=dict)
    """Paths that are not there, and those that look like them and are used instead."""
    outcome: str = "failed"
    text: str = ""
    ruling: Ruling | None = None
    result: ToolResult = field(default_factory=lambda: ToolResult(""))
    mark: Mark = TRUSTED
    """Whose words the text is."""
    seconds: float = 0.0

    @property
    def parallel(self) -> bool:
        """Whether it may run beside its neighbours; what never runs may, too."""
        return self.tool is None or self.plan is None or self.tool.parallel_safe

    def record(self, turn: str) -> Message:
        """The tool's message for the log, with our marks."""
        marks: Message = {
            "_turn": turn,
            "_outcome": self.outcome,
            "_gist": self.gist,
            "_effect": self.effect,
            "_seconds": round(self.seconds, 3),
        }
        if self.ruling and self.ruling.text:
            marks["_decision"] = self.ruling.text
        marks |= self.mark.fields_if_marked()
        if self.result.addresses:
            marks["_addresses"] = sorted(self.result.addresses)[:500]
        if self.plan and self.plan.claim.address and self.ruling and self.ruling.allowed:
            marks["_fetched"] = self.plan.claim.address
        if self.result.images:
            marks["_images"] = [str(path) for path in self.result.images]
        role = {"role": "tool", "tool_call_id": self.call.id, "name": self.call.name, "content": self.text}
        return {**role, **marks}
