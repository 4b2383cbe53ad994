"""web_fetch: one page of the web as text, marked as what it is: from outside."""

import asyncio
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field

from desktop.addresses import readable
from desktop.net.client import Client, FetchError, checked
from desktop.origin import untrusted
from desktop.tasks import cancel, spawn
from desktop.tools.base import Arguments, Claim, Effect, Tool, ToolContext, ToolFailure, ToolResult
from desktop.tools.web.reader import Reader

_MOST = 50_000


class FetchArguments(Arguments):
    """Which page, and how."""

    url: str = Field(description="The address, with http:// or https://.", min_length=1, max_length=4000)
    extract_mode: Literal["markdown", "text"] = Field(default="markdown", alias="extractMode")
    max_chars: int = Field(default=_MOST, alias="maxChars", ge=100, description="At most 50000.")


class WebFetch(Tool[FetchArguments]):
    """Reads pages."""

    name: str = "web_fetch"
    description: str = (
        "Read a page of the web: its main text as Markdown (or plain text), JSON laid out. Use addresses "
        "that the person, a page or a search gave you; do not make them up."
    )
    brief: str = "Read a page of the web."
    mark = untrusted()
    effect: Effect = Effect.READ
    parallel_safe: bool = True
    capped: bool = False
    arguments: type[FetchArguments] = FetchArguments

    def __init__(self, client: Client, reader: Reader) -> None:
        self._client, self._reader = client, reader

    def claim(self, args: FetchArguments, context: ToolContext) -> Claim:
        """Reads an address. Raises ToolFailure for one that is never fetched."""
        try:
            address = checked(args.url)
        except FetchError as error:
            raise ToolFailure(error.text) from None
        return Claim(Effect.READ, readable(address), address=address)

    async def run(self, args: FetchArguments, context: ToolContext) -> ToolResult:
        """The page. Raises ToolFailure."""
        getting_ready = spawn(self._reader.prepare(), name="reader:prepare")
        try:
            page = await self._client.fetch(args.url)
        except FetchError as error:
            await asyncio.wait({getting_ready})
            raise ToolFailure(error.text) from None
        except asyncio.CancelledError:
            await cancel(getting_ready)
            raise
        await asyncio.wait({getting_ready})
        if (
            page.content_type.startswith(("image/", "audio/", "video/", "font/"))
            or b"\0" in page.body[:1024]
        ):
            kind = page.content_type or "binary"
            raise ToolFailure(f"{page.address} is no page to read ({kind}, {len(page.body):,} bytes).")
        most = min(args.max_chars, _MOST)
        found = await self._reader.read(page, args.extract_mode, most)
        notes = [f"Address: {page.address}"]
        if page.status >= 400:
            notes.append(f"The server answered {page.status}.")
        if found["title"]:
            notes.append(f"Title: {found['title']}")
        if found["length"] > most or page.cut:
            notes.append(f"This is the beginning, {most:,} characters at the most; there is more.")
        links = frozenset({page.address, *(str(link) for link in found["links"])})
        host = urlsplit(page.address).hostname or ""
        text = "\n".join([*notes, "", found["text"] or "(The page has no text.)"])
        return ToolResult(text, mark=untrusted(host), addresses=links)
