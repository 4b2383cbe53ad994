"""Walks folders for the tools that search: in order, without following links, without the fenced places."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

SKIPPED = frozenset(
    {".git", ".hg", ".svn", ".versions", "__pycache__", "node_modules", ".cache", ".tox", ".nox"}
    | {".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
)
"""Folders that are named but not entered."""


def walk(top: Path, hidden: frozenset[str]) -> Iterator[os.DirEntry[str]]:
    """Everything below a folder, a folder's entries by name, each folder before its content."""
    waiting = [iter(_entries(str(top)))]
    while waiting:
        entry = next(waiting[-1], None)
        if entry is None:
            waiting.pop()
        elif entry.path not in hidden:
            yield entry
            if entry.name not in SKIPPED and entry.is_dir(follow_symlinks=False):
                waiting.append(iter(_entries(entry.path)))


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:  # not permitted, or gone meanwhile
        return []


def matcher(glob: str) -> Callable[[str], bool]:
    """Whether a relative path (with `/`) fits a glob: by its name alone unless the glob has a `/`."""
    if not glob:
        return lambda _path: True
    whole = "/" in glob.strip("/")
    expression = re.compile(translated(glob.removeprefix("./").strip("/")), re.DOTALL)
    return lambda path: bool(expression.fullmatch(path if whole else path.rpartition("/")[2]))


_PARTS = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|[{},]|[^*?\[{},]+|\[", re.DOTALL)
_SIMPLE = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def translated(glob: str) -> str:
    """A glob as a regular expression: `*`, `**`, `?`, `[abc]`, `{a,b}`."""
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
            out.append(_one_of(part[1:-1]))
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
