"""What went wrong at WhatsApp, in our words."""

import re
import time
from datetime import datetime

from desktop.channels.channel import NotDelivered, Slower, connection_lost
from desktop.errors import AppError, ConfigError
from desktop.services.service import SignInNeeded
from desktop.text import _

_STATUS = re.compile(r"\b(?:error|code|status)\D{0,12}(\d{3})\b")
_REFUSED = ("400", "401", "403", "404", "405", "406", "410", "463", "479")
_TOO_MANY, _PAUSE_S = ("420", "429"), 60.0
_NOWHERE = ("no signal session", "not in group", "not on whatsapp", "no lid found", "unknown server")


class LinkExpired(AppError):
    """The code was not used in time."""


class LoggedOut(SignInNeeded):
    """The phone, or WhatsApp, took the sign-in back."""


class Refused(NotDelivered):
    """WhatsApp does not do this, now or later."""


def not_linked() -> SignInNeeded:
    """There is no sign-in."""
    return SignInNeeded(
        _("WhatsApp is not linked yet."), _("Link it with your phone under Settings › Channels.")
    )


def crashed() -> AppError:
    """It ended, and said nothing."""
    return AppError(_("The process of WhatsApp quit unexpectedly."), _("It restarts automatically."))


def ended(why: str, detail: str) -> AppError:
    """Why it ended, as it told."""
    match why:
        case "logged_out":
            return LoggedOut(
                _("The sign-in to WhatsApp was ended on the phone, or by WhatsApp."),
                _("Link it again under Settings › Channels."),
            )
        case "replaced":
            return ConfigError(
                _("Another program uses this sign-in to WhatsApp."),
                _("Quit it, then turn WhatsApp off and on here."),
            )
        case "banned":
            return ConfigError(_banned(detail), _("Turn WhatsApp off and on after that."))
        case "outdated":
            return ConfigError(
                _("WhatsApp does not accept this version any more."), _("Install a newer Nanobot.")
            )
        case "missing":
            return ConfigError(
                _("The library for WhatsApp is not installed, or not for this computer."),
                _(
                    "The installers leave it out for its license. Install Nanobot with pip and its extra "
                    "whatsapp."
                ),
            )
        case "expired":
            return LinkExpired(_("The code has expired."), _("Get a new code."))
        case "number":
            return AppError(
                _("WhatsApp gave no code for this number."),
                _("Check the number and its country code, or scan the QR code instead."),
            )
        case "pairing":
            return AppError(_("The phone could not link it: {reason}").format(reason=detail))
        case "refused":
            return AppError(_("WhatsApp rejected the connection: {reason}").format(reason=detail or "?"))
        case "unreachable":
            return AppError(
                _("WhatsApp can’t be reached."), _("Check the internet connection and the proxy.")
            )
    return connection_lost()


def _banned(seconds: str) -> str:
    if not seconds.isdecimal() or not int(seconds):
        return _("WhatsApp has suspended this account for a while.")
    until = datetime.fromtimestamp(time.time() + int(seconds)).astimezone()
    return _("WhatsApp has suspended this account until {time}.").format(time=f"{until:%Y-%m-%d %H:%M}")


def call_failed(kind: str, detail: str) -> Exception:
    """Why something was not done: Refused, Slower, OSError, AppError."""
    told = detail.lower()
    found = _STATUS.search(told)
    status = found[1] if found else ""
    if kind in ("FileNotFoundError", "PermissionError", "IsADirectoryError"):
        return Refused(_("A file could not be read."))
    if status in _TOO_MANY or "rate-overlimit" in told:
        return Slower(_("WhatsApp wants a pause."), _PAUSE_S)
    if status in _REFUSED or any(word in told for word in _NOWHERE):
        return Refused(_("WhatsApp did not accept it: {reason}").format(reason=detail))
    return AppError(_("WhatsApp failed: {reason}").format(reason=detail))
