"""Names for tools of servers: what every provider accepts, one name a tool, the same ones each time."""

import hashlib
import re
from collections.abc import Collection, Iterable

_LONGEST = 64
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]+")


def names(tools: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """From (server, the server's name of a tool) to mcp_<server>_<tool>, cut with a hash where it is too
    long, and with a hash where two would be the same."""
    found: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for server, tool in sorted(set(tools)):
        name = f"mcp_{clean(server)}_{clean(tool)}"
        if len(name) > _LONGEST or name in taken:
            mark = hashlib.sha256(f"{server}\0{tool}".encode()).hexdigest()[:8]
            name = f"{name[: _LONGEST - 9]}_{mark}"
        taken.add(name)
        found[server, tool] = name
    return found


def clean(name: str) -> str:
    """A name of letters, digits, _ and -."""
    return _FOREIGN.sub("_", name).strip("_") or "_"


def switched_on(raw: str, full: str, enabled: Collection[str], disabled: Collection[str]) -> bool:
    """Whether a tool is on: the lists have the server's names or ours, and "*" is all."""
    if {raw, full} & set(disabled):
        return False
    return bool({"*", raw, full} & set(enabled))
