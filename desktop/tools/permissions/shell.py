"""Reads a command line the way a shell does, far enough to know which words are commands and which are
data.

A pattern over the line cannot tell `rm` from a word in quotes, and misses what stands behind an operator,
in a substitution or in a here-document. This reader finds every simple command. It never fails: what it
cannot read to the end is marked `broken`, and is asked about. All compound commands are taken apart, so it
also finds what would never run; that is the safe side.
"""

import re

from desktop.tools.permissions.lexer import TORN, TooDeep, Words
from desktop.tools.permissions.parser import Part, Redirect, Script, Simple, Word

PREFIXES = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "coproc", "fi", "done"})
SIGNS = re.compile(r"&>>|<<<|<<-|;;&|&&|\|\||\|&|;;|;&|<<|>>|>\||<>|>&|<&|&>|[;&|()<>]")
ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\[[^\]]*\])?\+?=")
FUNCTION = re.compile(r"[ \t]+([^\s(){};&|<>]+)([ \t]*\([ \t]*\))?")
MOST_OPEN = 40
"""So many groups of commands may be open within one another."""
PARENTHESES = re.compile(r"[ \t]*\)")


def read(text: str, depth: int = 0, windows: bool = False) -> Script:
    """The commands of a line or a script."""
    try:
        reader = _Reader(_stripped(text), 0, depth, windows)
    except TooDeep:
        return Script(plain=False, deep=True)
    reader.script.broken = not windows and bool(TORN.search(text))
    try:
        return reader.run()
    except TooDeep:
        reader.script.deep, reader.script.plain = True, False
        return reader.script


def _stripped(text: str) -> str:
    """The text without the blanks of a shell around it."""
    bare = text.strip(" \t\n")
    return text.lstrip(" \t\n") if bare.endswith("\\") else bare


