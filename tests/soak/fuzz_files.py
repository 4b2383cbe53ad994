"""Files that a person or another program left in any state: SKILL.md, config.json, jobs.json.

Each is read as the program reads it, from a real file. Of a damaged settings file nothing is lost: a change
keeps it aside. Of damaged jobs the sound ones stay, or the file is kept aside.
"""

import asyncio
import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from desktop.config.store import ConfigStore
from desktop.cron.job import Job
from desktop.cron.store import Store
from desktop.errors import AppError
from desktop.skills.loader import Skills
from tests.soak.fuzz_kit import Round, damaged, noisy, twisted

_DATA = Path(__file__).parents[1] / "data"
_YAML = (
    *(
        "---\n",
        "- ",
        ": ",
        "{",
        "}",
        "[",
        "]",
        "&a ",
        "*a",
        "<<: *a\n",
        "!!int ",
        "!!timestamp ",
        "!!bool ",
    ),
    *(
        "!!python/object:os.system ",
        '"',
        "'",
        "|\n",
        "> ",
        "? ",
        "%",
        "@",
        "`",
        "#",
        "\t",
        "\n  ",
        "0x",
        "9",
    ),
    *("!!set ", "!!binary ", "!!float ", "= ", "~", "1:2:3", "2026-13-45", "a: ", "metadata: ", "\n"),
)
_JSON = ("{", "}", "[", "]", ",", ":", '"', "\\", "\\ud83d", "null", "9", "1e9", "//", "NaN", "\n", '{"a":')
_SKILLS = (
    "---\nname: notes\ndescription: Keeps notes, and finds them.\nalways: true\n---\n\n# Notes\nDo it.\n",
    (
        '---\nname: notes\ndescription: "Two: words"\nmetadata: {"nanobot": {"emoji": "🗒", "requires": '
        '{"bins": ["git", null], "anyBins": "a", "env": ["HOME"]}, "os": ["linux"], '
        '"install": [{"kind": "apt", "label": "apt install git"}]}}\n---\nBody\n'
    ),
    "---\nname: notes\ndescription: >\n  folded\n  text\nlist:\n  - one\n  - &a {b: c}\n  - *a\n---\n",
    "---\nname: notes\ndescription: one: two: three\n",
    "# Notes\n\nNo header at all.\n",
    "---\r\nname: notes\r\nbase: &a {x: 1}\r\nmore:\r\n  <<: *a\r\nwhen: 2026-11-29\r\n...\r\nBody\r\n",
)
_JOB: Mapping[str, Any] = {
    "enabled": True,
    "schedule": {"kind": "cron", "expr": "0 9 * * 1-5", "tz": "Europe/Berlin", "atMs": None},
    "payload": {"kind": "agent_turn", "message": "Say it", "deliver": True, "channel": "x", "to": "y"},
    "state": {"nextRunAtMs": 1_790_000_000_000, "lastStatus": "ok", "failures": 0, "own": {"kept": 1}},
    "createdAtMs": 1_780_000_000_000,
    "updatedAtMs": 1_780_000_000_000,
    "deleteAfterRun": False,
    "missed": "late",
}
_SCHEDULES = (
    {"kind": "at", "atMs": 1_800_000_000_000},
    {"kind": "at", "at": "2027-12-24 18:00"},
    {"kind": "every", "everyMs": 3_600_000},
    {"kind": "cron", "expr": "*/5 8-18 * * mon-fri"},
)


def skill(folder: Path) -> Round:
    """SKILL.md: what is shown of it, and what a model is given."""
    place = folder / "workspace" / "skills" / "notes" / "SKILL.md"
    place.parent.mkdir(parents=True)
    (folder / "builtin").mkdir()

    def one(chance: Random) -> list[str]:
        text = chance.choice(_SKILLS)
        body = f"word{chance.randrange(10**6)}"
        text = damaged(chance, text, _YAML) + f"\n---\n{body}\n"
        data = noisy(chance, text.encode("utf-8", "replace"))
        place.write_bytes(data)
        skills = Skills(place.parents[2], list, builtin=folder / "builtin")
        [found] = skills.all()
        given = found.body()
        skills.prompt()
        wrong = [] if "\n" not in found.description else ["a description of several lines"]
        read = not found.broken and f"\n{body}\n".encode() in data
        if read and len(data) < 60_000 and body not in given + found.description:
            wrong.append(f"the text is lost: {data[:300]!r}")
        return wrong

    return one


def settings(folder: Path) -> Round:
    """config.json: read, changed once, and read again."""
    path = folder / "home" / "config.json"
    path.parent.mkdir()
    originals = [json.loads((_DATA / name / "config.json").read_text("utf-8")) for name in _generations()]
    originals.append({"agents": {"defaults": {"model": "m"}}, "own": {"kept": [1, "two"]}})

    def one(chance: Random) -> list[str]:
        for old in path.parent.iterdir():
            old.unlink()
        value = chance.choice(originals)
        value = twisted(chance, value) if chance.random() < 0.6 else value
        text = json.dumps(value, indent=chance.choice((None, 2)), ensure_ascii=chance.random() < 0.5)
        text = damaged(chance, text, _JSON) if chance.random() < 0.6 else text
        data = noisy(chance, text.encode("utf-8", "surrogatepass"))
        path.write_bytes(data)
        store = ConfigStore(path, {"HOME": "/home/x"})
        store.load()
        problems = [str(problem) for problem in store.problems]
        try:
            asyncio.run(store.update({"agents.defaults.temperature": 0.25}))
        except AppError as error:
            return [] if path.read_bytes() == data else [f"changed all the same: {error}"]
        return _after_a_change(path, data, store, problems)

    return one


