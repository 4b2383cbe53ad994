"""The verbs of sessions: list, show and export read the files; search, delete and restore go through
whoever owns the home."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from desktop.cli import options
from desktop.cli.output import block, emit, hint, say, table
from desktop.cli.prompt import Lines
from desktop.cli.run import run
from desktop.errors import UsageError, explain
from desktop.paths import Home
from desktop.session.model import SessionInfo, moment_of
from desktop.session.records import clean
from desktop.session.sessions import Sessions
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.session.search import Hit

type Json = dict[str, Any]


def register(app: click.Group) -> None:
    """Add the commands to the command line."""
    group = click.Group("sessions", help=_("Conversations: list, search, read, export, delete."))
    app.add_command(group)
    _register_reading(group)
    _register_keeping(group)
    _register_deleting(group)

    @options.verb(group, "search", _("Find messages that contain all these words, newest first."))
    @click.argument("query", nargs=-1, required=True)
    @click.option("--limit", default=20, type=click.IntRange(1, 1000), help=_("Number of messages."))
    def search_command(query: tuple[str, ...], limit: int, *, as_json: bool) -> None:
        run(lambda home: _search(home, " ".join(query), limit, as_json), as_json=as_json)


def _register_reading(group: click.Group) -> None:
    @options.verb(group, "list", _("List conversations, newest first."))
    def list_command(*, as_json: bool) -> None:
        run(lambda home: _list(home, as_json), as_json=as_json)

    @options.verb(group, "show", _("Show a conversation by its name from sessions list."))
    @click.argument("key", default="cli:direct")
    def show_command(key: str, *, as_json: bool) -> None:
        run(lambda home: _show(home, key, as_json), as_json=as_json)

    @options.verb(group, "export", _("Export a conversation."))
    @click.argument("key")
    @click.option(
        "--format",
        "kind",
        default="markdown",
        type=click.Choice(["markdown", "html", "json"]),
        help=_("File format."),
    )
    @click.option("--output", default="", help=_("File to write to. Prints to the terminal if left out."))
    def export_command(key: str, kind: str, output: str, *, as_json: bool) -> None:
        run(lambda home: _export(home, key, kind, output, as_json), as_json=as_json)


def _register_keeping(group: click.Group) -> None:
    @options.verb(group, "pin", _("Pin a conversation to the top of the list."))
    @click.argument("key")
    @click.option("--undo", is_flag=True, help=_("Unpin it."))
    def pin_command(key: str, undo: bool, *, as_json: bool) -> None:
        run(lambda home: _keep(home, "pin", key, undo, as_json), as_json=as_json)

    @options.verb(group, "archive", _("Archive a conversation until someone writes in it."))
    @click.argument("key")
    @click.option("--undo", is_flag=True, help=_("Unarchive it."))
    def archive_command(key: str, undo: bool, *, as_json: bool) -> None:
        run(lambda home: _keep(home, "archive", key, undo, as_json), as_json=as_json)


def _register_deleting(group: click.Group) -> None:
    @options.verb(group, "delete", _("Delete a conversation. You can restore it for 30 days."))
    @click.argument("key")
    @click.option("--yes", is_flag=True, help=_("Don’t ask for confirmation."))
    def delete_command(key: str, yes: bool, *, as_json: bool) -> None:
        run(lambda home: _delete(home, key, yes, as_json), as_json=as_json)

    @options.verb(group, "restore", _("Restore a deleted conversation."))
    @click.argument("key")
    def restore_command(key: str, *, as_json: bool) -> None:
        run(lambda home: _restore(home, key, as_json), as_json=as_json)


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
                    "pinned": info.pinned,
                    "archived": info.archived,
                }
            )
        return
    table(
        [_("Conversation"), _("Title"), _("Last message"), ""],
        [
            [info.key, info.title, f"{info.updated.astimezone():%Y-%m-%d %H:%M}", _kept(info)]
            for info in known
        ],
        _('No conversations yet. Start one with: nanobot-desktop ask "..."'),
    )


def _kept(info: SessionInfo) -> str:
    if info.archived:
        return _("archived")
    return _("pinned") if info.pinned else ""


async def _keep(home: Home, verb: str, key: str, undo: bool, as_json: bool) -> None:
    from desktop.cli.reach import connect

    key, name = clean(key), {"pin": "pinned", "archive": "archived"}[verb]
    async with connect(home, verb) as api:
        if verb == "pin":
            await api.conversations.pin(key, not undo)
        else:
            await api.conversations.archive(key, not undo)
    if as_json:
        emit({"session": key, name: not undo})
        return
    told = {
        ("pin", False): _("Pinned {key}."),
        ("pin", True): _("Unpinned {key}."),
        ("archive", False): _("Archived {key}. It returns when someone writes in it."),
        ("archive", True): _("{key} is back in the list."),
    }
    say(told[verb, undo].format(key=key))


async def _known(sessions: Sessions, key: str) -> SessionInfo:
    """The conversation of this name. Raises UsageError if there is none."""
    known = {info.key: info for info in await sessions.list()}
    key = clean(key)
    if key not in known:
        raise UsageError(
            _("There is no conversation named {key}.").format(key=key),
            _("List the names with: nanobot-desktop sessions list"),
        )
    return known[key]


async def _show(home: Home, key: str, as_json: bool) -> None:
    from desktop.cli.files import open_sessions

    sessions = await open_sessions(home)
    session = await sessions.open((await _known(sessions, key)).key)
    for message in await session.everything():
        if as_json:
            emit(message)
        else:
            _print(message)
    if session.damaged:
        hint(_("{n} damaged records were skipped. They are still in the file.").format(n=session.damaged))
    if session.unanswered and not as_json:
        hint(_("The last message has no answer yet."))


def _print(message: Json) -> None:
    role = str(message["role"])
    who = {"user": _("You"), "assistant": _("Nanobot")}.get(role, role)
    when = moment_of(message.get("timestamp"))
    say(f"{who}  {when.astimezone():%Y-%m-%d %H:%M}" if when else who)
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(part.get("text", "") for part in content if isinstance(part, dict))
    block(str(content or ""))
    if message.get("_stopped"):
        say(_("(stopped)"))
    if problem := message.get("_error_text"):
        say(f"({problem})")
    say()


async def _search(home: Home, query: str, limit: int, as_json: bool) -> None:
    """Search to the end of what was asked for: long histories come in steps."""
    from desktop.cli.reach import connect

    left, place = limit, None
    async with connect(home, "search") as api:
        while True:
            found = await api.search.messages(query, limit=left, before=place, wait=True)
            for hit in found.hits:
                if as_json:
                    emit(_plain(hit))
                else:
                    _print_hit(hit)
            left, place = left - len(found.hits), found.next
            if place is None or left <= 0:
                break
    if as_json:
        return
    if left == limit:
        say(_("No message contains all these words."))
    elif place is not None:
        hint(_("There may be more. Show them with --limit."))
    if not found.ready:
        hint(_("Some conversations could not be searched. See the log for the reason."))


def _print_hit(hit: "Hit") -> None:
    who = _("You") if hit.role == "user" else _("Nanobot")
    say(f"{hit.session}  {hit.at.astimezone():%Y-%m-%d %H:%M}  {hit.title}")
    say(f"    {who}: {hit.snippet}")


def _plain(hit: "Hit") -> Json:
    """A hit in JSON types, for a script."""
    return {
        "session": hit.session,
        "title": hit.title,
        "at": hit.at.isoformat(timespec="seconds"),
        "turn": hit.turn,
        "role": hit.role,
        "snippet": hit.snippet,
        "marks": [list(mark) for mark in hit.marks],
        "outside": not hit.trusted,
    }


async def _export(home: Home, key: str, kind: str, output: str, as_json: bool) -> None:
    from desktop.cli.files import open_sessions
    from desktop.session.export import FORMATS, export

    sessions = await open_sessions(home)
    info = await _known(sessions, key)
    messages = await (await sessions.open(info.key)).everything()
    chosen = next(known for known in FORMATS if known == kind)
    text = await in_thread(export, chosen, info.key, info.title, messages)
    if output:
        path = Path(output).expanduser().absolute()
        try:
            await in_thread(path.write_text, text, "utf-8")
        except OSError as error:
            raise explain(error) from error
        if as_json:
            emit({"key": info.key, "format": kind, "file": str(path)})
        else:
            say(_("Written to {where}.").format(where=path))
    elif as_json:
        emit({"key": info.key, "format": kind, "text": text})
    else:
        block(text.removesuffix("\n"))


async def _delete(home: Home, key: str, yes: bool, as_json: bool) -> int:
    from desktop.cli.files import open_sessions
    from desktop.cli.reach import connect

    info = await _known(await open_sessions(home), key)
    if not yes and not await _sure(info):
        hint(_("Nothing was deleted."))
        return 1
    async with connect(home, "delete") as api:
        await api.conversations.delete(info.key)
    if as_json:
        emit({"deleted": info.key})
    else:
        command = f"nanobot-desktop sessions restore {shlex.quote(info.key)}"
        say(_("Deleted. Restore it within 30 days with: {command}").format(command=command))
    return 0


async def _sure(info: SessionInfo) -> bool:
    """Ask the person. Raises UsageError where nobody can be asked."""
    lines = Lines()
    if not lines.interactive:
        raise UsageError(
            _("Deleting a conversation needs confirmation, and there is no terminal to ask on."),
            _("Confirm it with: --yes"),
        )
    hint(f"{info.key}  {info.title}")
    answer = await lines.next(_("Delete this conversation? [y/N] "))
    return (answer or "").strip().lower() in ("y", "yes", _("yes"))


async def _restore(home: Home, key: str, as_json: bool) -> None:
    from desktop.cli.reach import connect

    async with connect(home, "restore") as api:
        restored = await api.conversations.restore(clean(key))
    if not restored:
        raise UsageError(_("There is no deleted conversation named {key}.").format(key=key))
    if as_json:
        emit({"restored": clean(key)})
    else:
        say(_("{key} is back in the list.").format(key=key))
