"""What to do about something missing is said in the words of the system at hand."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from desktop import remedies
from desktop.remedies import System, family_of

SOURCE = Path(__file__).parents[2] / "desktop"
DEBIAN, FEDORA, SUSE, ARCH = (System(name) for name in ("apt", "dnf", "zypper", "pacman"))
WINDOWS, MACOS, OTHER = System("windows"), System("macos"), System("other")
EVERY = (DEBIAN, FEDORA, SUSE, ARCH, WINDOWS, MACOS, OTHER)


@pytest.mark.parametrize(
    ("platform", "release", "family"),
    [
        ("linux", {"ID": "debian"}, "apt"),
        ("linux", {"ID": "ubuntu", "ID_LIKE": "debian"}, "apt"),
        ("linux", {"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}, "apt"),
        ("linux", {"ID": "fedora"}, "dnf"),
        ("linux", {"ID": "rocky", "ID_LIKE": "rhel centos fedora"}, "dnf"),
        ("linux", {"ID": "opensuse-tumbleweed", "ID_LIKE": "opensuse suse"}, "zypper"),
        ("linux", {"ID": "manjaro", "ID_LIKE": "arch"}, "pacman"),
        ("linux", {"ID": "nixos"}, "other"),
        ("linux", {}, "other"),
        ("freebsd14", {}, "other"),
        ("win32", {}, "windows"),
        ("darwin", {}, "macos"),
    ],
)
def test_the_system_is_known(platform: str, release: Mapping[str, str], family: str) -> None:
    assert family_of(platform, release) == family


@pytest.mark.parametrize(
    ("system", "said"),
    [
        (DEBIAN, "sudo apt install libgomp1"),
        (FEDORA, "sudo dnf install libgomp"),
        (SUSE, "sudo zypper install libgomp1"),
        (ARCH, "sudo pacman -S gcc-libs"),
        (OTHER, "Install libgomp with your package manager."),
        (WINDOWS, "Reinstall the program."),
        (MACOS, "Reinstall the program."),
        (System("apt", frozen=True), "Reinstall the program."),
    ],
)
def test_a_missing_library_has_the_name_that_it_has_there(system: System, said: str) -> None:
    assert said in remedies.openmp(system)


def test_no_system_is_told_of_the_package_manager_of_another() -> None:
    of = {"apt": DEBIAN, "dnf": FEDORA, "zypper": SUSE, "pacman": ARCH}
    for system in EVERY:
        said = " ".join(
            (
                remedies.openmp(system),
                remedies.window(system),
                remedies.keychain(system),
                remedies.sandbox(system),
                remedies.packages("tmux", system=system),
            )
        )
        assert all(f" {name} " not in said or owner == system for name, owner in of.items()), said
        if system in (WINDOWS, MACOS):
            assert "sudo" not in said
            assert "gnome-keyring" not in said
            assert "bubblewrap" not in said


def test_a_frozen_program_is_not_told_to_use_pip() -> None:
    assert "pip install" in remedies.window(DEBIAN)
    assert remedies.window(System("apt", frozen=True)) == "Reinstall the program."


@pytest.mark.parametrize(
    ("family", "said"),
    [
        ("apt", "sudo apt update && sudo apt install --only-upgrade nanobot-desktop"),
        ("dnf", "sudo dnf upgrade nanobot-desktop"),
        ("zypper", "sudo zypper update nanobot-desktop"),
        ("pacman", "sudo pacman -Syu nanobot-desktop"),
        ("other", "Update nanobot-desktop with your package manager."),
    ],
)
def test_a_package_is_updated_by_who_installed_it(family: str, said: str) -> None:
    assert said in remedies.update("nanobot-desktop", family)


def test_a_skill_tells_the_ways_of_this_system_alone() -> None:
    assert [
        kind for kind in ("apt", "dnf", "brew", "winget", "npm", "snap") if remedies.installs(kind, FEDORA)
    ] == [
        "dnf",
        "npm",
        "snap",
    ]
    assert remedies.installs("brew", MACOS)
    assert not remedies.installs("apt", WINDOWS)
    assert remedies.installs("winget", WINDOWS)


def test_no_other_sentence_names_a_package_manager() -> None:
    names = ("sudo apt", "apt install", "dnf install", "pacman -S", "brew install", "winget install")
    for path in SOURCE.rglob("*.py"):
        if path.name != "remedies.py":
            text = path.read_text("utf-8")
            assert not [name for name in names if name in text], path
