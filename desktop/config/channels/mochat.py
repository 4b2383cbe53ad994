"""Mochat: an agent's account of its own, whose private chats are sessions and whose groups have panels."""

from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field, field_validator

from desktop.config.base import ADDRESS, Section, notes
from desktop.config.channels.base import ADDRESS_OF_SERVICE, Groups, WebSettings, guarded
from desktop.config.loosens import Loosens, names
from desktop.text import mark

_UNASKED = Loosens(mark("The agent answers in groups without being mentioned."))


def _delay(title: str, says: str, usual: int, most: int = 600_000, least: int = 100) -> Any:
    return Field(
        default=usual,
        title=title,
        description=says,
        ge=least,
        le=most,
        json_schema_extra=notes(unit=mark("ms")),
    )


class Mention(Section):
    """Whether a panel is answered without a mention, where nothing else is said of it."""

    LOOSENS = MappingProxyType({"require_in_groups": Loosens(_UNASKED.says, order=(True, False))})

    require_in_groups: bool = Field(
        default=False,
        title=mark("Only when mentioned"),
        description=mark("In panels, messages that don’t mention the agent are left without an answer."),
        json_schema_extra=notes(),
    )


class Mochat(WebSettings):
    """nanobot's names. In a panel there is an answer after a while also without a mention."""

    LOOSENS = MappingProxyType(
        {
            **WebSettings.LOOSENS,
            "base_url": ADDRESS_OF_SERVICE,
            "socket_url": ADDRESS_OF_SERVICE,
            "groups": _UNASKED,
        }
    )
    HARMLESS = names(
        "agent_user_id sessions panels socket_path socket_disable_msgpack socket_reconnect_delay_ms "
        "socket_max_reconnect_delay_ms socket_connect_timeout_ms refresh_interval_ms watch_timeout_ms "
        "watch_limit retry_delay_ms max_retry_attempts reply_delay_mode reply_delay_ms"
    )
    SECRETS = ("clawToken",)

    agent_user_id: str = Field(
        default="",
        title=mark("Agent’s user ID"),
        description=mark("Registration gives it out as botUserId."),
        max_length=80,
        json_schema_extra=notes(empty="698211ea99e79b91f1ee449f"),
    )
    sessions: tuple[str, ...] = Field(
        default=("*",),
        title=mark("Private chats"),
        description=mark("IDs of sessions, one per line. * means all."),
        json_schema_extra=notes(kind="lines"),
    )
    panels: tuple[str, ...] = Field(
        default=("*",),
        title=mark("Panels"),
        description=mark("IDs of panels of the agent’s group, one per line. * means all."),
        json_schema_extra=notes(kind="lines"),
    )
    mention: Mention = Field(default_factory=Mention, title=mark("Mentions"))
    groups: dict[str, Literal["mention", "always"]] = Field(
        default_factory=dict,
        title=mark("Panels with a rule of their own"),
        description=mark(
            "The ID of a panel or group, or *, and mention or always: answer only mentions, or everything."
        ),
        json_schema_extra=notes(kind="pairs"),
    )
    reply_delay_mode: Literal["off", "non-mention"] = Field(
        default="non-mention",
        title=mark("Answers in panels"),
        description=mark("When messages are answered that don’t mention the agent."),
        json_schema_extra=notes(
            choices={
                "off": mark("At once"),
                "non-mention": mark("After a pause, all that was written in one"),
            }
        ),
    )
    reply_delay_ms: int = _delay(
        mark("Pause before an answer"),
        mark("Each new message restarts it; a mention ends it."),
        120_000,
        86_400_000,
        0,
    )
    base_url: str = Field(
        default="https://mochat.io",
        title=mark("Server"),
        description=mark("Change it only for a server of your own."),
        pattern=ADDRESS,
        min_length=1,
        max_length=2000,
    )
    socket_url: str = Field(
        default="",
        title=mark("Socket server"),
        description=mark("Leave empty if it is the same server."),
        pattern=ADDRESS,
        max_length=2000,
    )
    socket_path: str = Field(
        default="/socket.io",
        title=mark("Socket path"),
        description=mark("Where the server offers Socket.IO."),
        pattern=r"^/?[\w.~/-]+$",
        max_length=200,
    )
    socket_disable_msgpack: bool = Field(
        default=False,
        title=mark("Socket in JSON"),
        description=mark("For a server that doesn’t speak MessagePack."),
        json_schema_extra=notes(),
    )
    socket_connect_timeout_ms: int = _delay(
        mark("Connection timeout"), mark("How long the connection may take to open."), 10_000, 60_000, 500
    )
    socket_reconnect_delay_ms: int = _delay(
        mark("Pause before reconnecting"), mark("After the connection failed to open."), 1000
    )
    socket_max_reconnect_delay_ms: int = _delay(
        mark("Longest pause before reconnecting"),
        mark("Each pause is twice the one before, up to this."),
        10_000,
    )
    max_retry_attempts: int = Field(
        default=0,
        title=mark("Attempts to reconnect"),
        description=mark("0 means no limit. After the last one, messages are asked for."),
        ge=0,
        le=10_000,
        json_schema_extra=notes(),
    )
    refresh_interval_ms: int = _delay(
        mark("Check for new chats"),
        mark("And for messages in panels. Only while there is no connection."),
        30_000,
        least=1000,
    )
    watch_timeout_ms: int = _delay(
        mark("Length of a waiting request"),
        mark("Without a connection, a request to each private chat waits so long for messages."),
        25_000,
        120_000,
        1000,
    )
    watch_limit: int = Field(
        default=100,
        title=mark("Messages per request"),
        description=mark("The most that the server sends at once."),
        ge=1,
        le=1000,
        json_schema_extra=notes(),
    )
    retry_delay_ms: int = _delay(
        mark("Pause after a failed request"),
        mark("Without a connection, before the request is made again."),
        500,
        60_000,
    )

    @field_validator("base_url", "socket_url")
    @classmethod
    def _safe(cls, value: str) -> str:
        return guarded(value)

    @field_validator("groups", mode="before")
    @classmethod
    def _as_nanobot_has_it(cls, value: Any) -> Any:
        """nanobot's {"requireMention": true}, as one word."""
        return {key: _word(rule) for key, rule in value.items()} if isinstance(value, dict) else value

    @property
    def in_groups(self) -> Groups:
        """Panels have rules of their own for what counts as a mention."""
        return Groups("mention")

    def wants_mention(self, panel: str, group: str) -> bool:
        """Whether what doesn't mention the agent is left without an answer in a panel."""
        for name in (group, panel, "*"):
            if name and name in self.groups:
                return self.groups[name] == "mention"
        return self.mention.require_in_groups


def _word(rule: Any) -> Any:
    if not isinstance(rule, dict):
        return rule
    wanted = {key.replace("_", "").lower(): value for key, value in rule.items()}.get("requiremention")
    return "mention" if wanted is True else "always"
