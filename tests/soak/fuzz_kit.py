"""What every fuzz of a reader needs: samples that are damaged by chance, and a watch over each reading.

A reading must not raise, nor take more than a second of this process's time, nor 100 MB of memory. The same
seed makes the same samples.
"""

import ctypes
import gc
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import psutil

SECONDS = 1.0
MEGABYTES = 100
_HANGS_S = 20
_LONGEST = 400_000
"""Characters of a sample at the most."""

type Round = Callable[[Random], list[str]]
"""Makes one sample and reads it; what was wrong, a line each."""

ODD = (
    *("\0", "\ud83d", "\udc00", "\u202e", "\u2028", "\u2029", "\ufeff", "\u0085", "\u200b", "\ufffd", "\r"),
    *("é", "e\u0301", "ﷺ", "שלום", "中文", "👩‍💻", "İ", "ß", "\U000e0041", "\x1b[31m", "\x7f", "\uffff"),
)
NUMBERS = (0, -1, 1e999, -1e999, float("nan"), 10**400, -(10**30), 2**63, 1e-320, 0.1, True)


class Hang(BaseException):
    """A reading that would not end."""


def damaged(chance: Random, text: str, marks: tuple[str, ...] = ()) -> str:
    """A text after some damage; `marks` are what has a meaning for its reader."""
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3, 6))):
        text = _hit(chance, text, marks)[:_LONGEST]
    return text


