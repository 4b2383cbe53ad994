"""Secrets of MCP servers in the keychain: put there, carried to a new name, taken out."""

from collections.abc import Mapping

from desktop.config.mcp import KEYCHAIN, KINDS, McpServer, keychain_name, sign_in_name
from desktop.errors import KeychainError
from desktop.tools.mcp.fields import keychain_entries
from desktop.tools.mcp.keychain import ForServers


async def keep(
    keychain: ForServers, name: str, before: str, server: McpServer, given: Mapping[str, Mapping[str, str]]
) -> None:
    """Put secret values into the keychain; those of a server that was called `before` are there under that
    name. Raises KeychainError."""
    renamed = bool(before) and before != name
    for kind, entry in KINDS:
        for key, value in given[kind].items():
            await keychain.set(keychain_name(name, entry, key), value)
        for key, value in getattr(server, kind).items():
            if value == KEYCHAIN and renamed and key not in given[kind]:
                kept = await keychain.get(keychain_name(before, entry, key))
                if kept:
                    await keychain.set(keychain_name(name, entry, key), kept)
    if renamed and (tokens := await keychain.get(sign_in_name(before))):
        await keychain.set(sign_in_name(name), tokens)


async def drop_unused(
    keychain: ForServers, before: str, old: McpServer | None, name: str, new: McpServer
) -> None:
    """Take out what the settings do not refer to any more. Raises KeychainError."""
    if old is None:
        return
    wanted = set(keychain_entries(name, new))
    for entry in keychain_entries(before, old):
        if entry not in wanted:
            await keychain.delete(entry)
    if before != name and old.auth == "oauth":
        await keychain.delete(sign_in_name(before))


async def kept_of(keychain: ForServers, name: str, server: McpServer) -> dict[str, str] | None:
    """What is there of a server, "" for an entry without a value; None where the keychain is shut: what is
    in it stays, for the server may come back."""
    names = [*keychain_entries(name, server), *([sign_in_name(name)] if server.url else [])]
    try:
        return {entry: await keychain.get(entry) or "" for entry in names}
    except KeychainError:
        return None
