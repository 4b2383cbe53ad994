"""The tools that a model is offered in a turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from desktop.tools.base import Tool


@dataclass(frozen=True, slots=True)
class Toolset:
    """By name."""

    tools: Mapping[str, Tool[Any]]
    small_model: bool = False

    def named(self, name: str) -> str:
        """The name of the tool that is meant: models write - for _, and small letters for large. The name
        as it is where none or several could be meant."""
        if name in self.tools:
            return name
        alike = [known for known in self.tools if _bare(known) == _bare(name)]
        return alike[0] if len(alike) == 1 else name

    @property
    def schemas(self) -> list[Mapping[str, Any]]:
        """As a request carries them."""
        return [tool.brief_schema if self.small_model else tool.schema for tool in self.tools.values()]


def _bare(name: str) -> str:
    return name.replace("-", "_").casefold()
