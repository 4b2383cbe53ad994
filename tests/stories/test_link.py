"""Links without a window: what is wrong with one is a sentence, and nothing begins."""

import pytest

from tests.stories.program import Program

NO_SCREEN = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": ""}

WRONG = [
    ("nanobot-desktop://quit", "Nanobot doesn’t know what the link asks for."),
    ("nanobot:--hidden", "Nanobot doesn’t know what the link asks for."),
    ("nanobot-desktop://conversation/../../etc/passwd", "Nanobot doesn’t know what the link asks for."),
    ("nanobot-desktop://chat?text=%1B%5D0;owned%07", "The text of the link contains hidden characters."),
    (
        "nanobot-desktop://chat?text=a\x1b]0;owned\x07",
        "The link contains characters that no link can have.",
    ),
    ("nanobot-desktop://chat?text=\udcff", "The link contains characters that no link can have."),
    ("nanobot-desktop://chat?text=%ff", "The link is not encoded correctly."),
    ("nanobot-desktop://mcp?settings=x", "The link contains no settings of an MCP server."),
    ("nanobot-desktop://chat?text=" + "a" * 100_000, "The link is too long."),
]


@pytest.mark.parametrize(("link", "told"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_link_is_a_sentence(program: Program, link: str, told: str) -> None:
    done = program.run(link)
    assert (done.returncode, done.stdout) == (2, "")
    first, second = done.stderr.splitlines()
    assert first == told
    assert second.startswith("Nothing was opened.")
    assert not program.home.exists()


def test_nothing_stands_beside_a_link(program: Program) -> None:
    link = "nanobot-desktop://chat?text=a"
    for beside in ("--hidden", link, ""):
        done = program.run(link, beside)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "Nothing else can stand beside a link.\nOpen one link at a time.\n"
    for before in ("--hidden", "ask"):  # it is an argument like any other there
        done = program.run(before, link, "--no-such-option")
        assert done.returncode == 2
    assert not program.home.exists()


def test_a_good_link_needs_a_screen(program: Program) -> None:
    program.environment |= NO_SCREEN
    done = program.run("nanobot-desktop://chat?text=a")
    assert done.returncode == 1
    assert "There is no screen to show the window on." in done.stderr


def test_other_addresses_are_no_commands(program: Program) -> None:
    for address in ("https://example.org", "mailto:a@example.org", "javascript:alert(1)"):
        done = program.run(address)
        assert done.returncode == 2
        assert "No such command" in done.stderr
