"""Markdown as the plain text that titles and notifications are."""

import re
from collections.abc import Iterator

_FAR = 1_000
"""Characters of a line that are looked at."""
_LEAD = re.compile(r"^\s*(?:(?:#{1,6}|>|[-*+](?: \[[ xX]\])?)(?:\s+|$))+")
_FENCE = re.compile(r"^\s*(?:`{3,}|~{3,})[^`]*$")
_RULE = re.compile(r"^\s*(?:[-*_=]\s*){3,}$")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()]*\))*(?:\s+\"[^\"]*\")?\)|<(https?://[^<>\s]+)>")
_CODE = re.compile(r"(`+)(?!`)\s?(.+?)\s?(?<!`)\1(?!`)")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!~>|])")
_STYLES = (
    re.compile(r"(?<![*\\])(\*{2,3})(?=[^\s*])((?:(?!\1).)+?)(?<=[^\s*])\1(?!\*)"),
    re.compile(r"(?<![\w\\.])(_{1,3})(?=[^\s_])((?:(?!\1).)+?)(?<=[^\s_])\1(?![\w(]|\.\w)"),
    re.compile(r"(?<!\\)(~~)(?=[^\s~])((?:(?!\1).)+?)(?<=[^\s~])\1"),
    re.compile(r"(?<![*\\A-Za-z0-9])(\*)(?=[^\s*])((?:(?!\1).)+?)(?<=[^\s*])\1(?![*A-Za-z0-9])"),
)
_OPEN = re.compile(r"(?<![\w*_`~])(?:\*\*|__|~~|`)(?=\S)")
"""The beginning of what was cut off before its end."""
_HELD = "\ue000{}\ue001"
_HOLD = re.compile("\ue000(\\d+)\ue001")


def plain_lines(text: str) -> Iterator[str]:
    """The lines that say something, without Markdown; the first as it is where none does."""
    first, said = "", False
    for line in text.splitlines():
        first = first or line.strip()
        begins = line[:_FAR]
        if not (_FENCE.match(begins) or _RULE.match(begins)) and (words := plain(line)):
            said = True
            yield words
    if first and not said:
        yield first


def plain(line: str) -> str:
    """A line as it reads once it is rendered. What only looks like Markdown stays: 2 ** 3, __init__.py."""
    if not any(sign in line for sign in "*_`~[#>-+<\\"):
        return line.strip()
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(found[2])
        return _HELD.format(len(held) - 1)

    line = _LEAD.sub("", line[:_FAR].replace("\ue000", "").replace("\ue001", ""))
    line = _CODE.sub(hold, line)
    line = _LINK.sub(lambda found: found[1] if found[2] is None else found[2], line)
    for style in _STYLES:
        line = style.sub(r"\2", line)
    for style in _STYLES:  # one look within another
        line = style.sub(r"\2", line)
    if line.endswith(("…", "...")):
        line = _OPEN.sub("", line)
    line = _ESCAPED.sub(r"\1", line)
    return _HOLD.sub(lambda found: held[int(found[1])], line).strip()