def _after_a_change(path: Path, data: bytes, store: ConfigStore, problems: list[str]) -> list[str]:
    kept = [one.read_bytes() for one in path.parent.glob("config.json.damaged-*")]
    if store.damaged:
        return [f"still damaged after a change: {[str(one) for one in store.problems]}, was {data[:300]!r}"]
    if kept or not data:
        return [] if kept == [data] * bool(data) else ["what is kept aside is not what was there"]
    if store.config.agents.defaults.temperature != 0.25:
        return [f"the change was not made ({problems}): {path.read_bytes()[:3000]!r}"]
    before = json.loads(data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"))
    after = json.loads(path.read_bytes().decode())
    for document in (before, after):
        _forget_temperature(document)
    same = json.dumps(before, sort_keys=True) == json.dumps(after, sort_keys=True)
    return [] if same else [f"lost in a change ({problems}): {data[:300]!r} is {path.read_bytes()[:300]!r}"]


def _forget_temperature(document: Any) -> None:
    """What the change put in, with the sections that it may have made for it."""
    for name in [key for key in document if key.replace("_", "").lower() == "agents"]:
        agents = document[name] or {}
        for inner in [key for key in agents if key.replace("_", "").lower() == "defaults"]:
            defaults = agents[inner] or {}
            for key in [key for key in defaults if key.replace("_", "").lower() == "temperature"]:
                del defaults[key]
            if not defaults:
                del agents[inner]
        if not agents:
            del document[name]


def jobs(folder: Path) -> Round:
    """jobs.json: read, a job added, and read again."""
    place = folder / "jobs" / "cron"

    def one(chance: Random) -> list[str]:
        for old in place.iterdir() if place.exists() else ():
            old.unlink()
        place.mkdir(parents=True, exist_ok=True)
        sound = [
            dict(_JOB) | {"id": f"sound{n}", "name": f"n{n}", "schedule": chance.choice(_SCHEDULES)}
            for n in range(3)
        ]
        odd = twisted(chance, dict(_JOB) | {"id": "odd", "name": "odd"})
        rest: dict[str, Any] = {"version": 1, "own": {"kept": 1}}
        rest = twisted(chance, rest) if chance.random() < 0.3 else rest
        if not isinstance(rest, dict):
            rest = {}
        entries = [*sound, odd]
        chance.shuffle(entries)
        text = json.dumps(rest | {"jobs": entries}, indent=2, ensure_ascii=chance.random() < 0.5)
        whole = chance.random() < 0.5
        text = text if whole else damaged(chance, text, _JSON)
        data = text.encode("utf-8", "surrogatepass")
        data = data if whole else noisy(chance, data)
        (place / "jobs.json").write_bytes(data)
        return asyncio.run(_read_jobs(place, data, rest))

    return one


async def _read_jobs(place: Path, data: bytes, rest: Mapping[str, Any]) -> list[str]:
    store = Store(place, lambda: "Europe/Berlin")
    await store.load()
    before = dict(store.jobs)
    sound = [f"sound{n}" for n in range(3) if f"sound{n}" in before]
    wrong: list[str] = []
    if not store.damage and _all_there(data) and len(sound) < 3:
        wrong.append(f"sound jobs are not read: {list(before)}, {store.trouble[:300]}")
    await store.update(partial(_added, model=before), by_person=True)
    kept = [one.read_bytes() for one in place.glob("jobs.json.damaged-*")]
    again = Store(place, lambda: "Europe/Berlin")
    await again.load()
    if again.damage:
        wrong.append(f"cannot be read after a change: {again.damage}, was {data[:300]!r}")
    if kept:
        return wrong if kept == [data] else [*wrong, "what is kept aside is not what was there"]
    wrong += [f"{id_} is gone after a change" for id_ in before if id_ not in again.jobs]
    wrong += [] if "added" in again.jobs else ["what was added is not there"]
    now = (place / "jobs.json").read_bytes()
    # By its id or name: as the value of a field that has a few, any other word means the usual one.
    there = b'"id": "odd"' in data or b'"name": "odd"' in data
    lost = [] if not there or b"odd" in now else ["the odd entry is gone"]
    return [*wrong, *lost]


def _all_there(data: bytes) -> bool:
    """Whether the three sound jobs stand in a file as they were made."""
    try:
        entries = json.loads(data.decode("utf-8-sig"))["jobs"]
        found = {
            one["id"]
            for one in entries
            if {**one, "id": 0, "name": 0, "schedule": 0} == {**_JOB, "id": 0, "name": 0, "schedule": 0}
            and one["schedule"] in _SCHEDULES
        }
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return found == {"sound0", "sound1", "sound2"}


def _added(jobs: Mapping[str, Job], model: Mapping[str, Job]) -> Mapping[str, Job | None]:
    from desktop.cron.schedule import At

    return {"added": Job("added", "added", At(1_800_000_000.0), "say it")}


def _generations() -> list[str]:
    return [name for name in ("feb-apr-2026", "v0.3.5") if (_DATA / name / "config.json").exists()]


def rounds(folder: Path) -> dict[str, Round]:
    """The readers by name; they work in `folder`."""
    return {"SKILL.md": skill(folder), "config.json": settings(folder), "jobs.json": jobs(folder)}
