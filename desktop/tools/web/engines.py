"""The search engines: a question in, results out. One is a row of the table: how it is asked, and where its
answer has the results.

Brave: https://api-dashboard.search.brave.com (web/search, header X-Subscription-Token). Tavily:
https://docs.tavily.com (POST /search, bearer key). SearXNG: /search?format=json. Jina:
https://jina.ai/reader (s.jina.ai, bearer key). Kagi: https://help.kagi.com/kagi/api/search.html (GET
/api/v0/search, "Bot" key; `t` 0 is a result, 1 are related searches). Exa: https://exa.ai/docs (POST
/search, x-api-key). DuckDuckGo has no interface for programs: the ddgs library reads its pages, in a
thread, over its own connections.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from desktop.config.tools import ENGINES, KEYED
from desktop.net.client import Client, Page, Query
from desktop.net.way_out import WrongVariable, proxy_for
from desktop.tasks import in_daemon
from desktop.tools.base import ToolFailure

_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Hit:
    """One result."""

    title: str
    address: str
    text: str


@dataclass(frozen=True, slots=True)
class Engine:
    """One that answers in JSON over HTTP."""

    base: str
    """Its address; empty for the person's own."""
    key: Callable[[str], dict[str, str]]
    """The headers with a key in them."""
    fields: tuple[str, str, str]
    """Of a result: title, address, text."""
    results: tuple[str, ...]
    """Where the results are in the answer."""
    ask: Callable[[str, int], Mapping[str, Any]]
    """A question and how many results: the parameters."""
    post: bool = False
    """Whether they are sent as JSON, and not in the address."""
    is_result: Callable[[Mapping[str, Any]], bool] = lambda _row: True


TABLE = {
    "brave": Engine(
        "https://api.search.brave.com/res/v1/web/search",
        lambda key: {"X-Subscription-Token": key},
        ("title", "url", "description"),
        ("web", "results"),
        lambda question, count: {"q": question, "count": count},
    ),
    "tavily": Engine(
        "https://api.tavily.com/search",
        lambda key: {"Authorization": f"Bearer {key}"},
        ("title", "url", "content"),
        ("results",),
        lambda question, count: {"query": question, "max_results": count},
        post=True,
    ),
    "searxng": Engine(
        "",
        lambda _key: {},
        ("title", "url", "content"),
        ("results",),
        lambda question, _count: {"q": question, "format": "json"},
    ),
    "jina": Engine(
        "https://s.jina.ai/",
        lambda key: {"Authorization": f"Bearer {key}", "X-Respond-With": "no-content"},
        ("title", "url", "description"),
        ("data",),
        lambda question, count: {"q": question, "num": count},
    ),
    "kagi": Engine(
        "https://kagi.com/api/v0/search",
        lambda key: {"Authorization": f"Bot {key}"},
        ("title", "url", "snippet"),
        ("data",),
        lambda question, count: {"q": question, "limit": count},
        is_result=lambda row: row.get("t", 0) == 0,
    ),
    "exa": Engine(
        "https://api.exa.ai/search",
        lambda key: {"x-api-key": key},
        ("title", "url", "highlights"),
        ("results",),
        lambda question, count: {"query": question, "numResults": count, "contents": {"highlights": True}},
        post=True,
    ),
}


def lacks(engine: str, key: str, base: str) -> str:
    """What keeps an engine from being asked, for the person to hear; empty for nothing."""
    if engine not in ENGINES:
        known = ", ".join(ENGINES.values())
        return f"There is no search engine {engine!r}. The person can choose one in the settings: {known}."
    title = ENGINES[engine]
    if engine in KEYED and not key:
        return f"{title} needs a key: the person can enter it in the settings, or choose another engine."
    if engine == "searxng" and not base:
        return "No SearXNG server is set up: the person can enter its address in the settings."
    return ""


async def search(client: Client, name: str, question: str, count: int, key: str, base: str) -> list[Hit]:
    """Ask the engine of this name; `base` is the address of the person's SearXNG. Raises ToolFailure,
    FetchError."""
    if missing := lacks(name, key, base):
        raise ToolFailure(missing)
    if name == "duckduckgo":
        return await duckduckgo(question, count)
    engine = TABLE[name]
    if not engine.base:
        engine = replace(engine, base=f"{base.rstrip('/')}/search")
    return await ask(client, ENGINES[name], engine, question, count, key)


async def ask(client: Client, title: str, engine: Engine, question: str, count: int, key: str) -> list[Hit]:
    """The same for a row of the table. Raises ToolFailure, FetchError."""
    address, asked = engine.base, engine.ask(question, count)
    headers = {"Accept": "application/json", **engine.key(key)}
    query = Query(headers=headers)
    if engine.post:
        body = json.dumps(asked).encode()
        more = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        query = Query("POST", {**headers, **more}, body)
    else:
        address = f"{address}?{urlencode(asked)}"
    found = _json(title, await client.fetch(address, query, configured=True))
    rows = _inner(found, *engine.results)
    rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return _hits([row for row in rows if engine.is_result(row)], *engine.fields)


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
        Hit(*(_words(row.get(name)) for name in (title, address, text))) for row in rows if row.get(address)
    ]


def _words(value: Any) -> str:
    """A text on one line; a list of passages is one behind the other."""
    text = " … ".join(map(str, value)) if isinstance(value, list) else str(value or "")
    return " ".join(text.split())
