"""Versions as Windows has them: python version.py VERSION [FILE]

Prints the four numbers of a version, or writes what the programs say of themselves for PyInstaller.
"""

import re
import sys
from pathlib import Path

NAME, MAKER = "Nanobot Desktop", "Nanobot Desktop contributors"


def numbers(version: str) -> tuple[int, ...]:
    """The four numbers that Windows wants of a version: of "1.2.3rc1" those before the letters."""
    release = re.match(r"\d+(\.\d+)*", version)
    found = [int(part) for part in release[0].split(".")] if release else []
    return (*found, 0, 0, 0, 0)[:4]


def resource(version: str) -> str:
    """The version resource, as PyInstaller reads it."""
    fields = {
        "CompanyName": MAKER,
        "FileDescription": NAME,  # what the Task Manager and a notification call it
        "FileVersion": version,
        "LegalCopyright": "MIT License",
        "ProductName": NAME,
        "ProductVersion": version,
    }
    rows = ", ".join(f"StringStruct({name!r}, {value!r})" for name, value in fields.items())
    return (
        f"VSVersionInfo(ffi=FixedFileInfo(filevers={numbers(version)}, prodvers={numbers(version)}), kids=["
        f"StringFileInfo([StringTable('040904B0', [{rows}])]), "
        "VarFileInfo([VarStruct('Translation', [0x409, 0x4B0])])])\n"
    )


if __name__ == "__main__":
    version, *files = sys.argv[1:]
    for file in files:
        Path(file).write_text(resource(version), "utf-8")
    if not files:
        print(*numbers(version), sep=".")
