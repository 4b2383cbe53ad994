"""Email: a mailbox that the agent reads, and from which it answers."""

from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field, field_validator

from desktop.config.base import notes
from desktop.config.channels.base import ADDRESS_OF_SERVICE, ChannelSettings
from desktop.config.loosens import Loosens, names
from desktop.text import mark

_CONSENT = Loosens(mark("Mail is read and answered from this mailbox."), order=(False, True))
_FORGED = Loosens(mark("Mail with a forged sender can pass for a known one’s."), order=(True, False))
_ANSWERS = Loosens(mark("Mail is answered."), order=(False, True))
_ACTION = Loosens(mark("Mail that was read is moved or deleted."), order=("", "move", "delete"))
_EXPUNGE = Loosens(mark("Deleted mail can’t be restored."), order=(False, True))
_FILES = Loosens(mark("More kinds of attachments reach the agent."), tight=lambda _item: False)
_VOUCHING = Loosens(mark("More mail servers can say who a sender is."), tight=lambda _item: False)
_LARGER = Loosens(mark("Larger attachments reach the agent."), grows=True)
_MORE = Loosens(mark("More attachments reach the agent."), grows=True)


def _host(title: str) -> Any:
    return Field(
        default="",
        title=title,
        description=mark("Leave empty for Gmail, iCloud, Yahoo, QQ, 163, Fastmail and GMX."),
        pattern=r"^[^\s/@]*$",
        max_length=253,
    )


