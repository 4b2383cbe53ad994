"""What a skill needs of the machine: programs, environment variables, a system. Looked at each time anew,
for a program may be installed meanwhile.

Commands get the login shell's PATH (tools/exec); a program started from an icon may have a shorter one, so
the usual places are looked at too.
"""

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop import remedies
from desktop.skills.frontmatter import as_text, names
from desktop.text import _, listed

_SYSTEMS = {
    "darwin": "darwin",
    "macos": "darwin",
    "mac": "darwin",
    "osx": "darwin",
    "linux": "linux",
    "windows": "win32",
    "win": "win32",
    "win32": "win32",
}
_SHOWN = {"darwin": "macOS", "linux": "Linux", "win32": "Windows"}
_USUAL = ("~/.local/bin", "~/bin", "/usr/local/bin", "/opt/homebrew/bin", "/snap/bin")


@dataclass(frozen=True, slots=True)
class Requirements:
    """As the header of a SKILL.md has them, at its top or in its metadata."""

    bins: tuple[str, ...] = ()
    any_bins: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()
    """How to install what is missing, in the skill's own words."""

    @classmethod
    def of(cls, *parts: Mapping[str, Any]) -> "Requirements":
        """Read them from all parts of a header that may have them; what is null or of another shape is
        none."""
        given = [part["requires"] for part in parts if isinstance(part.get("requires"), Mapping)]

        def every(name: str, where: list[Mapping[str, Any]]) -> tuple[str, ...]:
            return tuple(dict.fromkeys(one for part in where for one in names(part.get(name))))

        return cls(
            every("bins", given),
            every("anyBins", given),
            every("env", given),
            tuple(_SYSTEMS.get(name.lower(), name.lower()) for name in every("os", list(parts))),
            tuple(dict.fromkeys(way for part in parts for way in _ways(part.get("install")))),
        )


def _ways(install: Any) -> tuple[str, ...]:
    """The labels of the ways for this system."""
    ways = [way for way in install if isinstance(way, Mapping)] if isinstance(install, list) else []
    return names([way.get("label") for way in ways if remedies.installs(as_text(way.get("kind")))])


@dataclass(frozen=True, slots=True)
class Lack:
    """One thing that is missing here: a sentence for the person, and words for the model."""

    told: str
    model: str


class Machine:
    """The machine at one moment: each program is looked up once. `more`: folders after those of PATH."""

    def __init__(self, more: str = "") -> None:
        usual = (str(Path(folder).expanduser()) for folder in _USUAL if sys.platform != "win32")
        self._path = os.pathsep.join(filter(None, (os.environ.get("PATH", os.defpath), more, *usual)))
        self._found: dict[str, bool] = {}

    def has(self, program: str) -> bool:
        """Whether a command would find this program."""
        if program not in self._found:
            try:
                self._found[program] = shutil.which(program, path=self._path) is not None
            except ValueError:  # a name with a zero byte
                self._found[program] = False
        return self._found[program]

    def lacks(self, needed: Requirements, keyed: Callable[[str], bool]) -> tuple[Lack, ...]:
        """All that is missing here. `keyed`: whether a variable that the skill needs has a value."""
        found = []
        if needed.systems and not any(sys.platform.startswith(name) for name in needed.systems):
            systems = [_SHOWN.get(name, name) for name in needed.systems]
            said = _("It works only on {systems}.").format(systems=listed(systems))
            found.append(Lack(said, f"another system ({', '.join(systems)})"))
        found += [
            Lack(_("The program {name} is not installed.").format(name=name), f"the program {name}")
            for name in needed.bins
            if not self.has(name)
        ]
        if needed.any_bins and not any(self.has(name) for name in needed.any_bins):
            programs = needed.any_bins
            said = _("None of these programs are installed: {names}.").format(names=listed(programs))
            found.append(Lack(said, f"one of the programs {', '.join(programs)}"))
        found += [
            Lack(_("It needs {name}, which is not set.").format(name=name), f"a value for {name}")
            for name in needed.env
            if not keyed(name)
        ]
        return tuple(found)
