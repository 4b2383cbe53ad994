"""A tool of an MCP server as one of the agent's own.

To the person it is something that leaves the program: it asks. Only where they trust a server is its word
taken that a tool merely reads; its word that one destroys is always taken.
"""

import functools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ConfigDict

from desktop.origin import Mark, untrusted
from desktop.tasks import in_thread
from desktop.text import _
from desktop.tools.base import Arguments, Claim, Effect, Json, Tool, ToolContext, ToolFailure, ToolResult
from desktop.tools.form import Asker
from desktop.tools.mcp.listing import Listed
from desktop.tools.mcp.names import switched_on
from desktop.tools.mcp.results import failed, result
from desktop.tools.mcp.server import Server

_PREVIEW = 100


class Anything(Arguments):
    """Arguments as they are: the server's schema checks them."""

    model_config = ConfigDict(extra="allow", frozen=True, populate_by_name=True)


class McpTool(Tool[Anything]):
    """One tool of a server as it was listed; made anew with each list."""

    arguments = Anything

    def __init__(self, name: str, server: Server, listed: Listed, folder: Path) -> None:
        """`folder`: where pictures and other bytes of answers are kept."""
        self.name, self.description = name, listed.description
        self.listed = listed
        self._server, self._folder = server, folder

    @property
    def effect(self) -> Effect:  # type: ignore[override]
        """read, if a trusted server says so; else send."""
        return Effect.READ if self._server.settings.trusted and self.listed.read_only else Effect.SEND

    @property
    def parallel_safe(self) -> bool:  # type: ignore[override]
        return self.effect is Effect.READ

    @property
    def mark(self) -> Mark:  # type: ignore[override]
        """Whatever comes of a call, the server wrote it."""
        return untrusted(self._server.name)

    @functools.cached_property
    def schema(self) -> Json:
        """The tool in the form that a request carries."""
        return self._function(self.description, self.listed.schema)

    def claim(self, args: Anything, context: ToolContext) -> Claim:
        """What would be sent to whom. Raises ToolFailure for arguments that the server's schema refuses."""
        self._check()
        given = args.model_extra or {}
        if faults := self.listed.checker.faults(given):
            known = ", ".join(self.listed.schema["properties"])
            raise ToolFailure(
                f"{self.name} cannot take these arguments: {'; '.join(faults)}. Its parameters: {known}."
            )
        server = self._server
        return Claim(
            self.effect,
            gist=" ".join(filter(None, (f"{server.name} · {self.listed.name}", _preview(given)))),
            body=json.dumps(given, ensure_ascii=False, indent=2) if given else "",
            service=server.name,
            identity=self.listed.identity,
            always_ask=self._why_always(),
            stays=server.settings.local,
        )

    def _check(self) -> None:
        settings = self._server.settings
        if not switched_on(self.listed.name, self.name, settings.enabled_tools, settings.disabled_tools):
            raise ToolFailure(f"The person has switched {self.name} off. Go on without it.")
        if not self._server.offers(self.listed):
            raise ToolFailure(
                f"The MCP server {self._server.name} changed or removed this tool meanwhile; nothing was "
                "done. A changed one comes back once the person has accepted it. Go on without it."
            )

    def _why_always(self) -> str:
        if self.listed.destructive:
            return _("The server says this tool deletes or overwrites something.")
        return ""

    async def run(self, args: Anything, context: ToolContext) -> ToolResult:
        """Send the call. Raises ToolFailure, StorageError."""
        asker = context.asker
        try:
            answer = await self._server.call(self.listed, args.model_extra or {}, asker)
        except ToolFailure as failure:
            raise ToolFailure(_with_notes(failure.text, asker)) from failure
        made = await in_thread(result, answer, self._folder, context.workspace)
        if failed(answer):
            text = f"The MCP server {self._server.name} reports an error: {made.text}"
            raise ToolFailure(_with_notes(text, asker))
        return replace(made, text=_with_notes(made.text, asker))


def _with_notes(text: str, asker: Asker | None) -> str:
    """A result, and what became of what the server asked the person."""
    return "\n".join([text, *(f"[{note}]" for note in (asker.notes if asker else ()))])


def _preview(arguments: Json) -> str:
    """The arguments on one short line."""
    parts: list[str] = []
    for name, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        parts.append(f"{name}={' '.join(text[:_PREVIEW].split())}")
        if sum(map(len, parts)) > _PREVIEW:
            break
    line = ", ".join(parts)
    return line if len(line) <= _PREVIEW else f"{line[:_PREVIEW]}…"


def tools_of(server: Server, names: dict[tuple[str, str], str], folder: Path) -> dict[str, Tool[Any]]:
    """All tools of a server by our names for them."""
    made = (
        McpTool(names[server.name, raw], server, listed, folder) for raw, listed in server.tools.items()
    )
    return {tool.name: tool for tool in made}
