"""Matrix: an account of the agent's own, on any homeserver."""

from types import MappingProxyType

from pydantic import Field, field_validator

from desktop.config.base import ADDRESS, notes
from desktop.config.channels.base import ADDRESS_OF_SERVICE, GroupSettings, Signs, guarded
from desktop.config.loosens import Loosens, names
from desktop.text import mark

_LARGER = Loosens(mark("Larger attachments reach the agent."), grows=True)
_EVERYONE = Loosens(mark("The agent answers messages to everyone in a room."), order=(False, True))
_PLAIN = Loosens(mark("Chats that the agent begins are not encrypted."), order=(True, False))


class Matrix(GroupSettings):
    """nanobot's other names (sasVerification, syncStopGraceSeconds, maxConcurrentMediaDownloads) are kept
    and mean nothing here."""

    LOOSENS = MappingProxyType(
        {
            **GroupSettings.LOOSENS,
            "homeserver": ADDRESS_OF_SERVICE,
            "user_id": ADDRESS_OF_SERVICE,
            "e2ee_enabled": _PLAIN,
            "allow_room_mentions": _EVERYONE,
            "max_media_bytes": _LARGER,
        }
    )
    HARMLESS = names("device_id react_emoji streaming")
    SECRETS = ("password", "accessToken")

    allow_from: tuple[str, ...] = Field(
        default=(),
        title=mark("Who may write"),
        description=mark("One user ID per line. Empty means nobody; invitations of others are ignored."),
        json_schema_extra=notes(kind="lines"),
    )
    homeserver: str = Field(
        default="",
        title=mark("Homeserver"),
        description=mark("Leave empty to find it by the user ID."),
        pattern=ADDRESS,
        max_length=2000,
        json_schema_extra=notes(empty="https://matrix.org"),
    )
    user_id: str = Field(
        default="",
        title=mark("Account"),
        description=mark("The user ID of the agent’s account."),
        max_length=255,
        json_schema_extra=notes(empty="@nano:matrix.org"),
    )
    device_id: str = Field(
        default="",
        title=mark("Device ID"),
        description=mark("Only for an access token whose server does not tell which device it belongs to."),
        max_length=255,
    )
    e2ee_enabled: bool = Field(
        default=True,
        title=mark("Encrypted rooms"),
        description=mark(
            "Read and answer there. Devices are trusted when first seen; none is verified by emoji."
        ),
        json_schema_extra=notes(),
    )
    allow_room_mentions: bool = Field(
        default=False,
        title=mark("Answer @room"),
        description=mark("A message to everyone in a room counts as a mention."),
        json_schema_extra=notes(),
    )
    max_media_bytes: int = Field(
        default=20_971_520,
        title=mark("Largest attachment"),
        ge=0,
        le=50_000_000,
        json_schema_extra=notes(unit="B"),
    )
    react_emoji: str = Field(
        default="👀",
        title=mark("Reaction on receipt"),
        description=mark("Shown on a message as soon as it is stored. Empty for none."),
        max_length=8,
    )
    streaming: bool = Field(
        default=False,
        title=mark("Show answers while they are written"),
        description=mark("The message grows as the answer does."),
        json_schema_extra=notes(),
    )

    @property
    def signs(self) -> Signs:
        """The reactions that messages get."""
        return Signs(self.react_emoji)

    @field_validator("homeserver")
    @classmethod
    def _safe(cls, value: str) -> str:
        return guarded(value.strip())

    @field_validator("user_id", "owner")
    @classmethod
    def _one(cls, text: str) -> str:
        return text.strip()
