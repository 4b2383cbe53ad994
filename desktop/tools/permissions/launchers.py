"""Programs that run another command: which of their words is that command, which is code for a shell."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "mksh", "rbash", "tcsh", "csh"})
POWERSHELLS = frozenset({"powershell", "pwsh"})
RUNNERS = frozenset(
    {"uv", "poetry", "pipenv", "pipx", "hatch", "conda", "mise", "bundle", "npm", "pnpm", "yarn"}
)
SCRIPT_RUNNERS = frozenset({"npm", "pnpm", "yarn"})
"""Their `run` takes the name of a script, not of a program."""
RUN_WORDS = frozenset({"run", "exec", "x", "dlx"})
EXEC_WORDS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
CODE_OPTIONS = {
    "python": "c",
    "pypy": "c",
    "perl": "eE",
    "ruby": "e",
    "node": "ep",
    "bun": "ep",
    "php": "rBRE",
    "lua": "e",
    "osascript": "e",
    "rscript": "e",
    "tclsh": "",
    "groovy": "e",
    "julia": "eE",
    "elixir": "e",
}
"""Interpreters and the letters of the options that take code."""
LONG_CODE = ("--eval", "--print", "--run", "--exec")
AWKS = frozenset({"awk", "gawk", "mawk", "nawk"})
LONG_CODES = {"c": ("command", "session-command", "call"), "S": ("split-string",)}
"""The long forms of the options that take code for a shell."""
VERSION = re.compile(r"[-\d.]+$")


@dataclass(frozen=True, slots=True)
class Wrapper:
    """How a program that runs another one is called."""

    values: str = ""
    """Letters of the options that take the next word."""
    longs: tuple[str, ...] = ()
    """Long options that take the next word."""
    skip: int = 0
    """Words of its own before the command."""
    assigns: bool = False
    """Whether NAME=value may come before the command."""
    joins: bool = False
    """Whether the words are joined and given to a shell."""
    code: str = ""
    """Letter of an option whose value is code for a shell."""


WRAPPERS = {
    "sudo": Wrapper(
        "ugCchprtTUDR",
        ("user", "group", "close-from", "chdir", "host", "prompt", "role", "type", "other-user", "chroot"),
        assigns=True,
    ),
    "doas": Wrapper("uC"),
    "pkexec": Wrapper("", ("user",)),
    "run0": Wrapper("ugD", ("user", "group", "chdir", "unit", "property", "setenv")),
    "nohup": Wrapper(),
    "nice": Wrapper("n", ("adjustment",)),
    "timeout": Wrapper("ks", ("kill-after", "signal"), skip=1),
    "time": Wrapper("fo", ("format", "output")),
    "xargs": Wrapper(
        "IEnPdLsaJRS", ("arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var")
    ),
    "env": Wrapper("uCP", ("unset", "chdir", "argv0"), assigns=True, code="S"),
    "command": Wrapper(),
    "builtin": Wrapper(),
    "noglob": Wrapper(),
    "exec": Wrapper("a"),
    "setsid": Wrapper(),
    "stdbuf": Wrapper("ioe", ("input", "output", "error")),
    "ionice": Wrapper("cnpPu", ("class", "classdata")),
    "chroot": Wrapper("", ("userspec", "groups"), skip=1),
    "busybox": Wrapper(),
    "toybox": Wrapper(),
    "watch": Wrapper("nq", ("interval", "equexit"), joins=True),
    "parallel": Wrapper("jNnLPIaC", ("jobs", "arg-file", "colsep", "joblog", "workdir"), joins=True),
    "ssh": Wrapper("bcDEeFIiJLlmOopQRSWw", skip=1, joins=True),
    "unshare": Wrapper("SGRw", ("setuid", "setgid", "root", "wd", "map-user", "map-group", "propagation")),
    "nsenter": Wrapper("tSGNW", ("target", "setuid", "setgid")),
    "taskset": Wrapper("", skip=1),
    "chrt": Wrapper("TPD", skip=1),
    "flock": Wrapper("wE", ("timeout", "wait", "conflict-exit-code"), skip=1, code="c"),
    "strace": Wrapper("eopuEaIOPSsXb"),
    "ltrace": Wrapper("eopuaAFlnsxw"),
    "runuser": Wrapper("ugGs", ("user", "group", "shell"), code="c"),
    "su": Wrapper("gGsw", ("group", "shell"), skip=1, code="c"),
    "script": Wrapper("EIOTmto", skip=1, code="c"),
    "systemd-run": Wrapper(
        "pHMuEt", ("unit", "property", "setenv", "uid", "gid", "slice", "working-directory")
    ),
    "fakeroot": Wrapper("lsb"),
    "firejail": Wrapper(),
    "unbuffer": Wrapper(),
    "caffeinate": Wrapper("tw"),
    "npx": Wrapper("p", ("package",), code="c"),
    "bunx": Wrapper(),
    "uvx": Wrapper("p", ("from", "with", "python")),
    "start": Wrapper(),
    "start-process": Wrapper(),
    "forfiles": Wrapper(),
}


def base(program: str) -> str:
    """A program's bare name: no folder, no ending of Windows, small letters."""
    name = re.split(r"[/\\]", program)[-1].lower()
    return re.sub(r"\.(exe|com|cmd|bat)$", "", name)


