"""A protected file that the program changes while a command runs: the command's walls stand. Needs
bubblewrap."""

import errno
from pathlib import Path

import pytest

from desktop.files import Place
from desktop.tasks import in_thread, spawn
from desktop.tools.exec.sandbox import find, works
from desktop.tools.exec.walls import walls
from tests.unit.tools.exec.conftest import Desk

pytestmark = [
    pytest.mark.machine,
    pytest.mark.skipif(not (find() and works(find())), reason="bubblewrap is not here"),
]

WAITING = "touch ready; until [ -e go ]; do sleep 0.05; done; "
POISON = "echo poison >> USER.md; cat vault.kdbx; "


@pytest.fixture
def boxed(desk: Desk, tmp_path: Path) -> Desk:
    desk.settings = {"sandbox": "auto"}
    desk.walls = lambda settings: walls(tmp_path / "home", desk.workspace, settings)
    return desk


async def told_while(desk: Desk, command: str, change: object) -> str:
    """What a command says during which the program changes something."""
    running = spawn(desk.run(WAITING + command), name="command")
    await in_thread(appears, desk.workspace / "ready")
    try:
        await in_thread(change)  # type: ignore[arg-type]
    finally:
        (desk.workspace / "go").touch()
    return await running


def appears(path: Path) -> None:
    """Wait until something is there."""
    import time

    while not path.exists():
        time.sleep(0.02)


async def test_what_the_program_writes_does_not_open_a_file(boxed: Desk) -> None:
    place = Place(boxed.workspace)
    place.write("USER.md", b"- Name: Dana\n")
    place.write("vault.kdbx", b"PRIVATE old and long\n")

    def change() -> None:
        place.write("USER.md", b"- Name: Dana\n- Likes basil\n")
        place.write("vault.kdbx", b"PRIVATE new\n")

    told = await told_while(boxed, POISON, change)
    assert "Read-only file system" in told
    assert "PRIVATE" not in told
    assert place.read("USER.md") == b"- Name: Dana\n- Likes basil\n"
    assert place.read("vault.kdbx") == b"PRIVATE new\n", "and nothing of the old one is left"
    assert not [name for name in place.names() if name.endswith(".tmp")]


async def test_a_file_is_not_removed_from_under_a_mount(boxed: Desk) -> None:
    place = Place(boxed.workspace)
    place.write("USER.md", b"- Name: Dana\n")

    def change() -> None:
        with pytest.raises(OSError, match="try again when it has finished") as caught:
            place.unlink("USER.md")
        assert caught.value.errno == errno.EBUSY

    assert "Read-only file system" in await told_while(boxed, POISON, change)
    assert place.read("USER.md") == b"- Name: Dana\n"
    place.unlink("USER.md")
    assert not place.exists("USER.md")


async def test_one_that_was_missing_is_made_and_stays_shut(boxed: Desk) -> None:
    place = Place(boxed.workspace)
    told = await told_while(boxed, POISON, lambda: place.write("USER.md", b"- Name: Dana\n"))
    assert "Read-only file system" in told
    assert place.read("USER.md") == b"- Name: Dana\n"


async def test_what_has_no_mount_is_replaced_as_ever(boxed: Desk) -> None:
    place = Place(boxed.workspace)
    before = place.write("notes.txt", b"one\n")
    told = await told_while(boxed, "cat notes.txt", lambda: place.write("notes.txt", b"two\n"))
    assert told.startswith("two")
    assert (boxed.workspace / "notes.txt").stat().st_ino != before.inode
