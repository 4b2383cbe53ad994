"""From a server's schema of its arguments to one that every provider takes.

References are put in place, "nullable" becomes the plain type, the arms of a choice become parts of their
object; what plain keywords cannot say is told in words. The server's own schema stays what arguments are
checked against.
"""

import copy
import json
from typing import Any
from urllib.parse import unquote

type Json = dict[str, Any]

LARGEST = 64_000
"""Characters of JSON; a larger schema is left out."""
_MOST_NODES = 5_000
_NESTED = 2
"""How often a definition is put into itself before it ends as "anything"."""
_DEEPEST = 40
_KEPT = (
    *("description", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "format"),
    "default",
)
_MOST_VALUES = 500
"""Of an enum; more are told in part."""
_MOST_WAYS = 30
_LONGEST_RULE = 1_000
_TOLD = (
    *("pattern", "multipleOf", "exclusiveMinimum", "exclusiveMaximum", "uniqueItems", "contains"),
    *("minContains", "maxContains", "minProperties", "maxProperties", "propertyNames", "patternProperties"),
    *("dependentRequired", "dependentSchemas", "dependencies", "not", "if", "then", "else", "examples"),
    *("contentEncoding", "contentMediaType", "deprecated", "readOnly", "discriminator"),
)
"""Keywords that not every provider takes: told in the description."""
_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array"})
_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean"}
_UNCHECKED = frozenset({"pattern", "patternProperties", "format", "$schema", "$id", "$dynamicRef"})


class _TooLarge(Exception):
    pass


def plain(schema: Any) -> tuple[Json, bool]:
    """The schema in plain keywords, and whether it could be kept; else it permits any object."""
    try:
        found = _Walk(schema).object()
        if len(json.dumps(found, ensure_ascii=False)) <= LARGEST:
            return found, True
    except (_TooLarge, RecursionError, ValueError, TypeError):
        pass
    return {"type": "object", "properties": {}}, False


def readable(schema: Any) -> bool:
    """Whether this says what a tool takes; else it is told to take anything, and the server checks."""
    if isinstance(schema, dict):
        kind = schema.get("type", "object")
        return kind == "object" or (isinstance(kind, list) and "object" in kind) or (kind is None)
    return schema is None or isinstance(schema, bool)


