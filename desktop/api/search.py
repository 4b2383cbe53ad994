"""Search: messages by their words, in all conversations."""

from typing import TYPE_CHECKING

from desktop.session.search_service import Results

if TYPE_CHECKING:
    from desktop.session.search_service import SearchService


class Search:
    """Asks the index."""

    def __init__(self, service: "SearchService") -> None:
        self._service = service

    async def messages(
        self, query: str, *, limit: int = 50, before: int | None = None, wait: bool = False
    ) -> Results:
        """The newest with all words of a query: at most `limit`, before a place that an earlier search gave
        as `next`. Where not all conversations are in the index, `wait` waits for that. Raises UsageError,
        StorageError."""
        return await self._service.find(query, limit=limit, before=before, wait=wait)
