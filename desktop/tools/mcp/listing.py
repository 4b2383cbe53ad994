"""What a server says of its tools, made ready: a plain schema, a check of arguments, a digest of it all."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from desktop.config.mcp import McpServer
from desktop.errors import AppError
from desktop.text import _
from desktop.tools.mcp.known import digest
from desktop.tools.mcp.schema import Checker, Json, plain

_LONGEST_DESCRIPTION = 4_000
_LONGEST_NAME = 500
_MOST_PAGES, _MOST_TOOLS = 100, 1_000


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
class Listing:
    """The tools of a server, and what is odd about them."""

    tools: tuple[Listed, ...]
    oddity: AppError | None = None


async def pages(client: Any) -> list[Any]:
    """The SDK's tools of a server, all pages of them. Raises what the SDK does."""
    from mcp import MCPError

    found: list[Any] = []
    cursor = None
    for _page in range(_MOST_PAGES):
        try:
            page = await client.list_tools(cursor=cursor, cache_mode="bypass")
        except MCPError:
            if client.server_capabilities.tools is None:
                break  # it has none, and said so
            raise
        found += page.tools
        cursor = page.next_cursor
        if not cursor or len(found) >= _MOST_TOOLS:
            break
    return found[:_MOST_TOOLS]


def learn(server: str, settings: McpServer, tools: Sequence[Any]) -> Listing:
    """From the SDK's tools (blocking)."""
    found: dict[str, Listed] = {}
    twice, loose = [], []
    for tool in tools:
        if tool.name in found:
            twice.append(tool.name[:80])
            continue
        if not tool.name or len(tool.name) > _LONGEST_NAME:
            continue
        schema, kept = plain(tool.input_schema)
        if not kept:
            loose.append(tool.name[:80])
        hints = tool.annotations.model_dump(exclude_none=True) if tool.annotations else {}
        said = digest(tool.name, tool.description, tool.input_schema, hints)
        found[tool.name] = Listed(
            name=tool.name,
            description=(tool.description or tool.title or tool.name)[:_LONGEST_DESCRIPTION],
            schema=schema,
            checker=Checker(tool.input_schema),
            read_only=hints.get("read_only_hint") is True,
            destructive=hints.get("destructive_hint") is True,
            digest=said,
            identity=digest(
                server, settings.kind, settings.command, settings.args, settings.url, settings.pinned, said
            ),
        )
    return Listing(tuple(found.values()), _odd(twice, loose))


def told(tool: Listed) -> str:
    """All that a model is told of a tool, to be read by a person: its description, then what it takes."""
    takes = [
        line
        for name, inner in (tool.schema.get("properties") or {}).items()
        for line in _parameter(name, inner, "")
    ]
    return "\n".join([tool.description, *takes])


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


def _odd(twice: list[str], loose: list[str]) -> AppError | None:
    if twice:
        return AppError(
            _("The server lists a tool twice, and only the first can be used: {names}.").format(
                names=", ".join(sorted(set(twice))[:5])
            ),
            _("See whether there is a newer version of the server."),
        )
    if loose:
        return AppError(
            _(
                "What these tools take is described at too great a length to be told to a model: {names}."
            ).format(names=", ".join(sorted(loose)[:5])),
            _("They can be used all the same; the server checks what it is given."),
        )
    return None
