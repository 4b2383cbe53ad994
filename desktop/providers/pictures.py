"""Pictures on their way to a model that can see: from the path in the log to data in the request.

The log keeps paths only. A picture that is gone, too large or of a kind that servers do not take becomes a
note in words, as does every picture for a model that cannot see.
"""

import base64
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from desktop.providers.unbroken import unbroken

MOST_BYTES = 5 * 1024 * 1024
_KNOWN = 256
_KINDS = ((b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpeg"), (b"GIF8", "gif"))


def shown(paths: Sequence[object], *, sees: bool) -> list[dict[str, Any]]:
    """Parts of a message that shows these pictures, or says why it does not (blocking)."""
    parts: list[dict[str, Any]] = []
    for path in paths:
        name = Path(str(path)).name
        url, why = _data(Path(str(path))) if sees else ("", "this model cannot see pictures")
        parts.append({"type": "text", "text": f"[picture {name}: {why}]" if why else f"[picture {name}]"})
        if url:
            parts.append({"type": "image_url", "image_url": {"url": url}})
    return parts


def kind(head: bytes) -> str:
    """The kind of picture that a file's first bytes give away: png, jpeg, gif or webp; "" for others."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp"
    return next((name for start, name in _KINDS if head.startswith(start)), "")


def _data(path: Path) -> tuple[str, str]:
    """The picture as a data address, and why there is none."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
            seen = os.fstat(file.fileno())
    except (OSError, ValueError):
        return "", "the file cannot be read any more"
    if len(data) > MOST_BYTES:
        return "", "too large to be shown"
    if not (found := kind(data[:16])):
        return "", "not a picture that can be shown"
    if not _whole(str(path), len(data), seen.st_mtime_ns, data):
        return "", "the file is broken, nothing of it can be shown"
    return f"data:image/{found};base64,{base64.b64encode(data).decode()}", ""


_verdicts: dict[tuple[str, int, int], bool] = {}


def _whole(path: str, size: int, changed: int, data: bytes) -> bool:
    """Whether a picture is whole: looked at once for each state of its file, for it goes along with every
    step of a turn."""
    if (key := (path, size, changed)) not in _verdicts:
        while len(_verdicts) >= _KNOWN:
            _verdicts.pop(next(iter(_verdicts)), None)
        _verdicts[key] = unbroken(kind(data[:16]), data)
    return _verdicts[key]
