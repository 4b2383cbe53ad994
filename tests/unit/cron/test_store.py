"""jobs.json: read whatever is in it, lose nothing of it, and never leave half of one."""

import json
import random
import resource
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.cron import file, form
from desktop.cron.job import Job
from desktop.cron.schedule import At, Cron, Every, Spec
from desktop.cron.store import LAST, Store
from desktop.errors import StorageError
from tests.unit.cron.bed import Bed, soon, unix

DATA = Path(__file__).parents[2] / "data"
NOW = unix("2026-11-28T18:00")

type Json = dict[str, Any]


def store(folder: Path) -> Store:
    return Store(folder / "cron", lambda: "Europe/Berlin")


async def filled(folder: Path, text: str | bytes | Json) -> Store:
    """A store on a file of that content."""
    made = store(folder)
    made.folder.mkdir(exist_ok=True)
    data = json.dumps(text, indent=1) if isinstance(text, dict) else text
    made.path.write_bytes(data if isinstance(data, bytes) else data.encode())
    await made.load()
    return made


def entry(**fields: Any) -> Json:
    return {
        "id": "aaaaaaaa",
        "name": "one",
        "schedule": {"kind": "cron", "expr": "0 9 * * *"},
        "payload": {"message": "do it"},
    } | fields


def nested(levels: int) -> Any:
    value: Any = "inside"
    for _ in range(levels):
        value = [value]
    return value


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_nulls(item) for name, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def contains(whole: Any, part: Any) -> bool:
    if isinstance(part, dict):
        return all(name in whole and contains(whole[name], item) for name, item in part.items())
    return bool(whole == part)


async def touch(made: Store, id_: str = "", **fields: Any) -> None:
    """Change every job, or one, as the program does."""
    await made.update(
        lambda jobs: {job.id: replace(job, **fields) for job in jobs.values() if id_ in ("", job.id)},
        by_person=True,
    )


@pytest.mark.parametrize("generation", ["feb-apr-2026", "v0.3.5"])
async def test_nanobots_files_are_read_and_nothing_of_them_is_lost(tmp_path: Path, generation: str) -> None:
    before = json.loads((DATA / generation / "jobs.json").read_text("utf-8"))
    made = await filled(tmp_path, before)
    assert made.trouble == ""
    found = {job.name: (job.spec, job.session, job.message) for job in made.jobs.values()}
    if generation == "v0.3.5":
        week = Every(604_800.0, 1_772_300_000.0)
        assert found == {"weekly": (week, "telegram:1001", "Weekly summary")}
    else:
        daily = Cron("0 9 * * *", "Europe/Berlin")
        assert found == {
            "water": (daily, "telegram:1001", "Remind me to water the herbs"),
            "once": (At(1_772_970_000.0), "telegram:1001", "Call the plumber"),
        }
    await touch(made, last_outcome="ok")
    after = json.loads(made.path.read_text("utf-8"))
    assert after["version"] == before["version"]
    for old, new in zip(before["jobs"], after["jobs"], strict=True):
        assert contains(without_nulls(new), without_nulls(old))


async def test_unknown_fields_are_kept_at_every_level(tmp_path: Path) -> None:
    raw = entry(
        colour="red",
        schedule={"kind": "every", "everyMs": 60_000, "jitter": [1, 2]},
        payload={"message": "x", "voice": {"name": "Ada"}},
        state={"nextRunAtMs": 1, "mood": None},
    )
    document = {"version": 7, "jobs": [raw], "theirs": {"a": 1}, "later": "日本"}
    made = await filled(tmp_path, document)
    await touch(made, name="other")
    after = json.loads(made.path.read_text("utf-8"))
    assert (after["version"], after["theirs"], after["later"]) == (7, {"a": 1}, "日本")
    [job] = after["jobs"]
    assert (job["colour"], job["name"]) == ("red", "other")
    assert job["schedule"]["jitter"] == [1, 2]
    assert job["payload"]["voice"] == {"name": "Ada"}
    assert job["state"]["mood"] is None


