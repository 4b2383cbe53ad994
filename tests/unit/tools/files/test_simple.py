"""The file tools of a small model: a line is added in the manner of the others, and nothing is lost."""

import pytest

from desktop.tools.files.toolbox import simple_tools
from tests.unit.tools.files.conftest import Bench


@pytest.fixture
def simple(bench: Bench) -> Bench:
    bench.tools = {tool.name: tool for tool in simple_tools(bench.kept)}
    return bench


@pytest.mark.parametrize(
    ("before", "line", "after"),
    [
        ("milk\nbread\n", "butter", "milk\nbread\nbutter\n"),
        ("milk\nbread", "butter", "milk\nbread\nbutter\n"),
        ("", "butter", "butter\n"),
        ("a\r\nb\r\n", "c", "a\r\nb\r\nc\r\n"),
        ("- [ ] pay\n- [x] call\n", "eat", "- [ ] pay\n- [x] call\n- [ ] eat\n"),
        ("* a\n", "b", "* a\n* b\n"),
        ("- a\n", "- b", "- a\n- b\n"),
        ("1. a\n2. b\n\n", "c", "1. a\n2. b\n\n3. c\n"),
        ("9) a\n", "b", "9) a\n10) b\n"),
        ("  - a\n", "b", "  - a\n  - b\n"),
        ("牛奶\n", "面包", "牛奶\n面包\n"),
        ("a\n", "two\nlines\n", "a\ntwo\nlines\n"),
    ],
)
async def test_a_line_goes_to_the_end_as_the_list_has_it(
    simple: Bench, before: str, line: str, after: str
) -> None:
    path = simple.put("list.txt", before)
    await simple.call("add_line", path="list.txt", line=line)
    assert path.read_bytes().decode() == after


async def test_a_file_keeps_its_encoding_and_what_it_was_can_be_had_back(simple: Bench) -> None:
    path = simple.put("a.txt", "\ufeffä\r\n".encode("utf-16-le"))
    await simple.call("add_line", path="a.txt", line="ö")
    assert path.read_bytes() == "\ufeffä\r\nö\r\n".encode("utf-16-le")
    (change,) = simple.kept.changes("turn")
    assert change.before


async def test_a_line_makes_the_file_that_is_not_there(simple: Bench) -> None:
    assert "Made" in await simple.call("add_line", path="new/list.txt", line="milk")
    assert (simple.workspace / "new/list.txt").read_text() == "milk\n"


async def test_what_is_no_text_gets_no_line(simple: Bench) -> None:
    path = simple.put("a.bin", b"\0\1\2")
    assert "binary" in await simple.failure("add_line", path="a.bin", line="x")
    assert path.read_bytes() == b"\0\1\2"


async def test_a_file_that_is_there_is_never_written_over(simple: Bench) -> None:
    path = simple.put("shopping.txt", "milk\n")
    told = await simple.failure("write_file", path="shopping.txt", content="butter")
    assert "add_line" in told
    assert "edit_file" in told
    assert path.read_text() == "milk\n"
    await simple.call("write_file", path="new.txt", content="x")
    assert (simple.workspace / "new.txt").read_text() == "x"
    (simple.workspace / "link.txt").symlink_to(path)
    assert "already" in await simple.failure("write_file", path="link.txt", content="butter")
    assert path.read_text() == "milk\n"


async def test_a_word_is_found_in_any_case(simple: Bench) -> None:
    simple.put("notes.txt", "The Dentist (15:30)\n")
    assert "notes.txt" in await simple.call("search_files", word="dentist (")


def test_a_small_model_is_told_of_few_words(simple: Bench) -> None:
    for tool in simple.tools.values():
        schema = tool.brief_schema["function"]
        assert len(schema["description"]) < 120
        assert list(schema["parameters"]["properties"]) == schema["parameters"]["required"]
