"""The web tools, made together: they share one client and one reader of pages."""

from collections.abc import Callable
from typing import Any

from desktop.config.tools import WebTools
from desktop.net.client import Client
from desktop.tools.base import Tool
from desktop.tools.web.fetch import WebFetch
from desktop.tools.web.reader import Reader
from desktop.tools.web.search import Key, WebSearch


def web_tools(
    settings: Callable[[], WebTools], key: Key, reader: Reader, client: Client | None = None
) -> list[Tool[Any]]:
    """The tools. `reader` is to be stopped in the end by who made it."""
    client = client or Client()
    return [WebSearch(client, lambda: settings().search, key), WebFetch(client, reader)]
