"""What is known of releases, kept in the home: the last release file that was believed, as it came, and
what was wrong with the one after. Whenever it is read, its signature is checked anew."""

import json
import logging
from dataclasses import dataclass
from pathlib import Path

from desktop.paths import Home
from desktop.updates.release import Refused, Release, verified
from desktop.updates.source import Source

_RELEASE, _STATE = "release.json", "state.json"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Known:
    """What the last look brought."""

    release: Release | None = None
    refused: str = ""
    """Why the last file was not believed: a sentence of release.py, not yet translated."""
    unreachable: bool = False


def folder(home: Home) -> Path:
    """Where it is."""
    return home.root / "updates"


def load(home: Home, source: Source) -> Known:
    """What is known. Blocks."""
    place = folder(home)
    release = None
    try:
        release = verified((place / _RELEASE).read_bytes(), source.key)
    except Refused as error:
        _log.warning("the release file that was kept is not used: %s", error.text)
    except OSError:
        pass
    try:
        state = json.loads((place / _STATE).read_text("utf-8"))
        return Known(release, str(state["refused"]), bool(state["unreachable"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Known(release)


def keep(home: Home, known: Known, body: bytes | None) -> None:
    """Keep it, with the file itself where it is a new one. Blocks."""
    place = folder(home)
    try:
        place.mkdir(mode=0o700, exist_ok=True)
        if body is not None:
            _write(place / _RELEASE, body)
        state = {"refused": known.refused, "unreachable": known.unreachable}
        _write(place / _STATE, json.dumps(state, ensure_ascii=False).encode())
    except OSError as error:
        _log.warning("what is known of releases could not be kept: %s", error)


def _write(path: Path, data: bytes) -> None:
    unfinished = path.with_name(f"{path.name}.new")
    unfinished.write_bytes(data)
    unfinished.replace(path)
