"""The look: readable in light and dark, ours on every desktop, icons sharp and in their colours."""

import re

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QFontInfo, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCompleter, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from desktop.paths import resource
from desktop.ui.theme.icons import app_icon, icon
from desktop.ui.theme.stylesheet import stylesheet
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import DARK, DARK_CONTRAST, LIGHT, LIGHT_CONTRAST, Colors

PALETTES = pytest.mark.parametrize(
    "colors",
    [LIGHT, DARK, LIGHT_CONTRAST, DARK_CONTRAST],
    ids=["light", "dark", "light, high contrast", "dark, high contrast"],
)
HIGH = pytest.mark.parametrize("colors", [LIGHT_CONTRAST, DARK_CONTRAST], ids=["light", "dark"])


def rgb(color: QColor) -> tuple[int, int, int]:
    return color.red(), color.green(), color.blue()


def luminance(color: str) -> float:
    parts = [part / 255 for part in rgb(QColor(color))]
    linear: list[float] = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, 1.4.3."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@PALETTES
def test_text_can_be_read_on_everything_it_stands_on(colors: Colors) -> None:
    surfaces = (colors.window, colors.sidebar, colors.raised, colors.bubble, colors.hover, colors.selected)
    for surface in (*surfaces, colors.code):
        assert contrast(colors.text, surface) >= 7
        assert contrast(colors.muted, surface) >= 4.5, surface
    for surface in (colors.window, colors.raised):
        assert contrast(colors.link, surface) >= 4.5
        assert contrast(colors.danger, surface) >= 4.5
    for soft in (colors.danger_soft, colors.warning_soft, colors.accent_soft):
        assert contrast(colors.text, soft) >= 7
        assert contrast(colors.muted, soft) >= 4.5
    for accent in (colors.accent, colors.accent_hover, colors.accent_pressed):
        assert contrast(colors.on_accent, accent) >= 4.5


@HIGH
def test_high_contrast_is_high_for_all_that_is_read_and_for_what_bounds_it(colors: Colors) -> None:
    for surface in (colors.window, colors.sidebar, colors.raised, colors.bubble, colors.code):
        for text in (colors.text, colors.muted, colors.link, colors.danger, colors.warning, colors.success):
            assert contrast(text, surface) >= 7, (text, surface)
        assert contrast(colors.faint, surface) >= 4.5
        assert contrast(colors.border, surface) >= 3
        assert contrast(colors.border_strong, surface) >= 7
        assert contrast(colors.accent, surface) >= 3
    assert contrast(colors.on_accent, colors.accent) >= 7


@PALETTES
def test_the_sheet_has_no_hole(colors: Colors) -> None:
    assert "$" not in stylesheet(colors)


def test_light_and_dark_change_at_once(qapp: QApplication, qtbot: QtBot) -> None:
    label = QLabel("words")
    qtbot.addWidget(label)
    label.show()
    try:
        for choice, colors in (("dark", DARK), ("light", LIGHT)):
            theme().choose(choice)
            assert theme().colors is colors
            assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(colors.window)
            assert colors.text in qapp.styleSheet()
        theme().choose("dark", "high")
        assert theme().colors is DARK_CONTRAST
        assert theme().dark
        theme().choose("light")
        assert theme().colors is LIGHT_CONTRAST, "what is not said stays"
    finally:
        theme().choose("system", "system")


def test_what_is_proposed_stands_on_a_ground(qtbot: QtBot) -> None:
    """As the names of files do in Qt's own dialog, which is shown where a desktop has none."""
    theme()
    field, completer = QLineEdit(), QCompleter(["model.gguf"])
    field.setCompleter(completer)
    qtbot.addWidget(field)
    field.show()
    QTest.keyClicks(field, "mod")
    popup = completer.popup()
    assert popup is not None
    qtbot.waitUntil(popup.isVisible)
    drawn = popup.grab().toImage()
    ground = drawn.pixelColor(drawn.width() - 12, drawn.height() // 2)
    assert ground == QColor(theme().colors.raised)


def test_every_kind_of_widget_has_our_font(qapp: QApplication, qtbot: QtBot) -> None:
    theme()
    for widget in (QLabel("a"), QPushButton("b")):
        qtbot.addWidget(widget)
        assert QFontInfo(widget.font()).family() == "Inter"


def test_an_icon_has_the_colour_of_its_role_and_the_pixels_of_the_screen() -> None:
    theme().choose("light")
    picture = icon("send", "accent").pixmap(QSize(16, 16), 2.0)
    assert picture.size() == QSize(32, 32)
    image = picture.toImage()
    points = [image.pixelColor(x, y) for x in range(32) for y in range(32)]
    solid = [point for point in points if point.alpha() > 250]
    assert solid
    wanted = rgb(QColor(LIGHT.accent))
    assert all(max(abs(a - b) for a, b in zip(rgb(p), wanted, strict=True)) < 6 for p in solid)
    theme().choose("system")


def test_every_picture_that_is_shipped_can_be_drawn() -> None:
    for path in resource("icons").glob("*.svg"):
        if not re.match(r"(nanobot|tray-|drop-down-)", path.name):
            assert not icon(path.stem).pixmap(16, 16).toImage().isNull()
            assert "currentColor" in path.read_text("utf-8")
    assert not app_icon().pixmap(64, 64).isNull()
