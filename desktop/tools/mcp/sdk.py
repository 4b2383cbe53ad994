"""Loading the MCP SDK: a second of work, so in a thread, and not before the first server is connected."""

import logging
from typing import Any


def load() -> tuple[Any, Any]:
    """Its Client and Implementation (blocking). What it would log, we tell in our own words."""
    import jsonschema  # type: ignore[import-untyped]  # noqa: F401
    import mcp.client.sse  # noqa: F401
    from mcp import Client
    from mcp_types import Implementation

    for name in ("mcp", "client", "httpx2"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return Client, Implementation
