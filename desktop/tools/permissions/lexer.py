"""Reads one word of a command line: quotes, escapes, variables, and the commands that stand inside it."""

import re
from abc import ABC, abstractmethod

from desktop.tools.permissions.parser import Part, Script, Word

DEEPEST = 8
NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
BRACED = re.compile(r"([A-Za-z_]\w*|[0-9@*]+)(?:\[[@*]\])?(?::?([-=])([^$`\"'\\}]*))?")
ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "v": "\v",
    **{sign: sign for sign in "\\'\"?"},
}
TORN = re.compile(r"(?:[$(<>]|\$\w+)\\\n")
"""A line that goes on within a sign or a name: shells put it together first, this reader does not."""
ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|.)", re.DOTALL)


class TooDeep(Exception):
    """Commands within commands, deeper than is followed."""


class Words(ABC):
    """Stands somewhere in the text and takes words from it."""

    def __init__(self, text: str, at: int, depth: int, windows: bool) -> None:
        if depth > DEEPEST:
            raise TooDeep
        self.text, self.at, self.depth, self.windows = text, at, depth, windows
        self.script = Script()

    @abstractmethod
    def inside(self, text: str, at: int = 0, inner: bool = False) -> "Words":
        """A reader one level deeper; `inner` for one that ends at the parenthesis that closes it."""

    @abstractmethod
    def run(self) -> Script:
        """Read commands to the end."""

    def starts_substitution(self) -> bool:
        return self.text[self.at : self.at + 2] in {"<(", ">("} and not self.windows

    def word(self) -> Word:
        parts: list[Part] = []
        loose: list[str] = []
        while self.at < len(self.text):
            sign = self.text[self.at]
            begun = bool(parts or loose)
            if sign in " \t\n" or (sign in ";&|()<>" and (begun or not self.starts_substitution())):
                break
            taken = self._special(sign)
            if taken is None:
                loose.append(sign)
                self.at += 1
                continue
            if loose:
                parts.append(Part("text", "".join(loose)))
                loose = []
            parts += taken
        if loose:
            parts.append(Part("text", "".join(loose)))
        return Word(parts)

    def _special(self, sign: str) -> list[Part] | None:
        """What stands here if it is more than a letter of the word."""
        if sign == "\\" and not self.windows:
            letter = self.text[self.at + 1 : self.at + 2]
            self.at += 2
            return [] if letter == "\n" else [Part("text", letter or "\\", True)]
        if sign == "^" and self.windows:
            self.at += 2
            return [Part("text", self.text[self.at - 1 : self.at], True)]
        if sign == "'" and not self.windows:
            return [Part("text", self._until("'"), True)]
        if sign == '"':
            self.at += 1
            return [*self.quoted('"'), Part("text", "", True)]
        if sign == "`" and not self.windows:
            return [self._backticks(False)]
        if sign in "<>":
            self.at += 2
            return [self._substitution(True)]
        return self._dollar(False) if sign == "$" else None

    def _until(self, end: str) -> str:
        start = self.at + 1
        found = self.text.find(end, start)
        self.script.broken |= found < 0
        self.at = len(self.text) if found < 0 else found + 1
        return self.text[start : found if found >= 0 else None]

    def quoted(self, end: str) -> list[Part]:
        """What stands in double quotes, in `${...}` or in a here-document, and its end."""
        parts: list[Part] = []
        loose: list[str] = []
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign == end:
                self.at += 1
                break
            if sign == "\\" and not self.windows and self.text[self.at + 1 : self.at + 2] in {*'$`"\\\n'}:
                loose.append(self.text[self.at + 1].replace("\n", ""))
                self.at += 2
                continue
            taken = self._dollar(True) if sign == "$" else None
            if sign == "`" and not self.windows:
                taken = [self._backticks(True)]
            if taken is None:
                loose.append(sign)
                self.at += 1
                continue
            parts += [Part("text", "".join(loose), True), *taken]
            loose = []
        else:
            self.script.broken |= bool(end)
        return [*parts, Part("text", "".join(loose), True)] if loose else parts

    def _backticks(self, quoted: bool) -> Part:
        at = self.at + 1
        while at < len(self.text) and self.text[at] != "`":
            at += 2 if self.text[at] == "\\" else 1
        source = re.sub(r"\\([`\\$])", r"\1", self.text[self.at + 1 : at])
        self.script.broken |= at >= len(self.text) or bool(TORN.search(source))
        self.at, self.script.plain = at + 1, False
        return self.nested(self.inside(source).run(), quoted)

    def _substitution(self, quoted: bool) -> Part:
        inner = self.inside(self.text, self.at, inner=True)
        script = inner.run()
        self.at = inner.at
        return self.nested(script, quoted)

    def nested(self, script: Script, quoted: bool) -> Part:
        self.script.plain = False
        self.script.broken |= script.broken
        return Part("script", "", quoted, script=script)

    def _dollar(self, quoted: bool) -> list[Part] | None:
        following = self.text[self.at + 1 : self.at + 2]
        if following == "(":
            end = self.calculation(self.at + 3) if self.text.startswith("((", self.at + 1) else 0
            if end:
                return self.calculated(self.at + 3, end).parts
            self.at += 2
            return [self._substitution(quoted)]
        if following == "{":
            return self._braced(quoted)
        if following == "'" and not quoted:
            return [Part("text", self._ansi(), True)]
        if following == '"' and not quoted:
            self.at += 1
            return []
        found = NAME.match(self.text, self.at + 1)
        if found is None:
            return None
        self.at, self.script.plain = found.end(), False
        return [Part("variable", found.group(), quoted)]

    def _braced(self, quoted: bool) -> list[Part]:
        self.script.plain = False
        found = BRACED.match(self.text, self.at + 2)
        if found and self.text.startswith("}", found.end()):
            self.at = found.end() + 1
            return [Part("variable", found.group(1), quoted, default=found.group(3))]
        self.at += 2
        inside = self.inside(self.text, self.at)
        parts = inside.quoted("}")
        self.at = inside.at
        self.script.broken |= inside.script.broken
        return [*(part for part in parts if part.kind == "script"), Part("unknown", "", quoted)]

    def _ansi(self) -> str:
        """The text of `$'...'`."""
        start = self.at + 2
        at = start
        while at < len(self.text) and self.text[at] != "'":
            at += 2 if self.text[at] == "\\" else 1
        self.script.broken |= at >= len(self.text)
        self.at = at + 1
        return ESCAPE.sub(_unescaped, self.text[start:at]).partition("\0")[0]

    def calculation(self, start: int) -> int:
        """Where the calculation that starts here ends, after its `))`; 0 if it is none."""
        level = 0
        for at in range(start, len(self.text)):
            sign = self.text[at]
            if sign in "\n;#{}" or (sign in "'\"" and self.text[at - 1] == "\\"):
                return 0
            level += (sign == "(") - (sign == ")")
            if level < 0:
                return at + 2 if self.text.startswith("))", at) else 0
        return 0

    def calculated(self, start: int, end: int) -> Word:
        inside = self.inside(self.text[start : end - 2])
        parts = inside.quoted("")
        self.at = end
        self.script.plain = False
        return Word([*(part for part in parts if part.kind == "script"), Part("unknown", "", True)])


def _unescaped(found: re.Match[str]) -> str:
    code = found.group(1)
    if code[0] in "xuU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number <= 0x10FFFF else ""
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return ESCAPES.get(code, f"\\{code}")
