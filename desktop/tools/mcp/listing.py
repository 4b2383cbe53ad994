"""What a server says of its tools, made ready: a plain schema, a check of arguments, a digest of it all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from desktop.config.mcp import McpServer
from desktop.errors import AppError
from desktop.text import _
from desktop.tools.mcp.known import digest
from desktop.tools.mcp.schema import Checker, Json, plain

_LONGEST_DESCRIPTION = 4_000
_LONGEST_NAME = 500


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
            identity=digest(server, settings.kind, settings.command, settings.args, settings.url, said),
        )
    return Listing(tuple(found.values()), _odd(twice, loose))


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
