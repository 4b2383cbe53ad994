"""Files of old conversations: taken once, never written over, and found again from the messages that name
them, wherever the old home was when they were written."""

import json
import os
from pathlib import Path
from typing import Any

from desktop.origin import Origin
from desktop.tasks import in_thread
from tests.unit.importer.bed import Bed, named
from tests.unit.importer.homes import conversation, looks, read_only, write
from tests.unit.providers.samples import png

HOME = "/home/demo/.nanobot"


def said(path: Path, key: str, *messages: dict[str, Any]) -> Path:
    """A conversation of these messages."""
    conversation(path, key, [])
    with path.open("a", encoding="utf-8") as file:
        for number, message in enumerate(messages):
            moment = f"2026-03-01T09:00:{number:02}.000001"
            file.write(json.dumps({"role": "user", "content": "", "timestamp": moment, **message}) + "\n")
    return path


async def stored(bed: Bed, key: str) -> list[dict[str, Any]]:
    return await (await bed.sessions.open(key)).everything()


async def test_messages_find_their_files_again(bed: Bed, old: Path) -> None:
    write(old / "media/telegram/p1.jpg", png(4, 4))
    write(old / "media/telegram/a letter.pdf", b"%PDF-1.4")
    write(old / "generated/cat.png", png(5, 5))
    said(
        old / "workspace/sessions/telegram_1001.jsonl",
        "telegram:1001",
        {"content": "See photo", "media": [f"{HOME}/media/telegram/p1.jpg"]},
        {"content": f"[file: {HOME}/media/telegram/a letter.pdf]\nRead it, please."},
        {"role": "assistant", "content": "Here.", "media": ["C:\\Users\\d\\.nanobot\\generated\\cat.png"]},
        {"content": [{"type": "text", "text": "x", "_meta": {"path": f"{HOME}/media/telegram/p1.jpg"}}]},
        {"content": "Nothing", "media": [f"{HOME}/media/telegram/gone.jpg", "/etc/passwd", 7]},
    )
    read_only(old)
    before = looks(old)
    items = await bed.run(old)
    assert looks(old) == before
    assert named(items, "media/telegram").count == 2
    photo, letter, cat, again, nothing = await stored(bed, "telegram:1001")
    files = bed.workspace / "files"
    assert photo["_files"] == photo["_images"] == [str(files / "media/telegram/p1.jpg")]
    assert letter["_files"] == [str(files / "media/telegram/a letter.pdf")]
    assert "_images" not in letter
    assert str(files / "media/telegram/a letter.pdf") in letter["_runtime"]
    assert cat["_files"] == [str(files / "generated/cat.png")]
    assert "_images" not in cat
    assert again["_images"] == photo["_images"]
    assert "_files" not in nothing
    for record in (photo, letter, cat):
        for path in record["_files"]:
            assert Path(path).is_file()
    assert (files / "media/telegram/p1.jpg").read_bytes() == png(4, 4)
    await bed.nothing_new(old)


async def test_what_came_with_them_is_nobodys_word(bed: Bed, old: Path) -> None:
    write(old / "media/slack/shot.png", png(3, 3))
    said(old / "sessions/slack_C7.jsonl", "slack:C7", {"media": [f"{HOME}/media/slack/shot.png"]}, {})
    await bed.run(old)
    assert bed.marks["files/media/slack/shot.png"].origin is Origin.UNKNOWN
    shown, plain = await stored(bed, "slack:C7")
    assert (shown["_origin"], shown["_sources"]) == ("unknown", ["shot.png"])
    assert "_origin" not in plain


async def test_an_old_file_cannot_show_what_was_never_given(bed: Bed, old: Path, tmp_path: Path) -> None:
    secret = write(tmp_path / "private.png", png(2, 2))
    said(
        old / "sessions/cli_a.jsonl", "cli:a", {"_files": [str(secret)], "_images": [str(secret)]}, {"x": 1}
    )
    await bed.run(old)
    for record in await stored(bed, "cli:a"):
        assert "_files" not in record
        assert "_images" not in record


async def test_a_file_of_the_same_name_stays_and_the_old_one_comes_beside_it(bed: Bed, old: Path) -> None:
    here = write(bed.workspace / "files/media/telegram/p1.jpg", b"mine")
    write(old / "media/telegram/p1.jpg", png(6, 6))
    said(old / "sessions/telegram_1.jsonl", "telegram:1", {"media": [f"{HOME}/media/telegram/p1.jpg"]})
    await bed.run(old)
    assert here.read_bytes() == b"mine"
    (record,) = await stored(bed, "telegram:1")
    (path,) = record["_files"]
    assert Path(path) != here
    assert Path(path).read_bytes() == png(6, 6)
    await bed.nothing_new(old)


async def test_links_and_what_is_no_file_are_left_and_said(bed: Bed, old: Path, tmp_path: Path) -> None:
    write(old / "config.json", "{}")
    write(tmp_path / "outside/secret.txt", "secret")
    write(old / "media/telegram/p1.jpg", b"\xff\xd8")
    (old / "media/telegram/out.txt").symlink_to(tmp_path / "outside/secret.txt")
    (old / "media/telegram/folder").symlink_to(tmp_path / "outside")
    (old / "media/whatsapp").symlink_to(tmp_path / "outside")
    os.mkfifo(old / "media/telegram/pipe")
    (old / "generated").symlink_to(tmp_path / "outside")
    items = await bed.run(old)
    item = named(items, "media/telegram")
    assert (item.action, item.count) == ("take", 1)
    assert item.note.startswith("3 entries are left out")
    assert named(items, "media").note.startswith("1 entry is left out")
    assert named(items, "generated").action == "left"
    assert [p.name for p in (bed.workspace / "files").rglob("*") if p.is_file()] == ["p1.jpg"]


async def test_one_that_cannot_be_put_here_is_said_and_the_next_import_completes_it(
    bed: Bed, old: Path
) -> None:
    write(old / "config.json", "{}")
    for name in ("a", "b", "c"):
        write(old / f"media/telegram/{name}.txt", name)
    importing = bed.importing(old)
    write(bed.workspace / "files/media", "a file where a folder is wanted")
    (_source, items) = await importing.run()
    assert named(items, "media/telegram").action == "failed"
    await in_thread((bed.workspace / "files/media").unlink)
    await bed.run(old)
    names = {path.name for path in (bed.workspace / "files/media/telegram").iterdir()}
    assert names == {"a.txt", "b.txt", "c.txt"}
    await bed.nothing_new(old)


async def test_instructions_for_nanobots_own_work_are_kept_and_not_read(bed: Bed, old: Path) -> None:
    write(old / "workspace/prompts/dream.md", "Keep only recipes.\n")
    write(old / "workspace/prompts/notes.txt", "no prompt")
    write(old / "workspace/USER.md", "Dana.\n")
    item = named(await bed.run(old), "prompts/dream.md")
    assert item.action == "inert"
    assert (bed.workspace / "prompts/dream.md").read_text("utf-8") == "Keep only recipes.\n"
    await bed.nothing_new(old)
    write(bed.workspace / "prompts/dream.md", "Mine.\n")
    assert named(await bed.run(old), "prompts/dream.md").action == "left"
    assert (bed.workspace / "prompts/dream.md").read_text("utf-8") == "Mine.\n"
