"""Finds every command that a line would start: in substitutions, behind operators, in the arguments of
programs that run other programs.

What cannot be followed is kept as a doubt, which is asked about even where nothing else is.
"""

import base64
import binascii
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from desktop.tools.permissions.launchers import (
    AWKS,
    EXEC_WORDS,
    POWERSHELLS,
    SHELLS,
    WRAPPERS,
    base,
    interpreter,
    interpreter_code,
    option_code,
    runs_another,
    shell_code,
    starts,
)
from desktop.tools.permissions.lexer import DEEPEST
from desktop.tools.permissions.parser import Field, Script, Simple, expand, value
from desktop.tools.permissions.shell import read

SPEAKERS = frozenset({"echo", "printf", "which", "basename"})
SETTERS = frozenset({"export", "declare", "local", "readonly", "typeset", "set"})
PLACES = 8
"""So many working folders of one line are followed."""
FEEDERS = 8
"""So far back along a pipe the text that a shell reads is looked for."""
DANGEROUS_CODE = re.compile(
    r"rmtree|remove_tree|rmsync|rm_rf|rmdir|removedirs|remove_dir_all|unlink|system|popen|subprocess|exec|spawn"
    r"|child_process|getline|shell|shut",
    re.IGNORECASE,
)
"""Code that deletes, or starts programs that nobody sees here."""


@dataclass(frozen=True, slots=True)
class Call:
    """One program with its words. `argv` is empty for a bare redirect."""

    argv: tuple[Field, ...]
    simple: Simple
    via: tuple[str, ...] = ()
    """The programs that it is started by, outermost first."""

    @property
    def program(self) -> str:
        return base(self.argv[0].text) if self.argv else ""

    @property
    def words(self) -> list[str]:
        """The arguments."""
        return [word.text for word in self.argv[1:]]


@dataclass(slots=True)
class Walk:
    """All that was found in a line."""

    script: Script
    calls: list[Call] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    """The folders that relative names may start in."""
    files: list[tuple[str, str]] = field(default_factory=list)
    """Redirects: the sign and the file."""
    code: list[str] = field(default_factory=list)
    """Code for interpreters."""
    doubts: set[str] = field(default_factory=set)
    deep: bool = False


def walk(
    command: str,
    cwd: Path,
    home: Path,
    environment: Mapping[str, str] | None = None,
    windows: bool | None = None,
) -> Walk:
    """Everything that the line would start."""
    windows = os.name == "nt" if windows is None else windows
    script = read(command, windows=windows)
    known = {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "PWD": str(cwd),
        "IFS": " \t\n",
        "USER": home.name,
    }
    walker = _Walker(Walk(script, places=[str(cwd)]), {**known, **(environment or {})}, windows)
    walker.script(script, 0)
    return walker.found


