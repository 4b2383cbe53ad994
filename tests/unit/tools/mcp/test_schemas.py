"""Schemas as public servers have them: what a model is told loses nothing of what they mean.

shapes.json names for each where it is from; its content is invented.
"""

import json
from pathlib import Path
from random import Random
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from desktop.tools.mcp.schema import plain
from tests.soak import fuzz_mcp

SHAPES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("shapes.json").read_text("utf-8"))
NOT_PLAIN = ("$ref", "oneOf", "allOf", "const", "patternProperties", "prefixItems", "not", "if", "null")


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape["name"])
def test_a_shape_becomes_a_plain_schema(shape: dict[str, Any]) -> None:
    found, kept = plain(shape["schema"])
    assert kept
    assert found == shape["wanted"]
    jsonschema.Draft202012Validator.check_schema(found)
    assert not [key for key in _keywords(found) if key in NOT_PLAIN]


def test_there_are_60_of_them_and_each_has_a_source() -> None:
    assert len({shape["name"] for shape in SHAPES}) >= 60
    assert all(shape["source"].startswith("https://") for shape in SHAPES)


def test_whatever_a_server_sends_is_read_to_its_end() -> None:
    assert fuzz_mcp.run(Random(15), 200) == []


def _keywords(schema: Any) -> list[str]:
    """The keywords of a schema and of all within it."""
    if not isinstance(schema, dict):
        return []
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", []), schema.get("items")]
    inner.append(schema.get("additionalProperties"))
    return [*schema, *(keyword for one in inner for keyword in _keywords(one))]
