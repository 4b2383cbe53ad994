"""Whatever a message contains, the window goes on: the loop is never held up, nothing is fetched or run."""

import socket
import time
import zlib
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, QTimer, QUrl
from PySide6.QtGui import QColor, QImage, QTextDocument
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.text.images import MOST_BYTES, Pictures, local
from desktop.ui.conversation.transcript import State, Transcript
from desktop.ui.conversation.view import ConversationView
from tests.ui.conversation.conftest import armed, said
from tests.ui.conversation.documents import document
from tests.ui.conversation.test_markdown import HOSTILE

STEP_S = 0.2
"""CPU time between two turns of the loop; four times what is allowed, for a busy machine."""


class Heart:
    """Measures the longest time, in CPU seconds, between two turns of the loop."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = time.process_time()
        self._timer = QTimer()
        self._timer.timeout.connect(self._beat)
        self._timer.start(0)

    def _beat(self) -> None:
        now = time.process_time()
        self.longest = max(self.longest, now - self._last)
        self._last = now

    def stop(self) -> float:
        self._beat()
        self._timer.stop()
        return self.longest


def settled(view: ConversationView) -> bool:
    return not armed(view) and all(cell.exact for cell in view.cells)


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize(
    "what", [pytest.param(one, marks=[] if one == "fences" else pytest.mark.soak) for one in HOSTILE]
)
def test_a_hostile_message_holds_nothing_up(
    qtbot: QtBot, view: ConversationView, transcript: Transcript, what: str
) -> None:
    transcript.fill([said("warm *up*\n\n```py\nx\n```", 1)])
    qtbot.waitUntil(lambda: settled(view))
    heart = Heart()
    transcript.fill([said("look:", 0), said(HOSTILE[what], 1), said("end", 2)])
    qtbot.waitUntil(lambda: settled(view))
    assert heart.stop() < STEP_S
    assert view.cells[-1].entry.id == "2"


@pytest.mark.soak
def test_more_of_a_long_message_is_shown_when_asked_for(
    qtbot: QtBot, view: ConversationView, transcript: Transcript
) -> None:
    text = "\n\n".join(f"paragraph {n} of many, with a few words" for n in range(3_000))
    transcript.fill([said(text, 1)])
    cell = view.cells[0]
    qtbot.waitUntil(lambda: settled(view))
    assert len(cell.body.toPlainText()) < 30_000
    assert cell.more.isVisible()
    for _ in range(3):
        before = len(cell.body.toPlainText())
        cell.more.click()
        qtbot.waitUntil(lambda: settled(view))
        assert len(cell.body.toPlainText()) > before
    assert "paragraph 2999" in cell.body.toPlainText()
    assert not cell.more.isVisible()


@pytest.mark.soak
def test_random_documents_are_shown(view: ConversationView, transcript: Transcript) -> None:
    transcript.fill(said(document(seed), seed) for seed in range(300))
    bar = view.verticalScrollBar()
    while bar.value() > 0:
        bar.setValue(bar.value() - 500)
    assert view.cells[0].entry.id == "0"


def test_lone_surrogates_are_shown_and_copied(
    qtbot: QtBot, view: ConversationView, transcript: Transcript
) -> None:
    answer = said("broken \ud83d", 1, state=State.STREAMING)
    transcript.fill([answer])
    answer.state = State.DONE
    transcript.touch("1")
    view.cells[0].actions_row.copy.click()
    assert view.cells[0].body.toPlainText() == "broken \ufffd"


def test_nothing_is_fetched(view: ConversationView, transcript: Transcript, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_text("secret")
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.setblocking(False)
        web = f"http://127.0.0.1:{server.getsockname()[1]}/x.png"
        texts = [
            f"![picture]({web})",
            f"![]({web})",
            "![passwords](file:///etc/passwd)",
            "![](/etc/passwd)",
            f'<img src="{web}"> <img src="file:///etc/passwd">',
            f"![]({tmp_path}/secret.png)",
        ]
        transcript.fill(said(text, 2 * number + 1) for number, text in enumerate(texts))
        view.grab()
        for address in (web, "file:///etc/passwd", "/etc/passwd", "qrc:/x", "data:image/png;base64,AAAA"):
            kind = QTextDocument.ResourceType.ImageResource.value
            given = view.cells[0].body.loadResource(kind, QUrl(address))
            assert given.size() == QSize(1, 1)
        with pytest.raises(BlockingIOError):
            server.accept()
    shown = view.cells[0].body
    assert shown.toPlainText() == "picture"
    assert web in shown.toHtml()
    assert "root:" not in "".join(cell.body.toHtml() for cell in view.cells)


def picture(path: Path, width: int, height: int) -> str:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("#ff0000"))
    assert image.save(str(path))
    return str(path)


@pytest.mark.parametrize("kind", ["png", "jpeg", "webp"])
def test_a_picture_of_this_machine_is_shown(
    qtbot: QtBot, view: ConversationView, transcript: Transcript, tmp_path: Path, kind: str
) -> None:
    source = picture(tmp_path / f"my picture.{kind}", 3_000, 400)
    address = QUrl.fromLocalFile(source).toString(QUrl.ComponentFormattingOption.FullyEncoded)
    transcript.fill([said(f"Look: ![it]({address})", 1)])
    body = view.cells[0].body

    def red() -> bool:
        image = body.grab().toImage()
        colors = {image.pixelColor(x, image.height() // 2).name() for x in range(0, image.width(), 5)}
        return any(color[1:3] > "e0" and color[3:5] < "20" for color in colors)

    qtbot.waitUntil(red)
    assert body.document().size().width() <= body.width()
    view.resize(400, 600)
    assert body.document().size().width() <= body.width() <= 400


def png(width: int, height: int) -> bytes:
    """A real picture whose header says that it is larger."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    image.fill(0)
    image.save(buffer, "png")  # type: ignore[call-overload]
    made = bytearray(data.data())
    made[16:24] = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    made[29:33] = zlib.crc32(made[12:29]).to_bytes(4, "big")
    return bytes(made)


SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
UNFIT = {
    "200 megapixels": png(20_000, 10_000),
    "svg": SVG,
    "svg that says png": SVG,
    "text": b"hello",
    "empty": b"",
    "too many bytes": png(8, 8) + b"\0" * MOST_BYTES,
}


@pytest.mark.parametrize("what", UNFIT)
def test_an_unfit_picture_is_a_line_of_words(
    view: ConversationView, transcript: Transcript, tmp_path: Path, what: str
) -> None:
    path = tmp_path / ("picture.svg" if what == "svg" else "picture.png")
    path.write_bytes(UNFIT[what])
    transcript.fill([said(f"![my chart]({path})", 1)])
    assert view.cells[0].body.toPlainText() == "[image can’t be shown: my chart]"


def test_a_truncated_picture_turns_into_words(
    qtbot: QtBot, view: ConversationView, transcript: Transcript, tmp_path: Path
) -> None:
    path = tmp_path / "cut.png"
    path.write_bytes(png(4_000, 4_000))
    transcript.fill([said(f"![cut]({path})", 1)])
    qtbot.waitUntil(lambda: view.cells[0].body.toPlainText() == "[image can’t be shown: cut]")


def test_only_files_of_this_machine_are_pictures(tmp_path: Path) -> None:
    assert local("file:///tmp/a%20b.png") == Path("/tmp/a b.png")
    assert local("/tmp/x.png") == Path("/tmp/x.png")
    assert local("/tmp/a%2Fb%5C.png") == Path("/tmp/a/b\\.png")
    assert local("file://localhost/tmp/x.png") == Path("/tmp/x.png")
    for source in (
        "x.png",
        "../x.png",
        "http://e.org/x.png",
        "file://server/x.png",
        "//server/x.png",
        "~/x.png",
        "\\\\server\\x.png",
        "/\\server\\x.png",
        "\\/server/x.png",
        "/%5Cserver%5Cx.png",
        "%5C%5Cserver%5Cx.png",
        "/%255Cserver%255Cx.png",
        "/%2Fserver/x.png",
        "file:////server/x.png",
        "file:/%5Cserver/x.png",
        "file:///%5C%5Cserver/x.png",
        "FILE:\\\\server\\x.png",
        "\\\\?\\UNC\\server\\x.png",
        "//?/UNC/server/x.png",
        "/??/UNC/server/x.png",
        "//./pipe/x.png",
    ):
        assert local(source) is None
    assert Pictures().size(str(tmp_path)) is None
    assert Pictures().size("/dev/zero") is None
