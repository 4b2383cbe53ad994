"""What the frozen program does before anything else on Linux."""

import os
from pathlib import Path

import pyimod02_importers

# The program's libraries are for it alone: a browser that a link opens, git and MCP servers have others.
# What PyInstaller notes for children goes with the path: one that is this program sets both for itself.
before = os.environ.get("LD_LIBRARY_PATH_ORIG", "")
for name in list(os.environ):
    if name.startswith(("_PYI_", "LD_LIBRARY_PATH")):
        del os.environ[name]
if before:
    os.environ["LD_LIBRARY_PATH"] = before

# An upgrade puts another executable in the place of the one that runs. The modules that are still to come
# are in this one, which the system keeps for as long as somebody runs it.
running = Path("/proc/self/exe")
if running.exists():
    pyimod02_importers.pyz_archive._filename = str(running)  # noqa: SLF001 - it has no other way
