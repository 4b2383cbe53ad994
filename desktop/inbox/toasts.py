"""What is said on the screen of a notice, and of several at once; and which buttons it has there."""

from collections.abc import Mapping, Sequence
from typing import Any

from desktop.inbox.inbox import ANSWER, APPROVAL, HEARTBEAT, REMINDER, SUBAGENT, Notice
from desktop.inbox.screen import DIGEST, Toast
from desktop.markdown import plain, plain_lines
from desktop.text import _, ngettext

_SHORT = 300
"""The longest question of permission, in characters, that may be answered without opening it."""
_FEW_LINES = 4
_LISTED = 5
_REPLIED_TO = (ANSWER, REMINDER, HEARTBEAT, SUBAGENT)


def toast(notice: Notice) -> Toast:
    """The toast of one notice."""
    if notice.kind == APPROVAL:
        return _question(notice)
    text = "\n".join(str(notice.body[part]) for part in ("text", "remedy") if notice.body.get(part))
    return Toast(
        notice.id,
        notice.kind,
        plain(notice.title),
        "" if text == notice.title else "\n".join(plain_lines(text)),
        actions=_actions(notice),
        reply=notice.kind in _REPLIED_TO and not notice.body.get("ask"),
        session=notice.session,
    )


def _actions(notice: Notice) -> tuple[tuple[str, str], ...]:
    """The buttons of a notice that is no question of permission."""
    if notice.kind != REMINDER:
        return ()
    if notice.body.get("ask"):  # a job that was missed
        return (("do", _("Run now")), ("skip", _("Skip")))
    return (("done", _("Done")), ("snooze", _("Snooze")))


def digest(notices: Sequence[Notice], *, after_quiet: bool = False) -> Toast:
    """One toast that stands for several notices: of permission, or of anything else."""
    n = len(notices)
    if all(notice.kind == APPROVAL for notice in notices):
        name, kind = f"{DIGEST}:{APPROVAL}", APPROVAL
        title = ngettext("{n} question is waiting for you", "{n} questions are waiting for you", n)
    elif after_quiet:
        name, kind = DIGEST, DIGEST
        title = ngettext("{n} notice during quiet hours", "{n} notices during quiet hours", n)
    else:
        name, kind = DIGEST, DIGEST
        title = ngettext("{n} unread notice", "{n} unread notices", n)
    lines = [f"• {notice.title}" for notice in notices[:_LISTED]]
    if n > _LISTED:
        lines.append(_("and {n} more").format(n=n - _LISTED))
    return Toast(name, kind, title.format(n=n), "\n".join(lines), actions=(("open", _("Open")),))


def _question(notice: Notice) -> Toast:
    """A question of permission; it may be answered here only where all of its card is to be seen here."""
    card: Mapping[str, Any] = notice.body.get("card") or {}
    lines = _all_of(card)
    whole = bool(card) and _fits(card, lines)
    buttons = (("approve", _("Allow once")), ("deny", _("Deny"))) if whole else (("open", _("Open")),)
    title = str(card.get("title") or notice.title)
    body = "\n".join(lines) if lines else notice.title
    return Toast(notice.id, APPROVAL, title, body, actions=buttons, session=notice.session)


def _all_of(card: Mapping[str, Any]) -> list[str]:
    """What the card tells, but for what is too much for a toast anyway."""
    command, cwd, why = (str(card.get(part) or "") for part in ("command", "cwd", "why"))
    lines = [str(line) for line in card.get("lines") or () if str(line) != command]
    if command:
        lines.append(command)
    if cwd:
        lines.append(_("In {folder}").format(folder=cwd))
    return [*lines, why] if why else lines


def _fits(card: Mapping[str, Any], lines: Sequence[str]) -> bool:
    if card.get("form") or card.get("outside") or card.get("body") or card.get("environment"):
        return False
    text = "\n".join(lines)
    return len(text) <= _SHORT and text.count("\n") < _FEW_LINES + 1
