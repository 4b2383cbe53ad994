"""list_dir, grep and find_files: bounded, in order, without links, fenced places and patterns that hang."""

import asyncio
import os
import re
import time
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.tasks import cancel, spawn
from desktop.tools.files.walking import matcher, translated
from desktop.tools.files.worker import HIDDEN_ARGUMENT
from tests.unit.tools.files.conftest import Bench


@pytest.fixture
def tree(bench: Bench) -> Bench:
    bench.put("src/one.py", "import os\ndef alpha():\n    pass\n\nalpha()\n")
    bench.put("src/deep/two.ts", "const Alpha = 1\n")
    bench.put("notes.md", "alpha\r\nbeta\r\n")
    bench.put(".hidden", "alpha")
    bench.put(".git/config", "alpha")
    bench.put("secret/key", "alpha")
    bench.put("bin", b"alpha\0")
    (bench.workspace / "outside").symlink_to("/etc")
    (bench.workspace / "link.md").symlink_to("secret/key")
    return bench


async def test_a_folder_is_listed(tree: Bench) -> None:
    listing = (await tree.call("list_dir", path=".")).splitlines()
    assert ".hidden (5 bytes)" in listing
    assert "src/" in listing
    assert "outside -> /etc" in listing
    assert listing == sorted(listing)


async def test_a_tree_is_listed_without_caches_fences_and_what_links_lead_to(tree: Bench) -> None:
    listing = await tree.call("list_dir", path=".", recursive=True)
    assert "src/deep/two.ts (16 bytes)" in listing
    assert ".git/" in listing
    assert not [line for line in listing.splitlines() if line.startswith((".git/c", "secret", "outside/"))]


async def test_a_listing_has_an_end(tree: Bench) -> None:
    listing = (await tree.call("list_dir", path=".", recursive=True, max_entries=3)).splitlines()
    assert len(listing) == 4
    assert "max_entries" in listing[3]
    assert "no folder" in await tree.failure("list_dir", path="notes.md")
    assert "does not exist" in await tree.failure("list_dir", path="nothing")


async def test_names_are_one_line_each(bench: Bench) -> None:
    bench.put("two\nlines", "alpha")
    bench.put("\u202egpj.txt", "alpha")
    (Path(os.fsdecode(os.fsencode(bench.workspace) + b"/\xff"))).write_text("alpha")
    for tool in ("list_dir", "find_files"):
        text = await bench.call(tool, path=".")
        assert "two\\nlines" in text
        assert "\\u202egpj.txt" in text
        assert "\\udcff" in text
    assert "two\\nlines:1: alpha" in await bench.call("grep", pattern="alpha")


async def test_grep_shows_the_lines(tree: Bench) -> None:
    text = await tree.call("grep", pattern=r"^\s*alpha|def")
    assert text.splitlines() == [
        ".hidden:1: alpha",
        "notes.md:1: alpha",
        "src/one.py:2: def alpha():",
        "src/one.py:5: alpha()",
    ]


async def test_grep_shows_what_is_around_once(tree: Bench) -> None:
    tree.put("c.txt", "".join(f"{n}\n" for n in range(1, 21)))
    text = await tree.call("grep", pattern="^(3|5|15)$", path="c.txt", context_before=1, context_after=1)
    assert [line.replace("c.txt", "") for line in text.splitlines()] == [
        "-2- 2",
        ":3: 3",
        "-4- 4",
        ":5: 5",
        "-6- 6",
        "--",
        "-14- 14",
        ":15: 15",
        "-16- 16",
    ]


async def test_grep_in_its_other_forms(tree: Bench) -> None:
    assert await tree.call("grep", pattern="alpha", output_mode="count", glob="*.py") == "src/one.py: 2"
    text = await tree.call("grep", pattern="ALPHA", case_insensitive=True, output_mode="files_with_matches")
    assert text.splitlines() == [".hidden", "notes.md", "src/deep/two.ts", "src/one.py"]
    assert await tree.call("grep", pattern="alpha()", fixed_strings=True, path="src") == (
        "one.py:2: def alpha():\none.py:5: alpha()"
    )
    assert "Nothing" in await tree.call("grep", pattern="gamma")
    assert "fixed_strings" in await tree.failure("grep", pattern="(")
    assert "a device" in await tree.failure("grep", pattern="x", path="/dev/zero")


async def test_pages_of_hits_fit_together(bench: Bench) -> None:
    bench.put("a.txt", "".join(f"hit {n}\n" for n in range(10)))
    first = (await bench.call("grep", pattern="hit", head_limit=4)).splitlines()
    assert first[:4] == [f"a.txt:{n + 1}: hit {n}" for n in range(4)]
    assert "offset=4" in first[4]
    rest = (await bench.call("grep", pattern="hit", offset=4)).splitlines()
    assert rest == [f"a.txt:{n + 1}: hit {n}" for n in range(4, 10)]
    assert "10 in all" in await bench.call("grep", pattern="hit", offset=10)


