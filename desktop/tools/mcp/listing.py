"""What a server says of its tools, made ready: a plain schema, a check of arguments, a digest of it all."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from desktop.config.mcp import McpServer
from desktop.errors import AppError
from desktop.text import _
from desktop.tools.mcp.known import digest
from desktop.tools.mcp.schema import Checker, Json, plain, readable
from desktop.tools.mcp.wire import raw

_LONGEST_DESCRIPTION = 4_000
_LONGEST_NAME = 500
_MOST_PAGES, _MOST_TOOLS = 100, 1_000
_HINTS = {
    "readOnlyHint": "read_only_hint",
    "destructiveHint": "destructive_hint",
    "idempotentHint": "idempotent_hint",
    "openWorldHint": "open_world_hint",
}


@dataclass(frozen=True, slots=True)
class Listed:
    """One tool of a server."""

    name: str
    """The server's own."""
    description: str
    schema: Json
    checker: Checker
    read_only: bool
    destructive: bool
    digest: str
    """Of what the server says of it."""
    identity: str
    """The same with the server itself: a yes is good for just this."""


@dataclass(frozen=True, slots=True)
class Tested:
    """What a server answered when it was tried: the names of its tools, after how many seconds, what else
    it offers, and what it calls itself."""

    tools: tuple[str, ...]
    seconds: float
    unused: tuple[str, ...]
    server: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The tools of a server, and what is odd about them."""

    tools: tuple[Listed, ...]
    oddity: AppError | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What a server answered to the question for its tools, unchecked."""

    tools: tuple[Any, ...]
    refused: frozenset[str] = frozenset()
    """Names of tools that the protocol forbids to use."""
    endless: bool = False
    """The list did not come to an end."""

    @property
    def names(self) -> list[str]:
        """Of the tools that have one."""
        return [tool["name"] for tool in self.tools if _named(tool)]


async def pages(client: Any) -> Said:
    """The tools of a server, all pages of them. Raises what the SDK does."""
    from mcp import MCPError

    found: list[Any] = []
    refused: set[str] = set()
    cursor, before = None, {None}
    while True:
        try:
            page = await client.list_tools(cursor=cursor, cache_mode="bypass")
        except MCPError:
            if client.server_capabilities.tools is None:
                break  # it has none, and said so
            raise
        tools = raw(page).get("tools")
        if isinstance(tools, list):
            found += tools
            taken = {tool.name for tool in page.tools}
            refused |= {tool["name"] for tool in tools if _named(tool) and tool["name"] not in taken}
        cursor = page.next_cursor
        if not cursor:
            break
        if cursor in before or len(before) >= _MOST_PAGES or len(found) >= _MOST_TOOLS or not tools:
            return Said(tuple(found[:_MOST_TOOLS]), frozenset(refused), endless=True)
        before.add(cursor)
    return Said(tuple(found[:_MOST_TOOLS]), frozenset(refused), endless=len(found) > _MOST_TOOLS)


def learn(server: str, settings: McpServer, said: Said) -> Listing:
    """Each tool by itself: what is odd costs at most the one that has it (blocking)."""
    found: dict[str, Listed] = {}
    odd = _Oddities(endless=said.endless)
    for tool in said.tools:
        if not _named(tool) or tool["name"] in said.refused:
            odd.left_out.append(_called(tool))
        elif tool["name"] in found:
            odd.twice.append(_called(tool))
        else:
            found[tool["name"]] = _listed(server, settings, tool, odd)
    return Listing(tuple(found.values()), odd.told())


def _named(tool: Any) -> bool:
    """Whether it can be called at all."""
    name = tool.get("name") if isinstance(tool, dict) else None
    return isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME and bool(name.strip())


def _called(tool: Any) -> str:
    """A tool's name for the person, or what stands in its place."""
    name = tool.get("name") if isinstance(tool, dict) else tool
    if name is None or name == "":
        return _("a tool without a name")
    text = name if isinstance(name, str) else json.dumps(name, ensure_ascii=False)
    return " ".join(text.split())[:80]


