"""Pictures that the window's own library cannot read, made into ones that it can."""

from pathlib import Path

from desktop.files import Place

_MOST_BYTES = 40 * 1024 * 1024


def preview(path: Path) -> bytes:
    """A HEIC picture as a JPEG file; empty for all else, and where it is broken or cannot be read here.
    Blocks, for up to a second."""
    from desktop.providers import heic  # the window starts without it

    try:
        with Place(Path(path.anchor)).open(path) as file:
            head = file.stream.read(16)
            if not heic.is_heic(head):
                return b""
            data, seen = head + file.stream.read(_MOST_BYTES), file.status
        return heic.as_jpeg(data, (str(path), len(data), seen.st_mtime_ns)) or b""
    except (OSError, ValueError, heic.MissingError):
        return b""
