"""No module imports itself over others, not for type checkers either: each can be read by itself."""

import ast
from collections.abc import Container
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.test_architecture import SOURCE


def circle(root: Path) -> list[str]:
    """The modules of one circle of imports below `root`, a package `desktop`; empty where there is none."""
    modules = {_name(root, path): ast.parse(path.read_text("utf-8")) for path in root.rglob("*.py")}
    graph = {name: _imported(tree, modules.keys()) - {name} for name, tree in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def _name(root: Path, path: Path) -> str:
    parts = ("desktop", *path.relative_to(root).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


def _imported(tree: ast.Module, known: Container[str]) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in known else node.module for name in names}
    return {name for name in found if name in known}


def test_no_module_imports_itself_over_others() -> None:
    assert not circle(SOURCE)


@pytest.mark.parametrize(
    "second",
    [
        "import desktop.session.one",
        "from desktop.session import one",
        "from desktop.session.one import One",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from desktop.session.one import One",
        "def late() -> None:\n    from desktop.session.one import One",
    ],
)
def test_a_planted_circle_is_found(tmp_path: Path, second: str) -> None:
    (tmp_path / "session").mkdir()
    (tmp_path / "session" / "one.py").write_text("from desktop.session.two import two", "utf-8")
    (tmp_path / "session" / "two.py").write_text(second, "utf-8")
    assert {"desktop.session.one", "desktop.session.two"} <= set(circle(tmp_path))
