"""One MCP server: how it is started or reached, and how far the person trusts it."""

import re
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from desktop.config.base import ADDRESS, Section, notes
from desktop.text import mark

KEYCHAIN = "${keychain}"
"""Stands in config.json for a value that is kept in the keychain."""

_SECRET_NAME = re.compile(
    r"(key|token|secret|password|passwd|credentials?|authorization|auth|pat|cookie)$", re.IGNORECASE
)
_SHAPES = (
    r"(Bearer|Basic|Token)\s+\S{8,}|(sk|pk|rk|ghp|gho|ghs|glpat|xox[abprs]|AKIA|AIza|hf|npm|pypi)[-_]?[\w-]{16,}"
    r"|github_pat_\w+|ey[\w-]+\.ey[\w-]+\.[\w-]+"
)
"""Of values that are secrets. Compiled with its first use: that takes milliseconds of the start."""


_FOREIGN = re.compile(r"[^A-Za-z0-9_-]+")


def plain_name(name: str) -> str:
    """A name of letters, digits, _ and -: for files, and for what models call."""
    return _FOREIGN.sub("_", name).strip("_") or "_"


KINDS = (("env", "env"), ("headers", "header"), ("client", "client"))
"""What may hold secrets and what the keychain calls it."""
CLIENT_SECRET = "secret"  # noqa: S105 its name
"""The one name in `client`."""


def keychain_name(server: str, kind: str, key: str) -> str:
    """Under which name of the keychain a value is; `kind`: env, header or client."""
    return f"mcp:{server}:{kind}:{key}"


def sign_in_name(server: str) -> str:
    """Under which name of the keychain the tokens of a sign-in are."""
    return f"mcp:{server}:oauth"


def sounds_secret(name: str, value: str) -> bool:
    """Whether a value of `env` or `headers` belongs in the keychain: by its name or its look. What stands
    for another value does not."""
    if not value or value == KEYCHAIN or "${" in value:
        return False
    return bool(_SECRET_NAME.search(name) or re.fullmatch(_SHAPES, value))


class McpServer(Section):
    """A server under the person's name for it. Values of `env` and `headers` may name a variable of the
    person's environment as ${NAME}, or be KEYCHAIN."""

    enabled: bool = True
    type: Literal["stdio", "sse", "streamableHttp"] | None = None
    """None: told from what is set; an address that ends in /sse is the older kind."""
    command: str = Field(
        default="",
        title=mark("Program"),
        description=mark("You can paste a whole command line here."),
        max_length=4096,
        json_schema_extra=notes(empty="uvx mcp-server-time"),
    )
    args: tuple[str, ...] = Field(
        default=(),
        title=mark("Arguments"),
        description=mark("One per line."),
        json_schema_extra=notes(kind="lines"),
    )
    env: dict[str, str] = Field(
        default_factory=dict,
        title=mark("Variables"),
        description=mark("Environment variables for the program."),
        json_schema_extra=notes(kind="pairs"),
    )
    cwd: str = Field(
        default="",
        title=mark("Working folder"),
        description=mark("Leave empty to use your home folder."),
        max_length=4096,
    )
    url: str = Field(
        default="",
        title=mark("Address"),
        pattern=ADDRESS,
        max_length=2000,
        json_schema_extra=notes(empty="https://example.com/mcp"),
    )
    headers: dict[str, str] = Field(
        default_factory=dict,
        title=mark("Headers"),
        description=mark("Sent with each request, for example a key."),
        json_schema_extra=notes(kind="pairs"),
    )
    auth: Literal["oauth"] | None = Field(
        default=None,
        title=mark("Sign in"),
        description=mark("Sign in with your account in the browser; no key needed."),
        json_schema_extra=notes(kind="switch"),
    )
    client_id: str = Field(
        default="",
        title=mark("Client ID"),
        description=mark(
            "Only if you registered Nanobot with the service yourself. Leave empty to register "
            "automatically."
        ),
        max_length=2000,
    )
    """What the authorization server calls this program; or the https address of a client metadata
    document."""
    client_secret: str = Field(
        default="",
        title=mark("Client secret"),
        description=mark("Stored in the keychain."),
        max_length=4096,
        json_schema_extra=notes(kind="secret"),
    )
    """KEYCHAIN, or ${NAME}: the secret that came with the id is never in the settings."""
    tool_timeout: float = Field(
        default=30.0,
        title=mark("Timeout"),
        description=mark("Calls that take longer are stopped."),
        ge=1,
        le=3600,
        json_schema_extra=notes(unit=mark("seconds")),
    )
    enabled_tools: tuple[str, ...] = ("*",)
    """The server's own names of its tools, or ours; "*" is all."""
    disabled_tools: tuple[str, ...] = ()
    """Switched off one by one; a tool that is new stays on."""
    trusted: bool = False
    """What the server says of its tools' harmlessness is believed."""
    local: bool = False
    """The person says that it is on this computer and only reads: a call tells nobody else anything."""
    pinned: dict[str, str] = Field(default_factory=dict)
    """The accepted version of each package that its command fetches, by the package as it stands there."""
    protocol: Literal["auto", "legacy"] = "auto"
    """legacy: for a server that asks back in the way before 2026."""

    @field_validator("type", mode="before")
    @classmethod
    def _known(cls, value: Any) -> Any:
        """Names that other programs have for the three kinds."""
        names = {
            "http": "streamableHttp",
            "streamable-http": "streamableHttp",
            "streamable_http": "streamableHttp",
        }
        return names.get(value, value) if isinstance(value, str) else value

    @property
    def client(self) -> dict[str, str]:
        """The secret of the client, as `env` and `headers` have theirs."""
        return {CLIENT_SECRET: self.client_secret} if self.client_secret else {}

    @property
    def metadata_document(self) -> str:
        """The address of the client metadata document; empty where the id is none."""
        parts = urlsplit(self.client_id) if self.client_id.startswith("https://") else None
        return self.client_id if parts and parts.hostname and len(parts.path) > 1 else ""

    @property
    def kind(self) -> str:
        """stdio, sse or streamableHttp."""
        if self.type:
            return self.type
        if self.command or not self.url:
            return "stdio"
        return "sse" if self.url.rstrip("/").endswith("/sse") else "streamableHttp"
