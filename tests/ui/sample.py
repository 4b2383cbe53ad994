"""A window that is not the program's, to prove the machinery with: what is done to it, its label tells."""

import sys

from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QListWidget,
    QMainWindow,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSystemTrayIcon,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)


class Sample(QMainWindow):
    """A list, a message, an editor, a button, and an icon in the tray if there is one."""

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle("Nanobot Desktop")
        self._page = QWidget()
        self._layout = QVBoxLayout(self._page)
        self.setCentralWidget(self._page)
        self._done = self._add(QLabel(), "")
        self._screens = self._add(QLabel(), "")
        self._place = self._add(QLabel(), "")
        self._scheme = self._add(QLabel(), "")
        conversations = self._add(QListWidget(), "Conversations")
        conversations.addItems(["First", "Second"])
        conversations.currentTextChanged.connect(self._tell)
        self._answer = self._add(QTextBrowser(), "Nanobot")
        self._message = self._add(QPlainTextEdit(), "Message")
        send = self._add(QPushButton("Go"), "Send")
        send.clicked.connect(self._send)
        check = self._add(QCheckBox("Loud"), "")
        check.toggled.connect(lambda on: self._tell("loud" if on else "quiet"))
        kind = QComboBox()
        label = self._add(QLabel("Kind"), "")
        label.setBuddy(kind)
        self._add(kind, "").addItems(["small", "large"])
        self._tray()
        self.count_screens()
        QApplication.styleHints().colorSchemeChanged.connect(self._tell_scheme)

    def _add[W: QWidget](self, widget: W, name: str) -> W:
        if name:
            widget.setAccessibleName(name)
        self._layout.addWidget(widget)
        return widget

    def _tray(self) -> None:
        if not QSystemTrayIcon.isSystemTrayAvailable():
            self._place.setText("Place: no tray")
            return
        picture = QPixmap(64, 64)
        picture.fill(QColor("#ff00aa"))
        self._menu = QMenu()
        self._menu.addAction("Asleep").setEnabled(False)
        self._menu.addSeparator()
        status = self._menu.addMenu("Status")
        status.addAction("Free", lambda: self._tell("free"))
        status.addAction("Busy", lambda: self._tell("busy"))
        self._menu.addAction("Quit", QApplication.quit)
        self._icon = QSystemTrayIcon(QIcon(picture))
        self._icon.setToolTip("A sample")
        self._icon.setContextMenu(self._menu)
        self._icon.activated.connect(lambda reason: self._tell(reason.name))
        self._icon.show()

    def _send(self) -> None:
        self._answer.setPlainText(self._message.toPlainText().upper())
        self._message.clear()

    def _tell(self, what: str) -> None:
        self._done.setText(f"Done: {what}")

    def _tell_scheme(self) -> None:
        self._scheme.setText(f"Scheme: {QApplication.styleHints().colorScheme().name}")

    def count_screens(self) -> None:
        """Tell how many screens there are."""
        self._screens.setText(f"Screens: {len(QApplication.screens())}")


def main() -> int:
    application = QApplication(sys.argv)
    sample = Sample()
    application.screenAdded.connect(lambda _: sample.count_screens())
    application.screenRemoved.connect(lambda _: sample.count_screens())
    sample.resize(600, 500)
    sample.show()
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
