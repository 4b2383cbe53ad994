"""What takes how much of the program's folder: python packaging/sizes.py FOLDER [BEFORE]

In MB of 10^6 bytes. BEFORE: the folder of another build, to compare with.
"""

import sys
from collections import Counter
from pathlib import Path

SHOWN_MB = 1.0


def sizes(folder: Path) -> Counter[str]:
    """Bytes by part: a package with its libraries, the system's libraries, the executable."""
    found = Counter[str]()
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            found[_part(path.relative_to(folder))] += path.stat().st_size
    return found


def _part(path: Path) -> str:
    names = path.parts[path.parts[0] == "_internal" :]
    if len(path.parts) == 1:
        return "the executable, with all modules"
    if len(names) == 1:
        return "libraries of the system" if ".so" in names[0] else "single files"
    if names[0].endswith(".dist-info"):
        return "metadata and licences"
    if names[:3] == ("PySide6", "Qt", "lib") and names[3].startswith("libicu"):
        return "Qt: ICU"
    return names[0].removesuffix(".libs").replace("PySide6", "Qt").replace("shiboken6", "Qt")


def main(folder: Path, before: Path | None) -> None:
    """Print the table, the largest first."""
    now, then = sizes(folder), sizes(before) if before else Counter[str]()
    small = [part for part in now | then if max(now[part], then[part]) < SHOWN_MB * 1e6]
    for counted in (now, then):
        counted["all smaller ones"] = sum(counted.pop(part, 0) for part in small)
    rows = [(part, then[part], now[part]) for part, _size in (now | then).most_common()]
    for part, was, size in [*rows, ("together", sum(then.values()), sum(now.values()))]:
        print(f"{part:36} {f'{was / 1e6:8.1f}' if before else '':8} {size / 1e6:8.1f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