async def test_both_spellings_and_numbers_as_texts(tmp_path: Path) -> None:
    raw = {
        "id": "bbbbbbbb",
        "name": "snake",
        "enabled": "true",
        "schedule": {"kind": "at", "at_ms": "1796000000500", "every_ms": None, "expr": "", "tz": ""},
        "payload": {"message": "x", "session_key": "window:a"},
        "state": {"next_run_at_ms": "1796000000500", "last_status": "error", "last_error": "why"},
        "created_at_ms": "1795000000000",
        "delete_after_run": 1,
    }
    made = await filled(tmp_path, {"jobs": [raw]})
    [job] = made.jobs.values()
    assert (job.spec, job.enabled, job.delete_after_run) == (At(1796000000.5), True, True)
    assert (job.session, job.created, job.next_due) == ("window:a", 1795000000.0, 1796000000.5)
    assert (job.last_outcome, job.last_detail) == ("failed", "why")
    await touch(made, name="camel")
    text = made.path.read_text("utf-8")
    assert "at_ms" not in text
    again = store(tmp_path)
    await again.load()
    assert again.jobs["bbbbbbbb"] == replace(job, name="camel")


async def test_what_a_person_writes_by_hand(tmp_path: Path) -> None:
    lines: list[tuple[Json, Spec]] = [
        ({"at": "2026-12-24 18:00"}, At(unix("2026-12-24T18:00", "Europe/Berlin"))),
        ({"at": "2026-12-24T18:00:00Z"}, At(unix("2026-12-24T18:00"))),
        (
            {"at": "2026-12-24T18:00", "atMs": 5_000_000_000_000},
            At(unix("2026-12-24T18:00", "Europe/Berlin")),
        ),
        ({"expr": "@daily"}, Cron("@daily")),
        ({"everyMs": 60000}, Every(60.0, 0.0)),
    ]
    jobs = [{"schedule": schedule, "payload": {"message": "x"}} for schedule, _spec in lines]
    made = await filled(tmp_path, {"jobs": jobs})
    assert made.trouble == ""
    assert [job.spec for job in made.jobs.values()] == [spec for _schedule, spec in lines]
    ids = list(made.jobs)
    assert all(len(id_) == 8 for id_ in ids)
    await touch(made, ids[0], name="first")
    again = store(tmp_path)
    await again.load()
    assert list(again.jobs) == ids


async def test_a_moment_can_be_read_and_changed_by_hand(tmp_path: Path) -> None:
    made = store(tmp_path)
    await made.load()
    job = Job("aaaaaaaa", "one", At(NOW + 0.25), "x", planned_in="Europe/Berlin")
    await made.update(lambda _jobs: {job.id: job}, by_person=True)
    text = made.path.read_text("utf-8")
    assert '"at": "2026-11-28T19:00:00+01:00"' in text
    made.path.write_text(text.replace("2026-11-28T19:00:00+01:00", "2026-11-29T08:00"))
    await made.load()
    assert made.jobs[job.id].spec == At(unix("2026-11-29T08:00", "Europe/Berlin"))


async def test_duplicate_ids_are_two_jobs(tmp_path: Path) -> None:
    made = await filled(tmp_path, {"jobs": [entry(), entry(name="two"), entry(name="two")]})
    first, second, third = made.jobs.values()
    assert (first.id, first.name) == ("aaaaaaaa", "one")
    assert len({first.id, second.id, third.id}) == 3
    await touch(made, first.id, name="changed")
    again = store(tmp_path)
    await again.load()
    assert list(again.jobs) == [first.id, second.id, third.id]


BAD: list[Any] = [
    entry(schedule={"kind": "cron", "expr": "* * 30 2 *"}),
    entry(schedule={"kind": "cron", "expr": "0 9 * * *", "tz": "Europe/Atlantis"}),
    entry(schedule={"kind": "cron", "expr": "nonsense"}),
    entry(schedule={"kind": "every", "everyMs": 0}),
    entry(schedule={"kind": "every", "everyMs": "often"}),
    entry(schedule={"kind": "at", "atMs": 0}),
    entry(schedule={"kind": "at", "atMs": 1_772_970_000}),
    entry(schedule={"kind": "at", "atMs": 253_402_300_799_000}),
    entry(schedule={"kind": "at", "at": "soon"}),
    entry(schedule={"kind": "at"}),
    entry(schedule={"kind": "yearly"}),
    entry(schedule={}),
    entry(schedule=[1]),
    entry(payload="x"),
    entry(retries="many"),
    entry(retries=10**400),
    entry(createdAtMs=10**400),
    entry(id={"a": 1}, schedule={}),
    entry(deep=nested(150)),
    entry(state={"nextRunAtMs": float("nan")}),
    "text",
    17,
    None,
    ["list"],
]


