"""The agent's mailbox as a test has it: who writes to it, what it is told of them, and what comes back."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import EmailMessage

import pytest

from desktop.bus.events import ServiceChanged
from tests.channels.mail import MailServer
from tests.unit.core.test_conversations import Desk

BOTS = [f"bot{number}" for number in range(40)]
ALICE = MailServer.address("alice")
VOUCHES = "mx.nano.test; dkim=pass header.d=nano.test; spf=pass smtp.mailfrom=alice@nano.test"


@dataclass
class Box:
    """The agent's mailbox, and who writes to it."""

    server: MailServer
    bot: str
    numbers: Iterator[int]

    @property
    def address(self) -> str:
        return self.server.address(self.bot)

    def write(
        self,
        text: str,
        subject: str = "Question",
        *,
        by: str = "alice",
        answering: EmailMessage | None = None,
        proof: str = VOUCHES,
        change: Callable[[EmailMessage], None] = lambda _mail: None,
    ) -> EmailMessage:
        """A mail that a server put into the mailbox, with what it says of the sender on top."""
        made = EmailMessage()
        if proof:
            made["Authentication-Results"] = proof
        sender = self.server.address(by)
        made["From"], made["To"], made["Subject"] = f"{by.title()} <{sender}>", self.address, subject
        made["Message-ID"] = f"<{self.bot}.{next(self.numbers)}@nano.test>"
        if answering:
            made["In-Reply-To"] = answering["Message-ID"]
            made["References"] = f"{answering['References'] or ''} {answering['Message-ID']}".strip()
        made.set_content(text)
        change(made)
        self.server.deliver(made, self.bot, sender)
        return made

    async def answer(self, wanted: Callable[[EmailMessage], object] = bool) -> EmailMessage:
        """The first mail of the agent to Alice that is wanted."""
        return await asyncio.to_thread(
            self.server.received, "alice", lambda one: one["From"] == self.address and wanted(one)
        )


COUNTS = pytest.StashKey[Iterator[int]]()


def settings(box: Box, **others: object) -> dict[str, object]:
    """Alice's agent, on the servers of this machine."""
    values: dict[str, object] = {
        "consentGranted": True,
        "imapHost": "127.0.0.1",
        "imapPort": box.server.imaps,
        "imapUsername": box.address,
        "smtpHost": "127.0.0.1",
        "smtpPort": box.server.submission,
        "owner": "Alice@Nano.Test",
        "trustedAuthservIds": ["mx.nano.test"],
        "enabled": True,
    }
    return {f"channels.email.{name}": value for name, value in (values | others).items()}


async def state(desk: Desk, *wanted: str) -> ServiceChanged:
    async for event in desk.events:
        if isinstance(event, ServiceChanged) and event.name == "email" and event.state in wanted:
            return event
    raise AssertionError("the bus ended")


async def turn_on(desk: Desk, box: Box, **others: object) -> None:
    await desk.owner.core.change(settings(box, **others))
    await state(desk, "running")


def plain(mail: EmailMessage) -> str:
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).strip()
