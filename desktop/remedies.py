"""What to do about something that the system lacks, in the words of the system at hand.

The one place that knows package managers: no other sentence names one. A frozen program brings its
libraries, so there is nothing to install for it but the program itself.
"""

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from desktop.text import _, mark, sentences

APT, DNF, ZYPPER, PACMAN, OTHER = "apt", "dnf", "zypper", "pacman", "other"
WINDOWS, MACOS = "windows", "macos"

_FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("debian", "ubuntu"), APT),
        **dict.fromkeys(("fedora", "rhel", "centos"), DNF),
        **dict.fromkeys(("suse", "opensuse"), ZYPPER),
        "arch": PACMAN,
    }
)
"""By the ID and ID_LIKE of os-release(5)."""
_INSTALL: Mapping[str, str] = MappingProxyType(
    {
        APT: "sudo apt install {names}",
        DNF: "sudo dnf install {names}",
        ZYPPER: "sudo zypper install {names}",
        PACMAN: "sudo pacman -S {names}",
    }
)
_UPDATE: Mapping[str, str] = MappingProxyType(
    {
        APT: "sudo apt update && sudo apt install --only-upgrade {name}",
        DNF: "sudo dnf upgrade {name}",
        ZYPPER: "sudo zypper update {name}",
        PACMAN: "sudo pacman -Syu {name}",
    }
)
_OPENMP: Mapping[str, str] = MappingProxyType(
    {APT: "libgomp1", DNF: "libgomp", ZYPPER: "libgomp1", PACMAN: "gcc-libs"}
)
_REINSTALL = mark("Reinstall the program.")


@dataclass(frozen=True, slots=True)
class System:
    """What matters of a system: who installs programs on it, and whether this one is frozen."""

    family: str
    frozen: bool = False

    @property
    def linux(self) -> bool:
        return self.family not in (WINDOWS, MACOS)


@cache
def here() -> System:
    """The system that this runs on. Blocks."""
    return System(family_of(sys.platform, _os_release()), bool(getattr(sys, "frozen", False)))


def family_of(name: str, release: Mapping[str, str]) -> str:
    """Of a `sys.platform`, and what os-release says."""
    if name in ("win32", "cygwin", "msys"):
        return WINDOWS
    if name == "darwin":
        return MACOS
    said = [release.get("ID", ""), *release.get("ID_LIKE", "").split()]
    found = (_FAMILIES.get(one.partition("-")[0].lower()) for one in said)
    return next(filter(None, found), OTHER)


def _os_release() -> Mapping[str, str]:
    try:
        return platform.freedesktop_os_release()
    except OSError:
        return {}


def packages(*names: str, system: System | None = None) -> str:
    """Install these packages, which the families of Linux call alike."""
    return _packages(system or here(), " ".join(names))


def _packages(system: System, names: str) -> str:
    if system.family in _INSTALL:
        return with_command(_INSTALL[system.family].format(names=names))
    return _("Install {names} with your package manager.").format(names=names)


def with_command(command: str) -> str:
    """Install it by this command."""
    return _("Install it with: {command}").format(command=command)


def openmp(system: System | None = None) -> str:
    """The library that the built-in model computes with is missing."""
    system = system or here()
    if system.frozen or not system.linux:
        return _(_REINSTALL)
    return _packages(system, _OPENMP.get(system.family, "libgomp"))


def window(system: System | None = None) -> str:
    """The libraries of the window are missing."""
    if (system or here()).frozen:
        return _(_REINSTALL)
    return with_command('pip install "nanobot-desktop[window]"')


def keychain(system: System | None = None) -> str:
    """There is no keychain."""
    system = system or here()
    if system.family == WINDOWS:
        return _("Start the service Credential Manager in the Services app of Windows.")
    if system.family == MACOS:
        return _("Open Keychain Access, and check that there is a login keychain.")
    return _("Install gnome-keyring or KWallet.")


def sandbox(system: System | None = None) -> str:
    """Commands have no sandbox, and the person wants the agent not to ask."""
    system = system or here()
    if not system.linux:
        return _("Turn off commands.")
    return _("Install bubblewrap and turn on the sandbox, or turn off commands.")


def update(name: str, family: str) -> str:
    """Bring a package that this family's package manager has installed up to date. It may have come from a
    file that the person downloaded."""
    told = _("Your package manager installed it.")
    if family not in _UPDATE:
        return sentences(told, _("Update {name} with your package manager.").format(name=name))
    way = _("Install the new package from the download page, or update it with: {command}")
    return sentences(told, way.format(command=_UPDATE[family].format(name=name)))


def installs(kind: str, system: System | None = None) -> bool:
    """Whether a way of installing that a skill names ("apt", "brew") is one of this system. Ways that are
    of no system, such as npm, are of all."""
    family = (system or here()).family
    of = {
        **{one: (one,) for one in (APT, DNF, ZYPPER, PACMAN)},
        "snap": (APT, DNF, ZYPPER, PACMAN, OTHER),
        "brew": (MACOS,),
        **dict.fromkeys(("winget", "scoop", "choco"), (WINDOWS,)),
    }
    return kind not in of or family in of[kind]
