"""Slack: an app of the person's own workspace, over Socket Mode."""

from pydantic import Field

from desktop.config.base import notes
from desktop.config.channels.base import Direct, ServerSettings, Signs
from desktop.config.loosens import names
from desktop.text import mark


class Slack(ServerSettings):
    """nanobot's webhook mode and other names are kept and mean nothing here."""

    HARMLESS = names(
        "reply_in_thread include_thread_context thread_context_limit react_emoji done_emoji streaming"
    )
    SECRETS = ("botToken", "appToken")

    reply_in_thread: bool = Field(
        default=True,
        title=mark("Answer in threads"),
        description=mark("In channels, each question begins a thread with a conversation of its own."),
        json_schema_extra=notes(),
    )
    include_thread_context: bool = Field(
        default=True,
        title=mark("Read the thread"),
        description=mark("When first mentioned in a thread, the agent sees what was written there before."),
        json_schema_extra=notes(),
    )
    thread_context_limit: int = Field(
        default=20,
        title=mark("Messages of the thread"),
        description=mark("How many messages of a thread, the newest ones."),
        ge=1,
        le=200,
        json_schema_extra=notes(),
    )
    dm: Direct = Field(default_factory=Direct, title=mark("Private messages"))
    react_emoji: str = Field(
        default="eyes",
        title=mark("Reaction on receipt"),
        description=mark("Shown on a message as soon as it is stored. Empty for none."),
        max_length=40,
    )
    done_emoji: str = Field(
        default="white_check_mark",
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
    def direct(self) -> Direct:
        """Who may write in private."""
        return self.dm

    @property
    def signs(self) -> Signs:
        """The reactions that messages get."""
        return Signs(self.react_emoji, done=self.done_emoji)
