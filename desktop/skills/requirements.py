"""What a skill needs of the machine: programs, environment variables, a system. Looked at each time anew,
for a program may be installed meanwhile.

Commands get the login shell's PATH (tools/exec); a program started from an icon may have a shorter one, so
the usual places are looked at too.
"""

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.skills.frontmatter import as_text, names
from desktop.text import _

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
_KINDS = {
    "apt": "linux",
    "dnf": "linux",
    "pacman": "linux",
    "snap": "linux",
    "brew": "darwin",
    "winget": "win32",
    "scoop": "win32",
    "choco": "win32",
}
"""Which system a way of installing is for; others are for all."""
_USUAL = ("~/.local/bin", "~/bin", "/usr/local/bin", "/opt/homebrew/bin", "/snap/bin")


@dataclass(frozen=True, slots=True)
class Requirements:
    """As the metadata of a SKILL.md has them."""

    bins: tuple[str, ...] = ()
    any_bins: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()
    """How to install what is missing, in the skill's own words."""

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> "Requirements":
        """Read them; what is null or of another shape is none."""
        given = metadata.get("requires")
        requires: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        return cls(
            names(requires.get("bins")),
            names(requires.get("anyBins")),
            names(requires.get("env")),
            tuple(_SYSTEMS.get(name.lower(), name.lower()) for name in names(metadata.get("os"))),
            _ways(metadata.get("install")),
        )


def _ways(install: Any) -> tuple[str, ...]:
    """The labels of the ways for this system; all where none is for it."""
    ways = [way for way in install if isinstance(way, Mapping)] if isinstance(install, list) else []
    here = [way for way in ways if _KINDS.get(as_text(way.get("kind")), sys.platform) == sys.platform]
    return names([way.get("label") for way in here or ways])


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

    def lacks(self, needed: Requirements) -> tuple[str, ...]:
        """A sentence for each thing that is missing here."""
        found = []
        if needed.systems and not any(sys.platform.startswith(name) for name in needed.systems):
            systems = ", ".join(_SHOWN.get(name, name) for name in needed.systems)
            found.append(_("It works on {systems} only.").format(systems=systems))
        found += [
            _("The program {name} is not installed.").format(name=name)
            for name in needed.bins
            if not self.has(name)
        ]
        if needed.any_bins and not any(self.has(name) for name in needed.any_bins):
            programs = ", ".join(needed.any_bins)
            found.append(_("None of these programs is installed: {names}.").format(names=programs))
        found += [
            _("The environment variable {name} is not set.").format(name=name)
            for name in needed.env
            if not os.environ.get(name)
        ]
        return tuple(found)
