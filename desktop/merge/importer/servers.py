"""An MCP server of the old settings, with its keys parted from it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from desktop.config.loosening import unusable
from desktop.config.mcp import KEYCHAIN, McpServer, keychain_name, sounds_secret
from desktop.merge.importer.secrets import Keys, Secret, given, is_secret
from desktop.text import _

_KINDS = (("env", "env"), ("headers", "header"))
_IN_ARGUMENT = re.compile(r"--?[\w-]*(?:key|token|secret|password)=(?!\$)\S+", re.IGNORECASE)
_IN_ADDRESS = re.compile(r"[?&][\w-]*(?:key|token|secret|password)=(?!\$)[^&]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Server:
    """As it is to stand in the settings here."""

    settings: dict[str, Any]
    secrets: tuple[Secret, ...] = ()


def server_of(name: str, old: Any, raw: Keys) -> Server | str:
    """The server, or a sentence that says why it is not taken. `raw`: where it stands in the old file."""
    if not isinstance(old, Mapping):
        return _("It is not a JSON object.")
    try:
        server = McpServer.model_validate(dict(old))
    except ValidationError as error:
        return unusable(error)
    if not (server.command if server.kind == "stdio" else server.url):
        return _("It has neither a command nor an address.")
    if _holds_key(server):
        return _(
            "Its arguments or its address contain a key. Add it manually, with the key in its environment."
        )
    settings = server.model_dump(mode="json", by_alias=True, exclude_unset=True)
    settings = {key: value for key, value in settings.items() if not is_secret(key, value)}
    secrets: list[Secret] = []
    for kind, entry in _KINDS:
        for key, value in getattr(server, kind).items():
            if sounds_secret(key, value):
                secrets.append(Secret(keychain_name(name, entry, key), (*raw, kind, key), given(value)))
                settings[kind] = {**settings[kind], key: KEYCHAIN}
    return Server(settings, tuple(secrets))


def _holds_key(server: McpServer) -> bool:
    in_arguments = any(_IN_ARGUMENT.match(text) or sounds_secret("", text) for text in server.args)
    return in_arguments or is_secret("", server.url) or bool(_IN_ADDRESS.search(server.url))
