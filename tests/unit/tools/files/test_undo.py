"""Taking back what a turn changed: to the byte, once and again, and never over somebody's later work."""

import stat
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.tools.files.undo import Standing, difference, take_back, touched
from tests.unit.tools.files.conftest import Bench


async def _work(bench: Bench) -> tuple[Path, Path]:
    old = bench.put("old.txt", "one\r\ntwo\r\n")
    old.chmod(0o751)
    await bench.call("edit_file", path="old.txt", old_text="two", new_text="2")
    await bench.call("edit_file", path="old.txt", old_text="one", new_text="1")
    await bench.call("write_file", path="deep/new.txt", content="made")
    return old, bench.workspace / "deep" / "new.txt"


async def test_all_files_of_a_turn_are_as_before_and_then_again_as_after(bench: Bench) -> None:
    old, new = await _work(bench)
    assert [(t.path, t.new, t.standing) for t in touched(bench.kept, "turn")] == [
        (str(old), False, Standing.DONE),
        (str(new), True, Standing.DONE),
    ]
    assert [why for _file, why in take_back(bench.kept, "turn")] == ["", ""]
    assert old.read_bytes() == b"one\r\ntwo\r\n"
    assert stat.S_IMODE(old.stat().st_mode) == 0o751
    assert not new.exists()
    assert {t.standing for t in touched(bench.kept, "turn")} == {Standing.UNDONE}
    assert take_back(bench.kept, "turn") == []
    assert len(take_back(bench.kept, "turn", again=True)) == 2
    assert (old.read_bytes(), new.read_text()) == (b"1\r\n2\r\n", "made")
    assert len(take_back(bench.kept, "turn")) == 2
    assert (old.read_bytes(), new.exists()) == (b"one\r\ntwo\r\n", False)


async def test_what_somebody_changed_since_stays(bench: Bench) -> None:
    old, new = await _work(bench)
    old.write_text("the person's own")
    bench.context = replace(bench.context, turn="later")
    await bench.call("write_file", path="deep/new.txt", content="of a later turn")
    assert {t.standing for t in touched(bench.kept, "turn")} == {Standing.CHANGED}
    assert take_back(bench.kept, "turn") == []
    assert (old.read_text(), new.read_text()) == ("the person's own", "of a later turn")
    assert len(take_back(bench.kept, "later")) == 1
    assert new.read_text() == "made"


async def test_a_deleted_file_is_not_brought_back_by_itself(bench: Bench) -> None:
    old, new = await _work(bench)
    old.unlink()
    new.unlink()
    new.mkdir()
    assert [t.standing for t in touched(bench.kept, "turn")] == [Standing.CHANGED, Standing.CHANGED]


async def test_old_bytes_that_are_gone_are_told(bench: Bench) -> None:
    old, _new = await _work(bench)
    for place in (bench.workspace.parent / "undo").iterdir():
        if place.name != "index.jsonl":
            place.unlink()
    found = {t.path: t.standing for t in touched(bench.kept, "turn")}
    assert found[str(old)] is Standing.LOST
    assert [file.new for file, _why in take_back(bench.kept, "turn")] == [True]


async def test_the_difference_is_that_of_the_whole_turn_also_when_it_is_taken_back(bench: Bench) -> None:
    old, new = await _work(bench)
    for _round in range(2):
        diff = difference(bench.kept, "turn", str(old)) or ""
        assert [line for line in diff.splitlines() if line[:1] in "+-"][2:] == ["-one", "-two", "+1", "+2"]
        assert "+made" in (difference(bench.kept, "turn", str(new)) or "")
        take_back(bench.kept, "turn")
    assert difference(bench.kept, "turn", "/elsewhere") is None
    bench.put("bytes.bin", b"\xff\xfe\x00\x01")
    await bench.call("write_file", path="bytes.bin", content="now text")
    assert difference(bench.kept, "turn", str(bench.workspace / "bytes.bin")) is None


async def test_a_link_out_of_the_way_is_not_followed(bench: Bench, tmp_path: Path) -> None:
    old, _new = await _work(bench)
    secret = tmp_path / "secret.txt"
    secret.write_bytes(old.read_bytes())
    old.unlink()
    old.symlink_to(secret)
    take_back(bench.kept, "turn")
    assert secret.read_bytes() == b"1\r\n2\r\n"


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["undo", "redo"]), max_size=6))
def test_any_order_of_taking_back_ends_at_one_of_the_two_states(bench: Bench, steps: list[str]) -> None:
    path = bench.put("f", "before")
    bench.kept.before(path, b"after", bench.context)
    path.write_bytes(b"after")
    for step in steps:
        take_back(bench.kept, "turn", again=step == "redo")
    assert path.read_text() == ("before" if steps and steps[-1] == "undo" else "after")
    for place in (bench.workspace.parent / "undo").iterdir():
        place.unlink()
