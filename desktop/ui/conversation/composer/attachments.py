"""How files come to a message: dropped on the conversation, pasted, chosen, or taken from the screen."""

import base64
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QBuffer, QEvent, QIODevice, QMimeData, QObject, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage
from PySide6.QtWidgets import QFileDialog, QLabel, QVBoxLayout, QWidget

from desktop.errors import UsageError
from desktop.tasks import in_thread
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.conversation.composer.composer import Composer, takes
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.styled import styled

if TYPE_CHECKING:
    from desktop.api.attachments import Attachment

_MOST = 20
_SHEET = """
QWidget#drop { background: $window; }
QLabel#drop-words { border: 2px dashed $accent; border-radius: 14px; color: $accent; font-weight: 600; }
"""


class Attaching(QObject):
    """One for a composer; `zone` is the widget on which files may be dropped, `session` tells the key of
    the conversation."""

    def __init__(
        self,
        actions: Actions,
        reporter: ErrorReporter,
        composer: Composer,
        zone: QWidget,
        session: Callable[[], str],
    ) -> None:
        super().__init__(composer)
        self._actions, self._reporter, self._composer, self._zone = actions, reporter, composer, zone
        self._session = session
        self._cover: QWidget | None = None
        composer.given.connect(self.take)
        composer.named.connect(lambda path: self._run(self._take([path])))
        composer.files_wanted.connect(self._choose)
        composer.screen_wanted.connect(lambda: self._run(self._screen()))
        zone.setAcceptDrops(True)
        zone.installEventFilter(self)

    def take(self, source: QMimeData) -> None:
        """Take what was dropped or pasted."""
        paths = [url.toLocalFile() for url in source.urls() if url.isLocalFile()]
        if paths:
            self._run(self._take(paths))
        elif source.hasImage():
            image = source.imageData()
            if isinstance(image, QImage) and not image.isNull():
                self._run(self._keep(image, "pasted.png"))

    def _run(self, work: Any) -> None:
        self._reporter.run(work, name="composer:files")

    async def _take(self, paths: Sequence[str]) -> None:
        failed: UsageError | None = None
        for path in paths:
            try:
                self._add(await self._actions.api.attachments.look(path))
            except UsageError as error:  # the others go along all the same
                failed = failed or error
        if failed:
            raise failed

    async def _keep(self, image: QImage, name: str) -> None:
        data = await in_thread(_png, image)
        self._add(await self._actions.api.attachments.keep(name, data, self._session()))

    def _add(self, given: "Attachment") -> None:
        from desktop.ui.conversation.composer.chips import Given

        if len(self._composer.files) >= _MOST:
            raise UsageError(_("A message can have at most {n} attachments.").format(n=_MOST))
        self._composer.add_file(Given(given.path, given.name, given.kind, given.bytes))
        self._composer.field.setFocus()

    def _choose(self) -> None:
        dialog = QFileDialog(self._composer.window(), _("Attach files"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda paths: self._run(self._take(paths)))
        dialog.open()

    async def _screen(self) -> None:
        from desktop.ui.system import screenshot

        window = self._composer.window()
        window.hide()
        try:
            image = await screenshot.take()
        finally:
            window.show()
            window.activateWindow()
        if image is not None:
            await self._keep(image, "screen.png")

    # ---- what is dragged over the conversation

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.DragEnter and isinstance(event, QDragEnterEvent):
            if takes(event.mimeData()):
                event.acceptProposedAction()
                self._show_cover()
                return True
        elif kind == QEvent.Type.DragLeave:
            self._hide_cover()
        elif kind == QEvent.Type.Drop and isinstance(event, QDropEvent):
            self._hide_cover()
            if takes(event.mimeData()):
                event.acceptProposedAction()
                self.take(event.mimeData())
                return True
        return super().eventFilter(watched, event)

    def _show_cover(self) -> None:
        if self._cover is None:
            self._cover = _made(self._zone)
        self._cover.setGeometry(self._zone.rect())
        self._cover.show()
        self._cover.raise_()

    def _hide_cover(self) -> None:
        if self._cover is not None:
            self._cover.hide()


def _made(zone: QWidget) -> QWidget:
    cover = QWidget(zone)
    cover.setObjectName("drop")
    cover.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    cover.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    styled(cover, _SHEET)
    words = QLabel(_("Drop files here to attach them"))
    words.setObjectName("drop-words")
    words.setAlignment(Qt.AlignmentFlag.AlignCenter)
    column = QVBoxLayout(cover)
    column.setContentsMargins(Space.XL, Space.XL, Space.XL, Space.XL)
    column.addWidget(words)
    return cover


def _png(image: QImage) -> str:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return base64.b64encode(bytes(buffer.data().data())).decode()
