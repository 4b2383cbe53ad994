"""Lists, results and schemas of MCP servers, as no sound server would send them: nothing raises or takes
long, and sound tools and texts beside odd ones are kept."""

import json
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from desktop.config.mcp import McpServer
from desktop.tools.mcp.listing import Said, learn, told
from desktop.tools.mcp.results import failed, result
from desktop.tools.mcp.schema import LARGEST, Checker, plain

_LONGEST_SECONDS = 1.0
_MOST_KILOBYTES = 100 * 1024
_SOUND = {"name": "sound", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}
_WORDS = (
    "",
    "a",
    "type",
    "object",
    "string",
    "null",
    "text",
    "image",
    "resource",
    "搜索",
    "\ud800",
    "x" * 300,
)
_KEYS = (
    *(
        "type",
        "properties",
        "required",
        "items",
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        "$defs",
        "enum",
        "const",
    ),
    *(
        "description",
        "not",
        "if",
        "then",
        "else",
        "prefixItems",
        "additionalProperties",
        "default",
        "format",
    ),
    *("$id", "$anchor", "$schema", "pattern", "nullable", "minimum", "dependentRequired", "definitions"),
)
_FIELDS = (
    "type",
    "text",
    "data",
    "mimeType",
    "resource",
    "uri",
    "blob",
    "name",
    "title",
    "annotations",
    "_meta",
)
_REFERENCES = (
    "#",
    "#/",
    "#/$defs/a",
    "#/properties/a",
    "#a",
    "https://example.org/x",
    "#/anyOf/0",
    "",
    "#/%24defs/a",
)


def run(chance: Random, rounds: int) -> list[str]:
    """Schemas, lists and results, as many of each. What went wrong."""
    wrong: list[str] = []
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    longest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        kinds: tuple[Callable[[Random, Path], str], ...] = (_schema, _listing, _answer)
        for number in range(rounds):
            for one in kinds:
                began = time.process_time()
                try:
                    found = one(chance, place)
                except Exception as error:
                    found = f"{type(error).__name__}: {error}"[:300]
                took = time.process_time() - began
                longest = max(longest, took)
                if took > _LONGEST_SECONDS:
                    found = f"{found} took {took:.1f} s"
                wrong += [f"round {number}: {one.__name__[1:]}: {found}"] if found else []
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    if grown > _MOST_KILOBYTES:
        wrong.append(f"{grown >> 10} MB of memory")
    print(f"{rounds} schemas, lists and results, {len(wrong)} wrong, {longest:.3f} s, {grown >> 10} MB")
    return wrong


def _schema(chance: Random, _place: Path) -> str:
    schema = _odd_schema(chance, 0)
    found, _kept = plain(schema)
    if found.get("type") != "object" or not isinstance(found.get("properties"), dict):
        return f"no object: {found}"
    if len(json.dumps(found, ensure_ascii=False)) > LARGEST:
        return "too large"
    Checker(schema).faults({"a": _anything(chance, 2)})
    return ""


def _listing(chance: Random, _place: Path) -> str:
    tools: list[Any] = [_odd_tool(chance) for _one in range(chance.randrange(6))]
    tools.insert(chance.randrange(len(tools) + 1), _SOUND)
    listing = learn("s", McpServer(), Said(tuple(tools)))
    named = [tool for tool in listing.tools if tool.name == "sound"]
    for tool in listing.tools:
        told(tool)
    return "" if named else "the sound tool is not there"


def _answer(chance: Random, place: Path) -> str:
    parts: list[Any] = [_odd_part(chance) for _one in range(chance.randrange(6))]
    parts.insert(chance.randrange(len(parts) + 1), {"type": "text", "text": "sound words"})
    answer = {"content": parts, "structuredContent": _anything(chance, 2), "isError": _anything(chance, 1)}
    failed(answer)
    found = result(answer, place / "files", place)
    for seen in place.glob("files/*"):
        seen.unlink()
    return "" if "sound words" in found.text else "the sound text is not there"


def _odd_tool(chance: Random) -> Any:
    if chance.random() < 0.2:
        return _anything(chance, 3)
    schema = _odd_schema(chance, 0)
    more = {key: _anything(chance, 2) for key in ("description", *_FIELDS) if chance.random() < 0.2}
    return {"name": chance.choice(("a", "b", "c")), "inputSchema": schema, **more}


def _odd_part(chance: Random) -> Any:
    if chance.random() < 0.2:
        return _anything(chance, 3)
    kind = chance.choice(("text", "image", "audio", "resource", "resource_link", "video", None))
    return {"type": kind, **{key: _anything(chance, 3) for key in _FIELDS[1:] if chance.random() < 0.5}}


def _odd_schema(chance: Random, depth: int) -> Any:
    if depth > 5 or chance.random() < 0.1:
        return _anything(chance, 1)
    found: dict[str, Any] = {}
    for key in chance.sample(_KEYS, chance.randrange(6)):
        found[key] = _odd_value(chance, key, depth) if chance.random() < 0.85 else _anything(chance, 2)
    return found


def _odd_value(chance: Random, key: str, depth: int) -> Any:
    match key:
        case "type":
            return chance.choice(
                ("object", "string", "array", "null", ["object", "null"], ["string", "integer"])
            )
        case "properties" | "$defs" | "definitions":
            return {
                name: _odd_schema(chance, depth + 1) for name in ("a", "b", "type")[: chance.randrange(4)]
            }
        case "anyOf" | "oneOf" | "allOf" | "prefixItems":
            return [_odd_schema(chance, depth + 1) for _one in range(chance.randrange(4))]
        case "items" | "not" | "if" | "then" | "else" | "additionalProperties":
            return _odd_schema(chance, depth + 1)
        case "$ref":
            return chance.choice(_REFERENCES)
        case "required" | "enum":
            return [chance.choice(_WORDS) for _one in range(chance.choice((0, 1, 3, 2000)))]
    return _anything(chance, 2)


def _anything(chance: Random, depth: int) -> Any:
    kinds = 8 if depth > 0 else 6
    match chance.randrange(kinds):
        case 0:
            return None
        case 1:
            return chance.random() < 0.5
        case 2:
            return chance.choice((0, -1, 10**30, 0.5, float("inf"), float("nan")))
        case 3 | 4:
            return chance.choice(_WORDS)
        case 5:
            return chance.choice(
                ("iVBORw0KGgo=", "data:image/png;base64,AAAA", "_-8", "====", "data:,a%20b")
            )
        case 6:
            return [_anything(chance, depth - 1) for _one in range(chance.randrange(4))]
    return {chance.choice((*_KEYS, *_FIELDS)): _anything(chance, depth - 1) for _one in range(3)}
