"""The look that is in use: light or dark as the system or the person says, applied to the whole program.

The palette is ours on every platform, so that no desktop's theme shines through. Who paints by hand
listens to `changed`; who is styled by the sheet needs nothing.
"""

from functools import lru_cache

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

from desktop.paths import resource
from desktop.ui.theme.stylesheet import stylesheet
from desktop.ui.theme.tokens import (
    DARK,
    DARK_CONTRAST,
    LIGHT,
    LIGHT_CONTRAST,
    MONO,
    MOTION_MS,
    SANS,
    Colors,
    Size,
)

_FIRST_FONTS = ("Inter-Regular", "Inter-Medium", "Inter-SemiBold")
_LATER_FONTS = ("Inter-Italic", "JetBrainsMono-Regular")


class Theme(QObject):
    """Made once, with the application; see theme()."""

    changed = Signal()

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._choice = self._contrast = ""
        self.colors = LIGHT
        _load(_FIRST_FONTS)
        app.setStyle(QStyleFactory.create("Fusion"))
        # Both are kept: the second lives no longer than Python's hold on the first.
        self._hints = app.styleHints()
        self._accessibility = self._hints.accessibility()
        self._hints.colorSchemeChanged.connect(self._follow)
        self._accessibility.contrastPreferenceChanged.connect(self._follow)
        self._apply()

    def choose(self, choice: str, contrast: str | None = None) -> None:
        """ "light" or "dark", and "high" or "normal" for the contrast (None: as it is); anything else
        follows the system."""
        wanted = (choice, self._contrast if contrast is None else contrast)
        if wanted != (self._choice, self._contrast):
            self._choice, self._contrast = wanted
            self._follow()

    @property
    def dark(self) -> bool:
        return self.colors in (DARK, DARK_CONTRAST)

    @property
    def _high(self) -> bool:
        if self._contrast in ("high", "normal"):
            return self._contrast == "high"
        return self._accessibility.contrastPreference() is Qt.ContrastPreference.HighContrast

    @property
    def motion_ms(self) -> int:
        """How long a movement takes; 0 where the system asks for none."""
        preference = self._accessibility.motionPreference()
        return 0 if preference is Qt.MotionPreference.ReducedMotion else MOTION_MS

    def _wanted(self) -> Colors:
        dark = self._choice == "dark"
        if self._choice not in ("light", "dark"):
            dark = self._hints.colorScheme() is Qt.ColorScheme.Dark
        if self._high:
            return DARK_CONTRAST if dark else LIGHT_CONTRAST
        return DARK if dark else LIGHT

    def _follow(self) -> None:
        if self._wanted() is not self.colors:
            self._apply()
            self.changed.emit()

    def _apply(self) -> None:
        self.colors = self._wanted()
        self._app.setPalette(_palette(self.colors))
        self._app.setStyleSheet(stylesheet(self.colors))
        # After the sheet, which brings the desktop's own fonts for single classes of widgets back.
        self._app.setFont(text_font())


def load_later_fonts() -> None:
    """The fonts that nothing of the first painted window needs."""
    _load(_LATER_FONTS)


def theme() -> Theme:
    """The look of the running application; made at the first call. Needs a QApplication."""
    global _theme
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    if _theme is None or _theme.parent() is not app:
        _theme = Theme(app)
    return _theme


_theme: Theme | None = None


def text_font(pixels: int = Size.TEXT, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The font of text; `pixels` is Size.TEXT or Size.SMALL."""
    return QFont(_font(SANS, pixels, weight))


def code_font() -> QFont:
    """The font of code."""
    return QFont(_font(MONO, Size.CODE, QFont.Weight.Normal))


@lru_cache
def _font(families: tuple[str, ...], pixels: int, weight: QFont.Weight) -> QFont:
    font = QFont()
    font.setFamilies(list(families))
    font.setPixelSize(pixels)
    font.setWeight(weight)
    return font


def _load(names: tuple[str, ...]) -> None:
    for name in names:
        QFontDatabase.addApplicationFont(str(resource("fonts", f"{name}.ttf")))


def _palette(colors: Colors) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for which, value in {
        role.Window: colors.window,
        role.WindowText: colors.text,
        role.Base: colors.raised,
        role.AlternateBase: colors.hover,
        role.Text: colors.text,
        role.PlaceholderText: colors.muted,
        role.Button: colors.raised,
        role.ButtonText: colors.text,
        role.BrightText: colors.on_accent,
        role.Highlight: colors.accent,
        role.HighlightedText: colors.on_accent,
        role.Link: colors.link,
        role.LinkVisited: colors.link,
        role.ToolTipBase: colors.raised,
        role.ToolTipText: colors.text,
        role.Accent: colors.accent,
        role.Light: colors.raised,
        role.Midlight: colors.hover,
        role.Mid: colors.border,
        role.Dark: colors.border_strong,
        role.Shadow: colors.border_strong,
    }.items():
        palette.setColor(which, QColor(value))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(colors.faint))
    return palette
