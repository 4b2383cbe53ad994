"""What can be told of an MCP server's settings without starting it: for who only looks."""

import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from desktop.config.mcp import KEYCHAIN, KINDS, McpServer, keychain_name, sign_in_name
from desktop.text import _

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

type Fault = tuple[str, str]
"""A sentence and a remedy."""


def faults(server: McpServer, environ: Mapping[str, str]) -> Iterator[Fault]:
    """What keeps a server from being started or reached (blocking)."""
    if server.kind != "stdio" and not server.url:
        yield _("The server has no address."), _("Enter its address.")
    if server.kind == "stdio":
        yield from _command(server, environ)
    for name in missing(server, environ):
        yield (
            _("The environment variable {name} is not set.").format(name=name),
            _("Set it before you start Nanobot, or enter the value in the server’s settings."),
        )


def missing(server: McpServer, environ: Mapping[str, str]) -> list[str]:
    """Variables that the settings refer to and the environment has not."""
    texts = [server.command, *server.args, server.cwd, server.url]
    values = (value for field, _kind in KINDS for value in getattr(server, field).values())
    texts += [value for value in values if value != KEYCHAIN]
    named = (name for text in texts for name in _REFERENCE.findall(text))
    return [name for name in dict.fromkeys(named) if name not in environ]


def entries(name: str, server: McpServer) -> list[tuple[str, str]]:
    """What the keychain must have for a server: (entry, what it is for)."""
    found = [
        (keychain_name(name, kind, key), key)
        for field, kind in KINDS
        for key, value in getattr(server, field).items()
        if value == KEYCHAIN
    ]
    return [*found, (sign_in_name(name), "")] if server.auth == "oauth" else found


def _command(server: McpServer, environ: Mapping[str, str]) -> Iterator[Fault]:
    def filled(text: str) -> str:
        return _REFERENCE.sub(lambda match: environ.get(match[1], match[0]), text)

    folder = Path(filled(server.cwd)).expanduser() if server.cwd else Path.home()
    command = filled(server.command)
    if not command:
        yield _("The server has no command."), _("Enter the command that starts it.")
        return
    if not folder.is_dir():
        yield (
            _("The server’s folder does not exist: {path}.").format(path=folder),
            _("Create it, or choose another one."),
        )
    elif not _found(Path(command).expanduser(), command, folder, environ):
        yield (
            _("The program {command} was not found.").format(command=command),
            _("Install it, or enter its full path. npx comes with Node.js, uvx with uv."),
        )


def _found(path: Path, command: str, folder: Path, environ: Mapping[str, str]) -> bool:
    if path.name != command:
        return shutil.which(folder / path) is not None
    return shutil.which(command, path=environ.get("PATH")) is not None
