"""What can be said here of the installers of other systems; the one for Windows runs in tests/soak wine."""

import plistlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.cli.installed import with_folder

PACKAGING = Path(__file__).parents[2] / "packaging"
WINDOWS, MAC = PACKAGING / "windows", PACKAGING / "macos"
OURS = r"C:\Users\me\AppData\Local\Programs\Nanobot Desktop"


def python(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=True, cwd=PACKAGING
    )
    return done.stdout.strip()


# ---- Windows


@pytest.mark.parametrize(
    ("version", "numbers"),
    [("0.1.0", "0.1.0.0"), ("1.2.3rc1", "1.2.3.0"), ("2.0", "2.0.0.0"), ("1.2.3.4.5", "1.2.3.4")],
)
def test_a_version_has_four_numbers_for_windows(version: str, numbers: str) -> None:
    assert python("windows/version.py", version) == numbers


def test_the_programs_of_windows_say_what_they_are(tmp_path: Path) -> None:
    python("windows/version.py", "1.2.3", str(tmp_path / "about"))
    about = (tmp_path / "about").read_text("utf-8")
    assert "filevers=(1, 2, 3, 0)" in about
    assert "StringStruct('FileDescription', 'Nanobot Desktop')" in about


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", OURS),
        (r"%USERPROFILE%\bin;C:\Tools", rf"%USERPROFILE%\bin;C:\Tools;{OURS}"),
        (rf"C:\Tools;{OURS.upper()}\;D:\x", rf"C:\Tools;D:\x;{OURS}"),
        (rf'"{OURS}";C:\Tools;', rf"C:\Tools;{OURS}"),
    ],
)
def test_the_path_of_the_account_keeps_what_is_not_ours(before: str, after: str) -> None:
    assert with_folder(before, OURS, add=True) == after
    left = with_folder(after, OURS, add=False)
    assert left == after.removesuffix(OURS).removesuffix(";")
    assert with_folder(left, OURS, add=False) == left


def test_the_installer_speaks_both_languages() -> None:
    words = (WINDOWS / "words.nsh").read_text("utf-8")
    said = re.findall(r'^!insertmacro Words (\w+) "([^"]*)" (?:\\\n +)?"([^"]*)"', words, re.MULTILINE)
    assert len(said) == words.count("!insertmacro Words")
    script = (WINDOWS / "installer.nsi").read_text("utf-8")
    assert {name for name, _english, _chinese in said} == set(re.findall(r"\$\((\w+)\)", script))
    for name, english, chinese in said:
        if not english.startswith("$"):
            assert re.search(r"[\u4e00-\u9fff]", chinese), name
        assert english.isascii() or "’" in english, name
        # Both have the same values in them, and their lines.
        assert sorted(re.findall(r"\$\d|\$\\n|\$\{\w+\}", english)) == sorted(
            re.findall(r"\$\d|\$\\n|\$\{\w+\}", chinese)
        ), name


# ---- macOS


def test_the_bundle_says_what_it_is() -> None:
    code = "import plistlib; from macos.info import info; print(plistlib.dumps(info('1.2.3')).decode())"
    told = plistlib.loads(python("-c", code).encode())
    assert told["LSUIElement"] is True
    assert told["NSMicrophoneUsageDescription"]  # without it the system ends who asks for the microphone
    assert told["CFBundleVersion"] == told["CFBundleShortVersionString"] == "1.2.3"
    (links,) = told["CFBundleURLTypes"]
    assert links["CFBundleURLSchemes"] == ["nanobot-desktop", "nanobot"]
    assert re.fullmatch(r"[A-Za-z0-9.-]+", links["CFBundleURLName"])


def test_what_the_bundle_may_do_is_named() -> None:
    told = plistlib.loads((MAC / "entitlements.plist").read_bytes())
    assert told.pop("com.apple.security.device.audio-input") is True  # dictation
    assert all(name.startswith("com.apple.security.cs.") and value is True for name, value in told.items())
    assert "com.apple.security.get-task-allow" not in told  # the notary refuses it


def test_the_launch_agent_serves() -> None:
    (file,) = MAC.glob("*.serve.plist")
    told = plistlib.loads(file.read_bytes())
    assert file.name == f"{told['Label']}.plist"
    assert told["ProgramArguments"] == [
        "/Applications/Nanobot Desktop.app/Contents/MacOS/nanobot-desktop",
        "serve",
    ]
    assert (told["RunAtLoad"], told["KeepAlive"]) == (True, {"SuccessfulExit": False})


@pytest.mark.parametrize("script", [*WINDOWS.glob("*.sh"), *MAC.glob("*.sh")], ids=lambda path: path.name)
def test_their_scripts_can_be_read(script: Path) -> None:
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
