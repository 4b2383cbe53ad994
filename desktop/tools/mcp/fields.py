"""A server as a request gives it, made into one for the settings: what stays, what is secret."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from desktop.config.mcp import CLIENT_SECRET, KEYCHAIN, KINDS, McpServer, keychain_name, sounds_secret
from desktop.errors import UsageError
from desktop.text import _
from desktop.tools.mcp.pasted import plain, validated

_OF_ADDRESS = ("url", "headers", "auth", "clientId", "clientSecret", "type")


@dataclass(frozen=True, slots=True)
class Secrets:
    """Secret values of a server, by their names; empty ones are not given."""

    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    client: Mapping[str, str] = field(default_factory=dict, repr=False)

    def by_kind(self) -> dict[str, dict[str, str]]:
        """Those that are given."""
        return {kind: {k: v for k, v in getattr(self, kind).items() if v} for kind, _entry in KINDS}


def merged(base: McpServer | None, given: Mapping[str, Any]) -> McpServer:
    """The server as it will be: what is not said stays, what is said to be nothing goes, and a command and
    an address exclude each other."""
    changed = validated(given).model_dump(mode="json", by_alias=True, exclude_unset=True)
    cleared = {key for key, value in given.items() if value is None}
    kept = {key: value for key, value in (plain(base) if base else {}).items() if key not in cleared}
    if changed.get("url") and "command" not in changed:
        kept = {key: value for key, value in kept.items() if key not in ("command", "args", "cwd", "type")}
    if changed.get("command") and "url" not in changed:
        kept = {key: value for key, value in kept.items() if key not in _OF_ADDRESS}
    if not (kept | changed).get("clientId"):
        kept.pop("clientSecret", None)
    server = validated(kept | changed)
    if not (server.command if server.kind == "stdio" else server.url):
        raise UsageError(
            _("Give a command or an address for the server."), _("Give one of the two, and try again.")
        )
    return server


def with_secret_looking(
    server: McpServer, given: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    """The given secrets, and the values in the settings that look like ones."""
    return {
        kind: {
            **{key: value for key, value in getattr(server, kind).items() if sounds_secret(key, value)},
            **given[kind],
        }
        for kind, _entry in KINDS
    }


def referring(server: McpServer, given: Mapping[str, Mapping[str, str]]) -> McpServer:
    """The server with KEYCHAIN in the place of each secret."""
    values: dict[str, Any] = {
        kind: {**getattr(server, kind), **dict.fromkeys(given[kind], KEYCHAIN)}
        for kind, _entry in KINDS
        if given[kind]
    }
    if client := values.pop("client", None):
        values["client_secret"] = client[CLIENT_SECRET]
    return server.model_copy(update=values)


def keychain_entries(name: str, server: McpServer) -> list[str]:
    """Names of a server's values in the keychain."""
    return [
        keychain_name(name, entry, key)
        for kind, entry in KINDS
        for key, value in getattr(server, kind).items()
        if value == KEYCHAIN
    ]
