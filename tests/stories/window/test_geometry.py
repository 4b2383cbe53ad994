"""Where the windows are on small screens, at every scale: whole, with what is written in and pressed."""

import os
from pathlib import Path

import pytest

from tests.desktop.desk import Desk
from tests.desktop.session import nested_session
from tests.desktop.window import TITLE, Window, running_window, until
from tests.stories.program import Program


@pytest.mark.parametrize(
    ("screen", "scale"),
    [("1280x720", "1"), pytest.param("1280x720", "1.5", marks=pytest.mark.soak), ("1440x900", "2")],
)
def test_the_first_windows_are_whole_on_the_screen(
    program: Program, tmp_path: Path, screen: str, scale: str
) -> None:
    width, height = map(int, screen.split("x"))
    options = ("--screen", screen, "--tray", "none", "--secrets", "none", "--notify", "none")
    with nested_session(*options) as environment:
        program.environment |= environment | {"QT_SCALE_FACTOR": scale}
        desk = Desk(Path(os.environ.get("NANOBOT_TEST_SHOTS") or tmp_path), environment)

        def seen(window: Window, name: str, role: str) -> bool:
            x, y, wide, high = (round(side * float(scale)) for side in window.extents(name, role))
            return x >= 0 and y >= 0 and x + wide <= width and y + high <= height

        with running_window(program) as window:
            desk.wait_active(TITLE)
            window.wait("Choose your model")
            until(lambda: seen(window, TITLE, "frame"), "the window is whole on the screen")
            assert seen(window, "Message", "text")
            desk.screenshot(f"first-{screen}-{scale}")
            desk.key("ctrl+comma")  # the list with its button makes room where there is little
            desk.wait_active("Settings")
            until(lambda: seen(window, "Settings", "dialog"), "the settings are whole on the screen")
            desk.screenshot(f"settings-{screen}-{scale}")
