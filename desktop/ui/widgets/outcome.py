"""What came of an action, in the place where it was begun: under way, done, or failed with the remedy."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from desktop.text import _
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.notice import Act, Notice
from desktop.ui.widgets.sign import Sign
from desktop.ui.widgets.spinner import Spinner
from desktop.ui.words import spoken


class Outcome(QWidget):
    """One line or one notice; hidden while there is nothing to say. A button that goes away after a press
    gives the keyboard to what takes its place."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._spinner, self._mark = Spinner(), Sign("circle-check", "success")
        self._said = label(wrap=True)
        self._cancel = button("quiet")
        self._cancel.clicked.connect(self._cancelled)
        self._on_cancel: Callable[[], object] | None = None
        self._notice = Notice()
        row = across(self._spinner, self._mark, (self._said, 1), self._cancel)
        down(row, self._notice, gap=0, of=self)
        spoken(self._words)
        self.clear()

    def _words(self) -> None:
        self._cancel.setText(_("Cancel"))

    def clear(self) -> None:
        """Say nothing."""
        self._notice.hide()
        self.hide()

    def busy(self, text: str, cancel: Callable[[], object] | None = None) -> None:
        """Something is under way; `cancel` ends it, after which nothing is said any more."""
        self._on_cancel = cancel
        pressed_here = self._notice.has_keyboard()
        self._line(text, "muted", spinning=True)
        self._cancel.setVisible(cancel is not None)
        if pressed_here and cancel:
            self._cancel.setFocus()

    def done(self, text: str) -> None:
        """It worked."""
        self._line(text, "success", spinning=False)
        self._mark.show()

    def failed(
        self, text: str, remedy: str = "", *, tone: str = "danger", actions: tuple[Act, ...] = ()
    ) -> None:
        """It did not work, or something is in its way."""
        waited_here = self._cancel.hasFocus()
        self._notice.tell(text, remedy, tone=tone, actions=actions)
        if waited_here:
            self._notice.take_keyboard()
        for widget in (self._spinner, self._mark, self._said, self._cancel):
            widget.hide()
        self.show()

    def _line(self, text: str, kind: str, *, spinning: bool) -> None:
        self._notice.hide()
        self._said.setText(text)
        self._said.setAccessibleName(text)
        self._said.setProperty("kind", kind)
        self._said.style().unpolish(self._said)
        self._said.style().polish(self._said)
        self._said.show()
        self._spinner.setVisible(spinning)
        self._mark.hide()
        self._cancel.hide()
        self.show()

    def _cancelled(self) -> None:
        self.clear()
        if self._on_cancel is not None:
            self._on_cancel()
