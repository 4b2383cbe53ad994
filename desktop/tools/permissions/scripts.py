"""The files that a command runs: a yes to the command is a yes to what they say now, not to what they will
say later. A script runs others, and modules beside it; a recipe runs scripts; they are all covered.
"""

import hashlib
import itertools
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from desktop.files import Found, Opened, Place
from desktop.files import walk as walk_through
from desktop.tools.permissions.commands import Call, Walk
from desktop.tools.permissions.launchers import AWKS, POWERSHELLS, SHELLS, interpreter

MOST = 200
"""Files that one answer covers; a command that runs more is asked about each time."""
LARGEST = 4_000_000
_READ = 400_000
_MOST_NAMES = 4_000
"""Bytes of a file in which the names of others are looked for."""
RECIPES = {
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "gmake": ("Makefile", "makefile", "GNUmakefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "npm": ("package.json", ".npmrc"),
    "pnpm": ("package.json", ".npmrc", ".pnpmfile.cjs"),
    "yarn": ("package.json", ".yarnrc.yml"),
    "bun": ("package.json", "bunfig.toml"),
    "deno": ("deno.json", "deno.jsonc"),
    "cargo": ("build.rs", "Cargo.toml", ".cargo/config.toml"),
    "go": ("go.mod",),
    "rake": ("Rakefile",),
    "bundle": ("Gemfile",),
    "pytest": ("conftest.py", "pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"),
    "tox": ("tox.ini", "pyproject.toml"),
    "nox": ("noxfile.py",),
    "cmake": ("CMakeLists.txt", "build/CMakeCache.txt"),
    "ninja": ("build.ninja",),
    "meson": ("meson.build",),
    "mvn": ("pom.xml",),
    "gradle": ("build.gradle", "build.gradle.kts", "settings.gradle"),
    "dotnet": ("Directory.Build.props", "Directory.Build.targets"),
    "git": (".git/config", ".gitattributes", ".git/info/attributes"),
    "pre-commit": (".pre-commit-config.yaml",),
    "docker": ("Dockerfile", "compose.yaml", "docker-compose.yml"),
    "ansible-playbook": ("ansible.cfg",),
}
"""Files that programs run or obey without being given their names."""
SWEEPERS = {
    "pytest": ".py",
    "tox": ".py",
    "nox": ".py",
    "unittest": ".py",
    "cargo": ".rs",
    "go": ".go",
    "rake": ".rb",
    "mvn": ".java",
    "gradle": ".java",
    "dotnet": ".cs",
    "npm": ".js",
    "pnpm": ".js",
    "yarn": ".js",
}
"""Programs that run the sources of a whole folder, and how the names of these end."""
_ENDINGS = ("", ".js", ".mjs", ".cjs", ".ts", ".rb", ".lua", ".pl", "/index.js", "/index.ts")
_SKIPPED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", "target", ".tox", ".nox"})
_NAME = re.compile(r"[\w@%+=:,.~/\\-]*[\w.-]")
_IMPORT = re.compile(r"^\s*(?:from\s+([.\w]+)\s+import\s+([\w, ]*)|import\s+([\w., ]+))", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Covered:
    """A file that a command runs. `digest`: SHA-256 of its content; empty where there are too many."""

    path: Path
    digest: str


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


def covered(walk: Walk, workspace: Path) -> list[Covered]:
    """All files that the commands run: those named, what these name in turn, and modules beside them. Only
    what lies in the workspace or where the command works: the system's own are not the agent's to change.
    The real paths; blocks."""
    roots = [Path(os.path.realpath(place)) for place in (str(workspace), *walk.places)]
    waiting: list[Path] = [*scripts(walk), *_swept(walk)]
    found: dict[Path, Covered] = {}
    while waiting:
        path = Path(os.path.realpath(waiting.pop()))
        if path in found or not any(path.is_relative_to(root) for root in roots):
            continue
        if len(found) >= MOST:
            return [*found.values(), Covered(path, "")]
        found[path] = Covered(path, fingerprint(path))
        waiting += [other for other in _named_in(path, roots) if other not in found]
    return list(found.values())


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
        if "-m" in call.words[:-1]:
            yield from _module(call.words[call.words.index("-m") + 1])
    yield from RECIPES.get(program, ())


def _swept(walk: Walk) -> Iterator[Path]:
    """The sources of the folders in which programs run whatever is there."""
    for call in walk.calls:
        ending = SWEEPERS.get(call.program)
        if interpreter(call.program) and "-m" in call.words[:-1]:
            ending = SWEEPERS.get(call.words[call.words.index("-m") + 1])
        if ending:
            for place in walk.places:
                yield from _sources(place, ending)


def _sources(place: str, ending: str) -> Iterator[Path]:
    def enters(folder: Found) -> bool:
        return Path(folder.path).name not in _SKIPPED

    found = walk_through(Place(Path(place)), "", lambda _path: True, enters)
    sources = (
        Path(one.path) for one in found if one.kind in ("file", "link") and one.path.endswith(ending)
    )
    with suppress(OSError):  # no folder, or none that can be read
        yield from itertools.islice(sources, MOST + 1)


def _named_in(path: Path, roots: Iterable[Path]) -> Iterator[Path]:
    """The files that a file names: by a path, from its own folder or a root, or as a module."""
    try:
        with _opened(path) as file:
            text = file.stream.read(_READ).decode("utf-8", "replace")
    except OSError:
        return
    if "\0" in text:
        return
    words = (name.replace("\\", "/") for name in _NAME.findall(text) if "/" in name or "." in name)
    names = dict.fromkeys(itertools.islice(words, _MOST_NAMES))
    if path.suffix in {".py", ".pyw", ""}:
        names |= dict.fromkeys(name for match in _IMPORT.findall(text) for name in _modules(match))
    seen = set[Path]()
    for place in (path.parent, *roots):
        for name in names:
            for ending in _ENDINGS if name.startswith(("./", "../")) else ("",):
                other = Path(place, name + ending)
                if other not in seen and _is_file(other):
                    seen.add(other)
                    yield other


def _modules(match: tuple[str, str, str]) -> Iterator[str]:
    package, members, plain = match
    for name in (part.strip().partition(" ")[0] for part in plain.split(",")):
        yield from _module(name)
    if package:
        yield from _module(package.lstrip("."))
        for member in members.split(","):
            yield from _module(f"{package.lstrip('.')}.{member.strip().partition(' ')[0]}".strip("."))


def _module(name: str) -> Iterator[str]:
    path = name.replace(".", "/")
    if path:
        yield f"{path}.py"
        yield f"{path}/__init__.py"
        yield f"{path}/__main__.py"


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 a guess: what is used is opened


def _opened(path: Path) -> Opened:
    """A plain file by its real path, on which no link is followed then. Raises OSError."""
    real = Path(os.path.realpath(path))
    return Place(real.parent).open(real.name)


def fingerprint(path: Path) -> str:
    """What stands in a file now: its SHA-256; of a huge one its size and time as well as its beginning."""
    try:
        with _opened(path) as file:
            content = hashlib.sha256(file.stream.read(LARGEST)).hexdigest()
            status = file.seen(content)
    except (OSError, ValueError) as error:
        return type(error).__name__
    more = f" {status.size} {status.modified}" if status.size > LARGEST else ""
    return f"{content}{more}"
