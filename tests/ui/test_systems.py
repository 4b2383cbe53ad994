"""What Windows and macOS do otherwise: login start, links, the key from everywhere. Their own calls are
stood in for, by a registry and by libraries that note what is asked of them."""

import ctypes
import plistlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QUrl
from PySide6.QtGui import QFileOpenEvent, QKeySequence
from PySide6.QtWidgets import QApplication

from desktop.ui.application import Links
from desktop.ui.system import autostart_macos, autostart_windows, link_handler
from desktop.ui.system.macos_keys import MacKeys
from desktop.ui.system.shortcut_words import NO_KEY, TAKEN
from desktop.ui.system.windows_keys import WindowsKeys

RUN = r"Software\Microsoft\Windows\CurrentVersion\Run"
INSTALLED = r"C:\Users\Ada L\AppData\Local\Programs\Nanobot Desktop"


class Registry:
    """HKEY_CURRENT_USER of a test."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str], str] = {}
        self.written = 0

    def get(self, key: str, name: str) -> str | None:
        return self.values.get((key, name))

    def put(self, key: str, name: str, text: str) -> None:
        self.written += 1
        self.values[key, name] = text

    def drop(self, key: str, name: str) -> None:
        self.values.pop((key, name), None)


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The program as it is installed; this is its console twin."""
    folder = tmp_path / "Nanobot Desktop"
    folder.mkdir()
    (folder / "nanobot-desktop.exe").touch()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(folder / "nanobot-desktop.com"))
    return folder


# ---- login


def test_windows_starts_the_program_without_a_console_at_login(frozen: Path) -> None:
    registry = Registry()
    autostart_windows.set_up(registry, wanted=True)
    line = f'"{frozen / "nanobot-desktop.exe"}" --hidden'
    assert registry.values == {(RUN, "NanobotDesktop"): line}, (
        "as packaging/windows/installer.nsi writes it"
    )
    autostart_windows.set_up(registry, wanted=True)
    assert registry.written == 1, "what is there already is left alone"
    autostart_windows.set_up(registry, wanted=False)
    assert registry.values == {}
    autostart_windows.set_up(registry, wanted=False)


def test_an_older_place_of_the_program_is_corrected(frozen: Path) -> None:
    registry = Registry()
    registry.put(RUN, "NanobotDesktop", rf'"{INSTALLED}\nanobot-desktop.exe" --hidden')
    registry.put(RUN, "Another", "another.exe")
    autostart_windows.set_up(registry, wanted=True)
    assert str(frozen) in registry.values[RUN, "NanobotDesktop"]
    autostart_windows.set_up(registry, wanted=False)
    assert registry.values == {(RUN, "Another"): "another.exe"}


def test_a_checkout_on_windows_is_started_by_the_python_without_a_console(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "/somewhere/python.exe")
    assert autostart_windows.command("--hidden") == '"/somewhere/pythonw.exe" -P -m desktop --hidden'


def test_macos_starts_the_program_at_login_with_its_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NANOBOT_DESKTOP_HOME", "/Volumes/我的 data & more")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(
        sys, "executable", "/Applications/Nanobot Desktop.app/Contents/MacOS/nanobot-desktop"
    )
    file = tmp_path / "Library" / "LaunchAgents" / "io.github.nanobot-desktop.login.plist"
    autostart_macos.set_up(wanted=True)
    assert autostart_macos.path() == file
    found = plistlib.loads(file.read_bytes())
    assert found["Label"] == file.stem
    assert found["ProgramArguments"] == [sys.executable, "--hidden"]
    assert found["RunAtLoad"] is True
    assert found["EnvironmentVariables"] == {"NANOBOT_DESKTOP_HOME": "/Volumes/我的 data & more"}
    before = file.stat().st_mtime_ns
    autostart_macos.set_up(wanted=True)
    assert file.stat().st_mtime_ns == before
    autostart_macos.set_up(wanted=False)
    autostart_macos.set_up(wanted=False)
    assert list(file.parent.iterdir()) == []


# ---- links


def test_windows_hands_links_to_the_program(frozen: Path) -> None:
    registry = Registry()
    link_handler.register(registry)
    program = frozen / "nanobot-desktop.exe"
    for scheme in ("nanobot-desktop", "nanobot"):
        key = rf"Software\Classes\{scheme}"
        assert registry.values[key, ""] == "URL:Nanobot Desktop"
        assert registry.values[key, "URL Protocol"] == ""
        assert registry.values[rf"{key}\shell\open\command", ""] == f'"{program}" "%1"'
        assert registry.values[rf"{key}\DefaultIcon", ""] == f"{program},0"
    before = registry.written
    link_handler.register(registry)
    assert registry.written == before


def test_links_that_another_program_opens_stay_its_own(frozen: Path, tmp_path: Path) -> None:
    other, registry = tmp_path / "other.exe", Registry()
    other.touch()
    key = r"Software\Classes\nanobot\shell\open\command"
    registry.put(key, "", f'"{other}" "%1"')
    link_handler.register(registry)
    assert registry.values[key, ""] == f'"{other}" "%1"'
    other.unlink()
    link_handler.register(registry)
    assert str(frozen) in registry.values[key, ""], "it has gone"


