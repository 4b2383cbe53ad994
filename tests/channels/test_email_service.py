"""Whose mail is read and answered, what is told of the mailbox, and what it survives."""

import asyncio
import itertools
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from functools import partial

import pytest

from desktop.bus.events import ServiceChanged
from desktop.channels.channels import entry
from desktop.channels.email.hosts import hosts_of
from desktop.channels.email.mailbox import Mailbox
from desktop.channels.email.state import MOST_A_DAY
from desktop.config.channels.email import Email as Settings
from desktop.services.timing import Timing
from tests.channels.mail import PASSWORD, MailServer
from tests.channels.mailbox import ALICE, VOUCHES, Box, settings, state, turn_on
from tests.servers.scripted import ScriptedServer
from tests.unit.core.test_conversations import Desk

pytestmark = pytest.mark.machine


@pytest.fixture
def desk(mail_desk: Desk) -> Desk:
    return mail_desk


async def test_the_server_tells_of_new_mail(desk: Desk, box: Box) -> None:
    await turn_on(desk, box, pollIntervalSeconds=86_400)
    box.write("Hello")
    await box.answer()


async def test_a_server_that_cannot_tell_is_asked(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, server: ScriptedServer
) -> None:
    with MailServer("bot", "alice", idle=False) as asked:
        monkeypatch.setenv("SSL_CERT_FILE", str(asked.certificate))
        box = Box(asked, "bot", itertools.count())
        await turn_on(desk, box, pollIntervalSeconds=5)
        box.write("Hello", "Asked")
        await desk.end()
        assert (await desk.api.conversations.list())[0].title == "Asked"
        assert "every 5 s" in " ".join((await desk.api.channels.test("email")).notes)


@pytest.mark.parametrize(
    ("by", "proof"),
    [
        ("mallory", VOUCHES),
        ("alice", ""),
        ("alice", "mx.nano.test; dkim=fail header.d=nano.test; spf=fail smtp.mailfrom=alice@nano.test"),
        ("alice", "mx.evil.example; dkim=pass header.d=nano.test"),
        ("alice", "mx.nano.test; dkim=pass header.d=evil.example; spf=pass smtp.mailfrom=m@evil.example"),
        ("alice", "mx.nano.test; dmarc=fail header.from=nano.test; spf=pass smtp.mailfrom=nano.test"),
    ],
)
async def test_strangers_and_forged_mail_stay_untouched(
    desk: Desk, box: Box, server: ScriptedServer, by: str, proof: str
) -> None:
    await turn_on(desk, box)

    def forged(made: EmailMessage) -> None:
        made["Authentication-Results"] = VOUCHES  # below the server's own, where mail brings it

    box.write("Let me in", by=by, proof=proof, change=forged if proof else lambda _mail: None)
    box.write("Hello", "Known")
    sent = await box.answer()
    assert sent["Subject"] == "Re: Known"
    assert await asyncio.to_thread(box.server.flags, box.bot) == ["", "S"]
    assert len(await desk.api.conversations.list()) == 1
    assert await desk.api.channels.requests() == ()
    assert len(server.requests) == 1


async def test_the_card_says_where_no_server_vouches(desk: Desk, box: Box) -> None:
    await turn_on(desk, box, trustedAuthservIds=[])
    box.write("Hello")
    told = await state(desk, "running")
    assert "trusted" in told.detail
    tried = await desk.api.channels.test("email")
    assert tried.ok
    assert "mx.nano.test" in " ".join(tried.notes)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Auto-Submitted", "auto-replied"),
        ("Precedence", "bulk"),
        ("List-Id", "<list.nano.test>"),
        ("From", ""),
    ],
)
async def test_programs_and_lists_are_not_answered(
    desk: Desk, box: Box, server: ScriptedServer, name: str, value: str
) -> None:
    await turn_on(desk, box, allowFrom=["*"])

    def automatic(made: EmailMessage) -> None:
        del made[name]
        made[name] = value or box.address

    box.write("I am away", change=automatic)
    box.write("Hello", "Known")
    assert (await box.answer())["Subject"] == "Re: Known"
    assert await asyncio.to_thread(box.server.flags, box.bot) == ["", "S"]
    assert len(server.requests) == 1