class _Walk:
    """One pass over a schema."""

    def __init__(self, root: Any) -> None:
        self._root = root if isinstance(root, dict) else {}
        self._nodes = 0

    def object(self) -> Json:
        found = self._plain({"type": "object", **self._root}, (), 0)
        if "properties" not in found and "anyOf" in found:
            arms = found.pop("anyOf")
            _fold(found, [arm for arm in arms if _is_object(arm)], "At least one")
        kept: Json = {
            key: found[key] for key in ("description", "required", "additionalProperties") if key in found
        }
        properties = found.get("properties")
        return {"type": "object", "properties": properties if isinstance(properties, dict) else {}, **kept}

    def _plain(self, schema: Any, within: tuple[str, ...], depth: int) -> Json:
        self._nodes += 1
        if self._nodes > _MOST_NODES:
            raise _TooLarge
        if not isinstance(schema, dict) or depth > _DEEPEST:
            return {}
        if isinstance(reference := schema.get("$ref"), str):
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            if not reference.startswith("#"):
                _tell(rest, [f"see: {reference[:_LONGEST_RULE]}"])
            if within.count(reference) >= _NESTED:
                return self._plain(rest, within, depth + 1)
            return self._plain(_both(self._target(reference), rest), (*within, reference), depth + 1)
        found = {key: schema[key] for key in _KEPT if schema.get(key) is not None}
        if not isinstance(found.get("description", ""), str):
            del found["description"]
        options = self._kinds(schema, found)
        self._values(schema, found)
        if found.get("type") == "object" or _is_object(schema):
            self._members(schema, found, within, depth)
        for part in _list(schema.get("allOf")):
            _add(found, self._plain(part, within, depth + 1))
        self._choices(schema, found, options, within, depth)
        if found.get("type") == "array":
            self._places(schema, found, within, depth)
        for name in found.get("required", ()):  # needed, whatever it is
            found.setdefault("properties", {}).setdefault(name, {})
        _tell(found, _rules(schema))
        return found

    def _target(self, reference: str) -> Json:
        """What a reference within this schema leads to; elsewhere is nowhere."""
        path = unquote(reference)
        if not path.startswith("#"):
            return {}
        if path[1:] and not path.startswith("#/"):
            return self._anchor(path[1:])
        here: Any = self._root
        for part in path[2:].split("/") if path[2:] else ():
            part = part.replace("~1", "/").replace("~0", "~")
            if isinstance(here, list):
                here = here[int(part)] if part.isdecimal() and int(part[:6]) < len(here) else None
            else:
                here = here.get(part) if isinstance(here, dict) else None
        return here if isinstance(here, dict) else {}

    def _anchor(self, name: str) -> Json:
        for key in ("$defs", "definitions"):
            there = self._root.get(key)
            for inner in there.values() if isinstance(there, dict) else ():
                if isinstance(inner, dict) and (
                    inner.get("$anchor") == name or inner.get("$id") == f"#{name}"
                ):
                    return inner
        return {}

    def _kinds(self, schema: Json, found: Json) -> list[Json]:
        """`type` without null; where several are left, each as a schema."""
        kinds = schema.get("type")
        kinds = [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if _is_kind(kind)]
        if len(kinds) == 1:
            found["type"] = kinds[0]
        if len(kinds) < 2:
            return []
        return [{"type": kind, **({"items": {}} if kind == "array" else {})} for kind in kinds]

    def _choices(
        self, schema: Json, found: Json, options: list[Json], within: tuple[str, ...], depth: int
    ) -> None:
        """`anyOf` and `oneOf` without null; one that is left stands for itself. Those of an object become
        parts of it."""
        for key in ("anyOf", "oneOf"):
            given = [option for option in _list(schema.get(key)) if not _is_null(option)]
            arms = [self._plain(option, within, depth + 1) for option in given]
            if len(arms) == 1:
                _add(found, arms[0])
            elif found.get("type") == "object" and arms:
                _fold(found, arms, "Exactly one" if key == "oneOf" else "At least one")
            elif arms:
                options = arms
        for key in ("then", "else"):
            if isinstance(schema.get(key), dict) and found.get("type") == "object":
                arm = self._plain(schema[key], within, depth + 1)
                _add(found, {k: v for k, v in arm.items() if k == "properties"})
        if options and "type" in found:  # what holds for all of them stands in each
            options = [{"type": found["type"], **option} for option in options]
            del found["type"]
        if options and "enum" not in found:
            found["anyOf"] = options

    def _values(self, schema: Json, found: Json) -> None:
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if isinstance(values, list):
            left = [value for value in values if value is not None]
            if len(left) > _MOST_VALUES:
                _tell(found, [f"{len(left):,} values are possible, of these kinds: {_short(left[:20])}"])
            elif left:
                found["enum"] = left
            kinds = {_KINDS.get(type(value)) for value in left}
            if "type" not in found and len(kinds) == 1 and None not in kinds:
                found["type"] = kinds.pop()

    def _places(self, schema: Json, found: Json, within: tuple[str, ...], depth: int) -> None:
        """What a list holds; where each place has a kind of its own, any of them, and the order is told."""
        places = next((given for key in ("prefixItems", "items") if (given := _list(schema.get(key)))), [])
        if not places:
            found["items"] = self._plain(schema.get("items", {}), within, depth + 1)
            return
        kinds: list[Json] = []
        for place in places:
            if (kind := self._plain(place, within, depth + 1)) not in kinds:
                kinds.append(kind)
        found["items"] = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
        if len(kinds) > 1:
            _tell(found, [f"in this order: {_short(places)}"])

    def _members(self, schema: Json, found: Json, within: tuple[str, ...], depth: int) -> None:
        found["type"] = "object"
        given = schema.get("properties")
        if isinstance(given, dict):
            found["properties"] = {
                str(name): self._plain(inner, within, depth + 1) for name, inner in given.items()
            }
        required = schema.get("required")
        if isinstance(required, list) and required:
            found["required"] = list(dict.fromkeys(name for name in required if isinstance(name, str)))
        if isinstance(rest := schema.get("additionalProperties"), dict) and rest:
            found["additionalProperties"] = self._plain(rest, within, depth + 1)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_kind(kind: Any) -> bool:
    return isinstance(kind, str) and kind in _TYPES


def _is_null(option: Any) -> bool:
    return isinstance(option, dict) and (
        option.get("type") == "null" or ("const" in option and option["const"] is None)
    )


def _is_object(schema: Json) -> bool:
    """Whether this describes an object, said or not."""
    given = isinstance(schema.get("properties"), dict) or isinstance(schema.get("required"), list)
    return schema.get("type", "object") == "object" and (given or schema.get("type") == "object")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_RULE else f"{text[:_LONGEST_RULE]}…"


def _rules(schema: Json) -> list[str]:
    """What cannot be said in plain keywords, in words."""
    return [f"{key}: {_short(schema[key])}" for key in _TOLD if schema.get(key) not in (None, [], {})]


def _tell(found: Json, rules: list[str]) -> None:
    if rules:
        before = found.get("description")
        found["description"] = "\n".join([before, *rules] if isinstance(before, str) and before else rules)


def _both(target: Json, rest: Json) -> Json:
    """A definition with what stands beside the reference to it."""
    clash = {key: value for key, value in rest.items() if key in ("properties", "allOf", "anyOf", "oneOf")}
    if not any(key in target for key in clash):
        return {**target, **rest}
    outside = {key: value for key, value in rest.items() if key not in clash}
    return {**target, **outside, "allOf": [*_list(target.get("allOf")), clash]}


