"""One skill of the list: what it is, whether it can be used and why not, a switch."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop.skills import words
from desktop.text import _, sentences
from desktop.ui.conversation.plain import shown
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.labels import Elided, label, tip
from desktop.ui.widgets.sign import Sign
from desktop.ui.widgets.styled import styled
from desktop.ui.widgets.switch import Switch
from desktop.ui.widgets.tile import Tile

if TYPE_CHECKING:
    from desktop.api.skills import SkillLine

_TAG = """QLabel { background: transparent; color: $muted; border: 1px solid $border_strong;
  border-radius: 8px; padding: 0 7px; }"""


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
        self.skill: SkillLine
        """Once it shows one."""
        self._shown: object = None
        self.first = False
        """No line is drawn above the first of a card."""
        self._draft = False
        self.tile, self._name, self._about = Tile("graduation-cap"), Elided("title"), Elided("small")
        self._tag: Elided | None = None
        """Made when there is something to say: most have none, and a style of its own costs time."""
        self._head = QHBoxLayout()
        self._sign, self._wrong = (
            Sign("triangle-alert", "warning", Size.SMALL + 2),
            label("small", wrap=True),
        )
        self.switch = Switch()
        self._lay_out()
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.switch.clicked.connect(lambda on: self.switched.emit(self.skill.name, on))

    def _lay_out(self) -> None:
        self._head.setSpacing(Space.S)
        self._head.addWidget(self._name)
        self._head.addStretch(1)
        wrong = QHBoxLayout()
        wrong.setSpacing(Space.XS + 2)
        wrong.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        wrong.addWidget(self._wrong, 1)
        text = QVBoxLayout()
        text.setSpacing(2)
        text.addLayout(self._head)
        text.addWidget(self._about)
        text.addLayout(wrong)
        row = QHBoxLayout(self)
        row.setContentsMargins(Space.L, Space.M, Space.L, Space.M)
        row.setSpacing(Space.M)
        row.addWidget(self.tile, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(text, 1)
        row.addWidget(self.switch)
        for part in self.findChildren(QWidget):
            if part is not self.switch:
                part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def show_skill(self, skill: "SkillLine", *, draft: bool) -> None:
        """Show it as it is now; `draft`: there is text of it that was not saved."""
        if self._shown == (skill, draft):
            self.switch.setChecked(skill.enabled)
            return
        self.skill, self._draft, self._shown = skill, draft, (skill, draft)
        self.tile.show_emoji(skill.emoji)
        self._name.setText(shown(skill.name))
        self._name.setProperty("kind", "title" if skill.enabled else "muted")
        self._name.style().polish(self._name)
        self.switch.setChecked(skill.enabled)
        self.say()

    def say(self) -> None:
        """Set the words."""
        skill, why = self.skill, sentences(*trouble(self.skill))
        self._about.setText(shown(about(skill)))
        self._about.setVisible(skill.description != skill.name)
        tags = [
            _("replaces the built-in") if skill.shadows else "",
            _("in every conversation") if skill.always else "",
            _("not saved") if self._draft else "",
        ]
        self._say_tag(" · ".join(filter(None, tags)))
        self._wrong.setText(shown(why))
        for part in (self._sign, self._wrong):
            part.setVisible(bool(why))
        self._sign.show_icon("triangle-alert", "warning" if skill.enabled else "muted")
        self.setToolTip(tip(shown(about(skill))))
        source = _("built in") if skill.source == "builtin" else _("yours")
        parts = [skill.name, source, *filter(None, tags), about(skill), why]
        self.setAccessibleName(shown(", ".join(filter(None, parts))))
        self.switch.setAccessibleName(_("Use {name}").format(name=shown(skill.name)))

    def _say_tag(self, text: str) -> None:
        if text and self._tag is None:
            self._tag = tag()
            self._tag.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self._head.insertWidget(1, self._tag)
        if self._tag is not None:
            self._tag.setText(text)
            self._tag.setVisible(bool(text))

    def matches(self, wanted: str) -> bool:
        """Whether it has this text, in small letters."""
        text = f"{self.skill.name}\n{self.skill.description}\n{about(self.skill)}"
        return wanted in text.casefold()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

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


def about(skill: "SkillLine") -> str:
    """What a skill is for, in the person's language where that is known."""
    return words.about(skill.name, skill.source, skill.description)


def trouble(skill: "SkillLine") -> tuple[str, str]:
    """What is wrong with a skill, and what to do about it; "" for nothing."""
    why = sentences(skill.problem, *skill.missing)
    if why and not skill.available:
        why = _("Not available: {why}").format(why=why)
    return why, skill.remedy
