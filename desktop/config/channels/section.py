"""The chat apps, and what holds for all of them."""

from types import MappingProxyType

from pydantic import Field

from desktop.config.base import Section, notes
from desktop.config.channels.base import ChannelSettings
from desktop.config.channels.dingtalk import Dingtalk
from desktop.config.channels.discord import Discord
from desktop.config.channels.email import Email
from desktop.config.channels.feishu import Feishu
from desktop.config.channels.matrix import Matrix
from desktop.config.channels.mochat import Mochat
from desktop.config.channels.qq import Qq
from desktop.config.channels.slack import Slack
from desktop.config.channels.telegram import Telegram
from desktop.config.channels.whatsapp import Whatsapp
from desktop.config.loosens import Loosens, names
from desktop.text import mark


class Channels(Section):
    """nanobot's names; those of apps that are not here are kept."""

    LOOSENS = MappingProxyType(
        {
            "messages_per_minute": Loosens(mark("People can send more messages."), grows=True),
            "daily_messages": Loosens(mark("Others can have the agent answer more per day."), grows=True),
        }
    )
    HARMLESS = names("send_progress send_tool_hints tool_hint_max_length send_max_retries")

    send_progress: bool = Field(
        default=True,
        title=mark("Send progress"),
        description=mark("Messages that the agent writes while it works."),
        json_schema_extra=notes(),
    )
    send_tool_hints: bool = Field(
        default=False,
        title=mark("Send tool calls"),
        description=mark("One short line for each tool that the agent uses."),
        json_schema_extra=notes(),
    )
    tool_hint_max_length: int = Field(
        default=40,
        title=mark("Length of a tool line"),
        description=mark("Longer ones are cut."),
        ge=20,
        le=500,
        json_schema_extra=notes(),
    )
    send_max_retries: int = Field(
        default=3,
        title=mark("Retries"),
        description=mark("A message that the service rejects so often stays in the inbox."),
        ge=0,
        le=10,
        json_schema_extra=notes(),
    )
    messages_per_minute: int = Field(
        default=6,
        title=mark("Messages per minute"),
        description=mark("From one sender; yours are not counted."),
        ge=1,
        le=600,
        json_schema_extra=notes(),
    )
    daily_messages: int = Field(
        default=200,
        title=mark("Messages per day"),
        description=mark("From everyone but you, in one app. More are not answered until the next day."),
        ge=0,
        le=100_000,
        json_schema_extra=notes(),
    )
    telegram: Telegram = Field(default_factory=Telegram, title=mark("Telegram"))
    slack: Slack = Field(default_factory=Slack, title=mark("Slack"))
    discord: Discord = Field(default_factory=Discord, title=mark("Discord"))
    matrix: Matrix = Field(default_factory=Matrix, title=mark("Matrix"))
    email: Email = Field(default_factory=Email, title=mark("Email"))
    qq: Qq = Field(default_factory=Qq, title=mark("QQ"))
    dingtalk: Dingtalk = Field(default_factory=Dingtalk, title=mark("DingTalk"))
    feishu: Feishu = Field(default_factory=Feishu, title=mark("Feishu / Lark"))
    whatsapp: Whatsapp = Field(default_factory=Whatsapp, title=mark("WhatsApp"))
    mochat: Mochat = Field(default_factory=Mochat, title=mark("Mochat"))

    def of(self, name: str) -> ChannelSettings:
        """The settings of one app. Raises KeyError."""
        if name not in NAMES:
            raise KeyError(name)
        found: ChannelSettings = getattr(self, name)
        return found


NAMES = (
    "telegram",
    "slack",
    "discord",
    "matrix",
    "email",
    "qq",
    "dingtalk",
    "feishu",
    "whatsapp",
    "mochat",
)
"""The apps that this program can speak with."""
