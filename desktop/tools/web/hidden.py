"""What of a page a person does not see, as far as its own styles say: a model shall not see it either.

Styles of elements, presentational attributes and the page's own style sheets are read (selectors.py). Each
element is looked at once.
"""

import re
from dataclasses import dataclass
from typing import Any

from desktop.tools.web.colours import Colour, alike, colour
from desktop.tools.web.selectors import MOST_CSS, Styles, names, read, words

_NUMBER = re.compile(r"^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([a-z%]*)\s*$", re.IGNORECASE)
_UNITS = {
    "": 1.0,
    "px": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 37.8,
    "mm": 3.78,
    "q": 0.945,
    "em": 16.0,
    "rem": 16.0,
    "ex": 8.0,
    "ch": 8.0,
    "vw": 12.8,
    "vh": 7.2,
    "vmin": 7.2,
    "vmax": 12.8,
    "%": 0.16,
    "lh": 19.2,
    "rlh": 19.2,
}
"""Pixels of one, for text of the usual size."""
_TINY, _FAR = 2.0, 300.0
"""Pixels: text is not read below the first, and lies outside beyond the second."""
_NOT_SHOWN = words(
    "script style noscript template head meta link base object embed applet audio video canvas "
    "iframe datalist param source track"
)
_VOID = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_OVERFLOW = ("overflow", "overflow-x", "overflow-y")
_TELLING = words(
    "display visibility opacity font-size font color background background-color background-image "
    "position left top right bottom inset text-indent clip clip-path -webkit-clip-path height "
    "max-height width max-width block-size inline-size overflow overflow-x overflow-y transform "
    "translate scale margin margin-left margin-top content-visibility -webkit-text-fill-color"
)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What an element hands down."""

    ink: Colour | None = None
    ground: Colour | None = None
    size: float = 16.0
    visible: bool = True


def strip(tree: Any) -> None:
    """Take everything out of an lxml tree that is not seen."""
    texts = (
        str(n.text or "") for n in tree.iter("style") if "print" not in str(n.get("media", "")).lower()
    )
    sheet = read("\n".join(texts)[:MOST_CSS], _TELLING)
    gone: list[Any] = []
    stack: list[tuple[Any, _Seen, frozenset[str]]] = [(tree, _Seen(), frozenset())]
    while stack:
        node, above, held = stack.pop()
        if not isinstance(node.tag, str):  # a comment, or an instruction
            gone.append(node)
            continue
        tag = node.tag.lower()
        if tag == "head":
            continue
        styles = sheet.styles(node, held)
        if tag in _NOT_SHOWN or _hides(node, styles):
            gone.append(node)
            continue
        seen = _handed(node, styles, above)
        if not seen.visible or seen.size < _TINY or _same(seen):
            _silence(node)
        if len(node):
            own = names(node) if sheet.count else held
            below = held if own <= held else held | own
            stack += [(child, seen, below) for child in node]
    for node in gone:
        if node.getparent() is not None:
            node.drop_tree()
    for node in tree.iter():
        if isinstance(node.tag, str):
            node.text, node.tail = _plain(node.text), _plain(node.tail)


def plain(text: str) -> str:
    """A text without letters that nobody sees."""
    return _plain(text) or ""


def _plain(text: str | None) -> str | None:
    if not text or text.isascii():
        return text
    return _VOID.sub(_kept, text)


def _kept(found: re.Match[str]) -> str:
    sign, at, text = found.group(), found.start(), found.string
    around = text[at - 1 : at], text[at + 1 : at + 2]
    alone = all(other and not other.isascii() and not _VOID.match(other) for other in around)
    if sign in "\u200c\u200d" and alone:
        return sign
    turned = around[0] and not _VOID.match(around[0]) and not around[0].isalpha()
    return sign if sign in "\ufe0e\ufe0f" and turned else ""


def _silence(node: Any) -> None:
    """Take an element's own words; those of elements in it are judged by themselves."""
    node.text = None
    for child in node:
        child.tail = None


def _hides(node: Any, styles: Styles) -> bool:
    """Whether nothing of an element is seen, whatever the elements in it say."""
    if node.get("hidden") is not None and styles.get("display", "none") == "none":
        return True
    if str(node.get("aria-hidden", "")).strip().lower() == "true":
        return True
    if styles.get("display") == "none" or styles.get("content-visibility") == "hidden":
        return True
    opacity = _length(styles.get("opacity", ""))
    if opacity is not None and opacity < (10 * 0.16 if styles["opacity"].endswith("%") else 0.1):
        return True
    return _away(styles) or _clipped(styles) or _shut(styles)


