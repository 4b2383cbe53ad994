"""sessions list and sessions show: what was said, read from the files."""

from typing import Annotated, Any

import typer

from desktop.cli import options
from desktop.cli.output import emit, hint, say, table
from desktop.cli.run import run
from desktop.errors import UsageError
from desktop.paths import Home
from desktop.session.model import moment_of
from desktop.text import _


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    group = typer.Typer(help=_("Conversations: list them, read one."), rich_markup_mode=None)
    app.add_typer(group, name="sessions")

    @group.command("list", help=_("List the conversations, the newest first."))
    def list_command(
        as_json: Annotated[bool, options.as_json()] = False,
        verbose: Annotated[bool, options.verbose()] = False,
    ) -> None:
        del verbose
        run(lambda home: _list(home, as_json), as_json=as_json)

    @group.command("show", help=_("Show one conversation."))
    def show_command(
        key: Annotated[str, typer.Argument(help=_("Its name, as sessions list shows it."))] = "cli:direct",
        as_json: Annotated[bool, options.as_json()] = False,
        verbose: Annotated[bool, options.verbose()] = False,
    ) -> None:
        del verbose
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
