"""The files that a command runs: a yes to the command is a yes to what they say now, not to what they will
say later.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from desktop.tools.permissions.commands import Call, Walk
from desktop.tools.permissions.wrappers import AWKS, POWERSHELLS, SHELLS, interpreter

MOST = 32
LARGEST = 4_000_000
RECIPES = {
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "gmake": ("Makefile", "makefile", "GNUmakefile"),
    "just": ("justfile", "Justfile"),
    "npm": ("package.json",),
    "pnpm": ("package.json",),
    "yarn": ("package.json",),
    "cargo": ("build.rs",),
    "rake": ("Rakefile",),
}
"""Files that programs run without being given their names."""


def scripts(walk: Walk) -> list[Path]:
    """The script files that the commands name, as far as they exist."""
    found: dict[Path, None] = {}
    for call in walk.calls:
        for name in _names(call):
            for place in walk.places:
                path = Path(place, name)
                if len(found) < MOST and "\0" not in name and _is_file(path):
                    found[path] = None
    return list(found)


def _names(call: Call) -> Iterator[str]:
    program = call.program
    if call.argv and "/" in call.argv[0].text.replace("\\", "/"):
        yield call.argv[0].text
    runs = (
        program in SHELLS | AWKS | POWERSHELLS | {"source", ".", "sed", "expect", "deno"}
        or program in RECIPES
    )
    if runs or interpreter(program):
        yield from call.words
        for redirect in call.simple.redirects:
            yield "".join(part.text for part in redirect.target.parts)
    yield from RECIPES.get(program, ())


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def fingerprint(path: Path) -> str:
    """What stands in a file now; of a huge one its size and time as well as its beginning."""
    try:
        status = path.stat()
        with path.open("rb") as file:
            content = hashlib.sha256(file.read(LARGEST)).hexdigest()
    except OSError as error:
        return type(error).__name__
    more = f"{status.st_size} {status.st_mtime_ns}" if status.st_size > LARGEST else ""
    return f"{content} {more}"
