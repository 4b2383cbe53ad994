"""Discord: a bot of the person's own, made in Discord's developer portal."""

from types import MappingProxyType

from pydantic import Field

from desktop.config.base import notes
from desktop.config.channels.base import ServerSettings, Signs
from desktop.config.loosens import Loosens, names
from desktop.text import mark

_PLACES = Loosens(mark("The agent answers in more channels."), tight=lambda _item: True)
"""A first one tightens: with none it answers in all. Those that are set here are never taken away."""


class Discord(ServerSettings):
    """nanobot's other names (intents, the gateway's address) are kept and mean nothing here."""

    LOOSENS = MappingProxyType({**ServerSettings.LOOSENS, "allow_channels": _PLACES})
    HARMLESS = names("read_receipt_emoji working_emoji working_emoji_delay streaming proxy_username")
    SECRETS = ("token", "proxyPassword")

    group_allow_from: tuple[str, ...] = Field(
        default=(),
        title=mark("Channels for everyone"),
        description=mark("IDs of channels in which everyone may write, one per line."),
        json_schema_extra=notes(kind="lines"),
    )
    allow_channels: tuple[str, ...] = Field(
        default=(),
        title=mark("Only in these channels"),
        description=mark("IDs of channels, one per line; their threads count too. Empty means all."),
        json_schema_extra=notes(kind="lines"),
    )
    read_receipt_emoji: str = Field(
        default="👀",
        title=mark("Reaction on receipt"),
        description=mark("Shown on a message as soon as it is stored. Empty for none."),
        max_length=40,
    )
    working_emoji: str = Field(
        default="🔧",
        title=mark("Reaction while working"),
        description=mark("Shown on a message while the agent works on it. Empty for none."),
        max_length=40,
    )
    working_emoji_delay: float = Field(
        default=2.0,
        title=mark("Reaction while working after"),
        description=mark("Answers that come sooner get none."),
        ge=0,
        le=600,
        json_schema_extra=notes(unit="s"),
    )
    streaming: bool = Field(
        default=True,
        title=mark("Show answers while they are written"),
        description=mark("The message grows as the answer does."),
        json_schema_extra=notes(),
    )
    proxy_username: str = Field(
        default="",
        title=mark("Name for the proxy"),
        description=mark("Only where the proxy wants one."),
        max_length=200,
    )

    @property
    def signs(self) -> Signs:
        """The reactions that messages get."""
        return Signs(self.read_receipt_emoji, self.working_emoji, self.working_emoji_delay)
