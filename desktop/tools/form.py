"""What somebody outside wants the person to fill in or to agree to in the middle of a call, and the check
of what they filled in.

An MCP server may ask for input (elicitation). What it says is its own text: it is cleaned before it is
shown. What may never be asked for this way, a password or a key, is in `secret_words`.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

from desktop.text import _
from desktop.tools.secret_words import looks_secret

type Json = dict[str, Any]
type Given = Mapping[str, Any]
"""What the person filled in: by the name of the field a text, a number, a truth value or a list of texts.
A field that is not there has its default; None and "" leave it out."""

_NUMBER = re.compile(r"[-+]?([0-9]{1,300}(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,3})?")
LONGEST_ANSWER = 10_000
_YES = frozenset({"y", "yes", "true", "1", "on"})
_NO = frozenset({"n", "no", "false", "0", "off"})


class Kind(StrEnum):
    """What a field takes."""

    TEXT = "text"
    WHOLE = "whole"
    NUMBER = "number"
    SWITCH = "switch"
    ONE = "one"
    MANY = "many"


class Purpose(StrEnum):
    """What the person is asked for."""

    FORM = "form"
    """To fill in fields, or just to agree."""
    PAGE = "page"
    """To open a page of the server's."""
    RIGHTS = "rights"
    """To sign in again, for more rights."""


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to fill in."""

    name: str
    """The server's own."""
    kind: Kind
    title: str
    about: str = ""
    required: bool = False
    default: Any = None
    choices: tuple[tuple[str, str], ...] = ()
    """Of ONE and MANY: a value, and what it is called."""
    least: float | None = None
    most: float | None = None
    """Of a number: its bounds; of a text: characters; of MANY: how many."""
    format: str = ""
    """Of a text: email, uri, date or date-time."""

    def as_json(self) -> Json:
        """For front ends."""
        shown = {name: getattr(self, name) for name in self.__slots__}
        return shown | {"kind": self.kind.value, "choices": [list(choice) for choice in self.choices]}


@dataclass(frozen=True, slots=True)
class Form:
    """All that is asked at once. Texts are as the server sent them."""

    service: str
    """The server's name among the person's."""
    message: str
    purpose: Purpose = Purpose.FORM
    fields: tuple[Field, ...] = ()
    address: str = ""
    """The page, where it is about one."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of it, in the protocol's words: cancel is neither yes nor no."""

    action: Literal["accept", "decline", "cancel"]
    content: Json = field(default_factory=dict)
    open_page: Callable[[str], None] | None = None
    """Opens a page where the person is; only where they agreed."""


class Asker(Protocol):
    """Asks the person in the middle of one call."""

    notes: list[str]
    """What the model should know of it, a sentence each."""

    def ask(self, form: Form) -> Awaitable[Reply]:
        """Their reply; cancel where nobody answers."""


def filled(form: Form, given: Given) -> tuple[Json, dict[str, str]]:
    """What the person gave as the server wants it; and by field what is wrong with it, as a sentence."""
    content: Json = {}
    faults: dict[str, str] = {}
    for one in form.fields:
        value = given.get(one.name, one.default)
        if value is None or value == "" or (value == [] and not one.required):
            if one.required:
                faults[one.name] = _("Required.")
            continue
        try:
            content[one.name] = _checked(one, value)
        except ValueError as fault:
            faults[one.name] = str(fault)
    return content, faults


def _checked(one: Field, value: Any) -> Any:
    """Raises ValueError with a sentence."""
    match one.kind:
        case Kind.SWITCH:
            return _truth(value)
        case Kind.WHOLE | Kind.NUMBER:
            return _number(one, value)
        case Kind.ONE:
            return _choice(one, value)
        case Kind.MANY:
            return _choices(one, value)
        case _:
            return _text(one, value)


def _truth(value: Any) -> bool:
    word = str(value).strip().casefold()
    if word in _YES | {_("yes")}:
        return True
    if word in _NO | {_("no")}:
        return False
    raise ValueError(_("Yes or no?"))


def _number(one: Field, value: Any) -> int | float:
    text = str(value).strip()
    if isinstance(value, bool) or not _NUMBER.fullmatch(text):
        raise ValueError(_("Enter a number."))
    found = float(text)
    if one.kind is Kind.WHOLE and (found != found // 1 or abs(found) == float("inf")):
        raise ValueError(_("Enter a whole number."))
    if one.least is not None and found < one.least:
        raise ValueError(_("Enter {least:g} or more.").format(least=one.least))
    if one.most is not None and found > one.most:
        raise ValueError(_("Enter {most:g} or less.").format(most=one.most))
    if one.kind is Kind.WHOLE:
        return int(text) if re.fullmatch(r"[-+]?[0-9]+", text) else int(found)
    return found


def _choice(one: Field, value: Any) -> str:
    """By its value, its name or its number in the list."""
    text = str(value)
    values = [known for known, _title in one.choices]
    if text in values:
        return text
    if text.strip().isdecimal() and 0 < int(text) <= len(values):
        return values[int(text) - 1]
    named = [known for known, title in one.choices if title.strip().casefold() == text.strip().casefold()]
    if len(named) == 1:
        return named[0]
    raise ValueError(_("Choose an option from the list."))


def _choices(one: Field, value: Any) -> list[str]:
    parts = value if isinstance(value, list) else [part for part in str(value).split(",") if part.strip()]
    found = list(dict.fromkeys(_choice(one, str(part).strip()) for part in parts))
    if one.least is not None and len(found) < one.least:
        raise ValueError(_("Choose at least {n:g}.").format(n=one.least))
    if one.most is not None and len(found) > one.most:
        raise ValueError(_("Choose at most {n:g}.").format(n=one.most))
    return found


def _text(one: Field, value: Any) -> str:
    text = str(value)
    if len(text) > (longest := int(min(one.most or LONGEST_ANSWER, LONGEST_ANSWER))):
        raise ValueError(_("Enter at most {n} characters.").format(n=longest))
    if one.least is not None and len(text) < one.least:
        raise ValueError(_("Enter at least {n:g} characters.").format(n=one.least))
    if looks_secret(text.strip()):
        raise ValueError(_("This looks like a key or a password. Never send one to a server this way."))
    if one.format and not _formed(one.format, text.strip()):
        raise ValueError(
            {
                "email": _("Enter an email address."),
                "uri": _("Enter a web address, for example https://example.com."),
                "date": _("Enter a date, for example 2026-01-31."),
                "date-time": _("Enter a date and time, for example 2026-01-31T09:30:00Z."),
            }[one.format]
        )
    return text.strip() if one.format else text


def _formed(form: str, text: str) -> bool:
    try:
        match form:
            case "email":
                return re.fullmatch(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)*", text) is not None
            case "uri":
                return bool(urlsplit(text).scheme) and " " not in text
            case "date":
                return len(text) == len("2026-01-31") and bool(date.fromisoformat(text))
            case _:
                return "T" in text.upper() and bool(datetime.fromisoformat(text.upper()))
    except ValueError:
        return False
