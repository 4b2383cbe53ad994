"""The design in numbers: one scale of spaces, two sizes of text and one of code, colours by their role.

A widget never names a colour or a size of its own. Contrast of text on its surface is 4.5:1 at the least.
"""

from typing import Final, NamedTuple


class Space:
    """Distances, in device-independent pixels."""

    XS: Final = 4
    S: Final = 8
    M: Final = 12
    L: Final = 16
    XL: Final = 24
    XXL: Final = 40


class Size:
    """Text and shapes, in device-independent pixels."""

    TEXT: Final = 14
    SMALL: Final = 12
    CODE: Final = 13
    ICON: Final = 16
    CONTROL: Final = 32
    """Height of a button or a field."""
    RADIUS: Final = 8
    RADIUS_LARGE: Final = 14
    COLUMN: Final = 760
    """The widest that running text gets."""


MOTION_MS: Final = 120

SANS: Final = (
    "Inter",
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "PingFang SC",
    "Microsoft YaHei UI",
    "Segoe UI",
    "Noto Color Emoji",
    "sans-serif",
)
MONO: Final = ("JetBrains Mono", "Noto Sans Mono CJK SC", "PingFang SC", "Microsoft YaHei UI", "monospace")


class Colors(NamedTuple):
    """One palette; every value is #rrggbb."""

    window: str
    """Behind the conversation."""
    sidebar: str
    raised: str
    """Fields, cards, menus, dialogs."""
    bubble: str
    """Behind what the person wrote."""
    hover: str
    pressed: str
    selected: str
    border: str
    border_strong: str
    """Of fields and controls: 3:1 against what is around."""
    text: str
    muted: str
    faint: str
    """Hints and what is switched off; no text that must be read."""
    accent: str
    accent_hover: str
    accent_pressed: str
    on_accent: str
    accent_soft: str
    """Behind something chosen or new."""
    link: str
    danger: str
    danger_soft: str
    warning: str
    warning_soft: str
    success: str
    code: str
    """Behind code."""
    quote: str
    """The bar of a quotation."""


LIGHT: Final = Colors(
    window="#fdfdfc",
    sidebar="#f4f4f1",
    raised="#ffffff",
    bubble="#eef3f2",
    hover="#eaeae6",
    pressed="#dfdfda",
    selected="#e1ebea",
    border="#e4e4df",
    border_strong="#c9c9c2",
    text="#1d2123",
    muted="#5d6467",
    faint="#9aa0a1",
    accent="#0b6e75",
    accent_hover="#095f65",
    accent_pressed="#074f54",
    on_accent="#ffffff",
    accent_soft="#dcefef",
    link="#0b6e75",
    danger="#b3261e",
    danger_soft="#fbecea",
    warning="#8a5300",
    warning_soft="#fbf1df",
    success="#1c7a45",
    code="#f5f5f2",
    quote="#cfd8d7",
)

LIGHT_CONTRAST: Final = LIGHT._replace(
    window="#ffffff",
    sidebar="#ffffff",
    bubble="#e8f2f1",
    hover="#dcdcdc",
    pressed="#c8c8c8",
    selected="#bfe0e0",
    border="#565b5c",
    border_strong="#000000",
    text="#000000",
    muted="#20272a",
    faint="#4a5254",
    accent="#00464b",
    accent_hover="#003539",
    accent_pressed="#00272a",
    link="#003f8a",
    danger="#8c0d06",
    warning="#5a3500",
    success="#0a5227",
    code="#ffffff",
    quote="#565b5c",
)
"""For whom the usual palettes have too little contrast: text 7:1 at the least, borders that are seen."""

DARK: Final = Colors(
    window="#1a1d1e",
    sidebar="#141718",
    raised="#232728",
    bubble="#273233",
    hover="#262b2c",
    pressed="#2f3536",
    selected="#24393a",
    border="#2d3233",
    border_strong="#484f50",
    text="#e8eaea",
    muted="#a3abac",
    faint="#6d7576",
    accent="#13737a",
    accent_hover="#167c84",
    accent_pressed="#0f6268",
    on_accent="#ffffff",
    accent_soft="#173c3f",
    link="#5cc7ce",
    danger="#ff8a80",
    danger_soft="#3a2322",
    warning="#f0b860",
    warning_soft="#372c1a",
    success="#63c98c",
    code="#141718",
    quote="#3f4a4b",
)

DARK_CONTRAST: Final = DARK._replace(
    window="#000000",
    sidebar="#000000",
    raised="#0a0a0a",
    bubble="#10282a",
    hover="#2b2b2b",
    pressed="#3d3d3d",
    selected="#0e4448",
    border="#9a9fa0",
    border_strong="#ffffff",
    text="#ffffff",
    muted="#e2e6e6",
    faint="#b4baba",
    accent="#5ce1ea",
    accent_hover="#8cecf2",
    accent_pressed="#b6f4f8",
    on_accent="#000000",
    accent_soft="#0b3a3d",
    link="#8cecf2",
    danger="#ffb4ad",
    danger_soft="#3d100d",
    warning="#ffd58a",
    warning_soft="#3a2900",
    success="#9be7b5",
    code="#000000",
    quote="#9a9fa0",
)
