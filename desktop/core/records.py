"""The verbs that show what happened: the tools there are, the audit log."""

from typing import TYPE_CHECKING

from desktop.config.tools import ENGINES, KEYED, search_entry
from desktop.core.verbs import Json, Send
from desktop.errors import UsageError
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core


class Records:
    """Reads what the agent can do and did."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    async def tools(self, _arguments: Json, _send: Send) -> Json:
        """Every tool of the program itself: name, what it does, effect, whether a small model has it."""
        few = (await self._core.workshop.own(lean=True)).tools
        usual = (await self._core.workshop.own(lean=False)).tools
        every = {**await self._core.workshop.all()}
        every |= {name: tool for name, tool in few.items() if name not in every}
        return {
            "tools": [
                {
                    "name": tool.name,
                    "description": tool.description,
                    "effect": tool.effect.value,
                    "on": tool.name in usual or tool.name in few,
                    "lean": tool.name in few,
                }
                for tool in every.values()
            ]
        }

    async def audit(self, arguments: Json, _send: Send) -> Json:
        """The newest calls, of `session` or of all; at most `limit`."""
        limit, session = int(arguments.get("limit") or 200), str(arguments.get("session") or "")
        entries = await self._core.audit.latest(limit, session)
        return {"entries": [entry.as_json() for entry in entries]}

    async def search_key(self, arguments: Json, _send: Send) -> Json:
        """Store a search engine's key in the keychain; an empty one removes it. Raises KeychainError."""
        engine, key = str(arguments["engine"]), str(arguments.get("key") or "")
        if engine not in KEYED:
            raise UsageError(_("{engine} needs no key.").format(engine=ENGINES.get(engine, engine)))
        name = search_entry(engine)
        if key:
            await self._core.keychain.set(name, key)
        else:
            await self._core.keychain.delete(name)
        return {}
