"""Email, by a mailbox of the agent's own: IMAP to read, SMTP to answer."""

from desktop.channels.email.service import Email

__all__ = ["Email"]