@pytest.mark.parametrize("bad", BAD, ids=str)
async def test_a_bad_job_costs_that_job_only(tmp_path: Path, bad: Any) -> None:
    good = entry(id="bbbbbbbb", name="good")
    made = await filled(tmp_path, {"jobs": [bad, good]})
    assert [job.name for job in made.jobs.values()] == ["good"]
    assert ("'one'" if isinstance(bad, dict) else "'1'") in made.trouble
    await touch(made, name="better")
    text = made.path.read_text("utf-8")
    kept = json.loads(text)["jobs"]
    assert kept[1]["name"] == "better"
    assert str(kept[0]) == str(bad)


@pytest.mark.parametrize(
    ("field", "text"),
    [("half a character", '"\\ud83d"'), ("no number", "NaN"), ("endless", "Infinity")],
)
async def test_what_only_json_can_hold_is_written_back_as_it_was(
    tmp_path: Path, field: str, text: str
) -> None:
    whole = json.dumps({"own": 0, "jobs": [entry(own=1)]}).replace('"own": 0', f'"own": {text}')
    made = await filled(tmp_path, whole.replace('"own": 1', f'"own": {text}'))
    await touch(made, name="better")
    written = made.path.read_text("utf-8")
    assert written.count(f'"own": {text}') == 2, field
    assert "better" in written


async def test_a_list_of_jobs_that_stands_there_twice_is_read_whole(tmp_path: Path) -> None:
    lists = ", ".join(f'"jobs": [{json.dumps(entry(id=id_))}]' for id_ in ("aaaaaaaa", "bbbbbbbb"))
    made = await filled(tmp_path, f"{{{lists}}}")
    assert list(made.jobs) == ["aaaaaaaa", "bbbbbbbb"]


async def test_what_is_too_deep_to_be_written_back_is_damage(tmp_path: Path) -> None:
    made = await filled(tmp_path, {"own": nested(150), "jobs": [entry()]})
    assert "damaged" in made.trouble
    await made.update(lambda _: {"aaaaaaaa": Job("aaaaaaaa", "new", At(NOW + 3600), "m")}, by_person=True)
    assert len(list(made.folder.glob("jobs.json.damaged-*"))) == 1


async def test_systems_jobs_of_nanobot_are_kept_and_not_ours(tmp_path: Path) -> None:
    dream = entry(id="dream", name="dream")
    beat = entry(id="x", payload={"kind": "system_event", "message": ""})
    made = await filled(tmp_path, {"jobs": [dream, beat, entry()]})
    assert list(made.jobs) == ["aaaaaaaa"]
    assert made.trouble == ""
    await touch(made, name="two")
    assert json.loads(made.path.read_text("utf-8"))["jobs"][:2] == [dream, beat]


async def test_what_is_not_touched_stays_as_it_is_written(tmp_path: Path) -> None:
    odd = '{"id":"bbbbbbbb",   "name":"mine","schedule":{"expr":"0 9 * * *"},"payload":{"message":"x"}}'
    made = await filled(tmp_path, f'{{"jobs": [{odd}, {json.dumps(entry())}]}}')
    await touch(made, "aaaaaaaa", name="two")
    assert odd in made.path.read_text("utf-8")


# ---- damage


