"""Senders that were let in by an old home: each waits for a yes, nobody comes in by a damaged file."""

import json
from pathlib import Path
from typing import Any

from desktop.config.loosening import changes
from desktop.merge.items import Item
from tests.unit.importer.bed import Bed, named
from tests.unit.importer.homes import write


def paired(old: Path, approved: Any, **more: Any) -> None:
    write(old / "config.json", "{}")
    write(old / "pairing.json", json.dumps({"approved": approved, **more}))


async def of(bed: Bed, old: Path) -> list[Item]:
    return [item for item in await bed.run(old) if item.kind == "pairing"]


async def test_each_sender_waits_and_nothing_is_written_before_the_yes(bed: Bed, old: Path) -> None:
    paired(old, {"telegram": ["1001", 1002], "slack": {"U7": {"since": 1}}}, pending={"ABCD-EFGH": {}})
    bed.store.load()
    importing = bed.importing(old)
    await importing.run()
    assert "channels" not in json.loads(
        bed.store.path.read_text("utf-8") if bed.store.path.exists() else "{}"
    )
    waits = {loose.name: loose for loose in importing.loose}
    assert waits.keys() == {"telegram 1001", "telegram 1002", "slack U7"}
    for loose in waits.values():
        await bed.store.take_over(changes(loose, bed.store.config))
    here = json.loads(bed.store.path.read_text("utf-8"))["channels"]
    assert here == {"telegram": {"allowFrom": ["1001", "1002"]}, "slack": {"allowFrom": ["U7"]}}
    again = await of(bed, old)
    assert {item.action for item in again if item.name in waits} == {"same"}
    (codes,) = [item for item in again if item.action == "left"]
    assert codes.count == 1


async def test_who_was_let_in_here_stays_whatever_the_style_of_names(bed: Bed, old: Path) -> None:
    write(bed.store.path, '{"channels": {"telegram": {"allow_from": ["7"], "enabled": true}}}')
    paired(old, {"Telegram": ["7", "8"]})
    bed.store.load()
    importing = bed.importing(old)
    _source, items = await importing.run()
    assert named(items, "Telegram 7").action == "same"
    (loose,) = importing.loose
    await bed.store.take_over(changes(loose, bed.store.config))
    here = json.loads(bed.store.path.read_text("utf-8"))["channels"]["telegram"]
    assert here == {"allow_from": ["7", "8"], "enabled": True}


async def test_everybody_and_what_is_no_sender_are_left(bed: Bed, old: Path) -> None:
    paired(old, {"telegram": ["*", "", "a\nb", "x" * 300, True, None, ["1"]], "../x": ["1"], "slack": "U7"})
    items = await of(bed, old)
    assert items
    assert {item.action for item in items} == {"left"}


async def test_a_damaged_file_lets_nobody_in(bed: Bed, old: Path, tmp_path: Path) -> None:
    write(old / "config.json", "{}")
    for text in ("{ broken", "[1, 2]", '"x"', "\xff", "[" * 5_000):
        write(old / "pairing.json", text)
        (item,) = await of(bed, old)
        assert item.action == "left"
    (old / "pairing.json").unlink()
    write(tmp_path / "far.json", '{"approved": {"telegram": ["1"]}}')
    (old / "pairing.json").symlink_to(tmp_path / "far.json")
    (item,) = await of(bed, old)
    assert item.action == "left"
    assert "link" in item.note