def test_macos_hands_links_over_as_events_also_before_the_window_is_ready(qapp: QApplication) -> None:
    links, opened = Links(), list[str]()
    link = "nanobot-desktop://chat?text=Gr%C3%BC%C3%9Fe%20%26%20more"
    assert links.hear(QFileOpenEvent(QUrl(link)))
    assert not links.hear(QFileOpenEvent(QUrl("file:///etc/passwd")))
    assert not links.hear(QEvent(QEvent.Type.ApplicationStateChange))
    assert opened == []
    links.open_with(opened.append)
    assert links.hear(QFileOpenEvent(QUrl("nanobot://conversation/window%3Aa")))
    assert opened == [link, "nanobot://conversation/window%3Aa"]


# ---- the key


class Calls:
    """Windows, or macOS: notes which key was held, and says what became of it."""

    def __init__(self, error: int = 0) -> None:
        self.error = error
        self.held: list[tuple[int, ...]] = []
        self.let_go = 0
        self.pressed: Callable[[], object] = lambda: None

    def register(self, *asked: Any) -> int:
        if callable(asked[-1]):
            self.pressed = asked[-1]
            asked = asked[:-1]
        self.held.append(asked)
        return self.error

    def unregister(self, *_asked: Any) -> None:
        self.let_go += 1


@pytest.fixture
def pressed() -> list[int]:
    return []


@pytest.fixture
def windows(qapp: QApplication, pressed: list[int]) -> Iterator[tuple[WindowsKeys, Calls]]:
    calls = Calls()
    keys = WindowsKeys(lambda: pressed.append(1), calls)
    yield keys, calls
    keys.close()


@pytest.mark.parametrize(
    ("keys", "modifiers", "code"),
    [
        ("Ctrl+Alt+Space", 3, 0x20),
        ("Meta+Shift+K", 12, 0x4B),
        ("Ctrl+7", 2, 0x37),
        ("F9", 0, 0x78),
        ("Ctrl+PgUp", 2, 0x21),
    ],
)
def test_windows_is_asked_for_the_key(
    windows: tuple[WindowsKeys, Calls], keys: str, modifiers: int, code: int
) -> None:
    made, calls = windows
    assert made.hold(QKeySequence(keys)) == ""
    [(_id, asked, key)] = calls.held
    assert (asked & ~0x4000, key) == (modifiers, code)
    assert asked & 0x4000, "a key that is held down is one press"


def test_the_key_of_windows_is_heard_by_its_message_alone(
    windows: tuple[WindowsKeys, Calls], pressed: list[int]
) -> None:
    made, calls = windows
    made.hold(QKeySequence("Ctrl+Alt+Space"))
    ours = calls.held[0][0]

    class Message(ctypes.Structure):
        _fields_ = (
            ("hwnd", ctypes.c_void_p),
            ("message", ctypes.c_uint),
            ("wParam", ctypes.c_size_t),
            ("lParam", ctypes.c_ssize_t),
        )

    def come(number: int, first: int, kind: bytes = b"windows_generic_MSG") -> bool:
        message = Message(None, number, first, 0)
        return bool(made.nativeEventFilter(kind, ctypes.addressof(message))[0])

    assert come(0x0312, ours)
    assert not come(0x0312, ours + 1)
    assert not come(0x0100, ours)
    assert not come(0x0312, ours, b"xcb_generic_event_t")
    assert pressed == [1]


def test_windows_says_when_another_program_has_the_key(windows: tuple[WindowsKeys, Calls]) -> None:
    made, calls = windows
    calls.error = 1409
    assert made.hold(QKeySequence("Ctrl+Alt+Space")) == TAKEN
    calls.error = 87
    assert made.hold(QKeySequence("Ctrl+Alt+Space")) == NO_KEY
    assert made.hold(QKeySequence("Ctrl+MediaPlay")) == NO_KEY
    assert calls.let_go == 0, "what was never held is not let go of"
    calls.error = 0
    assert made.hold(QKeySequence("Ctrl+Alt+K")) == ""
    assert made.hold(QKeySequence("")) == ""
    assert calls.let_go == 1


@pytest.mark.parametrize(
    ("keys", "modifiers", "code"),
    [
        ("Ctrl+Alt+Space", 0x1800, 49),
        ("Meta+Shift+K", 0x0300, 40),
        ("Alt+A", 0x0800, 0),
        ("F20", 0, 90),
        ("Ctrl+.", 0x1000, 47),
    ],
)
def test_macos_is_asked_for_the_key_with_the_names_on_it(keys: str, modifiers: int, code: int) -> None:
    calls = Calls()
    made = MacKeys(lambda: None, calls)
    assert made.hold(QKeySequence(keys)) == ""
    assert calls.held == [(code, modifiers)]
    made.close()
    made.close()
    assert calls.let_go == 1


def test_macos_says_when_another_program_has_the_key(pressed: list[int]) -> None:
    calls = Calls(-9878)
    made = MacKeys(lambda: pressed.append(1), calls)
    assert made.hold(QKeySequence("Ctrl+Alt+Space")) == TAKEN
    assert made.hold(QKeySequence("Ctrl+MediaPlay")) == NO_KEY
    calls.error = 0
    assert made.hold(QKeySequence("Ctrl+Alt+Space")) == ""
    calls.pressed()
    assert pressed == [1]
    made.close()
