"""Colours as style sheets write them, and whether two of them look alike."""

import colorsys
import re
from dataclasses import dataclass

_NAMED = {
    "white": "fff",
    "snow": "fffafa",
    "ivory": "fffff0",
    "floralwhite": "fffaf0",
    "ghostwhite": "f8f8ff",
    "whitesmoke": "f5f5f5",
    "mintcream": "f5fffa",
    "azure": "f0ffff",
    "aliceblue": "f0f8ff",
    "black": "000",
    "red": "f00",
    "green": "008000",
    "lime": "0f0",
    "blue": "00f",
    "yellow": "ff0",
    "gray": "808080",
    "grey": "808080",
    "silver": "c0c0c0",
    "lightgray": "d3d3d3",
    "lightgrey": "d3d3d3",
    "gainsboro": "dcdcdc",
    "darkgray": "a9a9a9",
    "darkgrey": "a9a9a9",
    "navy": "000080",
    "maroon": "800000",
    "purple": "800080",
    "teal": "008080",
    "olive": "808000",
    "orange": "ffa500",
    "fuchsia": "f0f",
    "magenta": "f0f",
    "aqua": "0ff",
    "cyan": "0ff",
    "pink": "ffc0cb",
    "beige": "f5f5dc",
    "brown": "a52a2a",
}
_CALL = re.compile(r"(rgb|hsl)a?\(([^()]{1,100})\)")
_NEAR = 12.0


@dataclass(frozen=True, slots=True)
class Colour:
    """Red, green and blue from 0 to 255, and how much it covers from 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0


def colour(text: str) -> Colour | None:
    """The colour that a text names; None where it names none."""
    text = text.strip().lower()
    if text == "transparent":
        return Colour(0, 0, 0, 0.0)
    text = _NAMED.get(text, text).removeprefix("#")
    if re.fullmatch(r"[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8}", text):
        digits = "".join(sign * 2 for sign in text) if len(text) < 6 else text
        red, green, blue, *alpha = (int(digits[at : at + 2], 16) for at in range(0, len(digits), 2))
        return Colour(red, green, blue, alpha[0] / 255 if alpha else 1.0)
    found = _CALL.fullmatch(text)
    return _called(found[1], found[2]) if found else None


def alike(one: Colour, other: Colour) -> bool:
    """Whether text of one colour cannot be read on the other."""
    if other.red < 0:
        return False
    far = max(abs(one.red - other.red), abs(one.green - other.green), abs(one.blue - other.blue))
    return far <= _NEAR


def _called(kind: str, inside: str) -> Colour | None:
    parts = [part for part in re.split(r"[\s,/]+", inside.strip()) if part]
    try:
        numbers = [float(part.removesuffix("%").removesuffix("deg")) for part in parts[:4]]
    except ValueError:
        return None
    if len(numbers) < 3:
        return None
    alpha = numbers[3] / 100 if len(parts) > 3 and parts[3].endswith("%") else ([*numbers, 1.0])[3]
    if kind == "hsl":
        red, green, blue = colorsys.hls_to_rgb(numbers[0] % 360 / 360, numbers[2] / 100, numbers[1] / 100)
        return Colour(red * 255, green * 255, blue * 255, alpha)
    scale = 2.55 if parts[0].endswith("%") else 1.0
    return Colour(numbers[0] * scale, numbers[1] * scale, numbers[2] * scale, alpha)
