"""A minute of speech turned into text by the model of this computer: time, CPU and memory, beside a bare
script that gives whisper.cpp the same samples."""

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from desktop.providers.speech.engine import SpeechEngine
from desktop.providers.speech.sound import look
from tests.bench.table import Table, middle
from tests.servers.speaking import encoded, model

_MINUTE = " ".join(
    [
        "The meeting begins tomorrow morning, and the train leaves from the old station at seven.",
        "Please bring a cup of coffee, the green book, and the letters from the office.",
    ]
    * 5
)
_BARE = """
import json, resource, sys, time
began = time.perf_counter()
import _pywhispercpp as w
import numpy, soundfile
pcm = numpy.frombuffer(open(sys.argv[2], "rb").read(), numpy.int16).astype(numpy.float32) / 32768
context = w.whisper_init_from_file_with_params(sys.argv[1], w.whisper_context_default_params())
settings = w.whisper_full_default_params(w.whisper_sampling_strategy.WHISPER_SAMPLING_GREEDY)
settings.n_threads, settings.language, settings.suppress_nst = int(sys.argv[3]), "en", True
settings.print_progress = False
w.whisper_full(context, settings, pcm, pcm.size)
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""
_BUDGET = 1.15


async def measure(table: Table, runs: int) -> None:
    """From a cold start, as a voice message finds it."""
    file = model()
    if file is None:
        table.line("a minute of speech", "no speech model")
        return
    spoken = look(encoded("ogg", _MINUTE))
    ours, bare = [], []
    with tempfile.TemporaryDirectory() as folder:
        samples = Path(folder, "samples")
        engine = SpeechEngine()
        samples.write_bytes((await engine.wav(spoken, 600))[44:])
        await engine.stop()
        for _run in range(runs):
            ours.append(await _ours(file, encoded("ogg", _MINUTE)))
            bare.append(await asyncio.to_thread(_bare, file, samples))
    seconds = spoken.seconds or 0
    for at, what, unit in ((0, "time", "s"), (1, "CPU", "s"), (2, "memory", "MB")):
        mine, peer = middle([run[at] for run in ours]), middle([run[at] for run in bare])
        holds = mine <= peer * _BUDGET
        words = f"{seconds:.0f} s of speech, Whisper base: {what}"
        table.line(words, f"{mine:.1f} {unit}", f"bare {peer:.1f} {unit}", f"<= {_BUDGET} x", holds)


async def _ours(file: Path, data: bytes) -> tuple[float, float, float]:
    engine = SpeechEngine()
    began = time.perf_counter()
    await engine.words(look(data), file, "en", 600)
    took = time.perf_counter() - began
    child = engine.child
    assert child is not None
    used = _used(child)
    await engine.stop()
    return took, *used


def _used(process: int) -> tuple[float, float]:
    """CPU seconds, and the most memory that it had, MB."""
    import psutil

    times = psutil.Process(process).cpu_times()
    peak = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    assert peak is not None
    return times.user + times.system, int(peak[1]) / 1024


def _bare(file: Path, samples: Path) -> tuple[float, float, float]:
    from desktop.providers.engine import cores

    command = [sys.executable, "-c", _BARE, str(file), str(samples), str(cores())]
    environment = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    took, cpu, memory = json.loads(done.stdout.splitlines()[-1])
    return took, cpu, memory
