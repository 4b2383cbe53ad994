"""The commands of the memory in a conversation: /dream, /dream-log, /dream-restore."""

from typing import TYPE_CHECKING

from desktop.agent.loop import Reply
from desktop.session.model import moment_of
from desktop.text import _, listed, mark, ngettext

if TYPE_CHECKING:
    from desktop.api.memory import Dreamed, Memory, VersionLine

_SHOWN = 10
_LONGEST = 6_000
"""Characters of a difference in a conversation."""
CAUSES = {
    "dream": mark("Dream"),
    "person": mark("manual"),
    "agent": mark("the agent"),
    "restore": mark("restored"),
}
"""What made a version, for the person."""


async def dream(subject: "Memory") -> Reply:
    """Dream now. Raises AppError."""
    from desktop.api.memory import Dreamed

    ends = [event async for event in subject.dream() if isinstance(event, Dreamed)]
    return Reply("\n\n".join(said(ends[-1])))


def said(done: "Dreamed") -> list[str]:
    """What a Dream came to, in sentences."""
    if done.skipped:
        return [_("Nothing new to remember.")]
    told = [done.told] if done.told else []
    if done.changed:
        told.append(_("Changed: {files}").format(files=listed(done.changed)))
    elif not told:
        told.append(_("Read the new summaries; nothing to remember."))
    if n := done.staged:
        told.append(
            ngettext(
                "{n} change to memory needs your decision because it comes from untrusted content.",
                "{n} changes to memory need your decision because they come from untrusted content.",
                n,
            ).format(n=n)
        )
    return told


async def log(subject: "Memory", rest: str) -> Reply:
    """The newest versions, or what one of them changed. Raises AppError."""
    if rest:
        text = "\n".join(file.diff or file.name for file in await subject.diff(rest))
        shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n…"
        return Reply(f"````diff\n{shown}\n````" if shown else _("Nothing changed."))
    versions = await subject.log(_SHOWN)
    if not versions:
        return Reply(_("Memory has no versions yet."))
    how = _(
        "See what a version changed with /dream-log and its ID. Restore it with /dream-restore and its ID."
    )
    return Reply("\n".join([*(f"- {line(version)}" for version in versions), "", how]))


def line(version: "VersionLine") -> str:
    """One version on one line, in Markdown."""
    moment = moment_of(version.at)
    at = f"{moment.astimezone():%Y-%m-%d %H:%M}" if moment else ""
    about = version.message or listed(version.files)
    return f"`{version.id[:8]}` {at} {_(CAUSES[version.cause])}: {about}".removesuffix(": ")


async def restore(subject: "Memory", rest: str) -> Reply:
    """Back to a version, or from the last Dream to what was before it. Raises AppError."""
    if rest:
        commit = await subject.restore(rest)
        if not commit:
            return Reply(_("Memory is already at this version."))
    else:
        commit = await subject.undo()
    return Reply(
        _("Memory restored. This is version {id}. Undo with /dream-restore.").format(id=f"`{commit[:8]}`")
    )
