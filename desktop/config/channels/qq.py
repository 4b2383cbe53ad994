"""QQ: an official bot of the person's own, from q.qq.com."""

from typing import Literal

from pydantic import Field

from desktop.config.base import notes
from desktop.config.channels.base import ServerSettings, Signs
from desktop.config.loosens import names
from desktop.text import mark

_ACKNOWLEDGED_AFTER_S = 5.0


class Qq(ServerSettings):
    """nanobot's other names (the folder and sizes of downloads) are kept and mean nothing here."""

    HARMLESS = names("app_id sandbox msg_format ack_message")
    SECRETS = ("secret",)

    app_id: str = Field(
        default="",
        title=mark("AppID"),
        description=mark("Of the bot, a number."),
        max_length=40,
        json_schema_extra=notes(empty="102000000"),
    )
    sandbox: bool = Field(
        default=False,
        title=mark("Sandbox"),
        description=mark("For a bot that is not published yet: only people of its sandbox list reach it."),
        json_schema_extra=notes(),
    )
    group_policy: Literal["mention", "open", "allowlist"] = Field(
        default="mention",
        title=mark("In groups"),
        description=mark("QQ passes on other messages only where the group lets the bot read everything."),
        json_schema_extra=notes(
            choices={
                "mention": mark("When mentioned"),
                "open": mark("Always"),
                "allowlist": mark("Always, in listed groups only"),
            }
        ),
    )
    msg_format: Literal["plain", "markdown"] = Field(
        default="plain",
        title=mark("Format of answers"),
        description=mark("QQ allows Markdown to some bots only. What it rejects is sent as plain text."),
        json_schema_extra=notes(
            choices={"plain": mark("Plain text"), "markdown": mark("Markdown")},
        ),
    )
    ack_message: str = Field(
        default="⏳",
        title=mark("Message while working"),
        description=mark(
            "Sent when an answer takes more than 5 s. QQ counts it as a reply. Empty for none."
        ),
        max_length=200,
    )

    @property
    def signs(self) -> Signs:
        """QQ has no reactions: what takes long gets a message."""
        return Signs(working=self.ack_message, working_after_s=_ACKNOWLEDGED_AFTER_S)
