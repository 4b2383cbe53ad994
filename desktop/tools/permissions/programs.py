"""What is known of programs: which only read, options that hide code, what is always asked about."""

from collections.abc import Sequence

from desktop.tools.permissions.launchers import (
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
OPTIONS = {
    "date": frozenset({"-d", "--date", "-I", "-R", "-u", "--utc", "--iso-8601", "--rfc-3339", "-r"}),
    "tree": frozenset({"-a", "-d", "-f", "-L", "-s", "-h", "-D", "-C", "-n", "-P", "-I", "--dirsfirst"}),
    "file": frozenset({"-b", "-i", "-k", "-L", "-h", "-z", "--brief", "--mime", "--mime-type"}),
    "hostname": frozenset({"-s", "-f", "-i", "-I", "-d", "--short", "--fqdn"}),
    "printf": frozenset[str](),
    "which": frozenset({"-a"}),
}
"""Of readers that also have options which write or run something: those that do not."""
GIT_READS = frozenset(
    {"status", "diff", "log", "show", "blame", "ls-files", "rev-parse", "describe", "shortlog"}
)
GIT_OPTIONS = frozenset(
    {"-s", "-b", "-p", "-n", "-q", "-w", "-v", "-U", "-z", "-M", "-R", "-i", "-E", "-F", "-L", "-a", "-r"}
    | {"--short", "--branch", "--porcelain", "--oneline", "--stat", "--shortstat", "--numstat", "--graph"}
    | {"--all", "--author", "--since", "--until", "--after", "--before", "--grep", "--max-count", "--patch"}
    | {
        "--no-patch",
        "--name-only",
        "--name-status",
        "--format",
        "--pretty",
        "--decorate",
        "--date",
        "--cached",
    }
    | {
        "--staged",
        "--word-diff",
        "--color",
        "--no-color",
        "--follow",
        "--reverse",
        "--no-merges",
        "--merges",
    }
    | {"--abbrev-ref", "--abbrev-commit", "--show-toplevel", "--tags", "--always", "--untracked-files"}
    | {"--ignored", "--others", "--modified", "--deleted", "--summary", "--numbered", "--no-pager"}
)
"""Options of these that neither write a file nor start a program."""
LISTS = {
    "pip": frozenset({"list", "show", "freeze", "check"}),
    "pip3": frozenset({"list", "show", "freeze", "check"}),
    "docker": frozenset({"ps", "images", "version"}),
}
"""Subcommands that only list, with any words."""
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


def only_reads(program: str, words: Sequence[str]) -> bool:
    """Whether a program with these words only looks and says, whatever words of this kind follow."""
    if smuggles(program, words):
        return False
    if program in READERS:
        known = OPTIONS.get(program)
        return known is None or all(_is_known(word, known) for word in words)
    if program == "git" and words[:1] and words[0] in GIT_READS:
        return all(_is_known(word, GIT_OPTIONS) for word in words[1:])
    return program in LISTS and words[:1] != [] and words[0] in LISTS[program]


def _is_known(word: str, options: frozenset[str]) -> bool:
    if not word.startswith("-") or word in {"-", "--"}:
        return True
    name = word.partition("=")[0]
    if word.startswith("--"):
        return name in options
    return word[1:].isdecimal() or all(f"-{letter}" in options for letter in word[1:])


def lead(program: str, words: Sequence[str]) -> tuple[str, ...] | None:
    """The words that a standing yes is bound to; None where none is offered."""
    if smuggles(program, words):
        return None
    if program in READERS and only_reads(program, words):
        return ()
    if only_reads(program, words):
        return (words[0],)
    if (interpreter(program) or program in SHELLS) and not _is_script(words):
        return None
    return tuple(words)


def _is_script(words: Sequence[str]) -> bool:
    """Whether an interpreter is given a script or a module."""
    if not words or (words[0].startswith("-") and words[0] != "-m"):
        return False
    return words[0] != "-m" or len(words) > 1