def _hit(chance: Random, text: str, marks: tuple[str, ...]) -> str:
    at = chance.randrange(len(text) + 1)
    size = chance.choice((1, 1, 2, 5, 40, 400))
    part = text[at : at + size]
    sign = chance.choice(marks or ODD)
    match chance.choice(
        ("cut", "drop", "twice", "odd", "sign", "move", "many", "nest", "huge", "line", "case")
    ):
        case "cut":
            return text[:at]
        case "drop":
            return text[:at] + text[at + size :]
        case "twice":
            return text[:at] + part * 2 + text[at + size :]
        case "odd":
            return text[:at] + chance.choice(ODD) * chance.choice((1, 1, 3)) + text[at:]
        case "sign":
            return text[:at] + sign + text[at:]
        case "move":
            to = chance.randrange(len(text) + 1)
            rest = text[:at] + text[at + size :]
            return rest[:to] + part + rest[to:]
        case "many":
            count = chance.choice((3, 30, 300, 3_000, 20_000))
            return text[:at] + sign * min(count, _LONGEST // max(1, len(sign))) + text[at:]
        case "nest":
            other, depth = chance.choice(marks or ODD), chance.choice((2, 20, 200, 2_000))
            return text[:at] + sign * depth + part + other * depth + text[at + size :]
        case "huge":
            return text[:at] + part * (chance.choice((2_000, 60_000)) // max(1, len(part))) + text[at:]
        case "line":
            return text[:at] + "\n" + text[at:]
    return text[:at] + part.swapcase() + text[at + size :]


def noisy(chance: Random, data: bytes) -> bytes:
    """Bytes after some damage; now and then in another encoding."""
    match chance.randrange(12):
        case 0:
            text = data.decode("utf-8", "replace")
            return text.encode(chance.choice(("utf-16", "utf-16-be", "utf-8-sig", "utf-7")), "replace")
        case 1 | 2:
            at = chance.randrange(len(data) + 1)
            noise = bytes(chance.randrange(256) for _ in range(chance.choice((1, 2, 30))))
            return data[:at] + noise + data[at + chance.choice((0, 1, 30)) :]
    return data


def twisted(chance: Random, value: Any) -> Any:
    """A JSON value with some places that have another type, size or depth."""
    value = _copied(value)
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        places = list(_places(value))
        if not places:
            return _other(chance, value)
        owner, key = chance.choice(places)
        if isinstance(owner, dict) and chance.random() < 0.2:
            name = chance.choice((f"{key}X", "", *ODD, str(key).upper(), "__proto__", "x" * 5_000))
            owner[name] = owner.pop(key) if chance.random() < 0.5 else owner[key]
        else:
            owner[key] = _other(chance, owner[key])
    return value


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(one) for key, one in value.items()}
    return [_copied(one) for one in value] if isinstance(value, list) else value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, one in list(items):
        yield value, key
        if isinstance(one, dict | list):
            yield from _places(one)


def _other(chance: Random, value: Any) -> Any:
    kind = chance.choice(("null", "number", "text", "list", "object", "deep", "huge", "odd", "as text"))
    match kind:
        case "null":
            return None
        case "number":
            return chance.choice(NUMBERS)
        case "text":
            return chance.choice(("", " ", "x", "true", "1e999", "9" * 500, "${HOME}", "../..", "a\nb"))
        case "list":
            return chance.choice(([], [value], [None, value], [[]], [{}] * 50))
        case "object":
            return chance.choice(({}, {"x": 1}, {"": None}, {"id": []}))
        case "deep":
            return _nested(chance, value)
        case "huge":
            return "long " * 20_000
        case "odd":
            return f"{value}"[:200] + chance.choice(ODD)
    return str(value)


def _nested(chance: Random, value: Any) -> Any:
    """Deep, yet not so deep that the sample itself could not be written."""
    for _ in range(chance.choice((5, 60, 150))):
        value = [value] if chance.random() < 0.5 else {"a": value}
    return value


def _held() -> int:
    """Bytes of memory that are in use, without those that the allocator keeps for later."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    return int(psutil.Process().memory_info().rss)


class Watch:
    """Over one reader: what was wrong so far, and the worst that was seen."""

    def __init__(self, name: str, seconds: float = SECONDS) -> None:
        """`seconds`: for one sample; more where it is read in steps that are watched themselves."""
        self.name, self._seconds = name, seconds
        self.wrong: list[str] = []
        self.slowest = 0.0
        self.largest = 0.0
        self.grown = 0.0

    def over(self, round_: Round, seed: str, rounds: int) -> list[str]:
        """So many rounds, each with a chance of its own, so that one can be had again alone."""
        before = _held()
        for number in range(rounds):
            self._one(round_, f"{seed}:{number}")
        self.grown = (_held() - before) / 2**20
        if self.grown > MEGABYTES:
            self.wrong.append(f"{self.name}: memory grew by {self.grown:.0f} MB in {rounds} rounds")
        return self.wrong

    def _one(self, round_: Round, seed: str) -> None:
        peak, begun, found = _peak(), time.process_time(), list[str]()
        try:
            with _ending():
                found = round_(Random(seed))
        except Hang:
            found = [f"does not end: {_last()}"]
        except Exception:
            found = [f"raised {traceback.format_exc(limit=-4)}"]
        seconds, megabytes = time.process_time() - begun, _peak() - peak
        self.slowest, self.largest = max(seconds, self.slowest), max(megabytes, self.largest)
        if seconds > self._seconds:
            found.append(f"took {seconds:.1f} s")
        if megabytes > MEGABYTES:
            found.append(f"took {megabytes:.0f} MB")
        self.wrong += [f"{self.name} {seed}: {line}" for line in found]

    @property
    def figures(self) -> str:
        """For the note."""
        return (
            f"{self.name}: slowest {self.slowest:.2f} s, largest {self.largest:.0f} MB, "
            f"grew by {self.grown:.0f} MB, {len(self.wrong)} faults"
        )


@contextmanager
def _ending() -> Iterator[None]:
    """Ends what does not end by itself."""

    def late(*_: object) -> None:
        raise Hang

    former = signal.signal(signal.SIGPROF, late)  # of this process's time: others may need the computer
    signal.setitimer(signal.ITIMER_PROF, _HANGS_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, former)


def _last() -> str:
    return " < ".join(
        f"{frame.filename.rpartition('/')[2]}:{frame.lineno}"
        for frame in reversed(traceback.extract_tb(sys.exc_info()[2])[-4:])
    )


def _peak() -> float:
    """The most that this process ever had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
