"""What the tools of servers were when the person last had to do with them.

A server may change what a tool says or takes after it was agreed to. The first list of a server is taken
as it is; what is new or other later counts as changed, and is not told to a model, until the person accepts
it.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from desktop.database import Database

_LISTED = ""
"""No tool's name: tells that there was a first list, even an empty one."""


class Known:
    """Digests of tools, in state.db."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def changed(self, server: str, tools: Mapping[str, str]) -> frozenset[str]:
        """Which of these tools (digest by name) are not as they were known; all are stored as known if
        nothing of this server is. Raises StorageError."""
        rows = await self._database.read("SELECT tool, digest FROM mcp_tools WHERE server = ?", (server,))
        if not rows:
            await self.accept(server, {**tools, _LISTED: ""})
            return frozenset()
        before = dict(rows)
        return frozenset(name for name, digest in tools.items() if before.get(name) != digest)

    async def accept(self, server: str, tools: Mapping[str, str]) -> None:
        """From now on these are known. Raises StorageError."""
        await self._database.write(
            "INSERT OR REPLACE INTO mcp_tools (server, tool, digest) "
            "SELECT ?, key, value FROM json_each(?)",
            (server, json.dumps(dict(tools))),
        )

    async def forget(self, server: str) -> None:
        """The next list of this server is its first. Raises StorageError."""
        await self._database.write("DELETE FROM mcp_tools WHERE server = ?", (server,))


def digest(*parts: Any) -> str:
    """A hash of JSON values."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
