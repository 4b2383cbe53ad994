"""Which servers a mailbox has: those of the settings, else what the large providers are known for."""

from dataclasses import dataclass

from desktop.config.channels.email import Email as Settings
from desktop.text import _, mark

_APP_PASSWORD = mark("Use an app password, not the password of the account. You make one at {page}.")
_CODE = mark("Use the authorization code for IMAP, not the password of the account. You get it at {page}.")


@dataclass(frozen=True, slots=True)
class Provider:
    """What is the same for all mailboxes of one."""

    imap: str
    smtp: str
    smtp_port: int
    vouches: tuple[str, ...] = ()
    """How its servers begin Authentication-Results; with a dot before it also what ends so."""
    remedy: str = ""
    page: str = ""


_GMAIL = Provider(
    "imap.gmail.com",
    "smtp.gmail.com",
    587,
    ("mx.google.com",),
    _APP_PASSWORD,
    "myaccount.google.com/apppasswords",
)
_ICLOUD = Provider(
    "imap.mail.me.com",
    "smtp.mail.me.com",
    587,
    (".icloud.com",),
    _APP_PASSWORD,
    "account.apple.com",
)
_YAHOO = Provider(
    "imap.mail.yahoo.com",
    "smtp.mail.yahoo.com",
    465,
    (".yahoo.com",),
    _APP_PASSWORD,
    "login.yahoo.com/account/security",
)
_QQ = Provider("imap.qq.com", "smtp.qq.com", 465, (), _CODE, "mail.qq.com")
_FASTMAIL = Provider(
    "imap.fastmail.com",
    "smtp.fastmail.com",
    465,
    (".messagingengine.com",),
    _APP_PASSWORD,
    "app.fastmail.com/settings/security",
)
_GMX = Provider("imap.gmx.net", "mail.gmx.net", 587)
_BY_DOMAIN = {
    "gmail.com": _GMAIL,
    "googlemail.com": _GMAIL,
    "icloud.com": _ICLOUD,
    "me.com": _ICLOUD,
    "mac.com": _ICLOUD,
    "yahoo.com": _YAHOO,
    "ymail.com": _YAHOO,
    "qq.com": _QQ,
    "foxmail.com": _QQ,
    "163.com": Provider("imap.163.com", "smtp.163.com", 465, (), _CODE, "mail.163.com"),
    "126.com": Provider("imap.126.com", "smtp.126.com", 465, (), _CODE, "mail.126.com"),
    "fastmail.com": _FASTMAIL,
    "gmx.net": _GMX,
    "gmx.de": _GMX,
    "web.de": Provider("imap.web.de", "smtp.web.de", 587),
}
_BY_HOST = {one.imap: one for one in _BY_DOMAIN.values()}
LARGEST = 20_000_000
"""Bytes of all files of a mail: they grow by a third, and most servers take 25 MB."""
_OAUTH_ONLY = ("outlook.com", "hotmail.com", "live.com", "msn.com", "office365.com")
_TLS_PORT = 465


@dataclass(frozen=True, slots=True)
class Hosts:
    """The servers of one mailbox; empty where nobody named them."""

    imap: str
    imap_port: int
    imap_tls: bool
    """From the first byte on; else by STARTTLS."""
    smtp: str
    smtp_port: int
    smtp_tls: bool
    vouches: tuple[str, ...]
    remedy: str
    """What to do where the password is refused."""


def hosts_of(settings: Settings) -> Hosts:
    """The servers that the settings name or mean."""
    known = _provider(settings)
    own_imap, own_smtp = settings.imap_host, settings.smtp_host
    return Hosts(
        own_imap or (known.imap if known else ""),
        settings.imap_port if own_imap or not known else 993,
        settings.imap_use_ssl if own_imap or not known else True,
        own_smtp or (known.smtp if known else ""),
        settings.smtp_port if own_smtp or not known else known.smtp_port,
        settings.smtp_use_ssl if own_smtp or not known else known.smtp_port == _TLS_PORT,
        settings.trusted_authserv_ids or (known.vouches if known else ()),
        _remedy(settings, known),
    )


def takes_no_password(settings: Settings) -> bool:
    """Whether its provider wants a sign-in in a browser, which this program hasn't."""
    place = f".{settings.imap_host or settings.imap_username.rpartition('@')[2]}".lower()
    return place.endswith(tuple(f".{domain}" for domain in _OAUTH_ONLY))


def _provider(settings: Settings) -> Provider | None:
    if settings.imap_host:
        return _BY_HOST.get(settings.imap_host.lower())
    return _BY_DOMAIN.get(settings.imap_username.rpartition("@")[2].lower())


def _remedy(settings: Settings, known: Provider | None) -> str:
    if takes_no_password(settings):
        return _("Outlook takes no passwords from other programs. Use a mailbox of another provider.")
    if known and known.remedy:
        return _(known.remedy).format(page=known.page)
    return _(
        "Check the account and its password under Settings › Channels. Some providers want an app password."
    )
