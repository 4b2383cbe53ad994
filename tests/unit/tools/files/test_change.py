"""write_file and edit_file: whole or not at all, faithful to what the file is, and kept for an undo."""

import hashlib
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.tools.files.encoding import sniff
from desktop.tools.files.kept import Kept
from desktop.tools.files.nearest import nearest
from tests.unit.tools.files.conftest import Bench, seconds_of


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def test_a_new_file_gets_its_folders(bench: Bench) -> None:
    text = await bench.call("write_file", path="a/b/c.txt", content="x\r\ny\n世")
    assert (bench.workspace / "a/b/c.txt").read_bytes() == "x\r\ny\n世".encode()
    assert "3 lines, 8 bytes (new file)" in text


async def test_an_old_file_keeps_its_mode_and_leaves_no_other_file(bench: Bench) -> None:
    path = bench.put("run.sh", "old")
    path.chmod(0o751)
    assert "replaced" in await bench.call("write_file", path="run.sh", content="new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert [p.name for p in bench.workspace.iterdir()] == ["run.sh"]


async def test_a_link_stays_and_its_target_is_written(bench: Bench) -> None:
    path = bench.put("real.txt", "old")
    (bench.workspace / "link").symlink_to("real.txt")
    await bench.call("write_file", path="link", content="new")
    assert (bench.workspace / "link").is_symlink()
    assert path.read_text() == "new"


async def test_only_plain_files_are_written(bench: Bench) -> None:
    os.mkfifo(bench.workspace / "pipe")
    assert "a pipe" in await bench.failure("write_file", path="pipe", content="x")
    assert "a folder" in await bench.failure("write_file", path=".", content="x")
    assert "a device" in await bench.failure("write_file", path="/dev/null", content="x")
    bench.put("file")
    await bench.failure("write_file", path="file/x", content="x")
    await bench.failure("write_file", path="n" * 300, content="x")
    assert "surrogate" in await bench.failure("write_file", path="a", content="\ud800")


async def test_the_claims_name_what_is_changed(bench: Bench) -> None:
    tool = bench.tools["edit_file"]
    args = tool.arguments.model_validate({"path": "../x", "old_text": "a\nb", "new_text": "c"})
    claim = tool.claim(args, bench.context)
    assert claim.writes == (bench.workspace / "../x",)
    assert claim.body == "- a\n- b\n+ c"


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n"),
        (b"a\r\nb\r\n", "b", "b\nc", b"a\r\nb\r\nc\r\n"),
        (b"a\nb\n", "a\r\nb", "c", b"c\n"),
        (b"a\nb\r\nc\r\nd\n", "b\nc\nd", "x\ny", b"a\nx\r\ny\n"),
        (b"a\nb\r\nc\n", "b", "x\ny", b"a\nx\r\ny\r\nc\n"),
        (b"a\rb\rc", "a\nb", "x\ny\nz", b"x\ry\rz\rc"),
        (b"a\r\nb\r\n", "\nb", "", b"a\r\n"),
        (b"a\nb\n", "a\nb", "a\r\nb", None),
        (b"\xef\xbb\xbfa", "a", "ä", b"\xef\xbb\xbf\xc3\xa4"),
        ("\ufeff世a".encode("utf-16-le"), "a", "b", "\ufeff世b".encode("utf-16-le")),
        ("今天天气很好".encode("gb18030"), "天气", "不", "今天不很好".encode("gb18030")),
        (b"a" + b" " * 70_000 + b"\xff b", " b", " c", b"a" + b" " * 70_000 + b"\xff c"),
    ],
)
async def test_an_edit_keeps_everything_else(
    bench: Bench, before: bytes, old: str, new: str, after: bytes | None
) -> None:
    path = bench.put("a.txt", before)
    if after is None:
        await bench.failure("edit_file", path="a.txt", old_text=old, new_text=new)
        assert path.read_bytes() == before
    else:
        await bench.call("edit_file", path="a.txt", old_text=old, new_text=new)
        assert path.read_bytes() == after


