"""Telegram: a bot made with @BotFather."""

from pydantic import Field

from desktop.config.base import notes
from desktop.config.channels.base import ServerSettings, Signs
from desktop.config.loosens import names
from desktop.text import mark


class Telegram(ServerSettings):
    """nanobot's other names (pools of connections, webhooks) are kept and mean nothing here."""

    HARMLESS = names("reply_to_message react_emoji done_emoji streaming")
    SECRETS = ("token",)

    reply_to_message: bool = Field(
        default=False,
        title=mark("Quote the message"),
        description=mark("Answers quote the message that they answer."),
        json_schema_extra=notes(),
    )
    react_emoji: str = Field(
        default="👀",
        title=mark("Reaction on receipt"),
        description=mark("Shown on a message as soon as it is stored. Empty for none."),
        max_length=8,
    )
    done_emoji: str = Field(
        default="",
        title=mark("Reaction when done"),
        description=mark("Takes its place once the message is answered. Empty for none."),
        max_length=8,
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
