"""Files to go along: what they are, bytes that become one, and names while they are typed."""

import base64
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from desktop.api.attachments import Attachment
from desktop.errors import UsageError
from desktop.paths import Home
from tests.unit.core.test_conversations import Desk, started

PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with started(Home(tmp_path / "home", tmp_path / "models")) as desk:
        yield desk


async def test_what_a_file_is(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    (tmp_path / "b.png").write_text("no picture")
    (tmp_path / "folder").mkdir()
    picture = await desk.api.attachments.look(str(tmp_path / "a.png"))
    assert picture == Attachment(str(tmp_path / "a.png"), "a.png", 24, "picture")
    assert (await desk.api.attachments.look(str(tmp_path / "b.png"))).kind == "file"
    assert (await desk.api.attachments.look(str(tmp_path / "folder"))).kind == "folder"


async def test_what_cannot_go_along_is_said(desk: Desk, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="There is no file"):
        await desk.api.attachments.look(str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="a device or a pipe"):
        await desk.api.attachments.look(str(tmp_path / "pipe"))
    with pytest.raises(UsageError, match="not a full path"):
        await desk.api.attachments.look("notes.txt")
    with pytest.raises(UsageError, match="not a file"):
        await desk.api.attachments.keep("x.png", "%%%")


async def test_bytes_become_a_file_of_the_workspace(desk: Desk, tmp_path: Path) -> None:
    data = base64.b64encode(PNG).decode()
    first = await desk.api.attachments.keep("../../pasted.png", data)
    second = await desk.api.attachments.keep("../../pasted.png", data)
    assert first.kind == "picture"
    assert first.path != second.path
    place = Path(first.path)
    assert place.is_relative_to(tmp_path / "home" / "workspace" / "files")
    assert place.read_bytes() == PNG


async def test_files_by_their_names(desk: Desk, tmp_path: Path) -> None:
    top = tmp_path / "home" / "workspace"
    (top / "trips").mkdir()
    for name in ("plan.md", "trips/Plan B.md", "trips/rome.md", ".planned"):
        (top / name).write_text("x")
    found = await desk.api.attachments.find("plan")
    assert [one.name for one in found] == ["plan.md", "trips/Plan B.md"]
    found = await desk.api.attachments.find("trips")
    assert [one.name for one in found] == ["trips/Plan B.md", "trips/rome.md"]
    assert found[1].path == str(top / "trips" / "rome.md")
    assert "sessions" not in str(await desk.api.attachments.find("ses"))
