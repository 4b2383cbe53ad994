"""What is judged is what is opened: file tools act on the real path that the policy saw, or not at all."""

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.agent.approvals import Plan, judge
from desktop.files import Seen
from desktop.tools.base import ToolFailure, ToolResult
from desktop.tools.permissions.situation import Situation, Verdict
from tests.flipping import flipping
from tests.unit.tools.files.conftest import Bench

SECRET = "the person's key"
ROUNDS = 200


@pytest.fixture
def closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's ~/.ssh, which the fences close."""
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    folder = tmp_path / "person/.ssh"
    folder.mkdir(parents=True)
    (folder / "key").write_text(SECRET)
    return folder


async def judged(bench: Bench, name: str, **arguments: object) -> ToolResult | None:
    """A call as the agent makes it in the autonomous mode: judged, then run; None where it was refused."""
    tool = bench.tools[name]
    args = tool.arguments.model_validate(arguments)
    here = bench.workspace
    situation = Situation("autonomous", here, here, here.parent / "home", "here")
    plan = Plan("c", name, "{}", tool.claim(args, bench.context))
    found = judge(plan, situation)
    if found.decision.verdict is not Verdict.ALLOW:
        return None
    try:
        result = await tool.run(args, replace(bench.context, judged=found.paths))
    except ToolFailure:
        return None
    return ToolResult(result) if isinstance(result, str) else result


async def test_a_flipping_folder_leaks_nothing_and_takes_nothing_out(bench: Bench, closed: Path) -> None:
    bench.put("d/key", "harmless")
    texts = []
    with flipping(bench.workspace / "d", closed):
        for number in range(ROUNDS):
            texts.append(await judged(bench, "read_file", path="d/key"))
            await judged(bench, "write_file", path=f"d/{number}", content="x")
            await judged(bench, "edit_file", path="d/key", old_text="the person", new_text="x")
    read = [result.text for result in texts if result]
    assert not [text for text in read if SECRET in text]
    assert [text for text in read if "harmless" in text]
    assert os.listdir(closed) == ["key"]
    assert (closed / "key").read_text() == SECRET
    for number in range(ROUNDS):
        assert await judged(bench, "write_file", path="d/key", content=f"harmless {number}")
        result = await judged(bench, "read_file", path="d/key")
        assert result
        assert f"harmless {number}" in result.text


async def test_searches_of_a_flipping_folder_leak_nothing(bench: Bench, closed: Path) -> None:
    bench.put("d/key", "harmless")
    results = []
    with flipping(bench.workspace / "d", closed):
        for _round in range(5):
            results.append(await judged(bench, "grep", pattern="the|harm", path="."))
            results.append(await judged(bench, "grep", pattern="the|harm", path="d"))
            results += [await judged(bench, "list_dir", path="d", recursive=True) for _try in range(40)]
    assert not [result for result in results if result and "person" in result.text]
    assert [result for result in results if result and "key" in result.text]


async def test_a_link_that_is_put_there_after_the_judgement_is_not_followed(
    bench: Bench, closed: Path
) -> None:
    path = bench.put("note.txt", "mine")
    context = replace(bench.context, judged={path: Path(os.path.realpath(path))})
    path.unlink()
    path.symlink_to(closed / "key")
    for name, arguments in (
        ("read_file", {}),
        ("write_file", {"content": "x"}),
        ("edit_file", {"old_text": "key", "new_text": "x"}),
        ("grep", {"pattern": "key"}),
        ("list_dir", {}),
        ("find_files", {}),
    ):
        tool = bench.tools[name]
        with pytest.raises(ToolFailure, match=r"a link was put on the way|is no folder"):
            await tool.run(tool.arguments.model_validate({"path": "note.txt", **arguments}), context)
    assert (closed / "key").read_text() == SECRET


async def test_a_path_that_nobody_judged_is_not_opened(bench: Bench) -> None:
    bench.put("a.txt", "text")
    tool = bench.tools["read_file"]
    with pytest.raises(ToolFailure, match="was not judged"):
        await tool.run(tool.arguments.model_validate({"path": "a.txt"}), bench.context)


async def test_a_link_that_was_judged_works(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/a.txt").write_text("text of a link")
    (bench.workspace / "link").symlink_to(tmp_path / "elsewhere")
    result = await judged(bench, "read_file", path="link/a.txt")
    assert result
    assert "text of a link" in result.text
    assert await judged(bench, "write_file", path="link/b.txt", content="x")
    assert (tmp_path / "elsewhere/b.txt").read_text() == "x"


def the_one(files: tuple[Seen, ...], path: Path) -> str:
    """The digest of the only file, which must be this one as it is now."""
    (file,) = files
    status = path.stat()
    assert file.path == Path(os.path.realpath(path))
    assert (file.device, file.inode, file.size) == (status.st_dev, status.st_ino, status.st_size)
    assert (file.modified, file.changed) == (status.st_mtime_ns, status.st_ctime_ns)
    return file.digest


async def test_results_say_which_files_were_read_and_written(bench: Bench) -> None:
    path = bench.workspace / "a.txt"
    result = await judged(bench, "write_file", path="a.txt", content="one\ntwo\n")
    assert result
    assert not result.read
    assert the_one(result.wrote, path) == hashlib.sha256(b"one\ntwo\n").hexdigest()
    result = await judged(bench, "read_file", path="a.txt", offset=2, limit=1)
    assert result
    assert the_one(result.read, path) == hashlib.sha256(b"one\ntwo\n").hexdigest()
    assert not result.wrote
    before = path.stat()
    result = await judged(bench, "edit_file", path="a.txt", old_text="two", new_text="three")
    assert result
    assert result.read[0].inode == before.st_ino
    assert result.read[0].digest == hashlib.sha256(b"one\ntwo\n").hexdigest()
    assert the_one(result.wrote, path) == hashlib.sha256(b"one\nthree\n").hexdigest()
    bench.put("b.txt", "nothing of it")
    for mode in ("content", "files_with_matches", "count"):
        result = await judged(bench, "grep", pattern="three", output_mode=mode)
        assert result
        assert the_one(result.read, path) == hashlib.sha256(b"one\nthree\n").hexdigest()
    for name in ("list_dir", "find_files"):
        listed = await judged(bench, name, path=".")
        assert listed
        assert not listed.read


async def test_a_document_and_a_picture_are_seen_too(bench: Bench) -> None:
    from docx import Document

    document = Document()
    document.add_paragraph("in the document")
    document.save(str(bench.workspace / "a.docx"))
    path = bench.workspace / "a.docx"
    result = await judged(bench, "read_file", path="a.docx")
    assert result
    assert "in the document" in result.text
    assert the_one(result.read, path) == hashlib.sha256(path.read_bytes()).hexdigest()
    picture = bench.put("a.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 100)
    result = await judged(bench, "read_file", path="a.png")
    assert result
    assert the_one(result.read, picture) == hashlib.sha256(picture.read_bytes()).hexdigest()
