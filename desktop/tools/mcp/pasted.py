"""From what READMEs of MCP servers tell people to paste to servers of ours.

Every program has its own wrapping around the same few fields; comments and trailing commas are common.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from desktop.config.mcp import McpServer, sounds_secret
from desktop.config.refusals import refusals
from desktop.errors import UsageError
from desktop.text import _

type Json = dict[str, Any]

LONGEST_NAME = 40
_WRAPPINGS = ("mcpServers", "mcp_servers", "servers", "context_servers", "mcp")
_ADDRESSES = ("url", "serverUrl", "server_url", "httpUrl", "http_url")
_MARKS = ("command", *_ADDRESSES)
_ENVIRONMENT = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")
_LONGEST = 200_000


@dataclass(frozen=True, slots=True)
class Pasted:
    """A server in a pasted text, as config.json has it, and by kind (env, headers) the names of those
    values that are secrets."""

    name: str
    server: Mapping[str, Any]
    secrets: Mapping[str, tuple[str, ...]]


def servers(text: str) -> list[Pasted]:
    """The servers of a pasted text. Raises UsageError."""
    found: list[Pasted] = []
    for name, given in _entries(_document(text)):
        server = validated(_fields(given))
        secrets = {
            kind: tuple(key for key, value in values.items() if sounds_secret(key, value))
            for kind, values in (("env", server.env), ("headers", server.headers))
        }
        free = _free(clean(name or _guess(server)), found)
        found.append(Pasted(free, plain(server), secrets))
    if not found:
        raise _unusual()
    return found


def plain(server: McpServer) -> Json:
    """A server as config.json has it."""
    return server.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude_defaults=True)


def validated(given: Mapping[str, Any]) -> McpServer:
    """A server. Raises UsageError naming the field."""
    try:
        return McpServer.model_validate(dict(given))
    except ValidationError as error:
        field, reason = refusals(error)[0]
        raise UsageError(
            _("The field {field} of this server is not valid: {reason}.").format(
                field=field, reason=reason
            ),
            _("Correct it and try again."),
        ) from None


def clean(name: str) -> str:
    """A name that a server can have: letters, digits, _ and -."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-_")[:LONGEST_NAME] or "server"


def _document(text: str) -> Json:
    if len(text) > _LONGEST:
        raise _unusual()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = _repaired(text)
    if not isinstance(value, dict):
        raise _unusual()
    return value


def _repaired(text: str) -> Any:
    import json_repair

    body = text.strip()
    if body and not body.startswith(("{", "//", "/*", "#", "`")):
        body = f"{{{body}}}"  # only the inner lines were copied
    try:
        return json_repair.loads(body)
    except (ValueError, RecursionError):
        return None


def _entries(document: Json) -> Iterator[tuple[str, Json]]:
    """Each server with its name, whatever is wrapped around it."""
    if any(isinstance(document.get(mark), str | list) for mark in _MARKS):
        yield str(document.get("name") or ""), document
        return
    for wrapping in _WRAPPINGS:
        if isinstance(inner := document.get(wrapping), dict):
            yield from _entries(inner)
            return
    for name, given in document.items():
        if isinstance(given, dict) and any(mark in given for mark in _MARKS):
            yield name, given


def _fields(given: Json) -> Json:
    """A foreign entry in our fields; what we have no use for is left out."""
    found: Json = {}
    words = given.get("command")
    if (
        isinstance(words, str)
        and " " in words.strip()
        and not given.get("args")
        and "/" not in words.split()[0]
    ):
        words = shlex.split(words) if words.count('"') % 2 == 0 and words.count("'") % 2 == 0 else [words]
    if isinstance(words, list):
        found["command"], found["args"] = (str(words[0]) if words else ""), [str(w) for w in words[1:]]
    elif isinstance(words, str):
        found["command"] = words.strip()
    if isinstance(given.get("args"), list):
        found["args"] = [*found.get("args", []), *(_own(word) for word in given["args"])]
    for key in ("env", "headers"):
        if isinstance(given.get(key), dict) and given[key]:
            found[key] = {str(name): _own(value) for name, value in given[key].items()}
    if address := next((given[key] for key in _ADDRESSES if isinstance(given.get(key), str)), ""):
        found["url"] = _own(address).strip()
    if isinstance(given.get("cwd"), str):
        found["cwd"] = given["cwd"]
    kind = given.get("type") or given.get("transport") or given.get("transportType")
    if isinstance(kind, str) and kind in (
        "sse",
        "http",
        "streamable-http",
        "streamable_http",
        "streamableHttp",
    ):
        found["type"] = kind
    if given.get("disabled") is True or given.get("enabled") is False:
        found["enabled"] = False
    if given.get("auth") == "oauth":
        found["auth"] = "oauth"
    return found


def _own(value: Any) -> str:
    """A value as text, with our way to name a variable."""
    text = value if isinstance(value, str) else json.dumps(value)
    return _ENVIRONMENT.sub(r"${\1}", text)


def _guess(server: McpServer) -> str:
    """A name for a server that has none: its package, its command or its address."""
    if server.url:
        host = urlsplit(server.url).hostname or ""
        return host.removeprefix("mcp.").removeprefix("www.").partition(".")[0] or host
    words = [word for word in server.args if not word.startswith("-") and "=" not in word]
    name = (
        words[0]
        if words and server.command in ("npx", "uvx", "node", "python", "python3")
        else server.command
    )
    name = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    return re.sub(r"^(mcp-server-|server-|mcp-)|(\.(py|js|exe|cmd))$|@[\w.]+$", "", name)


def _free(name: str, found: list[Pasted]) -> str:
    """The name, with a number where another one in the text has it."""
    taken = {entry.name for entry in found}
    return next(
        name_
        for number in range(1, len(found) + 2)
        if (name_ := name if number == 1 else f"{name}-{number}") not in taken
    )


def _unusual() -> UsageError:
    return UsageError(
        _("This text contains no MCP server."),
        _('Paste the JSON shown on its page, for example {"mcpServers": {"name": {"command": "..."}}}.'),
    )
