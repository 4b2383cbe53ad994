"""Names for tools of servers: what every provider accepts, one name a tool, the same ones each time."""

import hashlib
from collections.abc import Collection, Iterable

from desktop.config.mcp import plain_name

_LONGEST = 64


def names(tools: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """From (server, the server's name of a tool) to mcp_<server>_<tool>, cut with a hash where it is too
    long, and with a hash where two would be the same."""
    found: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for server, tool in sorted(set(tools)):
        name = f"mcp_{plain_name(server)}_{plain_name(tool)}"
        if len(name) > _LONGEST or name in taken:
            mark = hashlib.sha256(f"{server}\0{tool}".encode()).hexdigest()[:8]
            name = f"{name[: _LONGEST - 9]}_{mark}"
        taken.add(name)
        found[server, tool] = name
    return found


def switched_on(raw: str, full: str, enabled: Collection[str], disabled: Collection[str]) -> bool:
    """Whether a tool is on: the lists have the server's names or ours, and "*" is all."""
    if {raw, full} & set(disabled):
        return False
    return bool({"*", raw, full} & set(enabled))