def _listed(server: str, settings: McpServer, tool: Json, odd: "_Oddities") -> Listed:
    name, given = tool["name"], tool.get("inputSchema")
    schema, kept = plain(given)
    if not readable(given):
        odd.unread.append(_called(tool))
    elif not kept:
        odd.loose.append(_called(tool))
    hints = _hints(tool.get("annotations"))
    description = next((text for key in ("description", "title") if (text := _text(tool.get(key)))), name)
    said = digest(name, tool.get("description"), given, hints)
    return Listed(
        name=name,
        description=description[:_LONGEST_DESCRIPTION],
        schema=schema,
        checker=Checker(given),
        read_only=hints.get("read_only_hint") is True,
        destructive=hints.get("destructive_hint") is True,
        digest=said,
        identity=digest(
            server, settings.kind, settings.command, settings.args, settings.url, settings.pinned, said
        ),
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _hints(given: Any) -> Json:
    """What a server says of the effects of a tool, by the names that accepted digests have."""
    if not isinstance(given, dict):
        return {}
    found = {ours: given[theirs] for theirs, ours in _HINTS.items() if isinstance(given.get(theirs), bool)}
    return {"title": given["title"], **found} if _text(given.get("title")) else found


def told(tool: Listed) -> str:
    """All that a model is told of a tool, to be read by a person: its description, then what it takes."""
    takes = [
        line
        for name, inner in (tool.schema.get("properties") or {}).items()
        for line in _parameter(name, inner, "")
    ]
    return "\n".join(filter(None, [tool.description, *takes, tool.schema.get("description")]))


def _parameter(name: str, schema: Any, above: str) -> Iterator[str]:
    """A line of its own for a parameter, and one for each that stands within it. Whatever is no usual part
    of a schema follows as JSON: nothing of it is left out."""
    if not isinstance(schema, Mapping):
        yield f"{above}{name}: {json.dumps(schema, ensure_ascii=False)}"
        return
    said = {key: value for key, value in schema.items() if key not in ("description", "type", "properties")}
    kind, about = schema.get("type", ""), schema.get("description", "")
    more = json.dumps(said, ensure_ascii=False) if said else ""
    head = f"{above}{name} ({kind})" if isinstance(kind, str) and kind else f"{above}{name}"
    yield ": ".join([head, " ".join(str(part) for part in (about, more) if part)]).rstrip(": ")
    inner = schema.get("properties")
    for key, value in inner.items() if isinstance(inner, Mapping) else ():
        yield from _parameter(str(key), value, f"{above}{name}.")


@dataclass
class _Oddities:
    """What is odd about the tools of a server, by name."""

    endless: bool
    left_out: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    loose: list[str] = field(default_factory=list)

    def told(self) -> AppError | None:
        """All of it; None where there is nothing."""
        remedy = _("Check for a newer version of the server.")
        found: list[tuple[str, str]] = []
        if self.left_out:
            text = _("These tools don’t follow the protocol and were left out: {names}.")
            found.append((text.format(names=_few(self.left_out)), remedy))
        if self.twice:
            text = _("The server lists these tools twice; only the first can be used: {names}.")
            found.append((text.format(names=_few(self.twice)), remedy))
        if self.unread:
            text = _("The parameters of these tools can’t be read; the server checks them itself: {names}.")
            found.append((text.format(names=_few(self.unread)), remedy))
        if self.loose:
            text = _(
                "The parameters of these tools are described at too great a length for a model: {names}."
            )
            again = _("You can still use them. The server checks what it receives.")
            found.append((text.format(names=_few(self.loose)), again))
        if self.endless:
            found.append((_("The server’s list of tools never ends. Only the beginning was read."), remedy))
        if not found:
            return None
        return AppError(" ".join(text for text, _remedy in found), found[0][1])


def _few(names: list[str]) -> str:
    """Some of the names, and how many more there are."""
    every = sorted(set(names))
    return ", ".join(every[:5]) + (f" (+{len(every) - 5})" if len(every) > 5 else "")
