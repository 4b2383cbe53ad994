"""From a server's schema of its arguments to one that every provider takes.

References are put in place, "nullable" becomes the plain type, exotic keywords go. The server's own schema
stays what arguments are checked against.
"""

import copy
import json
from typing import Any

type Json = dict[str, Any]

LARGEST = 64_000
"""Characters of JSON; a larger schema is left out."""
_MOST_NODES = 5_000
_NESTED = 2
"""How often a definition is put into itself before it ends as "anything"."""
_DEEPEST = 40
_KEPT = frozenset(
    {
        "description",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "format",
        "default",
    }
)
_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array"})
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


class _Walk:
    """One pass over a schema."""

    def __init__(self, root: Any) -> None:
        self._root = root if isinstance(root, dict) else {}
        self._nodes = 0

    def object(self) -> Json:
        found = self._plain(self._root, (), 0)
        properties = found.get("properties")
        kept: Json = {key: found[key] for key in ("description", "required") if key in found}
        return {"type": "object", "properties": properties if isinstance(properties, dict) else {}, **kept}

    def _plain(self, schema: Any, within: tuple[str, ...], depth: int) -> Json:
        self._nodes += 1
        if self._nodes > _MOST_NODES:
            raise _TooLarge
        if not isinstance(schema, dict) or depth > _DEEPEST:
            return {}
        if isinstance(reference := schema.get("$ref"), str):
            if within.count(reference) >= _NESTED:
                return {}
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            return self._plain({**self._target(reference), **rest}, (*within, reference), depth + 1)
        schema = self._merged(schema, within)
        found = {key: schema[key] for key in _KEPT if schema.get(key) is not None}
        self._choice(schema, found, within, depth)
        self._values(schema, found)
        if found.get("type") == "object" or "properties" in schema:
            self._members(schema, found, within, depth)
        if found.get("type") == "array":
            found["items"] = self._plain(_items(schema), within, depth + 1)
        return found

    def _target(self, reference: str) -> Json:
        here: Any = self._root
        for part in reference.removeprefix("#").strip("/").split("/") if reference != "#" else ():
            part = part.replace("~1", "/").replace("~0", "~")
            here = here.get(part) if isinstance(here, dict) and reference.startswith("#") else None
        return here if isinstance(here, dict) else {}

    def _merged(self, schema: Json, within: tuple[str, ...]) -> Json:
        """`allOf` as one schema."""
        if not isinstance(parts := schema.get("allOf"), list):
            return schema
        merged = {key: value for key, value in schema.items() if key != "allOf"}
        for part in parts:
            reference = part.get("$ref") if isinstance(part, dict) else None
            if isinstance(reference, str):
                part = {} if within.count(reference) >= _NESTED else self._target(reference)
            for key, value in part.items() if isinstance(part, dict) else ():
                if key == "properties" and isinstance(value, dict):
                    merged[key] = {**value, **(merged.get(key) or {})}
                elif key == "required" and isinstance(value, list):
                    merged[key] = [*value, *(merged.get(key) or [])]
                else:
                    merged.setdefault(key, value)
        return merged

    def _choice(self, schema: Json, found: Json, within: tuple[str, ...], depth: int) -> None:
        """`type`, `anyOf` and `oneOf` without null; one that is left stands for itself."""
        kinds = schema.get("type")
        kinds = [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind in _TYPES]
        given = [given for key in ("anyOf", "oneOf") if isinstance(given := schema.get(key), list)]
        options = [
            option
            for options in given
            for option in options
            if not (isinstance(option, dict) and option.get("type") == "null")
        ]
        plainer = [self._plain(option, within, depth + 1) for option in options]
        if len(kinds) == 1:
            found["type"] = kinds[0]
        elif kinds and not plainer:
            plainer = [{"type": kind} for kind in kinds]
        if len(plainer) == 1:
            for key, value in plainer[0].items():
                found.setdefault(key, value)
        elif plainer and "type" not in found:
            found["anyOf"] = plainer

    def _values(self, schema: Json, found: Json) -> None:
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if isinstance(values, list):
            found["enum"] = [value for value in values if value is not None]
            if "type" not in found and "anyOf" not in found:
                texts = all(isinstance(value, str) for value in found["enum"])
                found |= {"type": "string"} if texts and found["enum"] else {}

    def _members(self, schema: Json, found: Json, within: tuple[str, ...], depth: int) -> None:
        found["type"] = "object"
        given = schema.get("properties")
        if isinstance(given, dict):
            found["properties"] = {
                str(name): self._plain(inner, within, depth + 1) for name, inner in given.items()
            }
        there = found.get("properties", {})
        required = schema.get("required")
        if isinstance(required, list) and (
            needed := [n for n in dict.fromkeys(map(str, required)) if n in there]
        ):
            found["required"] = needed
        if isinstance(rest := schema.get("additionalProperties"), dict) and rest:
            found["additionalProperties"] = self._plain(rest, within, depth + 1)


def _items(schema: Json) -> Any:
    """What a list holds; where each place has a kind of its own, any of them."""
    for key in ("prefixItems", "items"):
        if isinstance(places := schema.get(key), list):
            return {"anyOf": places}
    return schema.get("items", {})


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
