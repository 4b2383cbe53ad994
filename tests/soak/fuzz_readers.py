"""Every reader of what others wrote, over samples by chance: files, arguments of calls, Markdown.

Sessions have a fuzz of their own (fuzz.py), and so have model streams (fuzz_streams.py), for both need
peers of theirs.
"""

import logging
import tempfile
import time
from pathlib import Path
from random import Random

from tests.soak import fuzz_arguments, fuzz_files, fuzz_markdown
from tests.soak.fuzz_kit import SECONDS, Watch

_KINDS = (fuzz_files.rounds, fuzz_arguments.rounds, fuzz_markdown.rounds)
_IN_STEPS = {"Markdown": 10.0}
"""Seconds for a sample of what is read in steps, each of which is watched."""


def watched(folder: Path, seed: str, rounds: int, only: str = "") -> list[Watch]:
    """So many rounds of each reader, or of one; what was seen."""
    seen = []
    for kind in _KINDS:
        for name, one in kind(folder).items():
            if only in ("", name):
                watch = Watch(name, _IN_STEPS.get(name, SECONDS))
                begun = time.monotonic()
                watch.over(one, seed, rounds)
                print(f"{rounds} rounds in {time.monotonic() - begun:.0f} s. {watch.figures}", flush=True)
                seen.append(watch)
    return seen


def run(chance: Random, rounds: int, only: str = "") -> list[str]:
    """The soak."""
    logging.getLogger("desktop").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        seen = watched(Path(folder), f"{chance.random()}", rounds, only)
    return [line for watch in seen for line in watch.wrong]