async def test_a_bounce_is_left_as_it_is_whoever_it_says_to_be_of(
    desk: Desk, box: Box, server: ScriptedServer
) -> None:
    await turn_on(desk, box)
    bounce = EmailMessage()
    bounce["Authentication-Results"] = VOUCHES
    bounce["From"], bounce["To"], bounce["Subject"] = ALICE, box.address, "Undelivered"
    bounce.set_content("No such mailbox.")
    await asyncio.to_thread(box.server.deliver, bounce, box.bot)  # with no sender, as bounces have none
    box.write("Hello", "Known")
    assert (await box.answer())["Subject"] == "Re: Known"
    assert await asyncio.to_thread(box.server.flags, box.bot) == ["", "S"]
    assert len(server.requests) == 1


def about(subject: str, mail: EmailMessage) -> bool:
    return str(mail["Subject"]) == subject


def answers(id_: str, mail: EmailMessage) -> bool:
    return str(mail["In-Reply-To"]) == id_


@pytest.mark.soak
async def test_a_thread_of_two_programs_ends(desk: Desk, box: Box) -> None:
    await turn_on(desk, box)
    box.write("Answer 0", "Loop")
    sent = await box.answer()
    for number in range(1, MOST_A_DAY):
        asked = box.write(f"Answer {number}", "Loop", answering=sent)
        sent = await box.answer(partial(answers, str(asked["Message-ID"])))
    box.write("One too many", "Loop", answering=sent)
    assert "too many" in (await state(desk, "running")).detail
    box.write("Hello", "Other")
    await box.answer(lambda one: one["Subject"] == "Re: Other")
    flags = await asyncio.to_thread(box.server.flags, box.bot)
    assert flags == [*["S"] * MOST_A_DAY, "", "S"]


async def test_a_wrong_password_names_its_field(desk: Desk, box: Box) -> None:
    core = desk.owner.core
    await core.change(settings(box, enabled=False))
    tried = await desk.api.channels.test("email")
    assert (tried.ok, tried.name) == (True, box.address)
    core.keychain.remember(entry("email", "smtpPassword"), "wrong")
    tried = await desk.api.channels.test("email")
    assert (tried.ok, tried.field) == (False, "smtpPassword")
    core.keychain.remember(entry("email", "imapPassword"), "wrong")
    tried = await desk.api.channels.test("email")
    assert (tried.ok, tried.field) == (False, "imapPassword")
    assert "password" in tried.remedy
    await core.change(settings(box))
    assert "rejected" in (await state(desk, "needs_sign_in")).detail


async def test_a_password_may_have_any_letters(desk: Desk, box: Box) -> None:
    await asyncio.to_thread(box.server.password_of, box.bot, password="Grüße an 猫")
    desk.owner.core.keychain.remember(entry("email", "imapPassword"), "Grüße an 猫")
    await turn_on(desk, box)
    box.write("Hello")
    await box.answer()


@pytest.mark.parametrize(
    ("setting", "value", "field"),
    [
        ("imapHost", "", "imapHost"),
        ("imapPort", 1, "imapHost"),
        ("smtpPort", 1, "smtpHost"),
        ("imapMailbox", "Nowhere", "imapMailbox"),
        ("imapHost", "outlook.office365.com", "imapUsername"),
        ("imapUsername", "", "imapUsername"),
    ],
)
async def test_a_test_names_what_is_wrong(
    desk: Desk, box: Box, setting: str, value: object, field: str
) -> None:
    await desk.owner.core.change(settings(box, enabled=False) | {f"channels.email.{setting}": value})
    tried = await desk.api.channels.test("email")
    assert (tried.ok, tried.field) == (False, field)
    assert tried.remedy


async def test_nothing_is_read_or_sent_before_it_is_allowed(
    desk: Desk, box: Box, server: ScriptedServer
) -> None:
    await desk.owner.core.change(settings(box, consentGranted=False))
    told = await state(desk, "failed")
    assert "before you allow it" in told.detail
    await desk.api.channels.send("email", ALICE, "Hello from the agent")
    box.write("Hello", "Early")
    await desk.owner.core.change({"channels.email.consentGranted": True})
    assert (await box.answer())["Subject"] == "Hello from the agent"
    box.write("Hello", "Late")
    await box.answer(lambda one: one["Subject"] == "Re: Late")
    assert await asyncio.to_thread(box.server.flags, box.bot) == ["", "S"]
    assert len(server.requests) == 1