class _Reader(Words):
    """Goes through the text once. A substitution is read by another one that starts where this one is."""

    def __init__(self, text: str, at: int, depth: int, windows: bool, inner: bool = False) -> None:
        super().__init__(text, at, depth, windows)
        self.inner = inner
        self._now = Simple()
        self._line: list[Simple] = []
        self._last: Simple | None = None
        self._open: list[tuple[str, str]] = []
        self._function = ""
        self._documents: list[tuple[Redirect, str, bool, bool]] = []

    def inside(self, text: str, at: int = 0, inner: bool = False) -> "_Reader":
        return _Reader(text, at, self.depth + 1, self.windows, inner)

    def run(self) -> Script:
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign in " \t" or self.text.startswith("\\\n", self.at):
                self.at += 1 if sign in " \t" else 2
            elif sign == "\n":
                self._newline()
            elif sign == "#" and not self.windows:
                self.script.plain = False
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif sign in ";&|()<>" and not self.starts_substitution():
                if self._operator():
                    return self._ended()
            else:
                self._put(self.word())
        self.script.broken |= self.inner or bool(self._documents or self._open)
        return self._ended()

    def _ended(self) -> Script:
        self._end()
        self.script.plain &= len(self.script.commands) == 1 and not self._open
        return self.script

    # Commands

    def _end(self, sign: str = "") -> None:
        """The command that was being read is whole."""
        now = self._now
        if now:
            now.functions = tuple(name for _, name in self._open if name)
            self.script.commands.append(now)
            self._line.append(now)
            self._last = now
        self._now = Simple()
        if sign in {"|", "|&"}:
            self._now.piped, self._now.feeder = True, self._last
            return
        if sign == "&":
            for command in self._line:
                command.background = True
        self._line = []

    def _operator(self) -> bool:
        """Take an operator; whether it ends the substitution that this reader reads."""
        found = SIGNS.match(self.text, self.at)
        sign = found.group() if found else self.text[self.at]
        self.script.plain = False
        if sign == "(" and self._arithmetic():
            return False
        self.at += len(sign)
        if "<" in sign or ">" in sign:
            self._redirect(sign)
        elif sign == "(":
            self._parenthesis()
        elif sign == ")":
            return self._close()
        else:
            self._end(sign)
        return False

    def _parenthesis(self) -> None:
        empty = PARENTHESES.match(self.text, self.at)
        if empty and len(self._now.words) == 1:
            self.at = empty.end()
            self._function = self._now.words[0].literal or "?"
            self._now = Simple()
            return
        piped, feeder = self._now.piped, self._now.feeder
        self._end()
        self._now.piped, self._now.feeder = piped, feeder
        self._enter("(")

    def _enter(self, sign: str) -> None:
        if len(self._open) > MOST_OPEN:
            raise TooDeep
        self._open.append((sign, self._function))
        self._function = ""

    def _close(self) -> bool:
        self._end()
        if self._open and self._open[-1][0] == "case":
            return False
        if self._open:
            self._leave("(")
            return False
        self.script.broken |= not self.inner
        return self.inner

    def _leave(self, sign: str) -> None:
        if self._open and self._open[-1][0] == sign:
            self._open.pop()
        else:
            self.script.broken = True

    def _arithmetic(self) -> bool:
        """Take `((...))` where it is a calculation: a `<<` in it is no here-document. A plain shell knows
        no such command, so what stands in it is read as commands too."""
        if not self.text.startswith("((", self.at):
            return False
        start, end = self.at + 2, self.calculation(self.at + 2)
        if end:
            word = self.calculated(start, end)
            script = self.inside(self.text[start : end - 2]).run()
            self._put(Word([self.nested(script, True), *word.parts]))
        return bool(end)

    def _redirect(self, sign: str) -> None:
        while self.text[self.at : self.at + 1] in {" ", "\t"}:
            self.at += 1
        redirect = Redirect(sign, self.word())
        self._now.redirects.append(redirect)
        if sign in {"<<", "<<-"}:
            end = "".join(part.text for part in redirect.target.parts)
            quoted = any(part.quoted for part in redirect.target.parts)
            self._documents.append((redirect, end, sign == "<<-", quoted))

    def _newline(self) -> None:
        self.at += 1
        self.script.plain = False
        for redirect, end, tabs, quoted in self._documents:
            redirect.body = self._document(end, tabs, quoted)
        self._documents = []
        self._end()

    def _document(self, end: str, tabs: bool, quoted: bool) -> Word:
        lines: list[str] = []
        while self.at < len(self.text):
            cut = self.text.find("\n", self.at)
            line = self.text[self.at : len(self.text) if cut < 0 else cut]
            self.at += len(line) + 1
            if (line.lstrip("\t") if tabs else line) == end:
                break
            lines.append(line)
        else:
            self.script.broken = True
        body = "\n".join(lines)
        if quoted:
            return Word([Part("text", body, True)])
        inside = self.inside(body)
        parts = inside.quoted("")
        self.script.broken |= inside.script.broken
        return Word(parts)

    # Words

    def _put(self, word: Word) -> None:
        """A word was read: a keyword, an assignment, the number of a redirect, or a word of the command."""
        literal, now = word.literal, self._now
        following = self.text[self.at : self.at + 1]
        if literal is not None and literal.isdigit() and following in {"<", ">"}:
            return
        if not now.words and literal is not None and self._keyword(literal):
            self.script.plain = False
            return
        first = word.parts[0] if word.parts else None
        if not now.words and first and first.kind == "text" and not first.quoted:
            found = ASSIGNMENT.match(first.text)
            if found:
                rest = Part("text", first.text[found.end() :])
                now.assignments.append((found.group(1), Word([rest, *word.parts[1:]])))
                self.script.plain = False
                return
        self.script.plain &= word.fixed
        now.words.append(word)
        if literal == "in" and now.words[0].literal == "case" and len(now.words) == 3:
            self._end()
            self._open.append(("case", ""))

    def _keyword(self, word: str) -> bool:
        if word == "{":
            self._enter("{")
        elif word == "}":
            self._end()
            self._leave("{")
        elif word == "esac":
            self._leave("case")
        elif word == "function":
            if found := FUNCTION.match(self.text, self.at):
                self._function, self.at = found.group(1), found.end()
        elif word in {"for", "select", "case"}:
            self.script.plain = False
            return False
        else:
            return word in PREFIXES
        return True
