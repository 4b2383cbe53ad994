"""Whether this processor can run the engine that the program ships.

The engine is built for one level of processor and does not look itself: on an older one it dies of an
illegal instruction in the middle of its start. So the program looks first.
"""

import platform
import sys
from pathlib import Path

NEEDED = ("avx2", "fma", "f16c", "bmi2")
"""What the shipped builds for x86 use, as Linux spells it."""
_CPUINFO = Path("/proc/cpuinfo")
_PF_AVX2_INSTRUCTIONS_AVAILABLE = 40


def lacking(cpuinfo: Path = _CPUINFO) -> tuple[str, ...]:
    """What of NEEDED this processor has not; empty where it is no x86, or where nobody can tell. Blocks."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return ()
    flags = _flags(cpuinfo)
    return tuple(name for name in NEEDED if name not in flags) if flags else ()


def _flags(cpuinfo: Path) -> frozenset[str]:
    if sys.platform == "linux":
        return _linux(cpuinfo)
    if sys.platform == "darwin":
        return _mac()
    if sys.platform == "win32":
        return _windows()
    return frozenset()


def _linux(cpuinfo: Path) -> frozenset[str]:
    try:
        lines = cpuinfo.read_text("utf-8", "replace").splitlines()
    except OSError:
        return frozenset()
    line = next((line for line in lines if line.startswith("flags")), "")
    return frozenset(line.partition(":")[2].split())


def _mac() -> frozenset[str]:
    import subprocess

    names = ("machdep.cpu.features", "machdep.cpu.leaf7_features")
    done = subprocess.run(["/usr/sbin/sysctl", "-n", *names], capture_output=True, text=True, check=False)
    return frozenset(done.stdout.lower().split())


def _windows() -> frozenset[str]:
    """Windows names AVX2 alone; processors that have it have the others."""
    import ctypes

    kernel: object = getattr(ctypes, "windll").kernel32  # noqa: B009 - not there for other systems' types
    has = bool(getattr(kernel, "IsProcessorFeaturePresent")(_PF_AVX2_INSTRUCTIONS_AVAILABLE))  # noqa: B009
    return frozenset(NEEDED) if has else frozenset({"x86"})
