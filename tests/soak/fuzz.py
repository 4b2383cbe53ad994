"""Damage to session files: whatever happens to the bytes, only the records they belonged to are missed."""

import asyncio
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from desktop.session.sessions import Sessions

_MESSAGES = 30


def run(chance: Random, rounds: int) -> list[str]:
    """Damage, load, append, load again. What was lost beyond the damaged records."""
    lost: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            place = Path(folder) / f"{number}"
            found = asyncio.run(_round(chance, place))
            lost += [f"round {number}: {line}" for line in found]
    print(f"{rounds} damaged files, {len(lost)} with more lost than was damaged")
    return lost


async def _round(chance: Random, place: Path) -> list[str]:
    sessions = Sessions(place)
    session = await sessions.open("s")
    for number in range(_MESSAGES):
        text = "".join(chance.choice('abc é中🙂\n"\\{}') for _ in range(chance.randrange(40)))
        await session.append({"role": "user", "content": f"{number}:{text}"})
    path = session.path
    whole = path.read_bytes()
    damaged, hit = _damage(chance, whole)
    path.write_bytes(damaged)
    kept = await _contents(place)
    before = await _contents_of(whole, place / "whole")
    wrong = [f"message {n} is gone" for n, text in enumerate(before) if n not in hit and text not in kept]
    again = await Sessions(place).open("s")
    await again.append({"role": "user", "content": "after the damage"})
    later = await _contents(place)
    if later != [*kept, "after the damage"]:
        wrong.append("an append after the damage changed what was kept")
    return wrong


async def _contents(place: Path) -> list[Any]:
    return [m.get("content") for m in await (await Sessions(place).open("s")).everything()]


async def _contents_of(data: bytes, place: Path) -> list[Any]:
    place.mkdir(parents=True)
    (place / "s.jsonl").write_bytes(data)
    return await _contents(place)


def _damage(chance: Random, data: bytes) -> tuple[bytes, set[int]]:
    """Flip, insert, delete or cut somewhere; which messages that may have hit (line 0 is the metadata)."""
    first_line = data.index(b"\n")
    at = chance.randrange(first_line if chance.random() < 0.1 else len(data))
    size = chance.choice((1, 1, 1, 2, 5, 80))
    end = min(len(data), at + size)
    kind = chance.choice(("flip", "insert", "delete", "cut"))
    noise = bytes(chance.randrange(256) for _ in range(end - at))
    if kind == "cut":
        return data[:at], set(range(data[:at].count(b"\n") - 1, _MESSAGES))
    first, last = data[:at].count(b"\n") - 1, data[: end - 1].count(b"\n") - 1
    if kind == "insert":
        return data[:at] + noise + data[at:], {first}
    return data[:at] + (noise if kind == "flip" else b"") + data[end:], set(range(first, last + 1))
