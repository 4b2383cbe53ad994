"""The commands that are never run, whoever allowed what: they destroy a disk, a folder tree or the session.

Only words in command position count: the same words as data are nobody's business.
"""

import fnmatch
import itertools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from desktop.text import _
from desktop.tools.permissions.commands import Call, Walk
from desktop.tools.permissions.launchers import EXEC_WORDS, base
from desktop.tools.permissions.parser import Field

DELETERS = frozenset({"rm", "srm", "grm"})
WINDOWS_DELETERS = frozenset({"del", "erase", "rd", "rmdir"})
POWERSHELL_DELETERS = frozenset({"remove-item", "ri", "del", "erase", "rd", "rmdir"})
FORMATTERS = frozenset(
    {
        "format",
        "mke2fs",
        "mkswap",
        "newfs",
        "wipefs",
        "blkdiscard",
        "diskpart",
        "fdisk",
        "sfdisk",
        "cfdisk",
        "gdisk",
        "sgdisk",
        "parted",
        "cryptsetup",
        "format-volume",
        "clear-disk",
        "initialize-disk",
    }
)
STOPPERS = frozenset(
    {"shutdown", "reboot", "poweroff", "halt", "kexec", "stop-computer", "restart-computer", "pm-suspend"}
)
STOP_WORDS = frozenset(
    {"poweroff", "reboot", "halt", "kexec", "soft-reboot", "emergency", "rescue", "poweroff.target"}
    | {"reboot.target", "halt.target", "exit"}
)
DISK_WORDS = ("erase", "partition", "reformat", "zerodisk", "randomdisk", "secureerase")
WRITERS = frozenset(
    {
        "rm",
        "mv",
        "tee",
        "touch",
        "truncate",
        "ln",
        "mkdir",
        "rmdir",
        "chmod",
        "chown",
        "chgrp",
        "shred",
        "dd",
    }
    | {"unlink", "sed", "cp", "install", "rsync", "patch", "mkfifo", "mknod", "chattr", "setfacl", "git"}
    | {
        "set-content",
        "add-content",
        "out-file",
        "copy-item",
        "move-item",
        "new-item",
        "copy",
        "move",
        "xcopy",
    }
    | {"del", "erase", "ed", "ex", "vim", "vi", "nano", "wget", "curl", "tar", "unzip"}
)
"""Programs that change a file that they are given."""
LAST_ONLY = frozenset({"cp", "install", "rsync", "ln", "mv", "copy", "copy-item", "xcopy"})
"""Of these only the last word is written (`mv` takes the others away as well)."""
SCHEDULERS = frozenset(
    {"launchctl", "schtasks", "at", "batch", "update-rc.d", "chsh", "reg", "register-scheduledtask"}
)
ROOT_GIVERS = frozenset({"sudo", "doas", "pkexec", "su", "run0", "runuser"})
HARMLESS = frozenset({"null", "zero", "full", "stdin", "stdout", "stderr", "tty", "random", "urandom"})
_TO_ALL = re.compile(r"^[0-7]*[2367]$|(?:^|,)[ug]*[oa][ugoa]*[+=][rxXst]*w")
"""A mode that lets others write."""
WRITE_SIGNS = frozenset({">", ">>", ">|", "&>", "&>>", "<>", ">&"})


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a command. `denied`: it is never run; else a person is asked in every mode."""

    denied: bool
    text: str
    hint: str = ""


def guard(walk: Walk, home: Path) -> Finding | None:
    """The worst that the line would do, if it is bad enough to matter in every mode."""
    if walk.deep:
        return Finding(
            True,
            _("The command nests other commands too deeply."),
            "Run the inner command directly, without wrapping it in others.",
        )
    for call in walk.calls:
        if found := _denied(call, walk, home):
            return found
    for sign, file in walk.files:
        if sign in WRITE_SIGNS and device(file, walk.places):
            return _disk()
    doubt = next(iter(sorted(walk.doubts)), "")
    return Finding(False, _doubts()[doubt]) if doubt else _asked(walk)


def _doubts() -> dict[str, str]:
    return {
        "broken": _("The command can’t be fully analyzed."),
        "code": _("The command contains code that may delete files or start other programs."),
        "piped": _("The command passes text to a shell, which runs it."),
        "program": _("Which program the command starts is only known when it runs."),
    }


def _asked(walk: Walk) -> Finding | None:
    for call in walk.calls:
        if call.program in ROOT_GIVERS:
            return Finding(False, _("The command requests the rights of another user."))
        if call.program in SCHEDULERS or (call.program == "systemctl" and "enable" in call.words):
            return Finding(False, _("The command sets something up to start automatically later."))
        if (call.program in DELETERS and not all(word.known for word in call.argv)) or _sweeps(call):
            return Finding(False, _("Which files the command deletes is only known when it runs."))
    return None


def _sweeps(call: Call) -> bool:
    """Programs that delete what a folder has besides something."""
    words = call.words
    return (call.program == "git" and "clean" in words) or (
        call.program == "rsync" and any(word.startswith("--del") for word in words)
    )


def _denied(call: Call, walk: Walk, home: Path) -> Finding | None:
    if not call.argv:
        return None
    if _deletes_tree(call, walk, home):
        return Finding(
            True,
            _("The command deletes a whole folder with everything in it. The agent never does that."),
            "Delete files one by one by their names, or move the folder to another place.",
        )
    if _formats(call):
        return _disk()
    if _opens_to_all(call, walk):
        return Finding(
            True,
            _("The command makes a folder writable for every account on this computer."),
            "Give rights to the owner alone, such as: chmod u+rwx NAME",
        )
    if _stops(call):
        return Finding(
            True,
            _("The command shuts down or restarts the computer, or ends everything running on it."),
            "Ask the person to do this themselves.",
        )
    if call.argv[0].text in call.simple.functions and (call.simple.piped or call.simple.background):
        return Finding(
            True,
            _("The command starts itself again and again until the computer stops responding."),
            "Use a loop with a fixed number of rounds.",
        )
    if call.program == "crontab" and "-l" not in call.words:
        return Finding(
            True,
            _("The command sets something up to start automatically later."),
            "Use this program's own schedule for what should happen later.",
        )
    return None


def _disk() -> Finding:
    return Finding(
        True,
        _("The command overwrites or formats a disk."),
        "Write to a file in the workspace instead.",
    )


def _is(argv: tuple[Field, ...], names: frozenset[str], program: str) -> bool:
    """Whether the program is one of these; a file pattern may stand for any of them."""
    if program in names:
        return True
    return argv[0].glob and any(fnmatch.fnmatchcase(name, program) for name in names)


def _letters(words: list[str]) -> Iterator[str]:
    """The letters of short options, and the names of long ones, before `--`."""
    for word in words:
        if word == "--":
            return
        if word.startswith("--"):
            yield word[2:].partition("=")[0]
        elif word.startswith("-"):
            yield from word[1:]


def _deletes_tree(call: Call, walk: Walk, home: Path) -> bool:
    words, program, argv = call.words, call.program, call.argv
    lowered = [word.lower() for word in words]
    if _is(argv, DELETERS, program) and any(_recursive(name) for name in _letters(words)):
        return True
    if _is(argv, WINDOWS_DELETERS, program) and any(_slash(word, "s") for word in lowered):
        return True
    if program in {"del", "erase"} and any(_slash(word, letter) for word in lowered for letter in "fq"):
        return True
    if _is(argv, POWERSHELL_DELETERS, program) and any(
        len(word) > 1 and "-recurse".startswith(word.partition(":")[0]) for word in lowered
    ):
        return True
    if program == "rimraf" or (program == "rmdir" and any(w.startswith("-recurse") for w in lowered)):
        return True
    places = [Path(place, root) for place in walk.places for root in _roots(words) or ["."]]
    return program == "find" and _deletes(words) and any(_high(place, home) for place in places)


def _slash(word: str, letter: str) -> bool:
    """Whether `/s`, also in `/q/s` and `/s/q`, is among a word's switches of Windows."""
    return word.startswith("/") and letter in word.split("/")