async def test_the_text_of_hits_is_bounded(bench: Bench) -> None:
    bench.put("a.txt", ("hit" + "x" * 5_000 + "\n") * 300)
    text = await bench.call("grep", pattern="hit", head_limit=0)
    assert len(text) < 129_000
    assert "offset=" in text


async def test_a_search_that_never_ends_goes_when_it_is_stopped(bench: Bench) -> None:
    bench.put("a.txt", "a" * 60 + "!")
    search = spawn(bench.call("grep", pattern="(a+)+$"), name="search")
    deadline = time.monotonic() + 30
    while not (found := _workers()) and time.monotonic() < deadline:
        await asyncio.sleep(0)
    (child,) = found
    await cancel(search)
    assert not child.is_running()


def _workers() -> list[psutil.Process]:
    """Our children that search; a model server of the whole run may be another child."""
    return [child for child in psutil.Process().children() if HIDDEN_ARGUMENT in _command(child)]


def _command(child: psutil.Process) -> list[str]:
    try:
        return child.cmdline()
    except psutil.Error:  # it has just ended
        return []


async def test_a_pattern_that_never_ends_is_a_failure(bench: Bench) -> None:
    from desktop.tools.files.opening import Refusal
    from desktop.tools.files.worker import in_worker

    path = bench.put("a.txt", "a" * 60 + "!")
    args = bench.tools["grep"].arguments.model_validate({"pattern": "(a+)+$"}).model_dump()
    with pytest.raises(Refusal, match="longer than 1 second"):
        await in_worker(1, op="grep", **{**args, "path": str(path), "closed": {}})


async def test_files_are_found(tree: Bench) -> None:
    assert await tree.call("find_files", query="SRC two") == "src/deep/two.ts"
    text = await tree.call("find_files", glob="src/**/*.{py,ts}")
    assert text.splitlines() == ["src/deep/two.ts", "src/one.py"]
    assert "src/deep/" in (await tree.call("find_files", include_dirs=True)).splitlines()
    assert await tree.call("find_files", query="key") == "No file fits."
    os.utime(tree.workspace / "src/one.py", (5e9, 5e9))
    assert (await tree.call("find_files", sort="modified")).splitlines()[0] == "src/one.py"
    assert "offset=1." in await tree.call("find_files", glob="*.*", head_limit=1)
    assert "no folder" in await tree.failure("find_files", path="notes.md")


async def test_brackets_stand_for_themselves_where_nothing_fits_otherwise(bench: Bench) -> None:
    for name in (
        "app/[locale]/page.ts",
        "app/[[...slug]]/a.tsx",
        "app/{id}/x.ts",
        "app/l/other.ts",
        "b.ts",
    ):
        bench.put(name, "hello")
    assert await bench.call("find_files", glob="app/[locale]/**") == "app/l/other.ts"
    bench.put("app/l/other.ts").unlink()
    for glob, fits in (
        ("app/[locale]/**", "app/[locale]/page.ts"),
        ("app/[locale]/*.{ts,tsx}", "app/[locale]/page.ts"),
        ("**/[[...slug]]/*", "app/[[...slug]]/a.tsx"),
        ("app/{id}/*", "app/{id}/x.ts"),
    ):
        assert await bench.call("find_files", glob=glob) == fits
        assert await bench.call("grep", pattern="hello", glob=glob) == f"{fits}:1: hello"
    assert await bench.call("find_files", glob="app/[nothing]/**") == "No file fits."


@pytest.mark.parametrize(
    ("glob", "fits", "fits_not"),
    [
        ("*.py", ["a.py", "x/a.py", ".py"], ["a.pyc", "py"]),
        ("src/*.py", ["src/a.py"], ["src/b/a.py", "a.py"]),
        ("**/a.py", ["a.py", "x/y/a.py"], ["x/ba.py"]),
        ("src/**", ["src/a", "src/b/c"], ["other"]),
        ("[!a]?.{md,txt}", ["bc.md", "x/bc.txt"], ["ac.md", "bc.rst"]),
        ("a[.{", ["a[.{"], ["a."]),
        ("./x/*", ["x/a"], ["a"]),
    ],
)
def test_globs(glob: str, fits: list[str], fits_not: list[str]) -> None:
    assert [name for name in fits + fits_not if matcher(glob)(name)] == fits


@given(st.text("ab*?[]{},!^-\\/.", max_size=12))
def test_any_glob_is_a_valid_expression(glob: str) -> None:
    re.compile(translated(glob))
