"""web_search: what the chosen search engine finds, with the addresses to read on."""

from collections.abc import Awaitable, Callable

from pydantic import Field

from desktop.config.tools import KEYED
from desktop.config.tools import WebSearch as Settings
from desktop.net.client import Client, FetchError
from desktop.origin import untrusted
from desktop.tools.base import Arguments, Claim, Effect, Tool, ToolContext, ToolFailure, ToolResult
from desktop.tools.web import engines
from desktop.tools.web.engines import Hit

type Key = Callable[[str], Awaitable[str]]
"""An engine's name -> its key, "" where there is none. Raises AppError."""


class SearchArguments(Arguments):
    """What to look for."""

    query: str = Field(min_length=1, max_length=400)
    count: int | None = Field(default=None, ge=1, le=10, description="How many results.")


class WebSearch(Tool[SearchArguments]):
    """Searches."""

    name: str = "web_search"
    description: str = (
        "Search the web. Gives titles, addresses and a few words of each; read a page with web_fetch."
    )
    mark = untrusted()
    effect: Effect = Effect.READ
    parallel_safe: bool = True
    arguments: type[SearchArguments] = SearchArguments

    def __init__(self, client: Client, settings: Callable[[], Settings], key: Key) -> None:
        self._client, self._settings, self._key = client, settings, key

    def claim(self, args: SearchArguments, context: ToolContext) -> Claim:
        """Gives a question to a search engine."""
        return Claim(Effect.READ, args.query, query=args.query)

    async def run(self, args: SearchArguments, context: ToolContext) -> ToolResult:
        """The results. Raises ToolFailure."""
        settings = self._settings()
        count = args.count or settings.max_results
        try:
            hits = await self._search(settings, args.query, count)
        except FetchError as error:
            raise ToolFailure(f"The search did not work: {error.text}") from None
        lines = [
            f"{n}. {hit.title}\n   {hit.address}\n   {hit.text}" for n, hit in enumerate(hits[:count], 1)
        ]
        text = "\n".join(lines) or "Nothing was found. Try other words."
        return ToolResult(
            text, mark=untrusted(settings.provider), addresses=frozenset(hit.address for hit in hits)
        )

    async def _search(self, settings: Settings, query: str, count: int) -> list[Hit]:
        """By the chosen engine, and by no other."""
        key = await self._key(settings.provider) if settings.provider in KEYED else ""
        return await engines.search(self._client, settings.provider, query, count, key, settings.base_url)
