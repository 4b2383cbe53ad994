"""What the settings of look and language do to the window."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtGui import QFontDatabase

from desktop.text import language, mark
from desktop.ui.theme.theme import theme
from desktop.ui.words import speak

NO_FONT = (
    mark("No font on this computer has Chinese characters, so they can’t be shown."),
    mark("Install one, for example the package fonts-noto-cjk, and restart Nanobot."),
)
"""Shown as it is, in English: whoever reads it cannot see Chinese."""


def use(values: Mapping[str, Any]) -> None:
    """Obey the settings: light or dark, and the language."""
    theme().choose(values["appearance.theme"], values["appearance.contrast"])
    speak(values["appearance.language"])


def font_missing() -> bool:
    """Whether the language in use has characters that no installed font can draw."""
    chinese = QFontDatabase.WritingSystem.SimplifiedChinese
    return language() == "zh_CN" and not QFontDatabase.families(chinese)
