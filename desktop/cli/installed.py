"""What the installer for Windows leaves to the program, by a hidden argument.

`path` lets a terminal find the command, `no-path` takes that back: the installer's language cuts off long
values, and this one is the person's. `login` turns on the setting for a start at login: where it is off,
the next start takes away what the installer wrote.
"""

import sys
from pathlib import Path

from desktop.paths import Home

_KEY, _VALUE = "Environment", "Path"


def main(arguments: list[str]) -> None:
    """Do one of them; other words are of a later installer."""
    asked = arguments[0] if arguments else ""
    if asked == "login":
        from desktop.cli.run import run

        run(_login)
    elif asked in ("path", "no-path"):
        _change_path(Path(sys.executable).parent, add=asked == "path")


async def _login(home: Home) -> None:
    from desktop.cli.reach import connect

    async with connect(home, "installed") as api:
        await api.settings.change({"presence.login": True})


def with_folder(path: str, folder: str, *, add: bool) -> str:
    """The value of a Path with this folder at its end, or without it; the others stay as they are."""
    others = [
        part for part in path.split(";") if part and part.strip('"').rstrip("\\").lower() != folder.lower()
    ]
    return ";".join([*others, folder] if add else others)


def _change_path(folder: Path, *, add: bool) -> None:
    if sys.platform == "win32":
        import winreg

        with winreg.CreateKeyEx(
            winreg.HKEY_CURRENT_USER, _KEY, access=winreg.KEY_READ | winreg.KEY_WRITE
        ) as key:
            try:
                before, kind = winreg.QueryValueEx(key, _VALUE)
            except FileNotFoundError:
                before, kind = "", winreg.REG_EXPAND_SZ
            after = with_folder(before, str(folder), add=add)
            if after != before:
                winreg.SetValueEx(key, _VALUE, 0, kind, after)
