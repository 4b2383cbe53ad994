"""A workspace in which skills are written, and the skills that are found in it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.skills.loader import Skill, Skills


class Shelf:
    """Skills of a workspace beside two built-in ones."""

    def __init__(self, root: Path) -> None:
        self.workspace, self.builtin = root / "workspace", root / "builtin"
        self.off: list[str] = []
        self.put("---\nname: weather\ndescription: The weather.\n---\nAsk the sky.", root=self.builtin)
        self.put("---\nname: notes\ndescription: Notes.\n---\nWrite.", "notes", root=self.builtin)
        self.skills = Skills(self.workspace, lambda: self.off, builtin=self.builtin)

    def put(self, text: str | bytes, name: str = "weather", *, root: Path | None = None) -> Path:
        """Write a SKILL.md."""
        path = (root or self.workspace / "skills") / name / "SKILL.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def get(self, name: str) -> Skill:
        """The one skill of this name."""
        [found] = [skill for skill in self.skills.all() if skill.name == name]
        return found


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


@pytest.fixture
def described(shelf: Shelf) -> Callable[[str | bytes], Skill]:
    """A skill `sample` with this text."""

    def make(text: str | bytes) -> Skill:
        shelf.put(text, "sample")
        return shelf.get("sample")

    return make
