"""Takes the index in PyInstaller's archive apart: modules that only answering by a model needs come later.

The archive is PyInstaller's own: a header with the place of the index, modules, and the index, marshalled.
Each part that is taken out becomes one more entry. packaging/index_reader.py reads it.
"""

import marshal
import struct
import zlib
from pathlib import Path

LATE = ("litellm", "openai")
"""More than half of all modules."""

_PLACE = slice(8, 12)
_MODULE = 0
"""The kind of entry whose content is marshalled: PYZ_ITEM_MODULE."""


def take_apart(archive: Path) -> None:
    """Raises ValueError when a package is not in it."""
    content = archive.read_bytes()
    place = struct.unpack("!i", content[_PLACE])[0]
    index = marshal.loads(content[place:])  # noqa: S302 - PyInstaller wrote it a moment ago
    data = bytearray(content[:place])
    for package in LATE:
        part = [entry for entry in index if entry[0].partition(".")[0] == package]
        if not part:
            raise ValueError(f"{archive} has no {package}")
        packed = zlib.compress(marshal.dumps(part))
        index = [entry for entry in index if entry not in part]
        index.append((f"index of {package}", (_MODULE, len(data), len(packed))))
        data += packed
    data[_PLACE] = struct.pack("!i", len(data))
    archive.write_bytes(data + marshal.dumps(index))
