"""WhatsApp: a device that is linked to an account."""

import re
from types import MappingProxyType
from typing import Literal

from pydantic import Field, field_validator

from desktop.config.base import notes
from desktop.config.channels.base import GroupSettings, Signs
from desktop.config.loosens import Loosens, names
from desktop.text import mark

_NUMBER = re.compile(r"\+?[\d\s().\-/]*\d[\d\s().\-/]*(@s\.whatsapp\.net)?")
_SAME = Loosens(mark("Messages of this linked ID count as those of the phone number."))


def as_id(typed: str) -> str:
    """A phone number as WhatsApp writes it, however it was typed; any other ID as it is."""
    typed = typed.strip()
    if _NUMBER.fullmatch(typed):
        return re.sub(r"\D", "", typed.partition("@")[0]).removeprefix("00")
    return typed


class Whatsapp(GroupSettings):
    """The sign-in is a device of the account, kept in a file of its own. nanobot's bridgeUrl, bridgeToken
    and databasePath mean nothing here."""

    LOOSENS = MappingProxyType({**GroupSettings.LOOSENS, "lid_mappings": _SAME})
    HARMLESS = names("react_emoji")
    LINKS = True

    allow_from: tuple[str, ...] = Field(
        default=(),
        title=mark("Who may write"),
        description=mark("One phone number per line, with its country code. Others get no answer."),
        json_schema_extra=notes(kind="lines"),
    )
    owner: str = Field(
        default="",
        title=mark("You"),
        description=mark("Your phone number. Only its messages count as yours."),
        max_length=200,
        json_schema_extra=notes(empty="+49 170 1234567"),
    )
    group_policy: Literal["mention", "open", "allowlist"] = Field(
        default="open",
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
    react_emoji: str = Field(
        default="",
        title=mark("Reaction on receipt"),
        description=mark("Shown on a message as soon as it is stored. Empty for none."),
        max_length=8,
    )
    lid_mappings: dict[str, str] = Field(
        default_factory=dict,
        title=mark("Linked IDs"),
        description=mark(
            "WhatsApp may show an ID in place of a phone number. Nanobot learns most of them automatically."
        ),
        json_schema_extra=notes(kind="pairs"),
    )

    @field_validator("allow_from")
    @classmethod
    def _ids(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(as_id, value))

    @field_validator("owner")
    @classmethod
    def _id(cls, value: str) -> str:
        return as_id(value)

    @property
    def signs(self) -> Signs:
        """The reactions that messages get."""
        return Signs(self.react_emoji)
