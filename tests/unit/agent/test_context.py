"""What the model is shown before the conversation: the same bytes every turn, few for a small model."""

import os
from datetime import datetime, timedelta, timezone
from pathlib import Path
from resource import RLIMIT_FSIZE, getrlimit, setrlimit

import pytest

from desktop.agent.context import Context, write_templates
from desktop.paths import resource
from desktop.session.model import text_tokens
from desktop.text import LANGUAGES, use


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    write_templates(tmp_path / "workspace")
    return tmp_path / "workspace"


async def test_the_prompt_holds_the_name_and_the_files_in_order(workspace: Path) -> None:
    for name in ("AGENTS", "SOUL", "USER", "TOOLS"):
        (workspace / f"{name}.md").write_text(f"text of {name}", "utf-8")
    prompt = await Context(workspace, "Rosa").system_prompt()
    assert prompt.startswith("You are Rosa, ")
    places = [prompt.index(f"text of {name}") for name in ("AGENTS", "SOUL", "USER", "TOOLS")]
    assert places == sorted(places)


@pytest.mark.parametrize("small_model", [False, True])
async def test_the_prompt_is_the_same_to_the_byte_until_a_file_changes(
    workspace: Path, small_model: bool
) -> None:
    context = Context(workspace, "Rosa")
    first = await context.system_prompt(small_model=small_model)
    assert await context.system_prompt(small_model=small_model) == first
    assert await Context(workspace, "Rosa").system_prompt(small_model=small_model) == first
    (workspace / "SOUL.md").write_text("Speak like a pirate.", "utf-8")
    assert "pirate" in await context.system_prompt(small_model=small_model)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("flood", ["", "word " * 20_000, "很长的一行" * 5_000, "a line\n" * 5_000])
async def test_the_lean_prompt_has_at_most_500_tokens(
    tmp_path: Path, language: str, flood: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NANOBOT_DESKTOP_LANGUAGE", language)
    use("")
    try:
        write_templates(tmp_path)
    finally:
        monkeypatch.undo()
        use("")
    if flood:
        (tmp_path / "USER.md").write_text(flood, "utf-8")
    prompt = await Context(tmp_path, "R" * 60).system_prompt(small_model=True)
    assert 60 < text_tokens(prompt) <= 500
    assert prompt.startswith("You are RRR")


async def test_a_small_model_is_told_the_newest_of_the_notes(workspace: Path) -> None:
    (workspace / "memory").mkdir(exist_ok=True)
    (workspace / "SOUL.md").write_text("Be kind. " * 40, "utf-8")
    for name in ("USER.md", "memory/MEMORY.md"):
        lines = [f"- {name} says that {n} is a number of the person." for n in range(100)]
        (workspace / name).write_text("# Notes\n" + "\n".join(lines) + "\n", "utf-8")
    context = Context(workspace, "Rosa")
    prompt = await context.system_prompt(small_model=True)
    assert text_tokens(prompt) <= 480
    for told in (
        "Be kind.",
        "USER.md says that 99 is",
        "MEMORY.md says that 99 is",
        "USER.md says that 0 is",
    ):
        assert told in prompt
    assert prompt.index("that 98 is") < prompt.index("that 99 is"), "in the order of the notes"
    said = [line for line in prompt.splitlines() if line.startswith("- ")]
    assert len(set(said)) == len(said), "none twice"
    (workspace / "memory/MEMORY.md").write_text("- Has a cat.\n- " + "long " * 800, "utf-8")
    changed = await context.system_prompt(small_model=True)
    assert "- Has a cat." in changed, "a fact too long for it keeps none of the others out"
    assert changed[: prompt.index("What you know")][:400] == prompt[:400], "what was read before stays good"
    (workspace / "USER.md").write_text("", "utf-8")
    (workspace / "memory/MEMORY.md").unlink()
    assert "What you know" not in await context.system_prompt(small_model=True)


async def test_an_identity_file_replaces_ours(workspace: Path) -> None:
    (workspace / "IDENTITY.md").write_text("You are {somebody} else.", "utf-8")
    context = Context(workspace, "Rosa")
    for small_model in (False, True):
        assert (await context.system_prompt(small_model=small_model)).startswith("You are {somebody} else.")
    (workspace / "IDENTITY.md").unlink()
    assert (await context.system_prompt()).startswith("You are Rosa")


async def test_comments_are_for_people_only(workspace: Path) -> None:
    (workspace / "USER.md").write_text("<!-- a hint\nof two lines -->\nLikes tea.<!-- x -->", "utf-8")
    prompt = await Context(workspace, "Rosa").system_prompt()
    assert prompt.count("Likes tea.") == 1
    assert "<!--" not in prompt
    assert "hint" not in prompt


async def test_a_file_that_cannot_be_read_costs_itself(workspace: Path) -> None:
    (workspace / "SOUL.md").unlink()
    (workspace / "SOUL.md").mkdir()
    (workspace / "USER.md").write_bytes(b"\xef\xbb\xbfLikes caf\xe9.")
    prompt = await Context(workspace, "Rosa").system_prompt()
    assert "Likes caf\N{REPLACEMENT CHARACTER}." in prompt
    assert "\ufeff" not in prompt


def test_the_runtime_line_tells_time_zone_and_front_end() -> None:
    moment = datetime(2026, 3, 29, 14, 5, tzinfo=timezone(timedelta(hours=2)))
    line = Context.runtime("terminal", moment)
    assert line.startswith("[Sunday 2026-03-29 14:05 ")
    assert "+0200" in line
    assert line.endswith("]")
    assert Context.runtime("window", moment) != line


def test_templates_are_written_once_and_never_over_an_edit(tmp_path: Path) -> None:
    (tmp_path / "SOUL.md").write_text("mine", "utf-8")
    write_templates(tmp_path)
    assert (tmp_path / "SOUL.md").read_text("utf-8") == "mine"
    shipped = {path.name for path in resource("templates", "en").glob("*.md")}
    assert {path.name for path in tmp_path.iterdir()} == shipped | {"sessions"}
    (tmp_path / "USER.md").unlink()
    write_templates(tmp_path)
    assert not (tmp_path / "USER.md").exists()


def test_templates_that_nobody_edited_follow_the_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_templates(tmp_path)
    (tmp_path / "USER.md").write_text("# About you\n\n- Likes tea\n", "utf-8")
    (tmp_path / "TOOLS.md").unlink()
    monkeypatch.setenv("NANOBOT_DESKTOP_LANGUAGE", "zh_CN")
    use("")
    try:
        write_templates(tmp_path)
    finally:
        monkeypatch.undo()
        use("")
    shipped = resource("templates", "zh_CN", "SOUL.md").read_text("utf-8")
    assert (tmp_path / "SOUL.md").read_text("utf-8") == shipped
    assert (tmp_path / "USER.md").read_text("utf-8") == "# About you\n\n- Likes tea\n"
    assert not (tmp_path / "TOOLS.md").exists()


def test_templates_that_were_cut_short_are_written_again(tmp_path: Path) -> None:
    """As by a full disk: a file cannot be written whole, and nothing of it is left under its name."""
    before = getrlimit(RLIMIT_FSIZE)
    setrlimit(RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            write_templates(tmp_path)
    finally:
        setrlimit(RLIMIT_FSIZE, before)
    assert os.listdir(tmp_path) == []
    write_templates(tmp_path)
    for name in os.listdir(resource("templates", "en")):
        assert (tmp_path / name).read_bytes() == resource("templates", "en", name).read_bytes()