def _recursive(option: str) -> bool:
    """`-r`, `-R`, and every way to shorten `--recursive`."""
    return option in {"r", "R"} or (option != "" and "recursive".startswith(option))


def _deletes(words: list[str]) -> bool:
    started = {base(after) for before, after in itertools.pairwise(words) if before in EXEC_WORDS}
    return "-delete" in words or not started.isdisjoint(DELETERS | {"unlink", "shred"})


def _roots(words: list[str]) -> list[str]:
    roots = []
    for word in words:
        if word.startswith("-") and word not in {"-H", "-L", "-P"}:
            break
        roots.append(word)
    return roots


def _high(folder: Path, home: Path) -> bool:
    """Whether a folder is the home, or holds it."""
    return Path(os.path.normpath(folder)) in {home, *home.parents}


def _formats(call: Call) -> bool:
    program, words = call.program, call.words
    if program == "dd" and any(word.startswith("of=") and device(word[3:], ["/"]) for word in words):
        return True
    if program.startswith(("mkfs", "newfs_")) or (
        call.argv[0].glob and fnmatch.fnmatchcase("mkfs", program)
    ):
        return True
    if program in {"fdisk", "sfdisk", "parted"} and words[:1] in (["-l"], ["--list"]):
        return False
    if program == "cryptsetup":
        return any(word.lower() in {"luksformat", "erase", "reencrypt"} for word in words)
    if program == "diskutil":
        return any(word.lower().startswith(DISK_WORDS) for word in words)
    if program == "hdparm":
        return any("security-erase" in word for word in words)
    if program in WRITERS and any(device(word, ["/"]) for word in written(call)):
        return True
    return _is(call.argv, FORMATTERS, program)


