"""What the settings of every chat app share: whether it is on, who may write, whose word counts."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from desktop.config.base import ADDRESS, Section, notes
from desktop.config.loosens import Loosens
from desktop.text import _, mark

ANYBODY = "*"
"""In a list of senders: everybody may write."""
CHAT_PROXY = r"^((https?|socks5h?)://[^\s@/]+/?)?$"
"""The pattern of the address of a proxy that chat apps can use, or nothing."""


def guarded(address: str) -> str:
    """The address of a server that a key goes to: unencrypted on this computer alone. Raises ValueError."""
    host = urlsplit(address).hostname or ""
    if address.startswith("http:") and not (host in ("localhost", "::1") or host.startswith("127.")):
        raise ValueError(_("Use https://, except for a server on this computer."))
    return address


def _nobody_more(_item: str) -> bool:
    return False


ENABLED = Loosens(mark("People you allow can reach the agent through this app."), order=(False, True))
SENDERS = Loosens(mark("More people can write to the agent."), tight=_nobody_more)
OWNER = Loosens(mark("Messages of this sender count as yours, and approve what the agent asks."))
ADDRESS_OF_SERVICE = Loosens(mark("The key of the app is sent to this server."))
PROXY_OF_APP = Loosens(mark("All messages of the app go through this server."))
GROUPS = Loosens(mark("The agent answers more messages in groups."), order=("allowlist", "mention", "open"))


@dataclass(frozen=True, slots=True)
class Signs:
    """The reactions that a message gets while it is dealt with; empty for none."""

    received: str = ""
    working: str = ""
    working_after_s: float = 0.0
    done: str = ""

    @property
    def any(self) -> bool:
        """Whether there is one at all."""
        return bool(self.received or self.working or self.done)


@dataclass(frozen=True, slots=True)
class Groups:
    """Which messages are answered in the groups of an app."""

    policy: Literal["mention", "open", "allowlist"]
    allow_from: tuple[str, ...] = ()
    """Groups in which everyone may write."""


class Direct(Section):
    """Who may write in private, of an app whose settings part that from groups."""

    LOOSENS = MappingProxyType(
        {
            "enabled": Loosens(mark("Private messages are answered."), order=(False, True)),
            "policy": Loosens(mark("More people can write to the agent."), order=("allowlist", "open")),
            "allow_from": SENDERS,
        }
    )

    enabled: bool = Field(
        default=True,
        title=mark("Private messages"),
        description=mark("When off, private messages are left without an answer."),
        json_schema_extra=notes(),
    )
    policy: Literal["open", "allowlist"] = Field(
        default="open",
        title=mark("Who may write in private"),
        description=mark("IDs listed for this app count either way; * only with “Everyone who may write”."),
        json_schema_extra=notes(
            choices={
                "open": mark("Everyone who may write"),
                "allowlist": mark("People listed by ID"),
            }
        ),
    )
    allow_from: tuple[str, ...] = Field(
        default=(),
        title=mark("More people in private"),
        description=mark("IDs, one per line. They count with “People listed by ID”."),
        json_schema_extra=notes(kind="lines"),
    )


class ChannelSettings(Section):
    """One chat app. Its secrets are in the keychain as channel:NAME:FIELD."""

    LOOSENS = MappingProxyType({"enabled": ENABLED, "allow_from": SENDERS, "owner": OWNER})
    SECRETS: ClassVar[tuple[str, ...]] = ()
    """The last parts of the names of its secrets in the keychain."""
    LINKS: ClassVar[bool] = False
    """It has no keys: the person links it as a device of an account, by a code."""

    enabled: bool = Field(
        default=False,
        title=mark("On"),
        description=mark("Receive and answer messages while Nanobot runs."),
        json_schema_extra=notes(),
    )
    allow_from: tuple[str, ...] = Field(
        default=(),
        title=mark("Who may write"),
        description=mark("One ID per line. Empty means nobody; new people get a pairing code."),
        json_schema_extra=notes(kind="lines"),
    )
    owner: str = Field(
        default="",
        title=mark("You"),
        description=mark("Your ID in this app. Only messages of this sender count as yours."),
        max_length=200,
    )

    @property
    def webhook(self) -> bool:
        """Whether nanobot had the service call it: kept, and without a meaning here."""
        return str((self.model_extra or {}).get("mode", "")).lower() == "webhook"

    @property
    def direct(self) -> Direct | None:
        """Who may write in private, where that is parted from groups."""
        return None

    @property
    def in_groups(self) -> Groups | None:
        """What is answered in groups; None for an app without any."""
        return None

    @property
    def signs(self) -> Signs:
        """The reactions that messages get."""
        return Signs()


class WebSettings(ChannelSettings):
    """A chat app that is spoken to over HTTP."""

    LOOSENS = MappingProxyType({**ChannelSettings.LOOSENS, "proxy": PROXY_OF_APP})

    proxy: str = Field(
        default="",
        title=mark("Proxy"),
        description=mark("Only for this app. Leave empty to use the proxy of the system."),
        pattern=CHAT_PROXY,
        max_length=2000,
        json_schema_extra=notes(empty="socks5://127.0.0.1:1080"),
    )


class GroupSettings(WebSettings):
    """A chat app with groups."""

    LOOSENS = MappingProxyType({**WebSettings.LOOSENS, "group_policy": GROUPS, "group_allow_from": SENDERS})

    group_policy: Literal["mention", "open", "allowlist"] = Field(
        default="mention",
        title=mark("In groups"),
        description=mark("Which messages of people who may write are answered."),
        json_schema_extra=notes(
            choices={
                "mention": mark("When mentioned"),
                "open": mark("Always"),
                "allowlist": mark("Always, in listed groups only"),
            }
        ),
    )
    group_allow_from: tuple[str, ...] = Field(
        default=(),
        title=mark("Groups"),
        description=mark("IDs of groups in which everyone may write, one per line."),
        json_schema_extra=notes(kind="lines"),
    )

    @property
    def in_groups(self) -> Groups:
        """As it is set."""
        return Groups(self.group_policy, self.group_allow_from)


class ServerSettings(GroupSettings):
    """A chat app that a server of the person's own can stand for."""

    LOOSENS = MappingProxyType({**GroupSettings.LOOSENS, "api_base": ADDRESS_OF_SERVICE})

    api_base: str = Field(
        default="",
        title=mark("Server"),
        description=mark("Only for a server of your own. Leave empty for the service itself."),
        pattern=ADDRESS,
        max_length=2000,
    )

    @field_validator("api_base")
    @classmethod
    def _safe(cls, value: str) -> str:
        return guarded(value)