class _Walker:
    def __init__(self, found: Walk, variables: dict[str, str], windows: bool) -> None:
        self.found, self.variables, self.windows = found, variables, windows

    def script(self, script: Script, depth: int) -> None:
        self.found.deep |= script.deep or depth > DEEPEST
        if script.broken:
            self.found.doubts.add("broken")
        if depth <= DEEPEST:
            for simple in script.commands:
                self._simple(simple, depth)

    def text(self, code: str, depth: int) -> None:
        """Code for a shell."""
        self.found.deep |= depth > DEEPEST
        if depth <= DEEPEST:
            self.script(read(code, depth, self.windows), depth)

    def _simple(self, simple: Simple, depth: int) -> None:
        bodies = [redirect.body for redirect in simple.redirects if redirect.body]
        targets = [redirect.target for redirect in simple.redirects]
        for word in (*(word for _, word in simple.assignments), *simple.words, *targets, *bodies):
            for inner in word.scripts():
                self.script(inner, depth + 1)
        for name, word in simple.assignments:
            self._assign(name, value(word, self.variables, self._output))
        for redirect in simple.redirects:
            if redirect.sign not in {"<<", "<<-", "<<<"}:
                self.found.files.append(
                    (redirect.sign, value(redirect.target, self.variables, self._output).text)
                )
        self.call(self._fields(simple), simple, depth, ())

    def _fields(self, simple: Simple) -> list[Field]:
        fields = [f for word in simple.words for f in expand(word, self.variables, self._output)]
        if self.windows:
            fields = [Field(self._percent(f.text), f.known, f.glob) for f in fields]
        return fields

    def _percent(self, text: str) -> str:
        for name in ("USERPROFILE", "HOME"):
            text = text.replace(f"%{name}%", self.variables[name])
        return text

    def _assign(self, name: str, found: Field) -> None:
        if found.known:
            self.variables[name] = found.text
        else:
            self.variables.pop(name, None)

    def _output(self, script: Script) -> str | None:
        """What a substitution prints, where that is plain to see."""
        if len(script.commands) != 1 or not script.commands[0].words:
            return None
        name, *words = [value(word, self.variables, self._output) for word in script.commands[0].words]
        if base(name.text) in SPEAKERS or (name.text == "command" and words and words[0].text == "-v"):
            return " ".join(word.text for word in words if not word.text.startswith("-"))
        return None

    def call(self, argv: Sequence[Field], simple: Simple, depth: int, via: tuple[str, ...]) -> None:
        """One program is started, perhaps by others (`via`)."""
        rest = list(argv)
        if rest and not (rest[0].known and not rest[0].glob):
            self.found.doubts.add("program")
        while rest and not rest[0].text:
            rest.pop(0)
        if depth > DEEPEST:
            self.found.deep = True
            return
        call = Call(tuple(rest), simple, via)
        self.found.calls.append(call)
        if rest:
            self._inside(call, depth + 1)

    def _inside(self, call: Call, depth: int) -> None:
        """What the program itself would start."""
        name, words = call.program, call.words
        if name in SHELLS:
            self._shell(call, depth)
        elif name in POWERSHELLS or name == "cmd":
            self._windows_shell(name, words, depth)
        elif name in {"eval", "iex", "invoke-expression"}:
            self._code(" ".join(words), call, depth)
        elif name == "find":
            self._find(call, depth)
        elif name in WRAPPERS and not (name == "command" and words[:1] and words[0].lower() == "-v"):
            self._wrapped(call, depth)
        elif runs_another(name, words):
            self.call(
                [word for word in call.argv[2:] if word.text != "--"], call.simple, depth, (*call.via, name)
            )
        elif interpreter(name) or name in AWKS:
            self._interpreter(call)
        elif name in {"trap", "alias"}:
            for word in words[: 1 if name == "trap" else None]:
                self.text(word if name == "trap" else word.partition("=")[2], depth)
        elif name in {"cd", "pushd", "chdir", "set-location"}:
            self._moved(call)
        elif name in SETTERS:
            self._set(call)

    def _shell(self, call: Call, depth: int) -> None:
        words = call.words
        code, at, reads = shell_code(words)
        if code is not None:
            self.variables.update({str(n): word for n, word in enumerate(words[at + 1 :])})
            self.variables["@"] = self.variables["*"] = " ".join(words[at + 2 :])
            self._code(code, call, depth)
            return
        texts = self._input(call.simple)
        for text in texts if reads else ():
            self.text(text, depth)
        if reads and (texts or call.simple.piped or call.simple.redirects or "xargs" in call.via):
            self.found.doubts.add("piped")

    def _code(self, code: str, call: Call, depth: int) -> None:
        if not all(word.known for word in call.argv) or "xargs" in call.via:
            self.found.doubts.add("program")
        self.text(code, depth)

    def _input(self, simple: Simple, far: int = 0) -> list[str]:
        """What a program reads, as far as the line itself says it."""
        words = [redirect.body for redirect in simple.redirects if redirect.body]
        words += [redirect.target for redirect in simple.redirects if redirect.sign == "<<<"]
        texts = [value(word, self.variables, self._output).text for word in words]
        if simple.feeder and far < FEEDERS:
            name, *said = self._fields(simple.feeder) or [Field("")]
            if base(name.text) in SPEAKERS:
                texts.append(" ".join(word.text for word in said if not word.text.startswith("-")))
                texts.append(" ".join(word.text for word in said))
            texts += self._input(simple.feeder, far + 1)
        return texts

    def _windows_shell(self, name: str, words: list[str], depth: int) -> None:
        for at, word in enumerate(words):
            option = word.lower().lstrip("-/")
            if not word.startswith(("-", "/")):
                self.text(" ".join(words[at:]), depth)
                return
            if name != "cmd" and len(option) > 1 and "encodedcommand".startswith(option):
                self.found.doubts.add("program")
                self.text(_decoded(" ".join(words[at + 1 :])), depth)
                return
            if option[:1] in {"c", "k"}:
                glued = word[2:] if name == "cmd" else ""
                self.text(" ".join([glued, *words[at + 1 :]]), depth)
                return
        if not words:
            self.found.doubts.add("piped")

    def _find(self, call: Call, depth: int) -> None:
        argv = call.argv
        for at, word in enumerate(argv):
            if word.text in EXEC_WORDS:
                end = next((i for i in range(at + 1, len(argv)) if argv[i].text in {";", "+"}), len(argv))
                self.call(argv[at + 1 : end], call.simple, depth, (*call.via, "find"))

    def _wrapped(self, call: Call, depth: int) -> None:
        name, words, wrapper = call.program, call.words, WRAPPERS[call.program]
        if coded := option_code(words, wrapper):
            code, after = coded
            self._code(" ".join([code, *(words[after:] if name == "env" else [])]), call, depth)
        extra = [Field(word) for text in self._input(call.simple) for word in text.split()]
        for at in starts(words, wrapper):
            inner = list(call.argv[at + 1 :])
            if wrapper.joins:
                self._code(" ".join(word.text for word in inner).replace(":::", " "), call, depth)
            if name == "xargs":
                inner += [*extra, Field("", known=False)]
            self.call(inner, call.simple, depth, (*call.via, name))

    def _interpreter(self, call: Call) -> None:
        code = interpreter_code(call.program, call.words)
        self.found.code += [*code, *self._input(call.simple)]
        if any(DANGEROUS_CODE.search(text) for text in code):
            self.found.doubts.add("code")
        if not code and call.simple.piped and not [w for w in call.words if not w.startswith("-")]:
            self.found.doubts.add("piped")

    def _moved(self, call: Call) -> None:
        home = self.variables["HOME"]
        names = [word for word in call.argv[1:] if not word.text.startswith("-")]
        known = all(word.known for word in names) and "-" not in call.words
        place = str(Path(self.found.places[-1], names[0].text)) if names and known else home
        if place not in self.found.places and len(self.found.places) < PLACES:
            self.found.places.append(place)

    def _set(self, call: Call) -> None:
        for word in call.argv[1:]:
            name, equals, text = word.text.partition("=")
            if equals:
                self._assign(name, Field(text, word.known))
        if call.program == "set" and "--" in call.words:
            words = call.words[call.words.index("--") + 1 :]
            self.variables.update({str(n): word for n, word in enumerate(words, 1)})
            self.variables["@"] = self.variables["*"] = " ".join(words)


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text).decode("utf-16-le", "replace")
    except (ValueError, binascii.Error):
        return ""
