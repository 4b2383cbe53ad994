"""Mail too large to be held as a whole: it comes by its parts, and leaves by pieces."""

import asyncio
import random
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

import pytest

from desktop.channels.channel import NotDelivered
from desktop.channels.email import body, parts
from desktop.channels.email.hosts import hosts_of
from desktop.channels.email.mailbox import Mailbox
from desktop.channels.email.outgoing import Outgoing, Thread, compose
from desktop.channels.message import Address, Part, Sending
from desktop.channels.newfile import NewFile
from desktop.config.channels.email import Email as Settings
from desktop.errors import AppError
from desktop.files import Place
from tests.channels.mail import PASSWORD
from tests.channels.mailbox import ALICE, Box, plain, settings, turn_on
from tests.servers.scripted import ScriptedServer
from tests.unit.core.test_conversations import Desk

pytestmark = pytest.mark.machine

ALL: dict[str, object] = {"maxAttachmentSize": 25_000_000, "allowedAttachmentTypes": ["*"]}


@pytest.fixture
def desk(mail_desk: Desk) -> Desk:
    return mail_desk


def noise(size: int) -> bytes:
    return random.Random(size).randbytes(size)


class Line:
    """The way to a mail server, which counts what comes by it, and may be cut once after so much."""

    def __init__(self, port: int, cut_after: int = 0) -> None:
        self.came, self.passed, self.cuts = 0, 0, 0
        self._target, self._cut_after = port, cut_after

    async def __aenter__(self) -> "Line":
        self._server = await asyncio.start_server(self._enter, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._server.close()

    async def _enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        with suppress(asyncio.CancelledError):  # the test is over
            await asyncio.gather(self._relay(reader, back, False), self._relay(there, writer, True))

    async def _relay(self, source: asyncio.StreamReader, to: asyncio.StreamWriter, comes: bool) -> None:
        try:
            while data := await source.read(65_536):
                self.came += len(data) * comes
                self.passed += len(data)
                if self._cut_after and self.passed > self._cut_after:
                    self._cut_after, self.cuts = 0, self.cuts + 1
                    to.transport.abort()
                    return
                to.write(data)
                await to.drain()
        except OSError:
            pass
        finally:
            to.close()


def wild() -> EmailMessage:
    """All that mail is made of, large."""
    made = EmailMessage()
    made["Subject"] = "Wild"
    made.set_content("Grüße, 你好\n" * 9000 + "\n-- \nAlice", cte="quoted-printable", charset="utf-8")
    made.add_alternative("<p>Grüße <img src='cid:1'></p>" * 9000, subtype="html", cte="base64")
    page = made.get_body(("html",))
    assert isinstance(page, EmailMessage)
    page.add_related(noise(300_001), maintype="image", subtype="png", cid="<1>", filename="sun 太阳.png")
    made.add_attachment(
        "a=b;ü\r\n" * 30_000, subtype="csv", filename="Übersicht.csv", cte="quoted-printable"
    )
    made.add_attachment(noise(2_500_002), maintype="application", subtype="pdf", filename="x" * 300)
    made.add_attachment("plain\r\n" * 200_000, filename="log.txt", cte="7bit")
    inner = EmailMessage()
    inner["Subject"] = "Inner"
    inner.set_content("Inside")
    inner.add_attachment(noise(400_000), maintype="video", subtype="mp4", filename="film.mp4")
    made.add_attachment(inner)
    made.add_attachment(b"sealed", maintype="application", subtype="pgp-signature", filename="s.asc")
    return made


def alone(kind: str, encoding: str, content: bytes) -> bytes:
    return f"Content-Type: {kind}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n".encode() + content


LETTERS = {
    "all": lambda: wild().as_bytes(policy=SMTP),
    "words alone": lambda: alone(
        "text/plain; charset=latin-1", "8bit", "Grüße\r\n".encode("latin-1") * 90_000
    ),
    "a page alone": lambda: alone("text/html; charset=klingon", "7bit", b"<p>Words</p>\r\n" * 90_000),
    "a file alone": lambda: alone(
        'application/pdf; name="a.pdf"', "BASE64", b"QUJDRA==" + b"\r\nQUJD" * 90_000
    ),
    "nothing said": lambda: b"Subject: x\r\n\r\n" + b"Hello\r\n" * 90_000,
    "no boundary": lambda: alone("multipart/mixed", "7bit", b"--x\r\n\r\nHello\r\n" * 90_000),
    "an end that never comes": lambda: alone(
        "multipart/mixed; boundary=x",
        "7bit",
        b"--x\r\n\r\nHello\r\n--x\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        + b"QUJDREVG\r\n" * 90_000,
    ),
    "letters in a digest": lambda: alone(
        "multipart/digest; boundary=x",
        "7bit",
        b"--x\r\n\r\nSubject: y\r\n\r\n" + b"Hello\r\n" * 90_000 + b"--x--",
    ),
}


def own(box: Box, **others: object) -> Settings:
    """The settings of the agent's mailbox."""
    values = {name.rpartition(".")[2]: value for name, value in settings(box, **others).items()}
    return Settings.model_validate(values)


@contextmanager
def opened(box: Box, raw: bytes) -> Iterator[tuple[Mailbox, int]]:
    """The agent's mailbox with one letter."""
    with box.server.log_in(box.bot) as client:
        client.append("INBOX", raw)
    given = own(box)
    mailbox = Mailbox(given, hosts_of(given), PASSWORD)
    place = mailbox.open()
    try:
        yield mailbox, place.next - 1
    finally:
        mailbox.close()


async def written(content: body.Content, folder: Path) -> list[tuple[str, bytes]]:
    found = []
    for number, file in enumerate(content.files):
        assert file.fetch
        new = NewFile(Place(folder), str(number), 50_000_000)
        await file.fetch(new)
        data = new.path.read_bytes()
        found.append((file.name, data.replace(b"\r\n", b"\n") if file.name.endswith(".eml") else data))
    return found


@pytest.mark.parametrize("name", LETTERS)
async def test_by_its_parts_a_letter_says_and_carries_the_same_as_in_one_piece(
    box: Box, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(box.server.certificate))
    given = Settings(max_attachment_size=25_000_000, max_attachments_per_email=20, max_body_chars=100_000)
    raw = LETTERS[name]()
    with opened(box, raw) as (mailbox, uid):
        mail = await asyncio.to_thread(parts.opened, mailbox, uid)
        assert (mail is None) == (name == "no boundary")  # such a one is fetched as a whole
        mail = mail or body.parsed(raw)
        by_parts = body.read(mail, given, whole=False)
        at_once = body.read(body.parsed(raw), given, whole=False)
        assert by_parts.text == at_once.text
        assert await written(by_parts, tmp_path / "parts") == await written(at_once, tmp_path / "whole")


async def test_a_large_letter_is_never_in_memory_as_a_whole(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(box.server.certificate))
    made = EmailMessage()
    made.set_content("Hello")
    made.add_attachment(noise(19_000_000), maintype="application", subtype="zip", filename="a.zip")
    raw = made.as_bytes(policy=SMTP)
    with opened(box, raw) as (mailbox, uid):
        del made, raw
        tracemalloc.start()
        mail = await asyncio.to_thread(parts.opened, mailbox, uid)
        assert mail
        content = body.read(mail, Settings(max_attachment_size=25_000_000), whole=False)
        (file,) = content.files
        assert file.fetch
        await file.fetch(NewFile(Place(tmp_path), "a.zip", 50_000_000))
        _now, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert (tmp_path / "a.zip").read_bytes() == noise(19_000_000)
    assert peak < 10_000_000


@pytest.fixture
async def line(box: Box) -> AsyncIterator[Line]:
    async with Line(box.server.imaps) as line:
        yield line


async def test_a_file_over_the_limit_is_not_fetched_and_is_named(
    desk: Desk, box: Box, line: Line, server: ScriptedServer
) -> None:
    await turn_on(desk, box, imapPort=line.port)

    def attach(made: EmailMessage) -> None:
        made.add_attachment(noise(3_000_000), maintype="image", subtype="png", filename="large.png")
        made.add_attachment(noise(300_000), maintype="image", subtype="png", filename="small.png")

    box.write("Look", change=attach)
    await box.answer()
    (chat,) = await desk.api.conversations.list()
    asked = (await desk.api.conversations.read(chat.key)).messages[0]
    assert asked["content"] == "Question\n\nLook\n\n[These files could not be received: large.png]"
    assert [Path(name).read_bytes() for name in asked["_files"]] == [noise(300_000)]
    assert line.came < 1_000_000


async def test_a_letter_whose_file_was_cut_off_comes_again_whole_and_once(
    desk: Desk, box: Box, server: ScriptedServer
) -> None:
    async with Line(box.server.imaps, cut_after=3_000_000) as line:
        await turn_on(desk, box, imapPort=line.port, **ALL)

        def attach(made: EmailMessage) -> None:
            made.add_attachment(noise(5_000_000), maintype="image", subtype="png", filename="sun.png")

        box.write("Look", change=attach)
        await box.answer()
        assert line.cuts == 1
    (chat,) = await desk.api.conversations.list()
    asked = (await desk.api.conversations.read(chat.key)).messages
    assert [one["content"] for one in asked if one["role"] == "user"] == ["Question\n\nLook"]
    assert [Path(name).read_bytes() for name in asked[0]["_files"]] == [noise(5_000_000)]


def sending(text: str, *files: Path) -> Sending:
    first, *more = (str(path) for path in files)
    return Sending(Address("email", ALICE), Part("", text, first, tuple(more)), "1-0")


async def test_large_files_leave_as_they_are_and_are_never_in_memory(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(box.server.certificate))
    given = own(box)
    sizes = 18_000_000, 1, 0, 57 * 4096, 57 * 4096 * 2 + 1
    paths = [tmp_path / f"{number} 太阳.zip" for number in range(len(sizes))]
    for path, size in zip(paths, sizes, strict=True):
        path.write_bytes(noise(size))
    text = f".\n..\n. {box.bot}\n.\n"
    tracemalloc.start()
    mail = compose(sending(text, *paths), Thread(), given)
    await Outgoing(given, hosts_of(given), PASSWORD).send(mail, ALICE)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    sent = await box.answer()
    got = sent.get_body(("plain",))
    assert got
    assert got.get_content().replace("\r\n", "\n") == text + "\n"
    found = {part.get_filename(): part.get_payload(decode=True) for part in sent.iter_attachments()}
    assert found == {path.name: path.read_bytes() for path in paths}
    assert peak < 10_000_000
    assert mail.size() == sum(len(piece) for piece in mail.pieces()) - 4  # the dots that go twice


async def test_a_mail_cut_off_on_its_way_is_none_and_goes_again(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(box.server.certificate))
    path = tmp_path / "a.zip"
    path.write_bytes(noise(5_000_000))
    async with Line(box.server.submission, cut_after=3_000_000) as line:
        given = own(box, smtpPort=line.port)
        out = Outgoing(given, hosts_of(given), PASSWORD)
        mail = compose(sending("Here", path), Thread(), given)
        with pytest.raises(AppError, match="was interrupted"):
            await out.send(mail, ALICE)
        path.write_bytes(noise(4_000_000))
        with pytest.raises(AppError, match=r"The file a\.zip was changed just now"):
            await out.send(mail, ALICE)
        await out.send(compose(sending("Again", path), Thread(), given), ALICE)
    assert plain(await box.answer()) == "Again"


async def test_a_mail_too_large_for_its_server_is_refused_before_it_goes(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(box.server.certificate))
    path = tmp_path / "a.zip"
    path.write_bytes(noise(19_900_000))
    async with Line(box.server.submission) as line:
        given = own(box, smtpPort=line.port)
        mail = compose(sending("Here", path), Thread(), given)
        with pytest.raises(NotDelivered, match=r"127\.0\.0\.1 rejected it: 552"):
            await Outgoing(given, hosts_of(given), PASSWORD).send(mail, ALICE)
        assert line.passed < 100_000
