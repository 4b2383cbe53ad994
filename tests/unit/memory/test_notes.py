"""The notes: read whatever is in them, changed without losing what somebody else wrote."""

import os
from pathlib import Path

import pytest

from desktop.errors import AppError, StorageError, UsageError
from desktop.memory.notes import Notes, Source, alike, facts, normal


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    (tmp_path / "memory").mkdir()
    return Notes(tmp_path)


def test_facts_are_the_lines_with_a_dash_or_star() -> None:
    text = (
        "# About\r\n\r\n- Likes tea.\r\n  Green, not black.\r\n* Lives in 上海\r\nPlain words.\r\n"
        "<!-- for example:\r\n- Name: how\r\n-->\r\n## Work ##\r\n- Baker <!-- since 2020 -->\r\n"
        "```\r\n- code\r\n```\r\n---\r\n-no\r\n"
    )
    found = [(fact.text, fact.heading, fact.lines) for fact in facts(text)]
    assert found == [
        ("Likes tea.", "About", (2, 4)),
        ("Lives in 上海", "About", (4, 5)),
        ("Baker", "Work", (10, 11)),
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Likes tea.", "likes  TEA", True),
        ("Lives in Berlin since 2020", "Lives in Berlin, since 2020.", True),
        ("Lives in Berlin", "Works in Berlin at a bakery", False),
        ("喜欢喝绿茶", "喜欢喝绿茶。", True),
        ("喜欢喝绿茶", "住在上海市区", False),
        ("...", "!!!", True),
    ],
)
def test_facts_that_say_the_same(one: str, other: str, same: bool) -> None:
    assert alike(one, other) is same


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("- 喜欢茶，住在上海。\n".encode("gb18030"), "- 喜欢茶，住在上海。\n"),
        ("- Tee für zwei\n".encode("cp1252"), "- Tee für zwei\n"),
        ("\ufeff- tea\n".encode(), "- tea\n"),
        ("\ufeff- tea\n".encode("utf-16-le"), "- tea\n"),
        (b"- te\0a\n", "- tea\n"),
        (b"", ""),
    ],
)
def test_any_encoding_is_read(notes: Notes, data: bytes, text: str) -> None:
    (notes.workspace / "USER.md").write_bytes(data)
    note = notes.read("USER")
    assert (note.text, note.editable) == (text, True)
    assert bool(note.problem) is (b"\0" in data and not data.startswith(b"\xff\xfe"))
    notes.save("USER", text + "- more\n", text)
    assert (notes.workspace / "USER.md").read_text("utf-8") == text + "- more\n"


def _folder(path: Path) -> None:
    path.mkdir()


def _large(path: Path) -> None:
    path.write_bytes(b"- x\n" * 1_400_000)


def _read_only(path: Path) -> None:
    path.write_text("- x\n")
    path.chmod(0o400)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _circle(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize("make", [_folder, _large, _pipe, _circle])
def test_what_is_no_note_says_what_helps_and_is_left_alone(notes: Notes, make) -> None:  # type: ignore[no-untyped-def]
    path = notes.workspace / "memory/MEMORY.md"
    make(path)
    before = _as_it_is(path)
    note = notes.read("MEMORY")
    assert note.problem
    assert note.remedy
    assert not note.editable
    with pytest.raises(StorageError):
        notes.save("MEMORY", "- new\n", note.text)
    assert _as_it_is(path) == before


def _as_it_is(path: Path) -> tuple[int, ...]:
    """What tells that a file was written, replaced or made another kind; reading changes none of it."""
    status = path.lstat()
    return (status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns)


def test_a_read_only_note_is_shown_and_not_written(notes: Notes) -> None:
    path = notes.workspace / "USER.md"
    _read_only(path)
    note = notes.read("USER")
    assert (note.text, note.editable) == ("- x\n", os.access(path, os.W_OK)), "root may always"
    assert bool(note.problem) is not note.editable


def test_five_megabytes_are_read_and_changed(notes: Notes) -> None:
    text = "- a fact of the person\n" * 220_000
    (notes.workspace / "USER.md").write_text(text, "utf-8")
    note = notes.read("USER")
    assert note.editable
    assert note.problem
    notes.save("USER", text + "- one more\n", text)
    assert len(facts(notes.read("USER").text)) == 220_001


def test_an_edit_made_meanwhile_is_never_written_over(notes: Notes) -> None:
    path = notes.workspace / "USER.md"
    path.write_text("- tea\n", "utf-8")
    note = notes.read("USER")
    path.write_text("- tea\n- by hand\n", "utf-8")
    with pytest.raises(UsageError):
        notes.save("USER", "- mine\n", note.text)
    with pytest.raises(UsageError):
        notes.put(note, "- mine\n")
    assert path.read_text("utf-8") == "- tea\n- by hand\n"
    path.unlink()
    with pytest.raises(UsageError):
        notes.save("USER", "- mine\n", note.text)
    assert not path.exists()
    assert list(notes.workspace.glob(".*.tmp")) == []


def test_line_ends_a_link_and_the_mode_stay(notes: Notes, tmp_path: Path) -> None:
    real = tmp_path / "elsewhere.md"
    real.write_bytes(b"- one\r\n- two\r\n")
    real.chmod(0o640)
    (notes.workspace / "USER.md").symlink_to(real)
    notes.save("USER", "- one\n- three\n", "- one\n- two\n")
    assert real.read_bytes() == b"- one\r\n- three\r\n"
    assert (notes.workspace / "USER.md").is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640


def test_what_is_forgotten_is_out_of_all_files_and_marked(notes: Notes) -> None:
    (notes.workspace / "USER.md").write_text("# A\n- Likes tea.\n  Green.\n- Bakes.\n", "utf-8")
    (notes.workspace / "memory/MEMORY.md").write_text("* likes TEA\n", "utf-8")
    notes.forget("USER", "Likes tea.")
    assert notes.read("USER").text == "# A\n- Bakes.\n"
    assert notes.read("MEMORY").text == ""
    assert notes.forgotten() == ["likes tea"]
    with pytest.raises(UsageError):
        notes.forget("USER", "Likes tea.")
    notes.save("USER", "- Likes tea.\n", "# A\n- Bakes.\n")
    assert notes.forgotten() == [], "what the person writes is wanted"
    with pytest.raises(AppError):
        notes.forget("DIARY", "x")


def test_sources_are_kept_once_and_broken_lines_cost_themselves(notes: Notes) -> None:
    source = Source(7, "window:a", "2026-03-01T10:00:00.000+00:00")
    for _time in range(2):
        notes.credit([("USER", "Likes tea.", source)])
    path = notes.workspace / "memory/sources.jsonl"
    assert len(path.read_text("utf-8").splitlines()) == 1
    with path.open("ab") as file:
        file.write(b'[1]\n{"file": 3, "cursor": true}\n{"fi')
    notes.credit([("MEMORY", "Bakes", source)])
    fresh = Notes(notes.workspace).sources()
    assert fresh["USER", normal("likes tea")] == source
    assert fresh["MEMORY", "bakes"] == source
