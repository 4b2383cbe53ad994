"""Which tools of servers the person has accepted, as they were then.

What a server says of a tool stands in every prompt, so a model is told nothing of it before the person has
seen it and said yes. That holds for the first list of a server, and for what is new or changed later.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from desktop.database.database import Database


class Known:
    """Digests of tools, in state.db."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def changed(self, server: str, tools: Mapping[str, str]) -> frozenset[str]:
        """Which of these tools (digest by name) are new, or not as they were accepted. Raises
        StorageError."""
        before = await self.of(server)
        return frozenset(name for name, digest in tools.items() if before.get(name) != digest)

    async def of(self, server: str) -> dict[str, str]:
        """The accepted tools of a server: digest by name. Raises StorageError."""
        return dict(
            await self._database.read("SELECT tool, digest FROM mcp_tools WHERE server = ?", (server,))
        )

    async def accept(self, server: str, tools: Mapping[str, str]) -> None:
        """From now on these are accepted. Raises StorageError."""
        await self._database.write(
            "INSERT OR REPLACE INTO mcp_tools (server, tool, digest) "
            "SELECT ?, key, value FROM json_each(?)",
            (server, json.dumps(dict(tools))),
        )

    async def forget(self, server: str) -> None:
        """Nothing of this server is accepted any more. Raises StorageError."""
        await self._database.write("DELETE FROM mcp_tools WHERE server = ?", (server,))


def digest(*parts: Any) -> str:
    """A hash of JSON values."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
