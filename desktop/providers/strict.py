"""Tools in strict mode: the server then lets a model write only arguments that fit the schema.

Source: OpenAI's page on structured outputs, "Supported schemas". Strict mode takes a part of JSON Schema,
and refuses the whole request over a schema that has more. A tool whose schema does not fit stays as it is:
a parameter that may be left out would have to become one that may not.
"""

from collections.abc import Mapping
from typing import Any

_WORDS = frozenset({"type", "title", "description", "properties", "required", "items", "enum"})
"""The words of JSON Schema that strict mode takes from every model, of those that tools use."""
_BOUNDS = frozenset(
    {
        *("minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    }
)
"""Words that not every model takes and none needs: they are left out, for the tool itself looks at them."""
_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array"})
_KNOWN = _WORDS | _BOUNDS | {"additionalProperties"}
_DEEPEST, _MOST = 5, 100
"""Levels within one another, and parameters in all; later models take more."""


def stricter(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """The tool in strict mode, where its schema fits; else the tool itself."""
    function = tool["function"]
    parameters = function.get("parameters") or {"type": "object", "properties": {}}
    counted = [0]
    closed = _closed(parameters, 0, counted) if parameters.get("type") == "object" else None
    if closed is None or counted[0] > _MOST:
        return tool
    return {**tool, "function": {**function, "parameters": closed, "strict": True}}


def _closed(schema: Any, depth: int, counted: list[int]) -> dict[str, Any] | None:
    """A schema whose objects take nothing beside what they name; None where strict mode refuses it."""
    if not isinstance(schema, Mapping) or not schema.keys() <= _KNOWN or depth > _DEEPEST:
        return None
    closed = {word: value for word, value in schema.items() if word in _WORDS}
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in _TYPES:
        return None
    if kind == "array":
        closed["items"] = _closed(schema.get("items"), depth + 1, counted)
        return closed if closed["items"] is not None else None
    if kind != "object":
        return closed
    properties, needed = schema.get("properties"), schema.get("required", [])
    if not isinstance(properties, Mapping) or schema.get("additionalProperties", False) is not False:
        return None
    if not isinstance(needed, list) or any(name not in needed for name in properties):
        return None
    counted[0] += len(properties)
    inner = {name: _closed(one, depth + 1, counted) for name, one in properties.items()}
    if None in inner.values():
        return None
    return {**closed, "properties": inner, "required": list(properties), "additionalProperties": False}
