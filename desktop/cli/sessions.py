"""sessions list and sessions show: what was said, read from the files."""

from typing import Any

import click

from desktop.cli import options
from desktop.cli.output import emit, hint, say, table
from desktop.cli.run import run
from desktop.errors import UsageError
from desktop.paths import Home
from desktop.session.model import moment_of
from desktop.session.records import clean
from desktop.text import _


def register(app: click.Group) -> None:
    """Add the commands to the command line."""
    group = click.Group("sessions", help=_("Conversations: list them, read one."))
    app.add_command(group)

    @options.verb(group, "list", _("List the conversations, the newest first."))
    def list_command(*, as_json: bool) -> None:
        run(lambda home: _list(home, as_json), as_json=as_json)

    @options.verb(group, "show", _("Show one conversation, by its name in sessions list."))
    @click.argument("key", default="cli:direct")
    def show_command(key: str, *, as_json: bool) -> None:
        run(lambda home: _show(home, key, as_json), as_json=as_json)


async def _list(home: Home, as_json: bool) -> None:
    from desktop.cli.files import open_sessions

    known = await (await open_sessions(home)).list()
    if as_json:
        for info in known:
            emit(
                {
                    "key": info.key,
                    "title": info.title,
                    "updated": info.updated.isoformat(),
                    "damaged": info.damaged,
                }
            )
        return
    table(
        [_("Conversation"), _("Title"), _("Last message")],
        [[info.key, info.title, f"{info.updated.astimezone():%Y-%m-%d %H:%M}"] for info in known],
        _('No conversations yet. Begin one with: nanobot-desktop ask "..."'),
    )


async def _show(home: Home, key: str, as_json: bool) -> None:
    from desktop.cli.files import open_sessions

    sessions = await open_sessions(home)
    key = clean(key)
    if key not in {info.key for info in await sessions.list()}:
        raise UsageError(
            _("There is no conversation called {key}.").format(key=key),
            _("The names are listed by: nanobot-desktop sessions list"),
        )
    session = await sessions.open(key)
    for message in await session.everything():
        if as_json:
            emit(message)
        else:
            _print(message)
    if session.damaged:
        hint(_("{n} damaged records were passed over; the file keeps them.").format(n=session.damaged))
    if session.unanswered and not as_json:
        hint(_("The last message has no answer yet."))


def _print(message: dict[str, Any]) -> None:
    who = {"user": _("You"), "assistant": _("Nanobot")}.get(message["role"], message["role"])
    when = moment_of(message.get("timestamp"))
    say(f"{who}  {when.astimezone():%Y-%m-%d %H:%M}" if when else who)
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(part.get("text", "") for part in content if isinstance(part, dict))
    say(str(content or ""))
    if message.get("_stopped"):
        say(_("(stopped)"))
    if problem := message.get("_error_text"):
        say(f"({problem})")
    say()
