"""What a server asks the person in the middle of a call, made into a form; or why it is refused.

The protocol allows flat forms of simple fields. A form that wants a secret is refused whole, without the
person being asked: whoever needs a password has a page for it, where the browser and the person see whose
it is.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from desktop.tools.form import Field, Form, Kind, Purpose, filled
from desktop.tools.secret_words import sounds_secret

_MOST_FIELDS, _MOST_CHOICES = 50, 500
_LONGEST_MESSAGE, _LONGEST_ABOUT, _LONGEST_NAME, _LONGEST_ADDRESS = 4_000, 1_000, 200, 4_000
_FORMATS = frozenset({"email", "uri", "date", "date-time"})
_NUMBERS = {"integer": Kind.WHOLE, "number": Kind.NUMBER}


class Refused(Exception):
    """It is not put to the person. `told`: a sentence for the model."""

    def __init__(self, told: str) -> None:
        super().__init__(told)
        self.told = told


def form_of(service: str, params: Any) -> Form:
    """The form of the SDK's parameters. Raises Refused."""
    message = str(params.message)[:_LONGEST_MESSAGE]
    if params.mode == "url":
        return Form(service, message, Purpose.PAGE, address=_page(str(params.url)))
    schema = params.requested_schema
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if properties is None:
        properties = {}
    if not isinstance(properties, Mapping) or len(properties) > _MOST_FIELDS:
        raise Refused("The MCP server asked the person for more than a form can hold; that was declined.")
    listed = schema.get("required") if isinstance(schema, Mapping) else None
    required = {str(name) for name in listed} if isinstance(listed, list) else set()
    found = tuple(_fields(properties, required))
    _refuse_secrets(message, found)
    return Form(service, message, fields=found)


def _page(address: str) -> str:
    """Raises Refused for what no browser should be sent to."""
    try:
        parts = urlsplit(address)
        sound = parts.scheme in ("https", "http") and parts.hostname and not parts.username
    except ValueError:
        sound = False
    if not sound or len(address) > _LONGEST_ADDRESS or any(sign <= " " for sign in address):
        raise Refused("The MCP server wanted to open an address that is no web page; that was declined.")
    return address


def _fields(properties: Mapping[str, Any], required: set[str]) -> Iterator[Field]:
    for name, schema in properties.items():
        made = _field(str(name), schema, needed=name in required) if isinstance(schema, Mapping) else None
        if made is not None:
            yield made
        elif name in required:
            raise Refused("The MCP server asked the person for what no form can hold; that was declined.")


def _field(name: str, schema: Mapping[str, Any], *, needed: bool) -> Field | None:
    """None for what the protocol does not allow in a form."""
    kind, choices = _kind(schema)
    if kind is None or len(name) > _LONGEST_NAME or len(choices) > _MOST_CHOICES:
        return None
    least, most = _bounds(kind, schema)
    form = schema.get("format")
    made = Field(
        name,
        kind,
        title=str(schema.get("title") or name)[:_LONGEST_NAME],
        about=str(schema.get("description") or "")[:_LONGEST_ABOUT],
        required=needed,
        choices=choices,
        least=least,
        most=most,
        format=str(form) if kind is Kind.TEXT and form in _FORMATS else "",
    )
    if form == "password" or schema.get("writeOnly") is True:
        raise _secret(made.title)
    return _with_default(made, schema.get("default"))


def _with_default(made: Field, default: Any) -> Field:
    """The field with its default, where that is one that it takes."""
    if default is None or isinstance(default, Mapping):
        return made
    if made.kind is Kind.SWITCH and not isinstance(default, bool):
        return made
    content, faults = filled(Form("", "", fields=(made,)), {made.name: default})
    if faults or made.name not in content:
        return made
    parts = {part: getattr(made, part) for part in made.__slots__}
    return Field(**parts | {"default": content[made.name]})


def _kind(schema: Mapping[str, Any]) -> tuple[Kind | None, tuple[tuple[str, str], ...]]:
    type_ = schema.get("type")
    if isinstance(type_, list):  # ["string", "null"]
        type_ = next((one for one in type_ if one != "null"), None)
    if type_ == "boolean":
        return Kind.SWITCH, ()
    if type_ in _NUMBERS:
        return _NUMBERS[type_], ()
    if type_ == "array":
        items = schema.get("items")
        choices = _choices(items) if isinstance(items, Mapping) else ()
        return (Kind.MANY, choices) if choices else (None, ())
    if type_ == "string" or (type_ is None and ("enum" in schema or "oneOf" in schema)):
        choices = _choices(schema)
        return (Kind.ONE, choices) if choices else (Kind.TEXT, ())
    return None, ()


def _choices(schema: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    values = schema.get("enum")
    if isinstance(values, list):
        names = schema.get("enumNames")
        names = names if isinstance(names, list) and len(names) == len(values) else values
        pairs = zip(values, names, strict=True)
        return tuple((str(value), str(name)[:_LONGEST_NAME]) for value, name in pairs if value is not None)
    for key in ("oneOf", "anyOf"):
        arms = schema.get(key)
        if not isinstance(arms, list):
            continue
        named = [
            (str(arm["const"]), str(arm.get("title") or arm["const"])[:_LONGEST_NAME])
            for arm in arms
            if isinstance(arm, Mapping) and "const" in arm
        ]
        if named and len(named) == len(arms):
            return tuple(named)
    return ()


def _bounds(kind: Kind, schema: Mapping[str, Any]) -> tuple[float | None, float | None]:
    names = {
        Kind.TEXT: ("minLength", "maxLength"),
        Kind.MANY: ("minItems", "maxItems"),
    }.get(kind, ("minimum", "maximum"))
    found = [schema.get(name) for name in names]
    least, most = (
        float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
        for value in found
    )
    return least, most


def _refuse_secrets(message: str, fields: tuple[Field, ...]) -> None:
    """Raises Refused where something that is typed in would be a secret. A choice among given values and a
    yes or no give none away."""
    typed = [one for one in fields if one.kind in (Kind.TEXT, Kind.WHOLE, Kind.NUMBER)]
    for one in typed:
        if any(sounds_secret(text) for text in (one.name, one.title, one.about)):
            raise _secret(one.title)
    if any(one.kind is Kind.TEXT and not one.format for one in typed) and sounds_secret(message):
        raise _secret(message)


def _secret(what: str) -> Refused:
    named = " ".join(what.split())[:80]
    return Refused(
        "The MCP server asked the person for what sounds like a password or a key "
        f"({named!r}); that was declined without asking them. Secrets are never given to a server in this "
        "way. The person can enter one in the settings of the server, if it takes it from there."
    )
