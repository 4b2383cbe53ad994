"""Where a build looks for releases, and who installed it: both are facts of the build, not settings.

The build writes resources/release.json (packaging/release.py). A checkout has none, and never looks.
"""

import base64
import binascii
import json
import logging
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from desktop import remedies
from desktop.paths import APP, resource

FILE = "release.json"
_DPKG = Path("/var/lib/dpkg/info")
_PACKAGED = Path("/opt", APP)
_ASK_S = 10
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Source:
    """The address of the release file, the page that people get releases from, and the key (Ed25519, raw)
    that releases are signed with."""

    address: str
    page: str
    key: bytes


@cache
def of_build() -> Source | None:
    """What the build says; None where it says nothing. Blocks."""
    return read(resource(FILE))


def read(path: Path) -> Source | None:
    """The same, of a file. Blocks."""
    try:
        given = json.loads(path.read_text("utf-8"))
        key = base64.b64decode(given["key"], validate=True)
        address, page = str(given["address"]), str(given["page"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, binascii.Error) as error:
        _log.error("%s of this build can't be read: %s", FILE, error)
        return None
    if len(key) != 32 or not is_safe(address) or not page.startswith("https://"):
        _log.error("%s of this build has no key or no safe address", FILE)
        return None
    return Source(address, page, key)


def is_safe(address: str) -> bool:
    """Whether an address may be asked: nobody on the way can read or change it."""
    return address.startswith(("https://", "http://127.0.0.1:", "http://[::1]:"))


@cache
def installer() -> str:
    """The family of the package manager that installed this program (see remedies), "" for none. Blocks."""
    return installer_of(Path(sys.executable)) if getattr(sys, "frozen", False) else ""


def installer_of(program: Path, packaged: Path = _PACKAGED, dpkg: Path = _DPKG) -> str:
    """The same, of a program. Blocks."""
    if not program.is_relative_to(packaged):
        return ""
    if (dpkg / f"{APP}.list").exists():
        return remedies.APT
    family = remedies.here().family
    for command in (["rpm", "-qf"], ["pacman", "-Qqo"]):
        if shutil.which(command[0]) and _owned([*command, str(program)]):
            return family
    return ""


def _owned(command: list[str]) -> bool:
    try:
        done = subprocess.run(command, capture_output=True, timeout=_ASK_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
