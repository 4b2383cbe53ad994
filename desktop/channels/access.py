"""Who may write: decided by the service's own ids before anything else is done with a message."""

from enum import Enum

from desktop.channels.message import Received
from desktop.config.channels.base import ANYBODY, ChannelSettings


class Verdict(Enum):
    """What becomes of a message."""

    LET_IN = "let in"
    PAIR = "pair"
    """A stranger in a private chat: they get a code."""
    SILENT = "silent"


def judge(settings: ChannelSettings, received: Received) -> Verdict:
    """Exact ids only; an empty list is nobody."""
    known = is_owner(settings, received) or _listed(settings.allow_from, received)
    if not received.group:
        return _private(settings, received, known=known)
    groups = settings.in_groups
    if groups is None:
        return Verdict.SILENT
    listed = received.where.chat in groups.allow_from
    if groups.policy == "allowlist":
        return Verdict.LET_IN if listed else Verdict.SILENT
    meant = received.mentioned or groups.policy == "open"
    return Verdict.LET_IN if meant and (known or listed) else Verdict.SILENT


def _private(settings: ChannelSettings, received: Received, *, known: bool) -> Verdict:
    direct = settings.direct
    if direct is None:
        return Verdict.LET_IN if known else Verdict.PAIR
    if not direct.enabled:
        return Verdict.SILENT
    if direct.policy == "allowlist":
        named = {settings.owner, *settings.allow_from, *direct.allow_from} - {"", ANYBODY}
        known = received.sender in named
    return Verdict.LET_IN if known else Verdict.PAIR


def is_owner(settings: ChannelSettings, received: Received) -> bool:
    """Whether the person wrote it whom the agent works for."""
    return bool(settings.owner) and received.sender == settings.owner


def by_name(settings: ChannelSettings, received: Received) -> str:
    """The name on the list that stands for this sender, where it is one that others may take later: the id
    goes in its place. Empty where the id is there, or none."""
    if received.sender in settings.allow_from:
        return ""
    return next((alias for alias in received.aliases if alias in settings.allow_from), "")


def _listed(allowed: tuple[str, ...], received: Received) -> bool:
    return ANYBODY in allowed or received.sender in allowed or bool(set(received.aliases) & set(allowed))
