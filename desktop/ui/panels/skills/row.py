"""One skill of the list: what it is, whether it can be used and why not, a switch."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from desktop.text import _
from desktop.ui.conversation.plain import shown
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.labels import label, tip
from desktop.ui.widgets.sign import Sign
from desktop.ui.widgets.styled import styled
from desktop.ui.widgets.switch import Switch

type Json = Mapping[str, Any]

_TILE = 36
_EMOJI = 18
_LEAST = 24
_TAG = """QLabel { background: transparent; color: $muted; border: 1px solid $border_strong;
  border-radius: 8px; padding: 0 7px; }"""


class Tile(QWidget):
    """The skill's emoji, or the sign of all skills, on a square."""

    def __init__(self) -> None:
        super().__init__()
        self._emoji = ""
        self.setFixedSize(_TILE, _TILE)

    def show_emoji(self, emoji: str) -> None:
        """Show this one; "" for the common sign."""
        self._emoji = emoji
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme().colors.accent_soft))
        painter.drawRoundedRect(QRectF(self.rect()), Size.RADIUS, Size.RADIUS)
        if self._emoji:
            font = text_font()
            font.setPixelSize(_EMOJI)
            painter.setFont(font)
            painter.setPen(QColor(theme().colors.text))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._emoji)
        else:
            edge = (_TILE - _EMOJI) // 2
            icon("graduation-cap").paint(painter, QRect(edge, edge, _EMOJI, _EMOJI))
        painter.end()


class Elided(QLabel):
    """One line that ends in dots where it does not fit."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self._whole = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("kind", kind)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    def say(self, text: str) -> None:
        """Show this."""
        self._whole = text
        self.updateGeometry()
        self._fit()

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(self._whole) + self._around
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(
            min(_LEAST + self._around, self.sizeHint().width()), super().minimumSizeHint().height()
        )

    @property
    def _around(self) -> int:
        """What a style sheet puts around the text."""
        return super().sizeHint().width() - self.fontMetrics().horizontalAdvance(self.text())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = max(self.width() - self._around, 0)
        fits = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, room)
        if fits != self.text():
            self.setText(fits)


def tag() -> Elided:
    """A word with a line around it."""
    made = Elided("small")
    styled(made, _TAG)
    return made


class SkillRow(QAbstractButton):
    """Pressed anywhere it opens; the switch is beside."""

    switched = Signal(str, bool)

    def __init__(self) -> None:
        super().__init__()
        self.skill: Json = {}
        self.first = False
        """No line is drawn above the first of a card."""
        self._draft = False
        self.tile, self._name, self._about = Tile(), Elided("title"), Elided("small")
        self._tags = [tag(), tag(), tag()]
        self._sign, self._wrong = (
            Sign("triangle-alert", "warning", Size.SMALL + 2),
            label("small", wrap=True),
        )
        self.switch = Switch()
        self._lay_out()
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.switch.clicked.connect(lambda on: self.switched.emit(self.skill["name"], on))

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(Space.S)
        head.addWidget(self._name)
        for made in self._tags:
            head.addWidget(made)
        head.addStretch(1)
        wrong = QHBoxLayout()
        wrong.setSpacing(Space.XS + 2)
        wrong.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        wrong.addWidget(self._wrong, 1)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addLayout(head)
        words.addWidget(self._about)
        words.addLayout(wrong)
        row = QHBoxLayout(self)
        row.setContentsMargins(Space.L, Space.M, Space.L, Space.M)
        row.setSpacing(Space.M)
        row.addWidget(self.tile, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addWidget(self.switch)
        for part in self.findChildren(QWidget):
            if part is not self.switch:
                part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def show_skill(self, skill: Json, *, draft: bool) -> None:
        """Show it as it is now; `draft`: there is text of it that was not saved."""
        if (skill, draft) == (self.skill, self._draft):
            self.switch.setChecked(bool(skill["enabled"]))
            return
        self.skill, self._draft = skill, draft
        self.tile.show_emoji(skill["emoji"])
        self._name.say(shown(skill["name"]))
        self._name.setProperty("kind", "title" if skill["enabled"] else "muted")
        self._name.style().polish(self._name)
        self._about.say(shown(skill["description"]))
        self._about.setVisible(skill["description"] != skill["name"])
        self.switch.setChecked(bool(skill["enabled"]))
        self.say()

    def say(self) -> None:
        """Set the words."""
        skill, why = self.skill, " ".join(trouble(self.skill)).strip()
        words = (
            _("replaces the built-in") if skill["shadows"] else "",
            _("in every conversation") if skill["always"] else "",
            _("not saved") if self._draft else "",
        )
        for made, text in zip(self._tags, words, strict=True):
            made.say(text)
            made.setVisible(bool(text))
        self._wrong.setText(shown(why))
        for part in (self._sign, self._wrong):
            part.setVisible(bool(why))
        self._sign.show_icon("triangle-alert", "warning" if skill["enabled"] else "muted")
        self.setToolTip(tip(shown(skill["description"])))
        source = _("built in") if skill["source"] == "builtin" else _("yours")
        parts = [skill["name"], source, *filter(None, words), skill["description"], why]
        self.setAccessibleName(shown(", ".join(filter(None, parts))))
        self.switch.setAccessibleName(_("Use {name}").format(name=shown(skill["name"])))

    def matches(self, wanted: str) -> bool:
        """Whether it has this text, in small letters."""
        return wanted in f"{self.skill['name']}\n{self.skill['description']}".casefold()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return layout.sizeHint() if layout is not None else super().sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        colors, painter = theme().colors, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inner = QRectF(self.rect()).adjusted(4, 3, -4, -3)
        if self.underMouse() or self.isDown():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colors.pressed if self.isDown() else colors.hover))
            painter.drawRoundedRect(inner, Size.RADIUS, Size.RADIUS)
        if not self.first:
            painter.setPen(QPen(QColor(colors.border), 1))
            painter.drawLine(Space.L, 0, self.width() - Space.L, 0)
        if self.hasFocus():
            painter.setPen(QPen(QColor(colors.accent), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(inner, Size.RADIUS, Size.RADIUS)
        painter.end()


def trouble(skill: Json) -> tuple[str, str]:
    """What is wrong with a skill, and what to do about it; "" for nothing."""
    why = " ".join(filter(None, (skill["problem"], *skill["missing"])))
    if why and not skill["available"]:
        why = _("Not available: {why}").format(why=why)
    return why, skill["remedy"]
