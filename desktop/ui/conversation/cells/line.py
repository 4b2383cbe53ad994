"""The folded line of one tool call: painted by hand, because a conversation may have thousands of them."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from desktop.ui.conversation.step import Outcome, Step, about, lasted, sentence, state, verb
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.labels import tip
from desktop.ui.widgets.spinner import Spinner

HEIGHT = 32
_ICONS = {
    Outcome.OK: ("check", "success"),
    Outcome.FAILED: ("circle-alert", "danger"),
    Outcome.DENIED: ("ban", "muted"),
    Outcome.PARKED: ("clock", "muted"),
    Outcome.STOPPED: ("stop", "muted"),
    Outcome.RUNNING: ("circle", "muted"),
    Outcome.INTERRUPTED: ("triangle-alert", "warning"),
}


class StepLine(QAbstractButton):
    """Sign, words, what it is about, how long it took. A press opens it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._step = Step("", "")
        self._open = False
        self._spinner = Spinner(self)
        self._spinner.hide()

    def show_step(self, step: Step, *, opened: bool) -> None:
        """Show how far this step is."""
        self._step, self._open = step, opened
        name = sentence(step)
        self.setAccessibleName(name)
        self.setToolTip(tip(name if len(name) < 400 else f"{name[:400]}…"))
        self._spinner.setVisible(step.outcome is Outcome.RUNNING and step.question is None)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    def resizeEvent(self, event: object) -> None:
        self._spinner.move(Space.S, (HEIGHT - self._spinner.height()) // 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colors = theme().colors
        if self.underMouse() or self.hasFocus() or self.isDown():
            painter.setPen(QColor(colors.accent) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colors.pressed if self.isDown() else colors.hover))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        name, role = ("clock", "warning") if self._step.question else _ICONS[self._step.outcome]
        if self._spinner.isHidden():
            icon(name, role).paint(painter, self._square(Space.S))
        arrow = "chevron-down" if self._open else "chevron-right"
        icon(arrow, "muted").paint(painter, self._square(self.width() - Space.S - Size.ICON))
        right = self._end(painter, self.width() - 2 * Space.S - Size.ICON)
        self._words(painter, 2 * Space.S + Size.ICON, right)
        painter.end()

    def _square(self, x: int) -> QRect:
        return QRect(x, (HEIGHT - Size.ICON) // 2, Size.ICON, Size.ICON)

    def _end(self, painter: QPainter, right: int) -> int:
        """State and duration at the right edge; returns where they begin."""
        step = self._step
        parts = [] if step.outcome in (Outcome.OK, Outcome.RUNNING) and not step.question else [state(step)]
        words = " · ".join(part for part in (*parts, lasted(step.seconds)) if part)
        role = "warning" if step.question else "danger" if step.outcome is Outcome.FAILED else "muted"
        return self._write(painter, right, words, text_font(Size.SMALL), role)

    def _write(self, painter: QPainter, right: int, words: str, font: QFont, role: str) -> int:
        if not words:
            return right
        width = QFontMetrics(font).horizontalAdvance(words)
        painter.setFont(font)
        painter.setPen(QColor(getattr(theme().colors, role)))
        painter.drawText(QRect(right - width, 0, width + 2, HEIGHT), Qt.AlignmentFlag.AlignVCenter, words)
        return right - width - Space.M

    def _words(self, painter: QPainter, left: int, right: int) -> None:
        font = text_font(weight=QFont.Weight.Medium)
        metrics = QFontMetrics(font)
        words = metrics.elidedText(verb(self._step), Qt.TextElideMode.ElideRight, max(0, right - left))
        painter.setFont(font)
        painter.setPen(QColor(theme().colors.text))
        painter.drawText(QRect(left, 0, right - left, HEIGHT), Qt.AlignmentFlag.AlignVCenter, words)
        left += metrics.horizontalAdvance(words) + Space.S
        gist = about(self._step)
        if left < right and gist:
            font = text_font()
            painter.setFont(font)
            painter.setPen(QColor(theme().colors.muted))
            shown = QFontMetrics(font).elidedText(gist, Qt.TextElideMode.ElideRight, right - left)
            painter.drawText(QRect(left, 0, right - left, HEIGHT), Qt.AlignmentFlag.AlignVCenter, shown)
