"""The quick chat's window: a field on the screen where the cursor is, and above it what was said."""

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QKeyEvent,
    QMouseEvent,
    QPainterPath,
    QRegion,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QDialog, QFrame, QLabel, QVBoxLayout, QWidget

from desktop.text import _
from desktop.ui.conversation.pane import ConversationPane
from desktop.ui.conversation.transcript import Transcript
from desktop.ui.theme.icons import app_icon
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.trace import note
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.order import go_on
from desktop.ui.widgets.styled import styled
from desktop.ui.widgets.window_geometry import screen_for, within
from desktop.ui.words import spoken

_WIDTH, _HEIGHT, _ICON = 660, 520, 20
_FROM_TOP = 0.24
"""Of the screen's height above the window."""
_SHEET = """
QDialog#quick { background: $window; }
QFrame#quick-frame { background: transparent; border: 1px solid $border_strong; border-radius: 14px; }
"""


class QuickWindow(QDialog):
    """Shows one conversation; hidden, not closed."""

    came = Signal()
    """It has the keyboard."""
    hidden_wanted = Signal()
    onward_wanted = Signal()
    """Go on in the main window."""
    new_wanted = Signal()

    def __init__(self) -> None:
        flags = Qt.WindowType.Tool | Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint
        super().__init__(None, flags)
        self.setObjectName("quick")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        styled(self, _SHEET)
        self._transcript: Transcript | None = None
        self._name, self._model, self._keys = label("title"), label("small"), label("small")
        self.new, self.onward, self.away = (
            IconButton("square-pen"),
            IconButton("app-window"),
            IconButton("x"),
        )
        self._frame = QFrame(self)
        self._frame.setObjectName("quick-frame")
        self._frame.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._lay_out()
        self.setFixedWidth(_WIDTH)
        self._highest = _HEIGHT
        self.composer.field.limit(8 * Size.TEXT * 2)
        self.composer.field.installEventFilter(self)
        self.new.clicked.connect(self.new_wanted)
        self.onward.clicked.connect(self.onward_wanted)
        self.away.clicked.connect(self.hidden_wanted)
        self.composer.field.textChanged.connect(self._fit)
        spoken(self._words)
        self._fit()

    def _lay_out(self) -> None:
        icon = QLabel()
        icon.setPixmap(app_icon().pixmap(QSize(_ICON, _ICON)))
        top = QWidget()
        across(
            icon,
            self._name,
            (self._model, 1),
            self.new,
            self.onward,
            self.away,
            edges=(Space.L, Space.S, Space.S, 0),
            of=top,
        )
        self.pane = ConversationPane(top, column=False)
        self.composer, self.notice = self.pane.composer, self.pane.notice
        self._keys.setContentsMargins(Space.M, 0, 0, 0)
        self.pane.place_below(self._keys)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.pane)

    def _words(self) -> None:
        self.setWindowTitle(_("Quick chat"))
        self.setAccessibleName(_("Quick chat"))
        self._name.setText(self.composer.assistant)
        self.new.say(_("New conversation"), "Ctrl+N")
        self.onward.say(_("Continue in main window"), "Ctrl+Enter")
        self.away.say(_("Hide"), "Esc")
        keys = _("Enter to send · Ctrl+Enter to continue in the main window · Esc to hide")
        self._keys.setText(keys)

    def call(self, assistant: str) -> None:
        """What the agent calls itself."""
        self.composer.call(assistant)
        self._name.setText(assistant)

    def watch(self, transcript: Transcript) -> None:
        """Fit to what is said."""
        self._transcript = transcript
        transcript.reset.connect(self._fit)
        transcript.added.connect(self._fit)

    def tell_model(self, title: str) -> None:
        """Which model answers."""
        self._model.setText(title)

    def present(self) -> None:
        """Come, on the screen where the cursor is, with the keyboard."""
        if not self.isVisible():
            self._place()
        self.show()
        self.raise_()
        self.activateWindow()
        self.composer.setFocus()

    def _place(self) -> None:
        room = screen_for().availableGeometry()
        self.setFixedWidth(min(_WIDTH, room.width()))
        self._highest = min(_HEIGHT, room.height())
        self._fit()
        left = room.left() + (room.width() - self.width()) // 2
        top = room.top() + int(room.height() * _FROM_TOP)
        self.move(within(QRect(left, top, self.width(), self._highest), room).topLeft())

    def _fit(self) -> None:
        """As high as the field alone, until something was said."""
        talks = self._transcript is not None and bool(self._transcript.entries)
        if self.pane.stack.isHidden() == talks:
            self.pane.stack.setVisible(talks)
        layout = self.layout()
        assert layout is not None
        layout.activate()
        height = self._highest if talks else min(layout.totalMinimumSize().height(), self._highest)
        if height != self.height():
            self.setFixedHeight(height)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        note("quick")

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()  # something came or went over the field
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.came.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()
        self.hidden_wanted.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._frame.setGeometry(QRect(QPoint(0, 0), self.size()))
        self._frame.raise_()
        path = QPainterPath()
        path.addRoundedRect(QRectF(self.rect()), Size.RADIUS_LARGE, Size.RADIUS_LARGE)
        self.setMask(QRegion(path.toFillPolygon().toPolygon()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        handle = self.windowHandle()
        if event.button() == Qt.MouseButton.LeftButton and handle is not None:
            handle.startSystemMove()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._key(event):
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self._key(event):
            return True
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        """Take the window's own keys; Esc hides it and ends nothing."""
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if event.key() == Qt.Key.Key_Escape:
            self.hidden_wanted.emit()
        elif control and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if not self.composer.field.composing:
                self.onward_wanted.emit()
        elif control and event.key() == Qt.Key.Key_N:
            self.new_wanted.emit()
        else:
            return False
        return True

    def focusNextPrevChild(self, forward: bool) -> bool:
        return go_on(self, forward=forward)
