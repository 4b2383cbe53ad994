"""The one gettext catalogue: every sentence a person reads, in the window, the terminal and errors.

Catalogues live in resources/translations/<language>/LC_MESSAGES/nanobot.mo. English is the source.
The language is chosen at the first look-up: NANOBOT_DESKTOP_LANGUAGE, else what use() was given,
else the locale of the environment.
"""

import gettext
import os

from desktop.paths import resource

LANGUAGES = {"en": "English", "zh_CN": "简体中文"}

_current: gettext.NullTranslations | None = None
_code = "en"


def _(message: str) -> str:
    """The message in the person's language; the message itself where there is no translation."""
    return (_current or use("")).gettext(message)


def mark(message: str) -> str:
    """The message as it is, put into the catalogue: for tables, and for sentences of libraries."""
    return message


def ngettext(one: str, many: str, n: int) -> str:
    """The form of the message for n things."""
    return (_current or use("")).ngettext(one, many, n)


def language() -> str:
    """The code in use: a key of LANGUAGES."""
    if _current is None:
        use("")
    return _code


def use(code: str) -> gettext.NullTranslations:
    """Switch to a language; empty means the environment's. NANOBOT_DESKTOP_LANGUAGE always wins."""
    global _current, _code
    _code = _known(os.environ.get("NANOBOT_DESKTOP_LANGUAGE") or code or _environment())
    _current = gettext.translation(
        "nanobot", localedir=resource("translations"), languages=[_code], fallback=True
    )
    return _current


def serve_libraries() -> None:
    """Let libraries that ask the standard gettext for their own sentences find them in our catalogue."""
    os.environ["LANGUAGE"] = language()
    gettext.bindtextdomain("nanobot", resource("translations"))
    gettext.textdomain("nanobot")


def _environment() -> str:
    names = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    return next((value for name in names if (value := os.environ.get(name))), "en")


def _known(code: str) -> str:
    return "zh_CN" if code.lower().startswith("zh") else "en"