async def test_a_near_miss_is_answered_with_the_lines_as_a_diff(bench: Bench) -> None:
    bench.put("a.py", "".join(f"def f{n}():\n    return {n}\n\n" for n in range(20)))
    text = await bench.failure("edit_file", path="a.py", old_text="def f7():\n    return 8\n", new_text="")
    assert "@@ -1,3 +22,3 @@" in text
    assert "-    return 8\n+    return 7" in text
    text = await bench.failure("edit_file", path="a.py", old_text="  return seven  + 19", new_text="")
    assert "+    return 19" in text
    text = await bench.failure("edit_file", path="a.py", old_text="qqqqq", new_text="")
    assert "nor anything like it" in text


async def test_several_places_are_named_and_replaced_only_on_demand(bench: Bench) -> None:
    path = bench.put("a.txt", "x = 1\ny\nx = 1\n")
    text = await bench.failure("edit_file", path="a.txt", old_text="x = 1", new_text="z")
    assert "2 times" in text
    assert "   3| x = 1" in text
    text = await bench.call("edit_file", path="a.txt", old_text="x = 1", new_text="z", replace_all=True)
    assert "2 places, lines 1, 3" in text
    assert path.read_text() == "z\ny\nz\n"


async def test_edits_that_make_no_sense_are_refused(bench: Bench) -> None:
    bench.put("a.txt", "x")
    bench.put("b.bin", b"x\0")
    bench.put("l.txt", "é à".encode("cp1252"))
    assert "same" in await bench.failure("edit_file", path="a.txt", old_text="x", new_text="x")
    assert "write_file" in await bench.failure("edit_file", path="a.txt", old_text="", new_text="x")
    assert "binary" in await bench.failure("edit_file", path="b.bin", old_text="x", new_text="y")
    assert "does not exist" in await bench.failure("edit_file", path="no", old_text="x", new_text="y")
    assert "write_file" in await bench.failure("edit_file", path="l.txt", old_text="é", new_text="世")
    await bench.call("edit_file", path="new.txt", old_text="", new_text="x")
    assert (bench.workspace / "new.txt").read_text() == "x"


def test_a_miss_in_a_large_file_takes_no_long() -> None:
    text = "".join(f"some line of text number {n}, {n * 7} words\n" for n in range(60_000))
    wanted = "\n".join(f"some lines of texts numbered {n}" for n in range(3_000))
    assert nearest(text, wanted)
    assert seconds_of(lambda: nearest(text, wanted)) < 5


@given(st.binary(max_size=400))
def test_what_decodes_encodes_to_the_same_bytes(data: bytes) -> None:
    encoding = sniff(data)
    if encoding is not None and encoding.errors != "strict":
        assert encoding.encode(encoding.decode(data)) == data


async def test_old_bytes_are_kept_until_they_are_old(bench: Bench, tmp_path: Path) -> None:
    await bench.call("write_file", path="a.txt", content="one")
    await bench.call("write_file", path="a.txt", content="two")
    await bench.call("edit_file", path="a.txt", old_text="two", new_text="three")
    path = str(bench.workspace / "a.txt")
    found = [(c.path, c.before, c.after, c.session, c.call) for c in bench.kept.changes("turn")]
    assert found == [
        (path, None, digest(b"one"), "here", "call"),
        (path, digest(b"one"), digest(b"two"), "here", "call"),
        (path, digest(b"two"), digest(b"three"), "here", "call"),
    ]
    assert bench.kept.content(digest(b"two")) == b"two"
    assert bench.kept.changes("other") == []
    assert {stat.S_IMODE(p.stat().st_mode) for p in (tmp_path / "undo").iterdir()} == {0o600}
    with (tmp_path / "undo" / "index.jsonl").open("a") as index:
        index.write('{"at": 5, "sess')
    assert len(Kept(tmp_path / "undo").changes()) == 3
    bench.kept.sweep()
    assert len(bench.kept.changes()) == 3
    bench.kept.sweep(days=0)
    assert bench.kept.changes() == []
    assert [p.name for p in (tmp_path / "undo").iterdir()] == ["index.jsonl"]