class Email(ChannelSettings):
    """nanobot's postActionIgnoreSkipped is kept, and always on: mail that is not for the agent stays as it
    is."""

    LOOSENS = MappingProxyType(
        {
            **ChannelSettings.LOOSENS,
            "consent_granted": _CONSENT,
            "imap_host": ADDRESS_OF_SERVICE,
            "smtp_host": ADDRESS_OF_SERVICE,
            "auto_reply_enabled": _ANSWERS,
            "post_action": _ACTION,
            "post_action_expunge": _EXPUNGE,
            "allowed_attachment_types": _FILES,
            "max_attachment_size": _LARGER,
            "max_attachments_per_email": _MORE,
            "trusted_authserv_ids": _VOUCHING,
            "verify_dkim": _FORGED,
            "verify_spf": _FORGED,
        }
    )
    HARMLESS = names(
        "imap_port imap_username imap_use_ssl imap_mailbox smtp_port smtp_username smtp_use_tls "
        "smtp_use_ssl from_address poll_interval_seconds mark_seen post_action_move_mailbox max_body_chars "
        "subject_prefix"
    )
    SECRETS = ("imapPassword", "smtpPassword")

    allow_from: tuple[str, ...] = Field(
        default=(),
        title=mark("Who may write"),
        description=mark(
            "One mail address per line. Empty means nobody; mail of others is left untouched."
        ),
        json_schema_extra=notes(kind="lines"),
    )
    owner: str = Field(
        default="",
        title=mark("You"),
        description=mark("Your mail address. You may write, but mail never approves what the agent asks."),
        max_length=320,
    )
    consent_granted: bool = Field(
        default=False,
        title=mark("Allow reading and sending"),
        description=mark("Nothing is read from the mailbox or sent from it before you allow it."),
        json_schema_extra=notes(),
    )
    imap_username: str = Field(
        default="",
        title=mark("Account"),
        description=mark("The address of the mailbox, best one that is the agent’s alone."),
        max_length=320,
    )
    imap_host: str = _host(mark("Incoming server"))
    imap_port: int = Field(
        default=993, title=mark("Incoming port"), ge=1, le=65_535, json_schema_extra=notes()
    )
    imap_use_ssl: bool = Field(
        default=True,
        title=mark("TLS for incoming mail"),
        description=mark("Off means STARTTLS. Passwords are never sent without encryption."),
        json_schema_extra=notes(),
    )
    imap_mailbox: str = Field(default="INBOX", title=mark("Mailbox"), min_length=1, max_length=500)
    smtp_host: str = _host(mark("Outgoing server"))
    smtp_port: int = Field(
        default=587, title=mark("Outgoing port"), ge=1, le=65_535, json_schema_extra=notes()
    )
    smtp_username: str = Field(
        default="",
        title=mark("Account for outgoing mail"),
        description=mark("Leave empty for the same account."),
        max_length=320,
    )
    smtp_use_tls: bool = Field(
        default=True,
        title=mark("STARTTLS for outgoing mail"),
        description=mark("For port 587."),
        json_schema_extra=notes(),
    )
    smtp_use_ssl: bool = Field(
        default=False,
        title=mark("TLS for outgoing mail"),
        description=mark("For port 465."),
        json_schema_extra=notes(),
    )
    from_address: str = Field(
        default="",
        title=mark("Sender"),
        description=mark("The address that answers come from. Leave empty for the account’s."),
        max_length=320,
    )
    auto_reply_enabled: bool = Field(
        default=True,
        title=mark("Answer mail"),
        description=mark("When off, mail becomes conversations, and answers stay there."),
        json_schema_extra=notes(),
    )
    poll_interval_seconds: int = Field(
        default=30,
        title=mark("Look for mail every"),
        description=mark("Only where the server can’t tell of new mail."),
        ge=5,
        le=86_400,
        json_schema_extra=notes(unit="s"),
    )
    mark_seen: bool = Field(
        default=True,
        title=mark("Mark as read"),
        description=mark("Mail that the agent answers. All other mail is left as it is."),
        json_schema_extra=notes(),
    )
    post_action: Literal["", "move", "delete"] = Field(
        default="",
        title=mark("After reading"),
        json_schema_extra=notes(
            choices={
                "": mark("Leave it in the mailbox"),
                "move": mark("Move it"),
                "delete": mark("Delete it"),
            }
        ),
    )
    post_action_move_mailbox: str = Field(
        default="",
        title=mark("Move to"),
        description=mark("The mailbox for what was read."),
        max_length=500,
    )
    post_action_expunge: bool = Field(
        default=False,
        title=mark("Delete for good"),
        description=mark("Deleted mail is removed from the server at once."),
        json_schema_extra=notes(),
    )
    max_body_chars: int = Field(
        default=12_000,
        title=mark("Longest mail"),
        description=mark("What is longer is cut off."),
        ge=100,
        le=100_000,
        json_schema_extra=notes(),
    )
    subject_prefix: str = Field(default="Re: ", title=mark("Subject of answers begins with"), max_length=20)
    allowed_attachment_types: tuple[str, ...] = Field(
        default=("*",),
        title=mark("Attachments"),
        description=mark("Types such as image/* or application/pdf, one per line. Empty means none."),
        json_schema_extra=notes(kind="lines"),
    )
    max_attachment_size: int = Field(
        default=2_000_000,
        title=mark("Largest attachment"),
        ge=0,
        le=50_000_000,
        json_schema_extra=notes(unit="B"),
    )
    max_attachments_per_email: int = Field(
        default=5, title=mark("Attachments per mail"), ge=0, le=20, json_schema_extra=notes()
    )
    trusted_authserv_ids: tuple[str, ...] = Field(
        default=(),
        title=mark("Trusted mail servers"),
        description=mark(
            "The name with which your mail server begins Authentication-Results, one per line. Known for "
            "Gmail, iCloud, Yahoo and Fastmail."
        ),
        json_schema_extra=notes(kind="lines"),
    )
    verify_dkim: bool = Field(
        default=True,
        title=mark("Check signatures"),
        description=mark("A valid DKIM signature of the sender’s domain proves the sender."),
        json_schema_extra=notes(),
    )
    verify_spf: bool = Field(
        default=True,
        title=mark("Check sending servers"),
        description=mark(
            "A server that SPF permits proves the sender. With both checks off, a sender’s word is enough."
        ),
        json_schema_extra=notes(),
    )

    @field_validator("owner", "from_address", "imap_username", "smtp_username")
    @classmethod
    def _one(cls, text: str) -> str:
        return text.strip()

    @field_validator("owner", "from_address")
    @classmethod
    def _address(cls, text: str) -> str:
        return text.lower()

    @field_validator("allow_from")
    @classmethod
    def _addresses(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(text.strip().lower() for text in texts)

    @property
    def address(self) -> str:
        """What answers come from."""
        return self.from_address or self.smtp_username.lower() or self.imap_username.lower()
