"""A Debian 12 in a folder with nothing but its base packages: a computer to install something on.

It lives in a mount namespace of this process: when that ends, however it ends, nothing is mounted any more.
"""

import ctypes
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

MIRROR = "http://deb.debian.org/debian"
SOURCES = f"""\
deb {MIRROR} bookworm main
deb {MIRROR} bookworm-updates main
deb {MIRROR}-security bookworm-security main
"""
NEEDED = ("debootstrap", "lintian", "rpmlint")
"""Beside what the tests of the window need."""
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
CLONE_NEWNS = 0x20000


class Debian:
    """A root folder, its mounts and its accounts."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(
        self,
        *command: str,
        account: str = "root",
        environment: Mapping[str, str] | None = None,
        seconds: float = 600,
    ) -> subprocess.CompletedProcess[str]:
        """A command inside, as one of its accounts; what it wrote."""
        return subprocess.run(
            self.inside(*command, account=account, environment=environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def inside(
        self, *command: str, account: str = "root", environment: Mapping[str, str] | None = None
    ) -> list[str]:
        """The command line that runs a command inside."""
        entry = self._accounts()[account]
        pairs = [f"{name}={value}" for name, value in self.told(account, environment or {}).items()]
        where = ["chroot", f"--userspec={entry[2]}:{entry[3]}", "--groups=", str(self.root)]
        return [*where, "env", "-i", "-C", self._folder(entry[5]), *pairs, *command]

    def told(self, account: str, environment: Mapping[str, str]) -> dict[str, str]:
        """The environment of an account's command."""
        return {
            "HOME": self._accounts()[account][5],
            "USER": account,
            "LOGNAME": account,
            "PATH": PATH,
            "LANG": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive",
            **environment,
        }

    def _folder(self, home: str) -> str:
        return home if (self.root / home.lstrip("/")).is_dir() else "/"

    def _accounts(self) -> dict[str, list[str]]:
        lines = (self.root / "etc/passwd").read_text("utf-8").splitlines()
        return {line.split(":")[0]: line.split(":") for line in lines}

    def apt(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """apt as its reader is asked no question."""
        return self.run("apt-get", "-y", "-o", "APT::Sandbox::User=root", *arguments, seconds=1200)

    def files(self) -> set[str]:
        """Every path inside, but for what the kernel and this session show there."""
        found = set[str]()
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if not Path(folder, name).is_mount()]
            inner = Path(folder).relative_to(self.root)
            found |= {f"/{inner / name}" for name in (*folders, *names)}
        return found

    def at(self, path: str) -> Path:
        """A path inside, from outside."""
        return self.root / path.lstrip("/")

    def add_account(self, name: str, number: int) -> None:
        """An account with a home inside, which this computer knows as well, for as long as this process."""
        self.run("useradd", "--create-home", "--uid", str(number), "--shell", "/bin/bash", name)
        known, begun = self.root.parent / "passwd", (self.root.parent / "passwd").exists()
        known.write_text(f"{Path('/etc/passwd').read_text('utf-8')}{name}:x:{number}:{number}::/:/bin/sh\n")
        if not begun:
            _mount("--bind", str(known), "/etc/passwd")

    # ---- mounts

    def show(self, folder: Path) -> None:
        """Let a folder of this computer be at the same place inside."""
        place = self.at(str(folder))
        place.mkdir(parents=True, exist_ok=True)
        _mount("--bind", str(folder), str(place))

    @contextmanager
    def mounted(self, place: str, *options: str) -> Iterator[None]:
        """Something mounted on a folder inside, for as long as the block runs."""
        target = str(self.at(place))
        _mount(*options, target)
        try:
            yield
        finally:
            subprocess.run(["umount", target], check=True)


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True)


def _away() -> None:
    """Have mounts of our own."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS):
        raise OSError(ctypes.get_errno(), "no mounts of our own")
    _mount("--make-rprivate", "/")


def _mounts(folder: Path) -> list[str]:
    """Where something is mounted below a folder, in the order in which it was."""
    lines = Path("/proc/self/mounts").read_text("utf-8").splitlines()
    places = [line.split()[1].encode().decode("unicode_escape") for line in lines]
    return [place for place in places if place.startswith(f"{folder}/")]


def missing_tools() -> list[str]:
    """The Debian packages of this computer that are needed and not there."""
    return [tool for tool in NEEDED if shutil.which(tool) is None]


@contextmanager
def fresh_debian(cache: Path, folder: Path) -> Iterator[Debian]:
    """A Debian as debootstrap makes it, its package lists read; kept in `cache` for the next time."""
    _away()
    base = cache / f"debian-12-{hashlib.sha256(SOURCES.encode()).hexdigest()[:8]}.tar"
    if not base.exists():
        _make(base, folder / "base")
    root = folder / "root"
    root.mkdir()
    subprocess.run(["tar", "--numeric-owner", "-C", str(root), "-xf", str(base)], check=True)
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    # Debian's own way to say that no service is to be started: nothing here has an init.
    policy = root / "usr/sbin/policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n", "utf-8")
    policy.chmod(0o755)
    debs = cache / "archives"
    (debs / "partial").mkdir(parents=True, exist_ok=True)
    try:
        _mount("-t", "proc", "proc", str(root / "proc"))
        _mount("-t", "tmpfs", "-o", "mode=1777", "shm", str(root / "dev/shm"))
        _mount("--bind", str(debs), str(root / "var/cache/apt/archives"))
        yield Debian(root)
    finally:
        # All of them, before anybody removes the folder: some show what lies elsewhere.
        for place in reversed(_mounts(folder)):
            subprocess.run(["umount", "--lazy", place], check=True)


def _make(base: Path, folder: Path) -> None:
    print("Making a Debian 12 with its base packages (two minutes, once)...", flush=True)
    base.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["debootstrap", "--variant=minbase", "bookworm", str(folder), MIRROR], check=True)
    (folder / "etc/apt/sources.list").write_text(SOURCES, "utf-8")
    for verb in ("update", "dist-upgrade"):
        subprocess.run(["chroot", str(folder), "apt-get", "-y", "-qq", verb], check=True)
    partial = base.with_suffix(".new")
    subprocess.run(["tar", "--numeric-owner", "-C", str(folder), "-cf", str(partial), "."], check=True)
    partial.rename(base)
    shutil.rmtree(folder)
