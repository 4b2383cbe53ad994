"""Feishu and Lark: an app of the person's own, over a long connection."""

from typing import Literal

from pydantic import Field

from desktop.config.base import notes
from desktop.config.channels.base import ServerSettings, Signs
from desktop.config.loosens import names
from desktop.text import mark


class Feishu(ServerSettings):
    """nanobot's other names are kept and mean nothing here: those of its webhook (encryptKey,
    verificationToken), toolHintPrefix, and further instances."""

    HARMLESS = names("app_id domain react_emoji done_emoji reply_to_message streaming topic_isolation")
    SECRETS = ("appSecret",)

    app_id: str = Field(
        default="",
        title=mark("App ID"),
        description=mark("Of the app; it begins with cli_."),
        max_length=80,
        json_schema_extra=notes(empty="cli_a1b2c3d4e5f6"),
    )
    domain: Literal["feishu", "lark"] = Field(
        default="feishu",
        title=mark("Service"),
        description=mark("Where the app was created."),
        json_schema_extra=notes(
            choices={"feishu": mark("Feishu (feishu.cn)"), "lark": mark("Lark (larksuite.com)")}
        ),
    )
    topic_isolation: bool = Field(
        default=True,
        title=mark("Answer in topics"),
        description=mark("In groups, each question begins a topic with a conversation of its own."),
        json_schema_extra=notes(),
    )
    reply_to_message: bool = Field(
        default=False,
        title=mark("Quote the question"),
        description=mark("Answers are sent as replies to the message that they answer."),
        json_schema_extra=notes(),
    )
    react_emoji: str = Field(
        default="THUMBSUP",
        title=mark("Reaction on receipt"),
        description=mark("Shown on a message as soon as it is stored. Empty for none."),
        max_length=40,
    )
    done_emoji: str = Field(
        default="",
        title=mark("Reaction when done"),
        description=mark("Takes its place once the message is answered. Empty for none."),
        max_length=40,
    )
    streaming: bool = Field(
        default=True,
        title=mark("Show answers while they are written"),
        description=mark("The message grows as the answer does."),
        json_schema_extra=notes(),
    )

    @property
    def signs(self) -> Signs:
        """The reactions that messages get."""
        return Signs(self.react_emoji, done=self.done_emoji)
