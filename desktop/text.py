"""The one gettext catalogue: every sentence a person reads, in the window, the terminal and errors.

Catalogues live in resources/translations/<language>/LC_MESSAGES/nanobot.mo. English is the source.
The language is chosen at the first look-up: NANOBOT_DESKTOP_LANGUAGE, else what use() was given,
else the locale of the environment.
"""

import gettext
import os
import re
from collections.abc import Iterable
from string import Formatter

from desktop.paths import resource

LANGUAGES = {"en": "English", "zh_CN": "简体中文"}

_CLOSED = "。！？；：，、）」』】》…"
"""Signs of Chinese after which no space stands: they bring their own."""
_WIDE = r"[\u2e80-\u303f\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]"
"""Compiled with its first use: a pattern of such ranges takes milliseconds of the start."""

_current: gettext.NullTranslations | None = None
_code = "en"


def _(message: str) -> str:
    """The message in the person's language; the message itself where there is no translation."""
    if not message:
        return ""  # which the catalogue has its own header for
    return _said((_current or use("")).gettext(message))


def mark(message: str) -> str:
    """The message as it is, put into the catalogue: for tables, and for sentences of libraries."""
    return message


def ngettext(one: str, many: str, n: int) -> str:
    """The form of the message for n things."""
    return _said((_current or use("")).ngettext(one, many, n))


def sentences(*parts: str) -> str:
    """Sentences behind one another, as the language of each writes it; empty ones are left out."""
    whole = ""
    for part in filter(None, (part.strip() for part in parts)):
        apart = "" if not whole or whole[-1] in _CLOSED else " "
        whole += f"{apart}{part}"
    return whole


def titled(head: str, what: str) -> str:
    """ "Use: Qwen", with the colon of the language; one of both alone where the other is empty."""
    colon = "：" if language() == "zh_CN" else ": "
    return colon.join(filter(None, (head, what)))


def listed(names: Iterable[str]) -> str:
    """ "Ollama, vLLM", with what the language sets between the members of a list."""
    return ("、" if language() == "zh_CN" else ", ").join(names)


class _Sentence(str):
    """A sentence with places in it, in a language that sets spaces between its own letters and others: what
    comes into a place may be of either kind, and the space at its edge goes where both are of its own."""

    __slots__ = ()

    def format(self, *args: object, **values: object) -> str:
        whole, place = "", False
        for literal, name, spec, conversion in Formatter().parse(self):
            inside = place and literal[:1] == " " and _wide(whole[-1:]) and _wide(literal[1:])
            whole += literal[1:] if inside else literal
            place = name is not None
            if place:
                kind = f"!{conversion}" if conversion else ""
                value = f"{{{name}{kind}{f':{spec}' if spec else ''}}}".format(*args, **values)
                inside = literal[-1:] == " " and _wide(whole[-2:-1]) and _wide(value)
                whole = (whole[:-1] if inside else whole) + value
        return whole


def _wide(text: str) -> bool:
    return re.match(_WIDE, text) is not None


def _said(message: str) -> str:
    return _Sentence(message) if "{" in message and language() == "zh_CN" else message


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