def interpreter(name: str) -> str | None:
    """The key of CODE_OPTIONS for python3.12, perl5 and the like."""
    bare = VERSION.sub("", name)
    return bare if bare in CODE_OPTIONS else None


def runs_another(name: str, words: Sequence[str]) -> bool:
    """Whether `uv run`, `npm exec` and the like come before another command."""
    if name not in RUNNERS or not words or words[0] not in RUN_WORDS:
        return False
    return not (name in SCRIPT_RUNNERS and words[0] == "run")


def starts(words: Sequence[str], wrapper: Wrapper) -> set[int]:
    """Where the wrapped command may begin. Several, where an option may or may not take the next word."""
    positions = _after_options(words, wrapper, 0)
    for _ in range(wrapper.skip):
        positions = {later for at in positions for later in _after_options(words, wrapper, at + 1)}
    return {at for at in positions if at < len(words)}


def _after_options(words: Sequence[str], wrapper: Wrapper, begin: int) -> set[int]:
    todo, seen, found = {begin}, set[int](), set[int]()
    while todo:
        at = todo.pop()
        if at in seen or at >= len(words):
            continue
        seen.add(at)
        word = words[at]
        if word == "--":
            found.add(at + 1)
        elif word.startswith("-") and len(word) > 1:
            todo |= {at + step for step in _steps(word, wrapper)}
        elif wrapper.assigns and "=" in word:
            todo.add(at + 1)
        else:
            found.add(at)
    return found


def _steps(option: str, wrapper: Wrapper) -> set[int]:
    """How many words an option may take, itself included. Long ones may be shortened."""
    if option.startswith("--"):
        name, equals, _ = option[2:].partition("=")
        takes = not equals and any(long.startswith(name) for long in wrapper.longs)
        exact = name in wrapper.longs
        return {2} if takes and exact else {1, 2} if takes else {1}
    for place, letter in enumerate(option[1:], 2):
        if letter in wrapper.values or letter == wrapper.code:
            return {2} if place == len(option) else {1}
    return {1}


def option_code(words: Sequence[str], wrapper: Wrapper) -> tuple[str, int] | None:
    """The code in `-c code`, `-xc code`, `-ccode`, `--split-string=code`, and the place after it."""
    at, operands = 0, 0
    while wrapper.code and at < len(words) and operands <= wrapper.skip:
        word = words[at]
        following = words[at + 1] if at + 1 < len(words) else ""
        name, equals, text = word[2:].partition("=")
        if word == "--":
            return None
        if word.startswith("--"):
            if any(option.startswith(name) for option in LONG_CODES[wrapper.code]):
                return (text, at + 1) if equals else (following, at + 2)
            at += max(_steps(word, wrapper))
        elif word.startswith("-") and len(word) > 1:
            letters = wrapper.values + wrapper.code
            place = next((i for i, letter in enumerate(word) if i and letter in letters), 0)
            if place and word[place] == wrapper.code:
                rest = word[place + 1 :]
                return (rest, at + 1) if rest else (following, at + 2)
            at += 2 if place == len(word) - 1 and place else 1
        else:
            operands += not (wrapper.assigns and "=" in word)
            at += 1
    return None


def shell_code(words: Sequence[str]) -> tuple[str | None, int, bool]:
    """What `sh` is given: the code of `-c`, the place of its first operand, whether it reads its input."""
    at, coded, reads = 0, False, False
    while at < len(words) and len(words[at]) > 1 and words[at][0] in "-+":
        word = words[at]
        at += 1
        if word == "--":
            break
        if word.startswith("--"):
            name, equals, text = word[2:].partition("=")
            if equals and name in {"command", "init-command"}:
                return text, at, False
            coded = coded or name == "command"
            at += name in {"rcfile", "init-file"}
            continue
        coded = coded or "c" in word
        reads = reads or "s" in word
        at += sum(letter in "oO" for letter in word[1:])
    if coded:
        return (words[at] if at < len(words) else ""), at, False
    return None, at, reads or at >= len(words)


def interpreter_code(name: str, words: Sequence[str]) -> list[str]:
    """The code that an interpreter is given as a word."""
    if name in AWKS:
        return [word for word in words if "system" in word or "|" in word or "getline" in word]
    letters = CODE_OPTIONS.get(interpreter(name) or "", "")
    found = []
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else ""
        if word.startswith("--"):
            option, equals, text = word.partition("=")
            if len(option) > 3 and any(long.startswith(option) for long in LONG_CODE):
                found.append(text if equals else following)
        elif word.startswith("-") and len(word) > 1:
            place = next((at for at, letter in enumerate(word) if letter in letters), 0)
            if place:
                found.append(word[place + 1 :] or following)
        elif word == "eval" and at == 0:
            found.append(following)
        else:
            break
    return found
