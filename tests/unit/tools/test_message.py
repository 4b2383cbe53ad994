"""message: what goes along is a real file, or nothing is sent."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.tools.base import Saying, ToolContext, ToolFailure
from desktop.tools.message import Message, MessageArguments


async def test_media_go_along_as_files_and_not_as_words(tmp_path: Path) -> None:
    report, said = tmp_path / "report.pdf", list[Saying]()
    report.write_bytes(b"%PDF")

    async def say(saying: Saying) -> None:
        said.append(saying)

    context = ToolContext("window:a", "t", "c", tmp_path, tmp_path, say=say)
    tool, args = Message(), MessageArguments(content="Here it is.", media=["report.pdf"])
    claim = tool.claim(args, context)
    assert claim.reads == (report,), "it is judged as what reads the file"
    done = await tool.run(args, replace(context, judged={report: report}))
    assert (done.text, done.spoke) == ("Sent.", True)
    [saying] = said
    assert (saying.text, saying.media) == ("Here it is.", (report,))
    assert saying.fields == {"_files": [str(report)]}


@pytest.mark.parametrize("name", ["gone.pdf", "folder", "pipe"])
async def test_what_is_no_file_is_told_and_nothing_is_sent(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")

    async def say(_saying: Saying) -> None:
        raise AssertionError("it was sent")

    path = tmp_path / name
    context = ToolContext("window:a", "t", "c", tmp_path, tmp_path, judged={path: path}, say=say)
    with pytest.raises(ToolFailure, match="no file"):
        await Message().run(MessageArguments(content="x", media=[name]), context)
