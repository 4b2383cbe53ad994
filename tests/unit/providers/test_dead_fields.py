"""What the tables say is used: a field that no code reads would be a promise that nothing keeps."""

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from desktop.providers import registry_spec
from desktop.providers.behaviour import Behaviour, WireRules
from desktop.providers.behaviour_responses import over_responses
from desktop.providers.behaviour_table import ROWS
from desktop.providers.registry_spec import ProviderSpec
from desktop.providers.registry_table import BUILTIN, PROVIDERS

DESKTOP = Path(registry_spec.__file__).parents[1]
NAMES = {
    Behaviour: ("behaviour", "found"),
    WireRules: ("rules", "_rules"),
    ProviderSpec: ("spec", "other", "chosen"),
}
"""What their objects are called in the code, by class."""
DECLARED = {kind.__name__ for kind in NAMES}
FIELDS = [(kind, field.name) for kind in NAMES for field in fields(kind)]


def reads() -> Iterator[tuple[str, str]]:
    """Each attribute that is read outside the declarations, by code that knows the tables: what its object
    is called, and it."""
    for path in DESKTOP.rglob("*.py"):
        text = path.read_text("utf-8")
        if path.parent.name == "providers" or "providers.registry" in text or "providers.behaviour" in text:
            tree = ast.parse(text)
            tree.body = [node for node in tree.body if getattr(node, "name", "") not in DECLARED]
            yield from _read_in(tree)


def _read_in(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            owner = node.value.func if isinstance(node.value, ast.Call) else node.value
            name = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
            yield name, node.attr


READ = set(reads())


@pytest.mark.parametrize(("kind", "name"), FIELDS, ids=lambda part: getattr(part, "__name__", part))
def test_a_field_is_read(kind: type, name: str) -> None:
    assert any((owner, name) in READ for owner in NAMES[kind]), f"nothing reads {kind.__name__}.{name}"


@pytest.mark.parametrize(
    "field", [f for f in fields(ProviderSpec) if f.name != "name"], ids=lambda f: f.name
)
def test_a_field_of_a_provider_is_set_by_a_row(field: object) -> None:
    name = field.name  # type: ignore[attr-defined]
    assert len({getattr(spec, name) for spec in (*PROVIDERS, BUILTIN)}) > 1


def test_a_field_of_behaviour_is_set_by_a_row() -> None:
    set_ = {name for row in ROWS for name in row.facts}
    there = over_responses(Behaviour())
    set_ |= {f.name for f in fields(Behaviour) if getattr(there, f.name) != getattr(Behaviour(), f.name)}
    by_healing = {"most_tokens", "tool_choice"}
    assert {field.name for field in fields(Behaviour)} - set_ == by_healing
