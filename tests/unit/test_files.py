"""The one opener: no link leads out of a place, whatever is changed while it is at work."""

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.files import Astray, NotPlain, Place, judge_links
from tests.flipping import exchanging, flipping

SECRET = b"the person's key"
ROUNDS = 200


@pytest.fixture(params=[True, False], ids=["openat2", "part by part"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A place, once with the kernel's one call, once as on a kernel without it."""
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed/key").write_bytes(SECRET)
    (tmp_path / "work/d").mkdir(parents=True)
    (tmp_path / "work/d/key").write_bytes(b"harmless")
    return Place(tmp_path / "work", modern=request.param)


def tried[T](work: Callable[[], T]) -> T | None:
    try:
        return work()
    except OSError:
        return None


def test_what_is_written_is_read_back_with_its_identity(place: Place) -> None:
    seen = place.write("a/b/c.txt", b"text")
    assert place.read("a/b/c.txt") == b"text"
    status = (place.path / "a/b/c.txt").stat()
    assert (seen.inode, seen.size, seen.changed) == (status.st_ino, 4, status.st_ctime_ns)
    assert seen.path == Path(os.path.realpath(place.path / "a/b/c.txt"))
    with place.open("a/b/c.txt") as file:
        assert file.seen(seen.digest) == seen
    assert stat.S_IMODE(status.st_mode) == 0o600
    assert place.names("a/b") == ["c.txt"]


def test_an_old_file_keeps_its_permissions_and_a_stranger_to_it_stays(place: Place) -> None:
    old = place.path / "d/key"
    old.chmod(0o640)
    os.link(old, place.path / "twin")
    place.write("d/key", b"new")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert (place.path / "twin").read_bytes() == b"harmless"


def test_a_link_leads_nowhere_outside(place: Place, tmp_path: Path) -> None:
    (place.path / "file").symlink_to("../closed/key")
    (place.path / "folder").symlink_to(tmp_path / "closed")
    (place.path / "new").symlink_to(tmp_path / "closed/new")
    with pytest.raises(Astray):
        place.read("file")
    for name in ("file", "folder/key", "new"):
        with pytest.raises(Astray):
            place.stat(name)
        with pytest.raises(Astray):
            place.write(name, b"x")
        with pytest.raises(Astray):
            os.close(place.append(name))
        assert not place.exists(name)
    for attempt in (
        lambda: place.scan("folder"),
        lambda: place.unlink("folder/key"),
        lambda: place.remove_tree("folder/key"),
        lambda: place.mkdir("folder/more/deep"),
        lambda: place.move("d/key", "folder/key"),
        lambda: place.move("folder/key", "d/other"),
        lambda: place.read("folder/key"),
    ):
        with pytest.raises(Astray):
            attempt()
    place.remove_tree("folder")
    place.unlink("file")
    assert (tmp_path / "closed/key").read_bytes() == SECRET
    assert os.listdir(tmp_path / "closed") == ["key"]
    assert place.read("d/key") == b"harmless"


@pytest.mark.parametrize("name", ["../closed/key", "d/../../closed/key", "/etc/passwd", "a\0b", ".."])
def test_a_name_that_is_no_path_below_is_refused(place: Place, name: str) -> None:
    with pytest.raises(Astray):
        place.read(name)
    with pytest.raises(Astray):
        place.write(name, b"x")


def test_an_absolute_path_counts_in_its_own_place_only(place: Place, tmp_path: Path) -> None:
    assert place.read(place.path / "d/key") == b"harmless"
    assert (place / "d").read("key") == b"harmless"
    with pytest.raises(Astray):
        place.read(tmp_path / "closed/key")


def test_a_link_within_leads_where_it_says(place: Place) -> None:
    (place.path / "link").symlink_to("d/key")
    assert place.read("link") == b"harmless"
    place.write("link", b"x")
    assert (place.path / "d/key").read_bytes() == b"x"
    assert (place.path / "link").is_symlink()


def test_a_judge_lets_a_link_of_the_person_through(place: Place, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (place.path / "notes").symlink_to(notes)
    (place.path / "MEMORY.md").symlink_to(notes / "memory.md")
    (place.path / "evil").symlink_to(tmp_path / "closed")
    asked: list[tuple[Path, bool]] = []

    def judge(real: Path, writing: bool) -> bool:
        asked.append((real, writing))
        return real.is_relative_to(notes)

    judge_links(place.path, judge)
    try:
        place.write("notes/a/b.md", b"one")
        place.write("MEMORY.md", b"two")
        os.close(place.append("notes/log"))
        assert place.read("notes/a/b.md") == b"one"
        assert place.read("MEMORY.md") == b"two"
        assert (notes / "memory.md").read_bytes() == b"two"
        assert (place.path / "MEMORY.md").is_symlink()
        with pytest.raises(Astray):
            place.read("evil/key")
    finally:
        judge_links(place.path, None)
    assert (notes / "memory.md", True) in asked
    with pytest.raises(Astray):
        place.read("MEMORY.md")


def test_a_place_that_is_a_link_itself_works(place: Place, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(place.path)
    through = Place(tmp_path / "alias")
    through.write("new", b"x")
    assert place.read("new") == b"x"
    (place.path / "out").symlink_to("../closed/key")
    with pytest.raises(Astray):
        through.read("out")


def test_what_is_no_plain_file_is_refused_at_once(place: Place) -> None:
    os.mkfifo(place.path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(place.path)  # its whole path may be too long for a socket
        server.bind("socket")
        os.chdir(here)
        for name in ("pipe", "socket", "d"):
            with pytest.raises(OSError, match=r"not a regular file|No such device"):
                place.read(name)
            with pytest.raises(NotPlain):
                place.write(name, b"x")
            assert not place.is_file(name)


def test_an_appended_file_is_never_shared_with_another_name(place: Place, tmp_path: Path) -> None:
    os.link(tmp_path / "closed/key", place.path / "log")
    with os.fdopen(place.append("log"), "ab") as file:
        file.write(b" and more")
    assert (tmp_path / "closed/key").read_bytes() == SECRET
    with os.fdopen(place.append("d/log"), "ab") as file:
        file.write(b"one")
    with os.fdopen(place.append("d/log"), "ab") as file:
        file.write(b"two")
    assert place.read("d/log") == b"onetwo"


def test_a_check_that_fails_leaves_everything_as_it_was(place: Place) -> None:
    def check() -> None:
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011  our own
        place.write("d/key", b"x", check=check)
    assert place.read("d/key") == b"harmless"
    assert place.names("d") == ["key"]
    with pytest.raises(FileExistsError):
        place.write("d/key", b"x", fresh=True)


def test_removing_a_tree_stops_at_links(place: Place, tmp_path: Path) -> None:
    (place.path / "tree/inner").mkdir(parents=True)
    (place.path / "tree/inner/out").symlink_to(tmp_path / "closed")
    place.remove_tree("tree")
    place.remove_tree("tree")
    assert not place.taken("tree")
    assert (tmp_path / "closed/key").exists()


def test_errors_name_the_path(place: Place) -> None:
    for attempt in (lambda: place.read("none"), lambda: place.unlink("none"), lambda: place.stat("no/ne")):
        with pytest.raises(FileNotFoundError) as caught:
            attempt()
        assert "no" in str(caught.value.filename)
    place.unlink("none", missing_ok=True)
    with pytest.raises(NotADirectoryError):
        place.read("d/key/more")
    assert place.names("none") == []


def test_a_flipping_folder_leaks_nothing_and_takes_nothing_out(place: Place, tmp_path: Path) -> None:
    closed, leaks, read = tmp_path / "closed", 0, 0
    with flipping(place.path / "d", closed):
        rounds = 0
        while rounds < ROUNDS or not read:  # on a busy machine the link may long be met alone
            rounds += 1
            data = tried(lambda: place.read("d/key"))
            leaks += data == SECRET
            read += data == b"harmless"
        for number in range(ROUNDS):
            tried(lambda number=number: place.write(f"d/{number}", b"x"))  # type: ignore[misc]
            tried(lambda number=number: os.close(place.append(f"d/log{number}")))  # type: ignore[misc]
            tried(lambda: place.unlink("d/key"))
            tried(lambda: place.write("d/key", b"harmless"))
    assert leaks == 0
    assert os.listdir(closed) == ["key"]
    assert (closed / "key").read_bytes() == SECRET
    for number in range(ROUNDS):
        place.write("d/key", str(number).encode())
        assert place.read("d/key") == str(number).encode()


def test_a_flipping_folder_leaks_nothing_through_a_judge(place: Place, tmp_path: Path) -> None:
    """A link that may be followed, and one that may not, exchanged as fast as it goes."""
    closed, notes, leaks = tmp_path / "closed", tmp_path / "notes", 0
    notes.mkdir()
    (notes / "key").write_bytes(b"harmless")
    (place.path / "n").symlink_to(notes)
    (place.path / "evil").symlink_to(closed)
    judge_links(place.path, lambda real, _writing: real.is_relative_to(notes))
    try:
        with exchanging(place.path / "n", place.path / "evil"):
            for number in range(ROUNDS):
                leaks += tried(lambda: place.read("n/key")) == SECRET
                tried(lambda number=number: place.write(f"n/{number}", b"x"))  # type: ignore[misc]
    finally:
        judge_links(place.path, None)
    assert leaks == 0
    assert os.listdir(closed) == ["key"]
