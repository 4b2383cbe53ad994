"""Memory that was let go serves again, in a process that runs for weeks (glibc only).

glibc gives each thread a heap of its own, up to eight a core. What is free in one serves no other, so each
keeps room for the most that its thread ever held at once, and the pool's threads take turns with all work.
Python lets one of them run at a time: one heap is enough for all.

It maps a big buffer apart, and gives it back as soon as it is free. But with each one that is freed it
raises its idea of "big", up to 32 MB. From then on buffers of a moment lie among what stays, and leave
holes. Once the bound is set, glibc leaves it where it is.
"""

import sys
from contextlib import suppress

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # as <malloc.h> has them
_BIG = 128 * 1024
"""Bytes: where glibc begins by itself."""


def share() -> None:
    """From now on let threads share one heap, without big buffers. Does nothing where there is no glibc.
    The heaps that there are stay: call it before many threads run."""
    if sys.platform != "linux":
        return
    import ctypes  # not at every start

    with suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_ARENA_MAX, 1)
        libc.mallopt(_M_MMAP_THRESHOLD, _BIG)
