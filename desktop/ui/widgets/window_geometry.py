"""Where a window stands: all of it on the screens there are, whatever was remembered and at every scale.

Before a window is shown nobody knows what frame the desktop will draw around it: room is left for one, and
it is looked at again once it is shown.
"""

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QCursor, QGuiApplication, QScreen
from PySide6.QtWidgets import QWidget

_FRAME = QMargins(4, 40, 4, 4)
"""A frame that is not known yet, about as large as desktops draw them."""
_SPECIAL = Qt.WindowState.WindowMaximized | Qt.WindowState.WindowFullScreen | Qt.WindowState.WindowMinimized


def within(place: QRect, room: QRect) -> QRect:
    """The place, cut to the room and moved into it."""
    size = place.size().boundedTo(room.size())
    corner = QPoint(
        max(room.left(), min(place.left(), room.left() + room.width() - size.width())),
        max(room.top(), min(place.top(), room.top() + room.height() - size.height())),
    )
    return QRect(corner, size)


def screen_for(place: QRect | None = None) -> QScreen:
    """The screen that has most of a place; where none has any of it, the one with the pointer."""
    if place is not None:
        best = max(QGuiApplication.screens(), key=lambda screen: _shared(screen, place))
        if _shared(best, place):
            return best
    return QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()


def _shared(screen: QScreen, place: QRect) -> int:
    part = screen.availableGeometry().intersected(place)
    return part.width() * part.height()


def _whole(place: QRect) -> bool:
    """Whether all of it is to be seen, on one screen or across several."""
    return sum(_shared(screen, place) for screen in QGuiApplication.screens()) >= (
        place.width() * place.height()
    )


class WindowGeometry(QObject):
    """Keeps one top-level window on the screens. `size`: the one it begins with; `smallest`: as small as a
    person may make it, where the screen has so much room."""

    def __init__(
        self, window: QWidget, size: QSize, smallest: QSize, *, remembered: QRect | None = None
    ) -> None:
        super().__init__(window)
        self._window, self._size, self._smallest = window, size, smallest
        self._remembered = remembered if remembered is not None and remembered.isValid() else None
        self._stood = self._fresh = False
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._settle)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.screenRemoved.connect(self._soon)
        app.screenAdded.connect(self._watch)
        for screen in app.screens():
            self._watch(screen)
        window.installEventFilter(self)
        self._begin()

    def _watch(self, screen: QScreen) -> None:
        screen.geometryChanged.connect(self._soon)
        screen.availableGeometryChanged.connect(self._soon)

    def _soon(self, _about: object = None) -> None:
        self._later.start()

    def _begin(self) -> None:
        """Before the first show: where it was, else in the middle of its parent or of the screen."""
        if self._remembered is not None:
            self._stand(self._remembered, _FRAME)
            return
        owner = self._window.parentWidget()
        over = owner.window().frameGeometry() if owner is not None and owner.isVisible() else None
        middle = over or screen_for().availableGeometry()
        place = QRect(QPoint(0, 0), self._size)
        place.moveCenter(middle.center())
        self._stand(place, _FRAME)

    def _stand(self, place: QRect, frame: QMargins) -> None:
        screen = screen_for(place)
        room = screen.availableGeometry().marginsRemoved(frame)
        least = self._smallest.boundedTo(room.size())
        self._window.setMinimumSize(least)
        place = QRect(place.topLeft(), place.size().expandedTo(least))
        if not _whole(place.marginsAdded(frame)):
            place = within(place, room)
        if place != self._window.geometry():
            self._window.setGeometry(place)

    def _settle(self) -> None:
        """Screens are others than before, or the window has just come: stand on what there is now."""
        window = self._window
        if window.windowState() & _SPECIAL:
            return
        outer, inner = window.frameGeometry(), window.geometry()
        known = window.isVisible() and outer != inner
        frame = QMargins(
            inner.left() - outer.left(),
            inner.top() - outer.top(),
            outer.right() - inner.right(),
            outer.bottom() - inner.bottom(),
        )
        self._stand(inner, frame if known else _FRAME)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show:
            if not self._stood and self._remembered is None:
                self._begin()  # its parent may be elsewhere than when it was made
            self._stood = self._fresh = True
        elif event.type() == QEvent.Type.WindowActivate and self._fresh:
            self._fresh = False  # later it is where the person has put it
            self._soon()
        return super().eventFilter(watched, event)
