"""The mail servers of the tests, judged by IMAPClient and aiosmtplib."""

import asyncio
from collections.abc import Iterator
from email.message import EmailMessage

import aiosmtplib
import pytest
from imapclient import IMAPClient
from imapclient.exceptions import LoginError

from tests.channels.mail import PASSWORD, MailServer

pytestmark = pytest.mark.machine


@pytest.fixture(scope="module")
def mail() -> Iterator[MailServer]:
    with MailServer() as server:
        yield server


def written(subject: str, sender: str = "alice", to: str = "bot") -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"] = MailServer.address(sender), MailServer.address(to)
    made["Subject"], made["Message-ID"] = subject, f"<{subject.replace(' ', '.')}@nano.test>"
    made.set_content("Grüße, 你好\n")
    made.add_attachment(b"a,b\n", maintype="text", subtype="csv", filename="Übersicht.csv")
    return made


async def send(mail: MailServer, message: EmailMessage, user: str = "alice", word: str = PASSWORD) -> None:
    smtp = aiosmtplib.SMTP(hostname="127.0.0.1", port=mail.smtps, use_tls=True, tls_context=mail.tls)
    async with smtp:  # one that is to log in by itself stays open when it may not
        await smtp.login(MailServer.address(user), word)
        await smtp.send_message(message)


async def test_mail_is_sent_announced_read_and_answered(mail: MailServer) -> None:
    def wait_and_read() -> tuple[str, str, list[str | None], list[str]]:
        with mail.log_in("bot") as client:
            assert b"IDLE" in client.capabilities()
            selected = client.select_folder("INBOX")
            client.idle()
            loop.call_soon_threadsafe(idle.set)
            while not any(word == b"EXISTS" for _number, word in client.idle_check(timeout=20)):
                pass
            client.idle_done()
            assert selected[b"UIDVALIDITY"]
            found = mail.received("bot", lambda one: one["Subject"] == "first")
            client.add_flags(client.search(), [b"\\Seen"])
            body = found.get_body(("plain",))
            assert body is not None
            names = [part.get_filename() for part in found.iter_attachments()]
            return str(found["From"]), body.get_content(), names, mail.flags("bot")

    loop, idle = asyncio.get_running_loop(), asyncio.Event()
    reading = loop.run_in_executor(None, wait_and_read)
    await idle.wait()
    await send(mail, written("first"))
    assert await reading == ("alice@nano.test", "Grüße, 你好\r\n", ["Übersicht.csv"], ["S"])

    answer = written("Re: first", "bot", "alice")
    answer["In-Reply-To"] = "<first@nano.test>"
    smtp = aiosmtplib.SMTP(hostname="127.0.0.1", port=mail.submission, start_tls=True, tls_context=mail.tls)
    async with smtp:
        await smtp.login("bot@nano.test", PASSWORD)
        await smtp.send_message(answer)
    got = await asyncio.to_thread(mail.received, "alice", lambda one: one["In-Reply-To"])
    assert got["In-Reply-To"] == "<first@nano.test>"


async def test_who_may_not(mail: MailServer) -> None:
    client = IMAPClient("127.0.0.1", mail.imaps, ssl_context=mail.tls, timeout=20)
    with client, pytest.raises(LoginError):
        client.login("bot@nano.test", "wrong")
    with pytest.raises(aiosmtplib.SMTPAuthenticationError):
        await send(mail, written("x"), word="wrong")
    with pytest.raises(aiosmtplib.SMTPRecipientsRefused):
        await send(mail, written("x", to="nobody"))
    mail.defer("bot")
    with pytest.raises(aiosmtplib.SMTPRecipientsRefused) as later:
        await send(mail, written("x"))
    assert later.value.recipients[0].code == 451
    mail.defer(None)
    mail.password_of("mallory", password="another")
    with pytest.raises(LoginError):
        await asyncio.to_thread(mail.log_in, "mallory")


def test_strangers_headers_and_connections_that_end(mail: MailServer) -> None:
    forged = written("forged", "mallory", "alice")
    forged["Authentication-Results"] = "mx.nano.test; dkim=fail; spf=fail"
    mail.deliver(forged, "alice")
    assert mail.received("alice", lambda one: one["Authentication-Results"])["Subject"] == "forged"
    with mail.log_in("alice") as client:
        before = client.select_folder("INBOX")[b"UIDVALIDITY"]
        mail.freeze()
        client.socket().settimeout(0.2)
        with pytest.raises(OSError, match="timed out"):
            client.noop()
        mail.thaw()
    with mail.log_in("alice") as client:
        client.select_folder("INBOX")
        client.idle()
        mail.kick("alice")
        assert client.idle_check(timeout=20)[0][0] == b"BYE"
    mail.renumber("alice", 4711)
    with mail.log_in("alice") as client:
        assert (before, client.select_folder("INBOX")[b"UIDVALIDITY"]) != (4711, before)


def test_a_server_that_cannot_tell_of_new_mail_and_is_away_for_a_while() -> None:
    with MailServer("bot", idle=False) as server:
        with server.log_in("bot") as client:
            assert b"IDLE" not in client.capabilities()
            server.deliver(b"From: a@b.example\r\nSubject: s\r\n\r\nhello\r\n")
            client.select_folder("INBOX")
            assert client.search() == [1]
        server.stop()
        with pytest.raises(ConnectionRefusedError):
            server.log_in("bot")
        server.start()
        with server.log_in("bot") as client:
            assert client.select_folder("INBOX")[b"EXISTS"] == 1
