"""memory_search: what was said before, in any conversation, found by words and dates."""

from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import Field

from desktop.errors import UsageError
from desktop.origin import TRUSTED, untrusted
from desktop.tools.base import Arguments, Claim, Effect, Tool, ToolContext, ToolFailure, ToolResult

type Json = dict[str, Any]
type Search = Callable[[str, str, str, int], Awaitable[list[Json]]]
"""Words, since, until (dates or empty), how many: summaries and messages. Raises UsageError."""


class SearchArguments(Arguments):
    """What to look for, and when it was said."""

    query: str = Field(
        description="Words that must all be in it, few and distinctive, in the language it was said in.",
        min_length=1,
    )
    since: str = Field(default="", description="Not before this day: 2026-03-01, or the month 2026-03.")
    until: str = Field(default="", description="Not after this day or month.")
    limit: int = Field(default=10, ge=1, le=50, description="How many at most, the newest first.")


class MemorySearch(Tool[SearchArguments]):
    """Searches the history and all conversations."""

    name: str = "memory_search"
    description: str = (
        "Find what was said before, in this conversation and all others: summaries of earlier parts and "
        "single messages with all of the words, the newest first. Use it when the person refers to "
        "something that you do not see, with since and until for a time they name. If nothing is found, "
        "try fewer or other words."
    )
    effect: Effect = Effect.READ
    parallel_safe: bool = True
    arguments: type[SearchArguments] = SearchArguments

    def __init__(self, search: Search) -> None:
        self._search = search

    def claim(self, args: SearchArguments, context: ToolContext) -> Claim:
        """Reads what the program itself keeps."""
        return Claim(Effect.READ, args.query)

    async def run(self, args: SearchArguments, context: ToolContext) -> ToolResult:
        """The hits, one below the other. Raises ToolFailure for a date that is none."""
        try:
            hits = await self._search(args.query, args.since, args.until, args.limit)
        except UsageError as error:
            raise ToolFailure(str(error)) from None
        if not hits:
            return ToolResult("Nothing was found. Try fewer words, others, or a longer time.")
        outside = any(hit.get("outside") for hit in hits)
        return ToolResult("\n\n".join(map(_shown, hits)), mark=untrusted() if outside else TRUSTED)


def _shown(hit: Json) -> str:
    who = {"user": "the person", "assistant": "you"}.get(str(hit.get("role")), "summary")
    return f"[{str(hit['at'])[:16]}, conversation {hit['session'] or 'unknown'}, {who}]\n{hit['text']}"