def _opens_to_all(call: Call, walk: Walk) -> bool:
    """Whether chmod lets all others write a folder, or all that is in one."""
    if call.program != "chmod":
        return False
    plain = [word for word in call.words if not word.startswith("-")]
    mode, names = plain[:1], plain[1:]
    if not mode or not _TO_ALL.search(mode[0]):
        return False
    deep = any(letter in {"R", "recursive"} for letter in _letters(call.words))
    return deep or any(Path(place, name).is_dir() for place in walk.places for name in names)


def _stops(call: Call) -> bool:
    program, words = call.program, [word.lower() for word in call.words]
    if _is(call.argv, STOPPERS, program):
        return True
    if program in {"init", "telinit"}:
        return any(word in {"0", "6", "1", "s"} for word in words)
    if program in {"systemctl", "loginctl"}:
        return not STOP_WORDS.isdisjoint(words)
    if program in {"busctl", "dbus-send"}:
        return any("poweroff" in word or "reboot" in word for word in words)
    return program == "kill" and len(words) > 1 and words[-1] == "-1"


def device(name: str, places: list[str]) -> bool:
    """Whether a file is a device that holds data, or may be one."""
    path = os.path.normpath(Path(places[-1], name))
    if path.startswith("//"):
        path = path[1:]
    if not path.startswith("/dev/"):
        return path.lower().startswith(("\\\\.\\", "//./"))
    first = path.split("/")[2]
    return first not in HARMLESS | {"fd", "shm", "pts", "tcp", "udp"}


def written(call: Call) -> list[str]:
    """The words of a program that name files which it changes."""
    words = call.words
    program = call.program
    if program not in WRITERS:
        return []
    if program == "sed" and not any(w.startswith("--in") or "i" in w[:4] for w in words if w[:1] == "-"):
        return []
    if program == "dd":
        return [word[3:] for word in words if word.startswith("of=")]
    if program in LAST_ONLY and program != "mv":
        targets = [
            words[at + 1] for at, word in enumerate(words[:-1]) if word in {"-t", "--target-directory"}
        ]
        return (
            targets + [word.partition("=")[2] for word in words if word.startswith("--target")] + words[-1:]
        )
    return [word.lstrip("<>") for word in words if not word.startswith("-")]
