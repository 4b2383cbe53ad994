"""The environment of commands: an allow-list without keys, and PATH as the person's login shell has it.

A program started from an icon has the desktop's PATH, which lacks what profiles add; so the login shell is
asked once in the life of the program.
"""

import asyncio
import base64
import contextlib
import os
import secrets
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from desktop.tools.exec.run import run

USUAL = ("HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "SHELL", "PATH")
"""What commands have of the environment, besides LC_*."""
_WINDOWS = frozenset(
    {"SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "PATH", "TEMP"}
    | {"TMP", "USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "APPDATA"}
    | {
        "LOCALAPPDATA",
        "PROGRAMDATA",
        "PROGRAMFILES",
        "PROGRAMFILES(X86)",
        "COMMONPROGRAMFILES",
        "PSMODULEPATH",
    }
    | {"NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "OS"}
)
_LOGIN_SECONDS = 5.0


def allowed(environment: Mapping[str, str]) -> dict[str, str]:
    """The part of an environment that commands get: no keys, no tokens, no sockets of the session."""
    if sys.platform == "win32":
        return {name: value for name, value in environment.items() if name.upper() in _WINDOWS}
    kept = {name: value for name, value in environment.items() if name in USUAL or name.startswith("LC_")}
    return {**kept, "TERM": "dumb"}


class Environment:
    """Makes the environment of commands."""

    def __init__(self, source: Mapping[str, str] = os.environ) -> None:
        self._source = source
        self._path: str | None = None
        self._asking = asyncio.Lock()

    async def make(self, path_append: str) -> dict[str, str]:
        """The environment of a command, with more folders at the end of its PATH."""
        async with self._asking:
            if self._path is None:
                self._path = await _login_path(allowed(self._source)) or self._source.get(
                    "PATH", os.defpath
                )
        path = os.pathsep.join(filter(None, (self._path, path_append)))
        return {**allowed(self._source), "PATH": path}


async def _login_path(environment: Mapping[str, str]) -> str:
    """PATH as the login shell sets it; empty where it does not say."""
    shell = environment.get("SHELL") or _own_shell()
    if not shell or sys.platform == "win32":
        return ""
    mark = secrets.token_hex(8)
    argv = [shell, "-l", "-c", f'printf "%s" {mark} "$PATH" {mark}']
    with contextlib.suppress(OSError):
        ended = await run(argv, cwd=Path("/"), environment=environment, seconds=_LOGIN_SECONDS)
        _before, found, rest = ended.output.rpartition(mark)[0].rpartition(mark)
        return rest if found else ""
    return ""


def _own_shell() -> str:
    if sys.platform == "win32":
        return ""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_shell
    except KeyError:
        return ""


def shell(command: str, path: str) -> Sequence[str]:
    """The program and the arguments that run a command line."""
    if sys.platform == "win32":
        return _powershell(command, path)
    if bash := shutil.which("bash", path=path):
        return (bash, "--noprofile", "--norc", "-c", command)
    return ("/bin/sh", "-c", command)


def _powershell(command: str, path: str) -> Sequence[str]:
    program = shutil.which("pwsh", path=path) or "powershell.exe"
    script = (
        "[Console]::OutputEncoding = [Text.Encoding]::UTF8; $ProgressPreference = 'SilentlyContinue'\n"
        f"{command}\n"
        "$worked = $?; if ($LASTEXITCODE) { exit $LASTEXITCODE } elseif (-not $worked) { exit 1 }"
    )
    encoded = base64.b64encode(script.encode("utf-16-le")).decode()
    quiet = ("-NoLogo", "-NoProfile", "-NonInteractive", "-OutputFormat", "Text")
    return (program, *quiet, "-EncodedCommand", encoded)
