"""Pictures on their way to a model that can see: from the path in the log to data in the request.

The log keeps paths only. A picture that is gone, too large or of a kind that servers do not take becomes a
note in words, as does every picture for a model that cannot see.
"""

import base64
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from desktop.files import Place
from desktop.providers import heic
from desktop.providers.scaling import fitted
from desktop.providers.unbroken import unbroken

MOST_BYTES = 40 * 1024 * 1024
"""Of a file that is looked into at all."""
_TOO_LARGE = "too large to be shown"
_BROKEN = "the file is broken, nothing of it can be shown"
_NOT_HERE = "HEIC images can't be read on this computer; as JPEG or PNG it can be shown"
_KNOWN = 256
_KINDS = ((b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpeg"), (b"GIF8", "gif"))


def shown(
    paths: Sequence[object], *, sees: bool, refused: Collection[str] = (), side: int, most: int
) -> list[dict[str, Any]]:
    """Parts of a message that shows these pictures, or says why it does not (blocking). What has more than
    `most` bytes or a longer side than so many pixels is made smaller."""
    parts: list[dict[str, Any]] = []
    for path in paths:
        name = Path(str(path)).name
        if not sees:
            url, why = "", "this model can't see images"
        elif str(path) in refused:
            url, why = "", "left out, for the server did not accept this image; others can be seen"
        else:
            url, why = _address(Path(str(path)), side, most)
        parts.append({"type": "text", "text": f"[image {name}: {why}]" if why else f"[image {name}]"})
        if url:
            parts.append({"type": "image_url", "image_url": {"url": url}})
    return parts


def broken(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names of those pictures that cannot be shown, and of those that are of a kind which this computer
    cannot read (blocking)."""
    wrong = {Path(path).name: why for path in paths if (why := _read(Path(path))[2])}
    foreign = [name for name, why in wrong.items() if why == _NOT_HERE]
    return [name for name in wrong if name not in foreign], foreign


def sound(url: str) -> bool:
    """Whether a data address holds a whole picture of a kind that servers take."""
    head, _comma, packed = url.partition(",")
    try:
        data = base64.b64decode(packed, validate=True) if head.endswith(";base64") else b""
    except ValueError:
        return False
    return unbroken(kind(data[:16]), data)


def kind(head: bytes) -> str:
    """The kind of picture that a file's first bytes give away: png, jpeg, gif, webp or heic; "" for
    others."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp"
    if heic.is_heic(head):
        return "heic"
    return next((name for start, name in _KINDS if head.startswith(start)), "")


def _address(path: Path, side: int, most: int) -> tuple[str, str]:
    """The picture as a data address, and why there is none."""
    found, data, why = _read(path)
    if why:
        return "", why
    small = fitted(found, data, side, most)
    if small is None:
        return "", _TOO_LARGE
    return f"data:image/{small[0]};base64,{base64.b64encode(small[1]).decode()}", ""


def _read(path: Path) -> tuple[str, bytes, str]:
    """Kind and bytes of a picture, and why there is none. What no server takes is made into JPEG."""
    try:
        with Place(Path(path.anchor)).open(path) as file:
            data = file.stream.read(MOST_BYTES + 1)
            seen = file.status
    except (OSError, ValueError):
        return "", b"", "the file can't be read any more"
    if len(data) > MOST_BYTES:
        return "", b"", _TOO_LARGE
    if not (found := kind(data[:16])):
        return "", b"", "not an image that can be shown"
    if found == "heic":
        return _from_heic(data, (str(path), len(data), seen.st_mtime_ns))
    if not _whole(str(path), len(data), seen.st_mtime_ns, data):
        return "", b"", _BROKEN
    return found, data, ""


def _from_heic(data: bytes, state: tuple[str, int, int]) -> tuple[str, bytes, str]:
    try:
        made = heic.as_jpeg(data, state)
    except heic.MissingError:
        return "", b"", _NOT_HERE
    return ("jpeg", made, "") if made else ("", b"", _BROKEN)


_verdicts: dict[tuple[str, int, int], bool] = {}


def _whole(path: str, size: int, changed: int, data: bytes) -> bool:
    """Whether a picture is whole: looked at once for each state of its file, for it goes along with every
    step of a turn."""
    if (key := (path, size, changed)) not in _verdicts:
        while len(_verdicts) >= _KNOWN:
            _verdicts.pop(next(iter(_verdicts)), None)
        _verdicts[key] = unbroken(kind(data[:16]), data)
    return _verdicts[key]
