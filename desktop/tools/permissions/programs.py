"""What is known of programs: harmless subcommands, options that hide code, what is always asked about."""

from collections.abc import Sequence

from desktop.tools.permissions.wrappers import (
    AWKS,
    POWERSHELLS,
    SHELLS,
    WRAPPERS,
    interpreter,
    runs_another,
)

READERS = frozenset(
    {
        "ls",
        "cat",
        "head",
        "tail",
        "wc",
        "pwd",
        "date",
        "whoami",
        "uname",
        "hostname",
        "id",
        "stat",
        "file",
        "du",
    }
    | {
        "df",
        "tree",
        "which",
        "echo",
        "printf",
        "ps",
        "grep",
        "egrep",
        "fgrep",
        "cut",
        "nl",
        "cmp",
        "diff",
        "uptime",
    }
    | {
        "basename",
        "dirname",
        "realpath",
        "readlink",
        "md5sum",
        "sha1sum",
        "sha256sum",
        "true",
        "false",
        "free",
    }
)
"""Programs that only look and say: allowed with any words."""
SUBCOMMANDS = {
    "git": {
        "status",
        "diff",
        "log",
        "show",
        "blame",
        "ls-files",
        "rev-parse",
        "describe",
        "shortlog",
        "add",
    },
    "npm": {"test", "ls", "outdated"},
    "cargo": {"build", "check", "test", "clippy", "fmt", "tree"},
    "go": {"build", "vet", "test", "fmt", "version"},
    "pip": {"list", "show", "freeze", "check"},
    "pip3": {"list", "show", "freeze", "check"},
    "gh": {"status"},
    "docker": {"ps", "images", "version"},
    "dotnet": {"build", "test"},
}
"""Subcommands after which any words may follow."""
ALWAYS_ASKED = frozenset(
    {
        "rm",
        "mv",
        "dd",
        "chmod",
        "chown",
        "chgrp",
        "kill",
        "pkill",
        "killall",
        "curl",
        "wget",
        "nc",
        "ncat",
        "netcat",
    }
    | {
        "scp",
        "rsync",
        "sftp",
        "ftp",
        "telnet",
        "tee",
        "truncate",
        "ln",
        "shred",
        "install",
        "crontab",
        "at",
        "socat",
    }
    | {
        "systemctl",
        "service",
        "mount",
        "umount",
        "passwd",
        "useradd",
        "usermod",
        "unlink",
        "rmdir",
        "cp",
        "mkfifo",
    }
    | {
        "eval",
        "source",
        ".",
        "alias",
        "trap",
        "export",
        "declare",
        "set",
        "cd",
        "pushd",
        "unset",
        "ulimit",
        "umask",
    }
    | {
        "cmd",
        "mail",
        "sendmail",
        "mutt",
        "gdb",
        "vim",
        "vi",
        "ed",
        "ex",
        "emacs",
        "nano",
        "less",
        "more",
        "man",
    }
    | {
        "del",
        "erase",
        "rd",
        "reg",
        "launchctl",
        "schtasks",
        "remove-item",
        "iex",
        "invoke-expression",
        "hash",
    }
    | {
        "enable",
        "bind",
        "complete",
        "mapfile",
        "readarray",
        "read",
        "function",
        "local",
        "typeset",
        "readonly",
    }
    | {"for", "case", "select", "[[", "let", "return", "break", "wait", "jobs", "fg", "bg", "disown"}
)
CODE_IN_OPTIONS = {
    "git": (
        *(
            "-c",
            "-C",
            "-O",
            "-x",
            "-u",
            "--exec",
            "--exec-path",
            "--config-env",
            "--upload-pack",
            "--receive-pack",
        ),
        *(
            "--output",
            "--open-files-in-pager",
            "--ext-diff",
            "--textconv",
            "--git-dir",
            "--work-tree",
            "--paginate",
        ),
    ),
    "tar": (
        "-I",
        "-F",
        "--checkpoint-action",
        "--to-command",
        "--use-compress-program",
        "--rsh-command",
        "--info-script",
    ),
    "sort": ("-o", "-T", "--compress-program", "--output"),
    "find": ("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprintf", "-fprint0", "-fls"),
    "zip": ("-TT", "-T", "--unzip-command"),
    "make": ("--eval", "-E", "-f", "-C", "--file", "--makefile", "--directory", "-I"),
    "go": ("-exec", "-toolexec", "-o", "-C", "-overlay"),
    "cargo": ("--config", "--manifest-path"),
    "npm": ("--script-shell", "--prefix", "--node-options"),
    "date": ("-s", "--set", "-f", "--file"),
    "rg": ("--pre", "--hostname-bin"),
    "fd": ("-x", "-X", "--exec", "--exec-batch"),
    "tree": ("-o",),
    "file": ("-C", "-m", "--compile"),
    "hostname": ("-F", "--file", "-b"),
    "docker": ("-H", "--host", "--config"),
    "sed": ("-i", "--in-place"),
    "pytest": ("-c", "-p", "--rootdir", "-o"),
}
"""Options that run code, or write a file, wherever they stand."""


def asked_each_time(program: str, words: Sequence[str]) -> bool:
    """Whether no rule may allow the program: it runs other commands, destroys, or talks to the outside."""
    if program in ALWAYS_ASKED or program in WRAPPERS or program in POWERSHELLS or program in AWKS:
        return True
    if program == "hostname" and any(not word.startswith("-") for word in words):
        return True
    return runs_another(program, words)


def smuggles(program: str, words: Sequence[str]) -> bool:
    """Whether an option among the words runs code or writes somewhere. Long options may be shortened."""
    options = CODE_IN_OPTIONS.get(program, ())
    if program == "make" and any("=" in word for word in words):
        return True
    return any(_is_option(word, option) for word in words for option in options)


def _is_option(word: str, option: str) -> bool:
    if option.startswith("--"):
        name = word.partition("=")[0]
        return len(name) > 2 and name.startswith("--") and option.startswith(name)
    if len(option) > 2:
        return word.partition("=")[0] == option
    return word.startswith("-") and not word.startswith("--") and option[1] in word[1:]


def harmless_prefix(program: str, words: Sequence[str]) -> tuple[str, ...] | None:
    """The words that a standing yes is bound to; None where none is offered."""
    if smuggles(program, words):
        return None
    if program in READERS:
        return ()
    if program == "npm" and words[:1] == ["run"]:
        return tuple(words[:2]) if len(words) > 1 else None
    if words and words[0] in SUBCOMMANDS.get(program, ()):
        return (words[0],)
    if interpreter(program) or program in SHELLS:
        return _script(words)
    return tuple(words)


def _script(words: Sequence[str]) -> tuple[str, ...] | None:
    """The script that an interpreter is given, or its module."""
    if not words or (words[0].startswith("-") and words[0] != "-m"):
        return None
    if words[0] == "-m":
        return tuple(words[:2]) if len(words) > 1 else None
    return (words[0],)
