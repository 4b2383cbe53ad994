"""Which mail is for the agent, and what it becomes."""

from dataclasses import dataclass
from enum import Enum

from desktop.channels import access
from desktop.channels.email.body import Content
from desktop.channels.email.letter import Letter, bare
from desktop.channels.email.proof import Proof, proof
from desktop.channels.message import Address, Received
from desktop.config.channels.email import Email as Settings
from desktop.text import _


class Sort(Enum):
    """What is done with a mail."""

    FOR_THE_AGENT = "for the agent"
    NOT_OURS = "not ours"
    """Of strangers and of programs, and those that say to be of somebody and are not."""
    UNPROVED = "unproved"
    """It says to be of somebody who may write, and no server that counts has looked."""


@dataclass(frozen=True, slots=True)
class Judge:
    """The settings, as they are now."""

    settings: Settings
    vouches: tuple[str, ...]

    def sort(self, letter: Letter) -> Sort:
        """What a mail is, by its headers alone."""
        settings = self.settings
        own = (settings.address, settings.imap_username.lower())
        if not letter.sender or letter.by_program or letter.sender in own:
            return Sort.NOT_OURS
        asking = Received(Address("email", letter.sender), letter.id, letter.sender, letter.name, "")
        if access.judge(settings, asking) is not access.Verdict.LET_IN:
            return Sort.NOT_OURS
        found = proof(letter.results, letter.domain, settings, self.vouches)
        if found is Proof.PROVED:
            return Sort.FOR_THE_AGENT
        return Sort.UNPROVED if found is Proof.MISSING else Sort.NOT_OURS


def received(letter: Letter, content: Content, thread: str, id_: str) -> Received:
    """A mail as a message."""
    text = content.text
    if not letter.references and not text.startswith("/"):
        subject = letter.subject if letter.forwarded else bare(letter.subject)
        text = f"{subject}\n\n{text}".strip()
    return Received(
        Address("email", letter.sender, thread),
        id_,
        letter.sender,
        letter.name or letter.sender,
        text or _("[Empty mail]"),
        outside=True,
        forwarded=letter.forwarded,
        files=content.files,
        at=letter.at,
    )
