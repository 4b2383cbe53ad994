"""What a server is started with: an allow-list of the environment, and what its settings name.

${NAME} stands for a variable of the person's environment, KEYCHAIN for a value that only the keychain has.
A child that inherited everything would inherit every key.
"""

import os
import re
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from desktop import logs
from desktop.config.mcp import (
    CLIENT_SECRET,
    KEYCHAIN,
    KINDS,
    McpServer,
    keychain_name,
    sounds_secret,
)
from desktop.text import _
from desktop.tools.exec.environment import Environment
from desktop.tools.mcp.failures import Misconfigured

type Secret = Callable[[str], Awaitable[str]]
"""The value of a name in the keychain, "" where there is none. Raises KeychainError."""

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Ready:
    """The settings of a server with every reference replaced."""

    command: str
    args: tuple[str, ...]
    env: dict[str, str]
    cwd: Path
    url: str
    headers: dict[str, str]
    client_id: str = ""
    """What the person registered this program as, or the address of its client metadata document."""
    client_secret: str = ""
    document: bool = False
    """Whether client_id is such an address."""


async def resolved(
    name: str,
    server: McpServer,
    secret: Secret,
    usual: Environment,
    environ: Mapping[str, str] = os.environ,
) -> Ready:
    """What to start or reach. Raises Misconfigured naming what is missing, KeychainError."""
    values: dict[str, dict[str, str]] = {}
    _check_client(server)
    for field, kind in KINDS:
        values[kind] = {
            key: await _value(name, kind, key, text, secret, environ)
            for key, text in getattr(server, field).items()
        }
    env = await usual.make("") if server.kind == "stdio" else {}
    folder = _replaced(server.cwd, environ)
    return Ready(
        command=os.path.expanduser(_replaced(server.command, environ)),  # noqa: PTH111 ./x stays ./x
        args=tuple(_replaced(word, environ) for word in server.args),
        env={**env, **_as_the_system_names(env, values["env"])},
        cwd=Path(folder).expanduser() if folder else Path.home(),
        url=_replaced(server.url, environ),
        headers=values["header"],
        client_id=server.client_id,
        client_secret=values["client"].get(CLIENT_SECRET, ""),
        document=bool(server.metadata_document),
    )


def _check_client(server: McpServer) -> None:
    """Raises Misconfigured where the client's secret stands in the settings, which are no place for it."""
    if server.client_secret not in ("", KEYCHAIN) and not _REFERENCE.fullmatch(server.client_secret):
        raise Misconfigured(
            _("The client secret of this server is in config.json in plain text."),
            _(
                "Remove it there and enter it in this server’s settings, so that it is stored in the "
                "keychain."
            ),
        )


async def _value(
    server: str, kind: str, key: str, text: str, secret: Secret, environ: Mapping[str, str]
) -> str:
    if text == KEYCHAIN:
        value = await secret(keychain_name(server, kind, key))
        if not value:
            raise Misconfigured(
                _("The keychain has no value for {name}.").format(name=key),
                _("Enter it again in this server’s settings."),
            )
    else:
        value = _replaced(text, environ)
    whole = text == KEYCHAIN or _REFERENCE.fullmatch(text) or sounds_secret(key, value)
    if whole and not value.startswith(("/", "~")):
        logs.mask(value)
        logs.mask(value.rpartition(" ")[2])  # "Bearer ..." is also said without its first word
    return value


def _replaced(text: str, environ: Mapping[str, str]) -> str:
    for name in _REFERENCE.findall(text):
        if name not in environ:
            raise Misconfigured(
                _("The environment variable {name} is not set.").format(name=name),
                _("Set it before you start Nanobot, or enter the value in the server’s settings."),
            )
    return _REFERENCE.sub(lambda match: environ[match[1]], text)


def _as_the_system_names(env: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Windows knows variables in any case: what is given must replace what is there."""
    if sys.platform != "win32":
        return dict(given)
    there = {name.upper(): name for name in env}
    return {there.get(name.upper(), name): value for name, value in given.items()}