def _add(found: Json, part: Json) -> None:
    """Put what must hold, too, into a schema."""
    for key, value in part.items():
        if key == "properties":
            mine = found.setdefault("properties", {})
            for name, inner in value.items():
                mine[name] = {**inner, **mine[name]} if name in mine else inner
        elif key == "required":
            found[key] = list(dict.fromkeys([*found.get(key, ()), *value]))
        elif key == "enum" and key in found:
            found[key] = [one for one in found[key] if one in value] or found[key]
        elif key == "description" and found.get(key, value) != value:
            found[key] = f"{found[key]}\n{value}"
        elif key == "anyOf" and key in found:
            _tell(found, [f"Also one of: {_short(value)}"])
        else:
            found.setdefault(key, value)


def _fold(found: Json, arms: list[Json], which: str) -> None:
    """Put the arms of a choice into an object: all that any of them takes, needed what all of them need;
    which belong together is told."""
    ways = [_way(arm) for arm in arms]
    for arm in arms:
        mine = found.setdefault("properties", {})
        for name, inner in arm.get("properties", {}).items():
            mine[name] = _either(mine[name], inner) if name in mine else inner
    needed = [set(arm.get("required", ())) for arm in arms]
    always = (
        [name for name in arms[0].get("required", ()) if all(name in one for one in needed)] if arms else []
    )
    if always:
        found["required"] = list(dict.fromkeys([*found.get("required", ()), *always]))
    if any(ways):
        lines = [f"{number}. {way or 'anything else'}" for number, way in enumerate(ways, 1)]
        _tell(found, [f"{which} of these ways:", *lines[:_MOST_WAYS]])


def _way(arm: Json) -> str:
    """What one arm of a choice takes, on a line."""
    properties, required = arm.get("properties", {}), arm.get("required", [])
    words = [
        (name if (values := inner.get("enum")) is None else f"{name} = {_short(values)[1:-1]}")
        + ("" if name in required else " (optional)")
        for name, inner in properties.items()
    ]
    words += [f"with {name}" for name in required if name not in properties]
    about = " ".join(arm.get("description", "").split())
    return "; ".join(filter(None, (", ".join(words), about)))[:_LONGEST_RULE]


def _either(one: Json, other: Json) -> Json:
    """What fits one of two schemas."""
    if one == other or not other:
        return one
    if not one:
        return other
    if "enum" in one and "enum" in other and one.get("type") == other.get("type"):
        values = [*one["enum"], *(value for value in other["enum"] if value not in one["enum"])]
        return {**other, **one, "enum": values}
    shared = {key: value for key, value in one.items() if key != "description" and other.get(key) == value}
    if {**shared, "description": 0} == {**one, "description": 0} == {**other, "description": 0}:
        texts = dict.fromkeys(filter(None, (one.get("description"), other.get("description"))))
        return {**shared, "description": " / ".join(texts)}
    arms = one["anyOf"] if one.keys() == {"anyOf"} else [one]
    return {"anyOf": [*arms, *([other] if other not in arms else [])]}


def checkable(schema: Any) -> Any:
    """The server's own schema without what could take for ever to check, or be fetched from elsewhere."""
    if not isinstance(schema, dict):
        return {}
    return _stripped(copy.deepcopy(schema), schema_itself=True)


def _stripped(value: Any, *, schema_itself: bool) -> Any:
    if isinstance(value, list):
        return [_stripped(item, schema_itself=schema_itself) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _stripped(
            inner, schema_itself=not (schema_itself and key in {"properties", "$defs", "definitions"})
        )
        for key, inner in value.items()
        if not (schema_itself and key in _UNCHECKED)
    }


class Checker:
    """Checks arguments against a server's schema."""

    def __init__(self, schema: Any) -> None:
        """Blocks for as long as the library takes to load the first time."""
        import jsonschema  # type: ignore[import-untyped]
        from referencing import Registry

        self._validator: Any = None
        try:
            cleaned = checkable(schema)
            kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
            kind.check_schema(cleaned)
            self._validator = kind(cleaned, registry=Registry())
        except (jsonschema.SchemaError, RecursionError, AttributeError, TypeError):
            self._validator = None  # the server has the last word anyway

    def faults(self, arguments: Json) -> list[str]:
        """What is wrong with them, for the model; at most five."""
        if self._validator is None:
            return []
        found: list[str] = []
        try:
            for error in self._validator.iter_errors(arguments):
                where = ".".join(str(part) for part in error.absolute_path) or "arguments"
                found.append(f"{where}: {error.message[:300]}")
                if len(found) == 5:
                    break
        except Exception:
            return []  # a reference that leads nowhere, a recursion without end: no word against the call
        return found
