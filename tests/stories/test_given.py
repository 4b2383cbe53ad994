"""Files given along with a message: a picture is seen, a document may be read, then and later."""

import base64
from pathlib import Path

import pytest

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.test_acting import told, use
from tests.unit.providers.samples import HEIC

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
def outside(program: Program, server: ScriptedServer, tmp_path: Path) -> Path:
    """A folder of the person's, outside the workspace."""
    program.use_server(server.url)
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "dot.png").write_bytes(PIXEL)
    (folder / "letter.txt").write_text("Dear Ada,\n")
    (folder / "other.txt").write_text("not given\n")
    return folder


def test_a_picture_goes_along_to_a_model_that_sees(
    program: Program, server: ScriptedServer, outside: Path
) -> None:
    server.script("say:A dot.", "say:Still a dot.")
    program.run("ask", "What is this?", "--file", str(outside / "dot.png"))
    program.run("ask", "Sure?")
    for request in server.requests:
        (asked,) = [m for m in request.body["messages"] if isinstance(m["content"], list)]
        (image,) = [part for part in asked["content"] if part["type"] == "image_url"]
        assert image["image_url"]["url"] == f"data:image/png;base64,{base64.b64encode(PIXEL).decode()}"
        assert str(outside / "dot.png") in str(asked["content"])


def test_what_was_given_is_read_without_a_question_and_the_rest_is_not(
    program: Program, server: ScriptedServer, outside: Path
) -> None:
    letter, other = str(outside / "letter.txt"), str(outside / "other.txt")
    server.script(
        use(("read_file", {"path": letter})),
        "say:To Ada.",
        use(("read_file", {"path": letter}), ("read_file", {"path": other})),
        "say:Done.",
    )
    program.run("ask", "To whom?", "--file", letter, "--approve", "never")
    assert "Dear Ada" in told(server)[0]
    program.run("ask", "And again?", "--approve", "never")
    *_before, again, refused = told(server)
    assert "Dear Ada" in again
    assert "not given" not in refused


def test_a_picture_of_a_phone_is_shown_as_jpeg(
    program: Program, server: ScriptedServer, outside: Path
) -> None:
    (outside / "IMG_0001.HEIC").write_bytes(HEIC)
    server.script("say:Red and blue.")
    done = program.run("ask", "What is this?", "--file", str(outside / "IMG_0001.HEIC"))
    assert done.stdout == "Red and blue.\n"
    (asked,) = [m for m in server.requests[0].body["messages"] if isinstance(m["content"], list)]
    (image,) = [part for part in asked["content"] if part["type"] == "image_url"]
    head, _comma, packed = image["image_url"]["url"].partition(",")
    assert head == "data:image/jpeg;base64"
    assert base64.b64decode(packed).startswith(b"\xff\xd8\xff")
