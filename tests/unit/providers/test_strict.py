"""A tool is strict where its schema fits strict mode as it is, and is left alone where it does not."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.providers.behaviour_table import behaviour_of
from desktop.providers.registry_table import PROVIDERS
from desktop.providers.strict import stricter
from desktop.tools.files.kept import Kept
from desktop.tools.files.toolbox import file_tools
from tests.servers.families import strict_fault

TEXT = {"type": "string"}
DEEP: dict[str, Any] = TEXT
for _level in range(7):
    DEEP = {"type": "object", "properties": {"a": DEEP}, "required": ["a"]}


def tool(parameters: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "look", "parameters": parameters}}


def of(required: tuple[str, ...] = (), /, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


FITS = [
    of(),
    {"type": "object", "properties": {}},
    of(("a",), a=TEXT | {"description": "What.", "enum": ["x", "y"]}),
    of(("b", "a"), a=TEXT, b={"type": "array", "items": of(("c",), c={"type": "integer"})}),
    of(("a",), a=TEXT) | {"additionalProperties": False},
    of(("a",), a=TEXT | {"minLength": 3, "pattern": "x+"}),
]
DOES_NOT = [
    of((), a=TEXT),
    of(("a",), a=TEXT | {"default": "x"}),
    of(("a",), a={"anyOf": [TEXT, {"type": "null"}]}),
    of(("a",), a={"type": "object"}),
    of(("a",), a={"type": "array"}),
    of(("a",), a={}),
    of(("a",), a=of((), b=TEXT)),
    of(("a",), a=TEXT) | {"additionalProperties": True},
    of(("a",), a=TEXT) | {"$defs": {}},
    of(tuple("abc"), **{f"p{n}": TEXT for n in range(101)}),
    {"type": "string"},
    {"anyOf": [of()]},
    DEEP,
]


@pytest.mark.parametrize("parameters", FITS)
def test_a_schema_that_fits_is_closed(parameters: dict[str, Any]) -> None:
    before = repr(parameters)
    made = stricter(tool(parameters))["function"]
    assert made["strict"] is True
    assert not strict_fault(made["parameters"])
    assert made["parameters"]["properties"].keys() == parameters["properties"].keys()
    assert repr(parameters) == before


@pytest.mark.parametrize("parameters", DOES_NOT)
def test_a_schema_that_does_not_fit_stays_as_it_is(parameters: dict[str, Any]) -> None:
    given_ = tool(parameters)
    assert stricter(given_) is given_


def test_a_tool_without_parameters_fits() -> None:
    assert stricter({"type": "function", "function": {"name": "now"}})["function"]["strict"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["object", "array", "string", "a", "b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "properties", "required", "items", "enum", "a", "b", "default"]), inner
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["type", "properties", "required", "additionalProperties"]), JSON))
def test_whatever_a_server_of_tools_sends_as_a_schema(parameters: dict[str, Any]) -> None:
    given_ = tool(parameters)
    made = stricter(given_)
    assert made is given_ or not strict_fault(made["function"]["parameters"])


def test_only_openai_is_told() -> None:
    strict = {spec.name for spec in PROVIDERS if behaviour_of(spec.name, spec.kind, "gpt-5").strict}
    assert strict == {"openai"}


def test_tools_of_the_program_of_either_kind(tmp_path: Path) -> None:
    made = {tool.name: tool.schema for tool in file_tools(Kept(tmp_path))}
    strict = {name for name, schema in made.items() if "strict" in stricter(schema)["function"]}
    assert "write_file" in strict
    assert "read_file" not in strict
