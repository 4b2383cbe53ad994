"""DingTalk: the robot of an app of the person's own, from open-dev.dingtalk.com."""

from types import MappingProxyType

from pydantic import Field

from desktop.config.base import notes
from desktop.config.channels.base import Direct, ServerSettings
from desktop.config.loosens import Loosens, names
from desktop.text import mark

_HOSTS = Loosens(mark("Files of messages are downloaded from more servers."), tight=lambda _item: False)


class Dingtalk(ServerSettings):
    """nanobot's other names are kept and mean nothing here. In a group DingTalk tells a robot only of what
    mentions it."""

    LOOSENS = MappingProxyType(
        {
            **ServerSettings.LOOSENS,
            "allow_remote_media_redirects": Loosens(
                mark("Files of messages are downloaded from more servers."), order=(False, True)
            ),
            "remote_media_redirect_allowed_hosts": _HOSTS,
            "disable_private_chat": Loosens(mark("Private messages are answered."), order=(True, False)),
        }
    )
    HARMLESS = names("client_id group_user_isolation")
    SECRETS = ("clientSecret",)

    client_id: str = Field(
        default="",
        title=mark("Client ID"),
        description=mark("Of the app; older ones call it AppKey."),
        max_length=100,
        json_schema_extra=notes(empty="ding0123456789abcdef"),
    )
    group_user_isolation: bool = Field(
        default=False,
        title=mark("A conversation for each person of a group"),
        description=mark("When off, everyone in a group shares one."),
        json_schema_extra=notes(),
    )
    disable_private_chat: bool = Field(
        default=False,
        title=mark("No private messages"),
        description=mark("When on, private messages are left without an answer."),
        json_schema_extra=notes(),
    )
    allow_remote_media_redirects: bool = Field(
        default=False,
        title=mark("Files from other servers"),
        description=mark("Download files from the servers below too, not only from DingTalk’s."),
        json_schema_extra=notes(),
    )
    remote_media_redirect_allowed_hosts: tuple[str, ...] = Field(
        default=(),
        title=mark("Other servers"),
        description=mark("Names of servers, one per line."),
        json_schema_extra=notes(kind="lines"),
    )

    @property
    def direct(self) -> Direct:
        """Private messages, which may be off."""
        return Direct(enabled=not self.disable_private_chat)
