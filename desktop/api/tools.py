"""The agent's tools: which there are, what was done with them, and the keys of search engines."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop.config.tools import ENGINES, KEYED, search_entry
from desktop.errors import UsageError
from desktop.text import _
from desktop.tools.audit import Audit, Entry

if TYPE_CHECKING:
    from desktop.config.keychain import Keychain
    from desktop.tools.toolbox import Toolbox

__all__ = ["Entry", "ToolLine", "Tools"]


@dataclass(frozen=True, slots=True)
class ToolLine:
    """One of the program itself."""

    name: str
    description: str
    effect: str
    """read, write, run or send."""
    on: bool
    small_model: bool
    """Whether a small model has it."""


class Tools:
    """Reads what the agent can do and did."""

    def __init__(self, toolbox: "Toolbox", audit: Audit, keychain: "Keychain") -> None:
        self._toolbox, self._audit, self._keychain = toolbox, audit, keychain

    async def list(self) -> tuple[ToolLine, ...]:
        """Every tool of the program itself."""
        few, usual = [(await self._toolbox.own(small_model=small)).tools for small in (True, False)]
        every = await self._toolbox.all()
        every = {**every, **{name: tool for name, tool in few.items() if name not in every}}
        return tuple(
            ToolLine(
                tool.name,
                tool.description,
                tool.effect.value,
                tool.name in usual or tool.name in few,
                tool.name in few,
            )
            for tool in every.values()
        )

    async def audit(self, *, limit: int = 200, session: str = "") -> tuple[Entry, ...]:
        """The newest calls, of one conversation or of all. Raises StorageError."""
        return tuple(await self._audit.latest(limit, session))

    async def set_search_key(self, engine: str, key: str = "") -> None:
        """Store a search engine's key in the keychain; "" removes it. Raises UsageError, KeychainError."""
        if engine not in KEYED:
            raise UsageError(_("{engine} needs no key.").format(engine=ENGINES.get(engine, engine)))
        name = search_entry(engine)
        if key:
            await self._keychain.set(name, key)
        else:
            await self._keychain.delete(name)
