"""Makes a picture as small as the model that is to see it wants it.

A server refuses a picture with too many pixels or bytes, or scales it itself after it was paid for. Pillow
is imported here alone, and only when there is a picture; what it cannot read is left as it is.
"""

import io
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

_QUALITIES = (85, 70, 50)
_SMALLER = 0.75
_LEAST_SIDE = 64
MOST_PIXELS = 120_000_000
"""A picture of more is not unpacked: it would take half a gigabyte."""


def fitted(kind: str, data: bytes, side: int, most: int) -> tuple[str, bytes] | None:
    """Kind and bytes of a picture whose longest side has at most so many pixels, and its file at most so
    many bytes; the picture itself where it is like that. None where it cannot be made so. Blocks for up to
    a second for the largest photographs."""
    from PIL import Image, ImageOps

    as_it_is = (kind, data) if len(data) <= most else None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            picture = Image.open(io.BytesIO(data))
        if max(picture.size) <= side and as_it_is:
            return as_it_is
        if picture.width * picture.height > MOST_PIXELS:
            return None
        picture.draft("RGB", (side, side))  # a photograph is not unpacked larger than it is needed
        upright = ImageOps.exif_transpose(picture)
        clear = "A" in upright.getbands() or "transparency" in upright.info
        whole = upright.convert("RGBA" if clear else "RGB")
    except Image.DecompressionBombError:
        return None
    except (OSError, ValueError, SyntaxError):
        return as_it_is
    return _small_enough(whole, kind, side, most)


def _small_enough(whole: "Picture", kind: str, side: int, most: int) -> tuple[str, bytes] | None:
    from PIL import Image

    while side >= _LEAST_SIDE:
        made = whole.copy()
        made.thumbnail((side, side), Image.Resampling.LANCZOS, reducing_gap=2.0)
        if kind != "jpeg" and len(found := _saved(made, "png")) <= most:
            return "png", found  # what was drawn stays sharp, if it may
        ground = Image.new("RGB", made.size, "white")
        ground.paste(made, mask=made.getchannel("A") if made.mode == "RGBA" else None)
        for quality in _QUALITIES:
            if len(found := _saved(ground, "jpeg", quality=quality)) <= most:
                return "jpeg", found
        side = int(side * _SMALLER)
    return None


def _saved(picture: "Picture", kind: str, **options: int) -> bytes:
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()
