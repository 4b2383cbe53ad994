"""Where a fenced block of code ends: a block of Markdown may have fenced blocks in it.

Models write ```` ```markdown ```` and, in it, blocks with as many backticks. CommonMark ends the outer one
with the first of these; here each one that names a language opens another.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock

_fence = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)(?:\n|$)")
_inside = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^`\n]*)$", re.MULTILINE)
_LANGUAGES = ("markdown", "md", "mdx")


def fence_at(text: str, at: int = 0) -> re.Match[str] | None:
    """The opening line of a fenced block that begins there."""
    found = _fence.match(text, at)
    return found if found and not (found[1][0] == "`" and "`" in found[2]) else None


def closing(text: str, fence: re.Match[str]) -> re.Match[str] | None:
    """The line that ends a fenced block; None where it goes on to the end."""
    sign, count = fence[1][0], len(fence[1])
    info = fence[2].split()
    nested = bool(info) and info[0].lower() in _LANGUAGES
    depth, last = 1, None
    for line in _inside.finditer(text, fence.end()):
        if line[1][0] != sign or len(line[1]) < count:
            continue
        if line[2].strip():
            depth += nested
            continue
        last = line
        depth -= 1
        if not depth:
            break
    return last


def use(parser: "MarkdownIt") -> None:
    """Have a parser read blocks of Markdown so; of all other languages its own rule does."""
    parser.block.ruler.before(
        "fence", "fence_of_markdown", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )


def _block(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    first = state.bMarks[start] + state.tShift[start]
    if state.is_code_block(start) or state.src[first : first + 3] not in ("```", "~~~"):
        return False
    stop = start + 1
    while stop < end and (state.isEmpty(stop) or state.sCount[stop] >= state.blkIndent):
        stop += 1
    more = state.getLines(start + 1, stop, state.sCount[start], False)
    text = state.src[first : state.eMarks[start]] + (f"\n{more}" if stop > start + 1 else "")
    fence = fence_at(text)
    if fence is None or not fence[2].split() or fence[2].split()[0].lower() not in _LANGUAGES:
        return False
    if silent:
        return True
    close = closing(text, fence)
    inside = text[fence.end() : close.start() if close else len(text)]
    after = start + text.count("\n", 0, close.start()) + 1 if close else stop
    state.line = after
    token = state.push("fence", "code", 0)
    token.info, token.content, token.markup = fence[2].strip(), inside, fence[1]
    token.map = [start, after]
    return True
