"""AMR, as phones and some chat apps record it, where the system has the library of its codec (Apache-2.0).

No package for Python brings it. Linux distributions have it as libopencore-amr; elsewhere AMR is not read.
"""

import ctypes
import ctypes.util
from collections.abc import Iterator

NARROW, WIDE = b"#!AMR\n", b"#!AMR-WB\n"
_SIZES = (13, 14, 16, 18, 20, 21, 27, 32, 6)
_SIZES_WIDE = (18, 24, 33, 37, 41, 47, 51, 59, 61, 6)
"""Bytes of a frame by its mode; of other modes there is the head alone."""


def rate(data: bytes) -> int:
    """Samples a second of what comes out."""
    return 16_000 if data.startswith(WIDE) else 8_000


def frames(data: bytes) -> Iterator[bytes]:
    """The frames, of 20 ms each. A last one that is cut off is left out."""
    wide = data.startswith(WIDE)
    sizes, at = (_SIZES_WIDE, len(WIDE)) if wide else (_SIZES, len(NARROW))
    while at < len(data):
        mode = data[at] >> 3 & 15
        size = sizes[mode] if mode < len(sizes) else 1
        if at + size <= len(data):
            yield data[at : at + size]
        at += size


def decoded(data: bytes) -> Iterator[bytes]:
    """Samples of 16 bits, frame by frame. Raises OSError where the system has no such library."""
    wide = data.startswith(WIDE)
    library = ctypes.CDLL(_name("opencore-amrwb" if wide else "opencore-amrnb"))
    begin, step, end = (
        ("D_IF_init", "D_IF_decode", "D_IF_exit")
        if wide
        else ("Decoder_Interface_init", "Decoder_Interface_Decode", "Decoder_Interface_exit")
    )
    start = getattr(library, begin)
    start.restype = ctypes.c_void_p
    state = ctypes.c_void_p(start())
    samples = (ctypes.c_int16 * (rate(data) // 50))()
    try:
        for frame in frames(data):
            getattr(library, step)(state, frame, samples, 0)
            yield bytes(samples)
    finally:
        getattr(library, end)(state)


def _name(library: str) -> str:
    found = ctypes.util.find_library(library)
    if found is None:
        raise OSError(library)
    return found
