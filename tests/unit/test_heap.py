"""One heap for all threads, without big buffers."""

import platform
import subprocess
import sys

import pytest

_PROGRAM = """
import sys
from concurrent.futures import ThreadPoolExecutor
from desktop.heap import share

def heap():
    for line in open("/proc/self/maps"):
        if line.rstrip().endswith("[heap]"):
            begin, end = line.split()[0].split("-")
            return int(end, 16) - int(begin, 16)

if sys.argv[1] == "shared":
    share()
bytearray(16_000_000)  # is freed at once: from here on glibc would take 16 MB for ordinary
before = heap()
big = bytearray(8_000_000)
between = heap()
with ThreadPoolExecutor(1) as pool:
    small = pool.submit(lambda: [bytearray(100_000) for _ in range(50)]).result()
print(between - before, heap() - between)
"""


def _grown(how: str) -> tuple[int, int]:
    """By how many bytes the main heap grows: by 8 MB at once, and by 5 MB that a thread takes in pieces."""
    command = [sys.executable, "-c", _PROGRAM, how]
    big, small = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()
    return int(big), int(small)


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="other allocators have no heap for each thread"
)
def test_threads_share_a_heap_that_big_buffers_stay_out_of() -> None:
    """What glibc does by itself shows that it is this that changes it."""
    big, small = _grown("as it is")
    assert big > 4_000_000
    assert small < 1_000_000
    big, small = _grown("shared")
    assert big < 1_000_000
    assert small > 4_000_000
