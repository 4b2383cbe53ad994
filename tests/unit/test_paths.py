"""Files are found wherever the program was put: a checkout, a wheel, a frozen folder, another home."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from desktop.paths import elsewhere, home, resource

ROOT = Path(__file__).parent.parent.parent
FIND = "from desktop.paths import resource; print(resource('templates', 'en', 'SOUL.md'))"


def found_by(code: str, *path: Path) -> Path:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    done = subprocess.run(
        [sys.executable, "-P", "-S", "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(done.stdout.strip())


def test_in_a_checkout() -> None:
    assert resource("templates", "en", "SOUL.md").is_file()


def test_in_a_wheel(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="the build backend is not in this environment")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    file = found_by(FIND, tmp_path / "installed")
    assert file.is_file()
    assert file.is_relative_to(tmp_path / "installed")
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.endswith("nanobot.mo") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "packaging/"))]


def test_in_a_frozen_program(tmp_path: Path) -> None:
    file = found_by(f"import sys; sys._MEIPASS = {str(tmp_path)!r}; {FIND}", ROOT)
    assert file == tmp_path / "resources" / "templates" / "en" / "SOUL.md"


def test_a_home_elsewhere_takes_everything_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOBOT_DESKTOP_HOME", str(tmp_path / "h"))
    place = home()
    paths = (place.config, place.database, place.logs, place.models, place.ipc, place.workspace)
    assert all(path.is_relative_to(tmp_path / "h") for path in paths)
    assert not (tmp_path / "h").exists(), "asking where things are makes nothing"


def run_program(home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-P", "-m", "desktop", *arguments],
        env={**os.environ, "NANOBOT_DESKTOP_HOME": str(home)},
        umask=0o022,
        capture_output=True,
        text=True,
        check=False,
    )


def open_ones(folder: Path) -> list[str]:
    return [str(path) for path in (folder, *folder.rglob("*")) if path.lstat().st_mode & 0o077]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no umask: the profile's folder is private there")
def test_a_home_is_closed_to_other_accounts_from_the_first_moment(tmp_path: Path) -> None:
    done = run_program(tmp_path / "home", "doctor", "--fix")
    assert "is writable" in done.stdout, done.stderr
    assert (tmp_path / "home/state.db").exists()
    assert (tmp_path / "home/workspace/SOUL.md").exists()
    assert open_ones(tmp_path / "home") == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no umask: the profile's folder is private there")
def test_an_old_home_that_is_open_is_told_of_and_closed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    run_program(home, "doctor", "--fix")
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    done = run_program(home, "doctor")
    assert "Other accounts on this computer" in done.stdout
    assert "doctor --fix" in done.stdout
    assert (home / "state.db").stat().st_mode & 0o077
    done = run_program(home, "doctor", "--fix")
    assert "now private to your account" in done.stdout
    assert "can access" not in done.stdout
    for name in (".", "state.db", "logs", "workspace", "workspace/sessions"):
        assert not (home / name).stat().st_mode & 0o077, name


@pytest.mark.parametrize(
    "text",
    [
        *(r"\\evil\share", "//evil/share", r"\/evil/share", r"/\evil\share", "/%5Cevil%5Cshare"),
        *("%2F%2Fevil/share", "%5c%5cevil%5cshare", "/%255Cevil", "/%25255Cevil", r"\\?\UNC\evil\share"),
        *("//?/UNC/evil/share", r"\??\UNC\evil", r"\\.\pipe\x", "file://evil/share", r"file:\\evil\share"),
        *(
            "FILE:////evil/share",
            "file:///%5Cevil/share",
            " //evil/share",
            r"\\?\C:\x",
            "/%" + "25" * 9 + "5Cevil",
        ),
    ],
)
def test_another_computer_is_seen_in_every_spelling(text: str) -> None:
    assert elsewhere(text)


@pytest.mark.parametrize(
    "text",
    [
        *("/tmp/x.png", "C:/x.png", r"C:\Users\me\x.png", "notes//x.md", "file:///tmp/x.png", "a%5Cb.png"),
        *("file://localhost/tmp/x", "file:/tmp/x", "/tmp/100%.png", "/tmp/a//b", "https://e.org//x", ""),
    ],
)
def test_a_place_on_this_computer_is_not_taken_for_one(text: str) -> None:
    assert not elsewhere(text)
