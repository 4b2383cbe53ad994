"""Walks folders for the tools that search: in order, without following links, without the fenced places."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from desktop import files
from desktop.files import Found
from desktop.tools.files.opening import exact, refused
from desktop.tools.permissions.places import fences

SKIPPED = frozenset(
    {".git", ".hg", ".svn", ".versions", "__pycache__", "node_modules", ".cache", ".tox", ".nox"}
    | {".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
)
"""Folders that are named but not entered."""


class Closed:
    """What a walk does not show, by real paths: some places, and all that the fences close."""

    def __init__(self, hidden: Iterable[str] = (), fenced: Sequence[str] = ()) -> None:
        """`fenced`: the home of the program and the workspace, for which there are fences; or neither."""
        self._hidden, self._fenced = frozenset(hidden), tuple(fenced)
        self._fences = fences(*map(Path, self._fenced)) if self._fenced else None

    def shows(self, path: str) -> bool:
        """Whether something may be looked at."""
        return path not in self._hidden and not (self._fences and self._fences.why(path, False))

    def told(self) -> dict[str, list[str]]:
        """The same for a child, as JSON: the arguments of another one."""
        return {"hidden": sorted(self._hidden), "fenced": [*self._fenced]}


def walk(top: Path, closed: Closed) -> Iterator[Found]:
    """Everything below a folder by its real path, a folder's entries by name, each folder before its
    content. Raises Refusal, OSError."""
    with refused(top):
        yield from files.walk(exact(top), top, closed.shows, _enters)


def flat(top: Path) -> Iterator[Found]:
    """The same without what is in its folders, and with all that is in itself."""
    with refused(top):
        yield from files.walk(exact(top), top, lambda _path: True, lambda _found: False)


def _enters(found: Found) -> bool:
    return found.path.rpartition(os.sep)[2] not in SKIPPED


def matcher(glob: str, *, literal: bool = False) -> Callable[[str], bool]:
    """Whether a relative path (with `/`) fits a glob: by its name alone unless the glob has a `/`.

    `literal`: brackets may also stand for themselves, as in the names of routes: `app/[locale]/*`. That is
    what is meant where nothing fits otherwise.
    """
    if not glob:
        return lambda _path: True
    if literal and "[" not in glob:
        return lambda _path: False
    whole = "/" in glob.strip("/")
    expression = re.compile(translated(glob.removeprefix("./").strip("/"), literal=literal), re.DOTALL)
    return lambda path: bool(expression.fullmatch(path if whole else path.rpartition("/")[2]))


_PARTS = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|\{[^*?{},]*\}|[{},]|[^*?\[{},]+|\[", re.DOTALL)
_SIMPLE = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def translated(glob: str, *, literal: bool = False) -> str:
    """A glob as a regular expression: `*`, `**`, `?`, `[abc]`, `{a,b}`; `literal`: as in matcher()."""
    depth, out = 0, []
    balanced = glob.count("{") == glob.count("}")
    for part in _PARTS.findall(glob):
        if part in _SIMPLE:
            out.append(_SIMPLE[part])
        elif part == "{" and balanced:
            depth += 1
            out.append("(?:")
        elif part == "}" and depth:
            depth -= 1
            out.append(")")
        elif part == "," and depth:
            out.append("|")
        elif part.startswith("[") and len(part) > 2:
            either = f"(?:{_one_of(part[1:-1])}|{re.escape(part)})"
            out.append(either if literal else _one_of(part[1:-1]))
        else:
            out.append(re.escape(part))
    return "".join(out) + ")" * depth


def _one_of(inside: str) -> str:
    """A set of a glob, without its brackets, as a set of a regular expression."""
    negated = inside.startswith("!")
    out = ""
    for item in re.findall(r".-.|.", inside[1:] if negated else inside, re.DOTALL):
        if len(item) == 1:
            out += re.escape(item)
        elif item[0] <= item[2]:
            out += f"{re.escape(item[0])}-{re.escape(item[2])}"
    if not out:
        return "." if negated else "(?!)"
    return f"[{'^' if negated else ''}{out}]"
