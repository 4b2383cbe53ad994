"""The search engines: a question in, results out, each by its own protocol.

Brave: https://api-dashboard.search.brave.com (web/search, header X-Subscription-Token). Tavily:
https://docs.tavily.com (POST /search, bearer key). SearXNG: /search?format=json. DuckDuckGo has no
interface for programs: the ddgs library reads its pages, in a thread, over its own connections.
"""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from desktop.net.client import Client, Page, Query
from desktop.net.way_out import WrongVariable, proxy_for
from desktop.tasks import in_daemon
from desktop.tools.base import ToolFailure

BRAVE = "https://api.search.brave.com/res/v1/web/search"
TAVILY = "https://api.tavily.com/search"
_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Hit:
    """One result."""

    title: str
    address: str
    text: str


async def brave(client: Client, question: str, count: int, key: str, base: str = BRAVE) -> list[Hit]:
    """Raises ToolFailure, FetchError."""
    address = f"{base}?{urlencode({'q': question, 'count': count})}"
    query = Query(headers={"X-Subscription-Token": key, "Accept": "application/json"})
    found = _json("Brave", await client.fetch(address, query, configured=True))
    return _hits(_inner(found, "web", "results"), "title", "url", "description")


async def tavily(client: Client, question: str, count: int, key: str, base: str = TAVILY) -> list[Hit]:
    """Raises ToolFailure, FetchError."""
    body = json.dumps({"query": question, "max_results": count}).encode()
    headers = {
        "Authorization": f"Bearer {key}",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
    }
    found = _json("Tavily", await client.fetch(base, Query("POST", headers, body), configured=True))
    return _hits(_inner(found, "results"), "title", "url", "content")


async def searxng(client: Client, question: str, base: str) -> list[Hit]:
    """Raises ToolFailure, FetchError."""
    if not base:
        raise ToolFailure("No SearXNG server is set up: the person can enter its address in the settings.")
    address = f"{base.rstrip('/')}/search?{urlencode({'q': question, 'format': 'json'})}"
    found = _json("SearXNG", await client.fetch(address, configured=True))
    return _hits(_inner(found, "results"), "title", "url", "content")


async def duckduckgo(question: str, count: int) -> list[Hit]:
    """Raises ToolFailure."""
    try:
        found = await in_daemon(_ddgs, question, count, seconds=_SECONDS)
    except TimeoutError:
        raise ToolFailure("The search took too long. Try again later, or fetch a page you know.") from None
    return _hits(found, "title", "href", "body")


def _ddgs(question: str, count: int) -> list[dict[str, Any]]:
    from ddgs import DDGS
    from ddgs.exceptions import DDGSException

    try:
        proxy = proxy_for("https://duckduckgo.com")
    except WrongVariable as wrong:
        raise ToolFailure(f"{wrong} The person can correct it.") from None
    try:
        return list(DDGS(timeout=10, proxy=proxy or None).text(question, max_results=count))
    except DDGSException as error:
        if "no results" in str(error).lower():
            return []
        raise ToolFailure(
            "The search engine did not answer. Try again later, fetch a page you know, or have the person "
            "set up another engine in the settings."
        ) from None


def _json(name: str, page: Page) -> Any:
    if page.status in (401, 403):
        raise ToolFailure(f"{name} does not accept the key: the person can correct it in the settings.")
    if page.status == 429:
        raise ToolFailure(f"{name} had too many searches for now. Try again later.")
    if page.status >= 400:
        raise ToolFailure(f"{name} answered with error {page.status}.")
    try:
        return json.loads(page.body)
    except ValueError:
        raise ToolFailure(f"{name} sent no JSON; the server may not allow programs to search.") from None


def _inner(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _hits(found: Any, title: str, address: str, text: str) -> list[Hit]:
    rows = [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
    return [
        Hit(*(" ".join(str(row.get(name) or "").split()) for name in (title, address, text)))
        for row in rows
        if row.get(address)
    ]
