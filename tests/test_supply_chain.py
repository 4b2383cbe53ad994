"""The locks and what was installed from them: exact versions with hashes, no bad release, no stowaway.

litellm was hijacked on the registry three times in 2026; the bad releases ran code from .pth files and
sitecustomize.py at every start of Python.
"""

import re
import site
import tomllib
from pathlib import Path

import pytest

from desktop.api.about import shipped

ROOT = Path(__file__).parent.parent
LOCKS = sorted((ROOT / "packaging" / "requirements").glob("*.txt"))
BAD = {"litellm": re.compile(r"1\.82\.[78]|1\.107\..*")}
OURS = {"_nanobot_desktop.pth"}
STOWAWAYS = ("*.pth", "sitecustomize.py", "usercustomize.py", "cook.py", "litellm_init.*")


def requirements(lock: Path) -> list[tuple[str, str, str]]:
    """Name, version and the rest of each entry."""
    text = lock.read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    matches = [re.match(r"([A-Za-z0-9._-]+)==([^\s;]+)(.*)", line) for line in lines]
    assert all(matches), f"{lock.name} has something other than name==version"
    return [(m[1].lower(), m[2], m[3]) for m in matches if m]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_entry_is_exact_hashed_and_without_an_address(lock: Path) -> None:
    assert "://" not in lock.read_text("utf-8")
    for name, version, rest in requirements(lock):
        assert "--hash=sha256:" in rest, f"{name} {version} has no hash"
        assert not (name in BAD and BAD[name].fullmatch(version)), f"{name} {version} was hijacked"


def test_the_range_of_litellm_refuses_what_was_hijacked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (litellm,) = [entry for entry in project["dependencies"] if entry.startswith("litellm")]
    for excluded in ("!=1.107.*", "!=1.82.7", "!=1.82.8"):
        assert excluded in litellm


def stowaways(folder: Path) -> list[Path]:
    """Files that Python runs by itself at every start, ours aside."""
    return [path for name in STOWAWAYS for path in folder.glob(name) if path.name not in OURS]


def test_nothing_that_runs_by_itself_was_installed() -> None:
    assert not [path for folder in site.getsitepackages() for path in stowaways(Path(folder))]


@pytest.mark.parametrize("name", ["evil.pth", "sitecustomize.py", "cook.py"])
def test_a_stowaway_would_be_seen(tmp_path: Path, name: str) -> None:
    (tmp_path / "_nanobot_desktop.pth").touch()
    (tmp_path / name).touch()
    assert [path.name for path in stowaways(tmp_path)] == [name]


LGPL = {"PySide6_Essentials", "shiboken6", "python-telegram-bot"}
"""Under the LGPL: shipped as files of their own that a person can exchange, and named in README.md."""


def test_nothing_under_the_gpl_alone_is_shipped() -> None:
    choices = {one.name: re.split(r" OR |, ", one.licence) for one in shipped()}
    free = {name for name, every in choices.items() if any("GPL" not in each for each in every)}
    assert {name for name in choices if name not in free} == LGPL & set(choices)
    for name in LGPL & set(choices):
        assert any(each.startswith("LGPL") for each in choices[name]), name
    assert "python-telegram-bot" in (ROOT / "README.md").read_text("utf-8")