async def test_mail_comes_after_the_server_was_away_and_the_connection_died(
    desk: Desk, server_of_its_own: Box
) -> None:
    box, services = server_of_its_own, desk.owner.core.background.services
    services._timing = Timing(check=1.0)
    await turn_on(desk, box)
    told: list[ServiceChanged] = []
    desk.owner.core.bus.on(ServiceChanged, told.append)
    await asyncio.to_thread(box.server.kick, box.bot)
    await state(desk, "degraded")
    said = "The connection to 127.0.0.1 was interrupted. Check the internet connection."
    assert said in {one.detail for one in told}
    assert next(one.again_at for one in told if one.state == "degraded")
    await state(desk, "running")
    box.write("Hello", "Kicked")
    await box.answer(lambda one: one["Subject"] == "Re: Kicked")
    await asyncio.to_thread(box.server.stop)
    await state(desk, "degraded")
    await asyncio.to_thread(box.server.start)
    box.write("Hello", "Back")
    await box.answer(lambda one: one["Subject"] == "Re: Back")
    await asyncio.to_thread(box.server.freeze)
    services.again()
    await state(desk, "running")
    await asyncio.to_thread(box.server.thaw)
    box.write("Hello", "Woken")
    await box.answer(lambda one: one["Subject"] == "Re: Woken")


async def test_other_numbers_for_the_mails_answer_nothing_twice(
    desk: Desk, box: Box, server: ScriptedServer
) -> None:
    await turn_on(desk, box, markSeen=False)
    box.write("Hello", "Once")
    await box.answer()
    await asyncio.to_thread(box.server.renumber, box.bot)
    await asyncio.to_thread(box.server.kick, box.bot)
    await state(desk, "running")
    box.write("Hello", "Anew")
    await box.answer(lambda one: one["Subject"] == "Re: Anew")
    assert len(server.requests) == 2


async def test_what_is_older_than_the_agent_stays_so_also_by_other_numbers(
    desk: Desk, box: Box, server: ScriptedServer
) -> None:
    def before() -> None:
        old = EmailMessage()
        old["Authentication-Results"] = VOUCHES
        old["From"], old["To"], old["Subject"] = ALICE, box.address, "Old"
        old.set_content("Hello")
        with box.server.log_in(box.bot) as client:
            client.append("INBOX", old.as_bytes(), msg_time=datetime.now(UTC) - timedelta(hours=1))

    await asyncio.to_thread(before)
    await turn_on(desk, box, markSeen=False)
    await asyncio.to_thread(box.server.renumber, box.bot)
    for _start in range(2):
        await asyncio.to_thread(box.server.kick, box.bot)
        await state(desk, "running")
    box.write("Hello", "New")
    await box.answer(partial(about, "Re: New"))
    assert len(server.requests) == 1


async def test_mail_that_comes_while_another_is_dealt_with_is_told_of_at_once(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server tells of it with the answer to what is asked of it just then, and not a second time."""
    monkeypatch.setenv("SSL_CERT_FILE", str(box.server.certificate))
    values = {name.rpartition(".")[2]: value for name, value in settings(box).items()}
    given = Settings.model_validate(values)
    mailbox = Mailbox(given, hosts_of(given), PASSWORD)
    place = await asyncio.to_thread(mailbox.open)
    assert await asyncio.to_thread(mailbox.letters, place.next, 0.0) == []
    try:
        async with asyncio.timeout(30):
            box.write("Hello", "First")
            await asyncio.to_thread(mailbox.wait)
            (first,) = await asyncio.to_thread(mailbox.letters, place.next, 0.0)
            box.write("Hello", "Second")
            await asyncio.to_thread(mailbox.dealt_with, first.uid)
            await asyncio.to_thread(mailbox.wait)
            (second,) = await asyncio.to_thread(mailbox.letters, first.uid + 1, 0.0)
    finally:
        mailbox.interrupt()
        await asyncio.to_thread(mailbox.close)
    assert second.subject == "Second"