DAMAGE: list[bytes] = [
    b"",
    b"nonsense",
    b"[]",
    b"{}{}",
    b'{"jobs": 5}',
    b'{"jobs": [}',
    b'{"jobs": [{"id": "a"]}',
    b'{"jobs": []} more',
    b'{"version": 1 "jobs": []}',
    b'{"a": ' + b"[" * 100_000,
    b"\xff\xfe{\0}\0",
    b'{"jobs": "\xff"}',
    bytes(1000),
]


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda data: repr(data[:20]))
async def test_a_damaged_file_is_not_written_over(tmp_path: Path, damage: bytes) -> None:
    made = await filled(tmp_path, {"jobs": [entry()]})
    await touch(made, name="good")
    made.path.write_bytes(damage)
    await made.load()
    assert [job.name for job in made.jobs.values()] == ["good"]
    assert "jobs.json is damaged" in made.trouble
    assert "Tasks continue" in made.trouble
    # The program moves jobs on: in memory and in the copy only.
    await made.update(
        lambda jobs: {id_: replace(job, last_due=5.0) for id_, job in jobs.items()}, by_person=False
    )
    assert made.path.read_bytes() == damage
    # The program starts anew.
    again = store(tmp_path)
    await again.load()
    assert [(job.name, job.last_due) for job in again.jobs.values()] == [("good", 5.0)]
    assert "is damaged" in again.trouble
    # The person changes a job.
    await touch(again, name="better")
    assert again.trouble == ""
    [aside] = again.folder.glob("jobs.json.damaged-*")
    assert aside.read_bytes() == damage
    last = store(tmp_path)
    await last.load()
    assert [(job.name, job.last_due) for job in last.jobs.values()] == [("better", 5.0)]


async def test_a_file_that_is_mended_by_hand_counts_again(tmp_path: Path) -> None:
    made = await filled(tmp_path, {"jobs": [entry()]})
    whole = made.path.read_bytes()
    made.path.write_bytes(whole[: len(whole) // 2])
    await made.load()
    assert made.trouble
    made.path.write_bytes(whole.replace(b'"one"', b'"two"'))
    await made.load()
    assert made.trouble == ""
    assert [job.name for job in made.jobs.values()] == ["two"]


@given(st.integers(0, 10_000), st.binary(max_size=3))
def test_damage_by_chance_never_raises_anything_else(cut: int, patch: bytes) -> None:
    whole = file.join([file.render(entry()), file.render(entry(id="b"))], {"x": [1, 2]})
    place = cut % len(whole)
    for data in (whole[:place], whole[:place] + patch + whole[place + 1 :]):
        with suppress(StorageError):
            assert isinstance(file.parse(data, "jobs.json", lambda raw, _text: raw).entries, list)


async def test_an_editor_that_saves_what_it_read_long_ago(tmp_path: Path) -> None:
    """Its words count, and of the two states the later one, unless the schedule is another."""
    made = await filled(tmp_path, {"jobs": [entry(state={"nextRunAtMs": 1000, "lastDueAtMs": 500})]})
    old = made.path.read_text("utf-8")
    await touch(made, next_due=9.0, last_due=8.0, last_outcome="ok", last_run=8.0)
    made.path.write_text(old.replace("do it", "do more"))
    await made.load()
    [job] = made.jobs.values()
    assert (job.message, job.next_due, job.last_due, job.last_outcome) == ("do more", 9.0, 8.0, "ok")
    made.path.write_text(old.replace("0 9 * * *", "0 8 * * *"))
    await made.load()
    [job] = made.jobs.values()
    assert (job.next_due, job.last_due) == (1.0, 0.5)


async def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    made = await filled(tmp_path, {"jobs": [entry()]})
    await touch(made, name="good")
    before = made.path.read_bytes()
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limit[1]))
    try:
        with pytest.raises(StorageError):
            await touch(made, name="x" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, handler)
    assert made.path.read_bytes() == before
    assert [job.name for job in made.jobs.values()] == ["good"]
    assert [path.name for path in made.folder.iterdir() if path.name.startswith(".jobs.json.")] == []


async def test_a_folder_in_the_place_of_the_file_is_said(tmp_path: Path) -> None:
    made = store(tmp_path)
    made.path.mkdir(parents=True)
    await made.load()
    assert made.trouble
    with pytest.raises(StorageError):
        await made.update(lambda _jobs: {"a": Job("a", "a", At(NOW), "x")}, by_person=True)


async def test_a_file_that_is_deleted_means_no_jobs(tmp_path: Path) -> None:
    made = await filled(tmp_path, {"jobs": [entry()]})
    await touch(made, name="x")
    assert (made.folder / LAST).exists()
    made.path.unlink()
    await made.load()
    assert (dict(made.jobs), made.trouble) == ({}, "")


