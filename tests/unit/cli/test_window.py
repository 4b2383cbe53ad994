"""Where there can be no window, nanobot-desktop says so and names the way that is left."""

import importlib.util
import json
from pathlib import Path

from tests.stories.program import Program

NO_SCREEN = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": ""}


def test_without_a_screen_the_terminal_is_named(tmp_path: Path) -> None:
    for arguments in ((), ("--hidden",)):
        done = Program(tmp_path / "home", NO_SCREEN).run(*arguments)
        assert done.returncode == 1
        assert "There is no screen to show the window on." in done.stderr
        assert "nanobot-desktop chat" in done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "home").exists()


def test_without_pyside_everything_else_works(tmp_path: Path) -> None:
    """Python 3.13 runs the unit tests without PySide6; where it is installed only the second half tells."""
    program = Program(tmp_path / "home", NO_SCREEN | {"QT_QPA_PLATFORM": "offscreen"})
    if importlib.util.find_spec("PySide6") is None:
        done = program.run()
        assert done.returncode == 1
        assert "PySide6 is missing" in done.stderr
        assert "nanobot-desktop[window]" in done.stderr
    assert isinstance(json.loads(program.run("sessions", "list", "--json").stdout or "[]"), list)