def _away(styles: Styles) -> bool:
    """Whether it is put outside of the page."""
    indent = _length(styles.get("text-indent", ""))
    if indent is not None and indent < -_FAR:
        return True
    if styles.get("position") in ("absolute", "fixed", "relative", "sticky"):
        for side in ("left", "top", "right", "bottom", "inset"):
            value = styles.get(side, "").split()
            if value and (far := _length(value[0])) is not None and far < -_FAR:
                return True
    for side in ("margin-left", "margin-top", "margin"):
        values = [_length(part) for part in styles.get(side, "").split()]
        if any(value is not None and value < -_FAR for value in values):
            return True
    moved = styles.get("transform", "") + " " + styles.get("translate", "")
    if re.search(r"scale[xy]?\(\s*0*\.?0*\s*[,)]", moved) or styles.get("scale") in ("0", "0%"):
        return True
    parts = [part for part in re.split(r"[(),\s]+", moved) if part.startswith("-")]
    return any((far := _length(part)) is not None and far < -3 * _FAR for part in parts)


def _clipped(styles: Styles) -> bool:
    clip = styles.get("clip", "")
    if clip.startswith("rect") and styles.get("position") in ("absolute", "fixed"):
        numbers = [_length(part) for part in re.split(r"[(),\s]+", clip[4:]) if part]
        if len(numbers) == 4 and None not in numbers:
            top, right, bottom, left = (value or 0.0 for value in numbers)
            return bottom - top <= _TINY or right - left <= _TINY
    path = re.sub(r"\s+", " ", styles.get("clip-path", "") or styles.get("-webkit-clip-path", ""))
    if found := re.match(r"inset\(\s*([\d.]+)(%|px)?", path):
        return float(found[1]) >= (50 if found[2] == "%" else 1000)
    return bool(re.match(r"(circle|ellipse)\(\s*0|polygon\(\s*0[^,]*(,\s*0[^,]*)*\)", path))


def _shut(styles: Styles) -> bool:
    """Whether it has no room, and what does not fit is cut off."""
    cut = any(styles.get(name, "") in ("hidden", "clip", "scroll", "auto") for name in _OVERFLOW)
    for name in ("height", "max-height", "width", "max-width", "block-size", "inline-size"):
        size = _length(styles.get(name, ""))
        if cut and size is not None and size <= _TINY:
            return True
    return False


def _handed(node: Any, styles: Styles, above: _Seen) -> _Seen:
    ink = (
        colour(styles.get("color") or (node.get("color") if node.tag == "font" else "") or "") or above.ink
    )
    fill = styles.get("-webkit-text-fill-color", "")
    ink = colour(fill) or ink
    ground = (
        colour(styles.get("background-color", ""))
        or colour(_first_colour(styles.get("background", "")))
        or colour(str(node.get("bgcolor") or ""))
    )
    behind = styles.get("background", "") + styles.get("background-image", "")
    if "url(" in behind or "gradient" in behind:
        ground = Colour(-1, -1, -1)  # a picture: nothing is known of it
    elif ground is None or ground.alpha < 0.5:
        ground = above.ground
    size = _size(styles, above.size)
    visible = styles.get("visibility", "")
    seen = above.visible if visible not in ("hidden", "collapse", "visible") else visible == "visible"
    return _Seen(ink, ground, size, seen)


def _size(styles: Styles, above: float) -> float:
    value = styles.get("font-size", "")
    if not value and (short := styles.get("font", "")):
        value = next((p.partition("/")[0] for p in short.split() if _NUMBER.match(p.partition("/")[0])), "")
    found = _NUMBER.match(value)
    if found is None:
        return above
    number, unit = float(found[1]), found[2].lower()
    if unit in ("em", "%"):
        return above * (number if unit == "em" else number / 100)
    return number * _UNITS.get(unit, 1.0)


def _same(seen: _Seen) -> bool:
    """Whether text has the colour of what is behind it."""
    if seen.ink is None:
        return False
    if seen.ink.alpha < 0.1:
        return True
    return alike(seen.ink, seen.ground or Colour(255, 255, 255, 1.0))


def _first_colour(background: str) -> str:
    whole = re.match(r"\s*((?:rgb|hsl)a?\([^)]*\))", background)
    return whole[1] if whole else next((p for p in background.split() if colour(p) is not None), "")


def _length(value: str) -> float | None:
    """Pixels; None where that cannot be told."""
    found = _NUMBER.match(value)
    if found is None:
        return None
    return float(found[1]) * _UNITS.get(found[2].lower(), 1.0)