async def test_the_scheduler_says_what_is_wrong_and_runs_the_last_good_jobs(bed: Bed) -> None:
    await bed.add(Every(60, 0))
    whole = bed.store.path.read_bytes()
    bed.store.path.write_bytes(whole[:100])
    await soon(lambda: bed.scheduler.status.state == "degraded")
    assert "line" in bed.scheduler.status.detail
    await bed.until(bed.time.moment + 130)
    assert len(bed.worker.runs) == 2
    await bed.again(after=1)
    await bed.until(bed.time.moment + 60)
    assert len(bed.worker.runs) == 3
    assert bed.store.path.read_bytes() == whole[:100]
    bed.store.path.write_bytes(whole)
    await soon(lambda: bed.scheduler.status.state == "running")
    await bed.scheduler.quiet()
    assert len(bed.worker.runs) == 3
    await bed.until(bed.time.moment + 60)
    assert len(bed.worker.runs) == 4


# ---- whatever a job is


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
moments = (
    st.none()
    | st.integers(10**9, 4 * 10**9).map(float)
    | st.integers(10**12, 4 * 10**12).map(lambda n: n / 1000)
)
specs = st.one_of(
    st.builds(At, st.integers(10**12, 4 * 10**12).map(lambda n: n / 1000)),
    st.builds(
        Every,
        st.integers(1000, 10**9).map(lambda n: n / 1000),
        st.integers(0, 10**12).map(lambda n: n / 1000),
    ),
    st.builds(
        Cron,
        st.sampled_from(["0 9 * * *", "@daily", "*/5 1-3 * JAN MON"]),
        st.sampled_from(["", "Asia/Tokyo"]),
    ),
)
jobs = st.builds(
    Job,
    id=st.just("aaaaaaaa"),
    name=texts.filter(str.strip),
    spec=specs,
    message=texts,
    enabled=st.booleans(),
    plain=st.booleans(),
    session=texts,
    missed=st.sampled_from(["late", "skip", "ask"]),
    mode=texts,
    retries=st.integers(0, 10),
    delete_after_run=st.booleans(),
    created=st.integers(10**9, 2 * 10**9).map(float),
    updated=st.integers(10**9, 2 * 10**9).map(float),
    next_due=moments,
    last_due=moments,
    last_run=moments,
    last_run_id=texts,
    last_outcome=st.sampled_from(["", "ok", "failed", "stopped", "interrupted", "skipped", "asked"]),
    last_detail=texts,
    failures=st.integers(0, 5),
    planned_as=texts,
    planned_in=st.sampled_from(["", "Europe/Berlin"]),
)


@given(jobs)
def test_a_job_comes_back_from_the_file_as_it_was(job: Job) -> None:
    data = file.join([file.render(form.write(job))], {})
    [raw] = file.parse(data, "jobs.json", lambda raw, _text: raw).entries
    assert form.read(raw, "Europe/Berlin") == job


# ---- ten thousand


async def measured(work: Callable[[], Any]) -> float:
    start = time.process_time()
    await work()
    return time.process_time() - start


@pytest.mark.soak
async def test_ten_thousand_jobs(bed: Bed) -> None:
    """Here only what would be wrong on any machine; figures are printed."""
    chance = random.Random(1)
    many = {
        f"{n:08x}": Job(f"{n:08x}", f"job {n}", Cron(f"{n % 60} {n % 24} * * *"), "x", created=NOW)
        for n in range(10_000)
    }
    await bed.store.update(lambda _jobs: many, by_person=True)
    bed.scheduler.apply()
    await bed.scheduler.quiet()
    first = min(job.next_due for job in bed.scheduler.jobs() if job.next_due)
    assert bed.time.armed == first
    start = time.perf_counter()
    for _ in range(100):
        assert bed.scheduler._rounds.next(bed.time.moment, mine=True) == first
    print(f"next due of 10,000: {(time.perf_counter() - start) * 10:.3f} ms")
    await bed.stop()
    bed._make()
    started = await measured(bed.start)
    await bed.scheduler.quiet()
    print(f"start with 10,000: {started * 1000:.0f} ms of CPU")
    chosen = chance.choice(bed.scheduler.jobs())
    await bed.scheduler.change(chosen.id, name="other")
    assert len(bed.scheduler.jobs()) == 10_000
