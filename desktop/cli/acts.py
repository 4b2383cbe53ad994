"""What the agent may do and did: tools list, audit, undo, inbox list, approve."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from desktop.bus.events import PermissionAsked, ToolFinished
from desktop.cli import options
from desktop.cli.asked import question, show
from desktop.cli.output import block, emit, hint, say, table
from desktop.cli.reach import connect
from desktop.cli.run import run
from desktop.errors import UsageError
from desktop.paths import Home
from desktop.text import _
from desktop.tools.permissions.visible import one_line

if TYPE_CHECKING:
    from desktop.api.changes import ChangedTurn

type Json = dict[str, Any]

_TURNS = 30
_STANDING = {
    "done": lambda: _("kept as the agent left it"),
    "undone": lambda: _("restored"),
    "changed": lambda: _("unchanged"),
    "lost": lambda: _("unchanged"),
}


def register(app: click.Group) -> None:
    """Add the commands to the command line."""
    tools = click.Group("tools", help=_("Tools: what the agent can do."))
    inbox = click.Group("inbox", help=_("Inbox: what is waiting for you."))
    app.add_command(tools)
    app.add_command(inbox)

    @options.verb(tools, "list", _("List the tools and what each does."))
    def tools_command(*, as_json: bool) -> None:
        run(lambda home: _tools(home, as_json), as_json=as_json)

    @options.verb(app, "audit", _("Show what the agent did, newest first, and who allowed it."))
    @click.option("--limit", default=50, type=click.IntRange(1, 10_000), help=_("Number of calls."))
    @click.option("--session", default="", help=_("Only this conversation."))
    def audit_command(limit: int, session: str, *, as_json: bool) -> None:
        run(lambda home: _audit(home, limit, session, as_json), as_json=as_json)

    @options.verb(
        app,
        "undo",
        _("Undo the file changes of a turn. Without a turn, list the turns that can be undone."),
    )
    @click.argument("turn", default="")
    @click.option("--again", is_flag=True, help=_("Redo changes that were undone."))
    def undo_command(turn: str, again: bool, *, as_json: bool) -> None:
        run(lambda home: _undo(home, turn, again, as_json), as_json=as_json)

    _register_inbox(inbox)

    @options.verb(app, "approve", _("Answer a pending question by its ID from inbox list."))
    @click.argument("question")
    @click.option("--no", is_flag=True, help=_("Deny it."))
    @click.option("--reason", default="", help=_("The reason for denying. The agent will see it."))
    @click.option("--network", is_flag=True, help=_("Give the command internet access."))
    @click.option("--always", is_flag=True, help=_("Always allow calls like this."))
    @click.option("--field", "filled", multiple=True, help=_("NAME=VALUE for a form field."))
    def approve_command(
        question: str,
        no: bool,
        reason: str,
        network: bool,
        always: bool,
        filled: tuple[str, ...],
        *,
        as_json: bool,
    ) -> None:
        content = {name: value for name, _equals, value in (line.partition("=") for line in filled)}
        given = {"reason": reason, "network": network, "always": always, "content": content}
        run(lambda home: _approve(home, question, not no, given, as_json), as_json=as_json)


def _register_inbox(inbox: click.Group) -> None:
    @options.verb(inbox, "list", _("List what is waiting for you."))
    @click.option("--all", "all_", is_flag=True, help=_("Include what is done."))
    def inbox_command(all_: bool, *, as_json: bool) -> None:
        run(lambda home: _inbox(home, all_, as_json), as_json=as_json)

    @options.verb(inbox, "snooze", _("Snooze a notice."))
    @click.argument("notice")
    @click.option("--minutes", default=10.0, type=float, help=_("Number of minutes."))
    def snooze_command(notice: str, minutes: float, *, as_json: bool) -> None:
        run(lambda home: _snooze(home, notice, minutes, as_json), as_json=as_json)

    @options.verb(
        inbox,
        "done",
        _(
            "Mark a notice as done by its ID from inbox list. Without an ID, mark everything except "
            "questions."
        ),
    )
    @click.argument("notice", default="")
    def done_command(notice: str, *, as_json: bool) -> None:
        run(lambda home: _done(home, notice, as_json), as_json=as_json)


async def _tools(home: Home, as_json: bool) -> None:
    async with connect(home, "tools") as api:
        found = await api.tools.list()
    if as_json:
        for tool in found:
            emit(asdict(tool))
        return
    table(
        [_("Tool"), _("Effect"), _("What it does")],
        [[tool.name, tool.effect if tool.on else _("off"), tool.description] for tool in found],
    )


async def _audit(home: Home, limit: int, session: str, as_json: bool) -> None:
    async with connect(home, "audit") as api:
        entries = await api.tools.audit(limit=limit, session=session)
    if as_json:
        for entry in entries:
            emit(entry.as_json())
        return
    table(
        [_("When"), _("Tool"), _("Details"), _("Allowed by"), _("Outcome"), _("Conversation")],
        [
            [
                time.strftime("%m-%d %H:%M:%S", time.localtime(entry.at)),
                entry.tool,
                entry.gist,
                entry.reason,
                entry.outcome,
                entry.session,
            ]
            for entry in entries
        ],
    )


async def _undo(home: Home, turn: str, again: bool, as_json: bool) -> None:
    async with connect(home, "undo") as api:
        if not turn:
            _list_turns(await api.changes.turns(), as_json)
            return
        done = await api.changes.take_back(turn, again=again)
    if as_json:
        emit(asdict(done))
        return
    for file in done.files:
        say(f"{file.path}: {_STANDING[file.standing]()}")
    for left in done.left:
        say(f"{left.path}: {left.why}")


def _list_turns(turns: "Sequence[ChangedTurn]", as_json: bool) -> None:
    if as_json:
        emit({"turns": [asdict(turn) for turn in turns]})
        return
    lines = [
        [turn.turn, time.strftime("%Y-%m-%d %H:%M", time.localtime(turn.at)), _few(turn.files)]
        for turn in turns[:_TURNS]
    ]
    heads = [_("Turn"), _("When"), _("Files")]
    table(heads, lines, _("There are no file changes to undo."))


async def _inbox(home: Home, all_: bool, as_json: bool) -> None:
    async with connect(home, "inbox") as api:
        notices = (await api.inbox.list(done=all_)).notices
    for notice in notices:
        if as_json:
            emit(notice.as_json())
            continue
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(notice.at))
        say(f"{notice.id}  {when}  {notice.session}  {notice.answer}".rstrip())
        say(f"    {notice.title}")
        if card := notice.body.get("card"):
            show(card)
        elif (text := notice.body.get("text")) and text != notice.title:
            block(str(text), indent="    ")
    if not notices and not as_json:
        say(_("Nothing is waiting for you."))


async def _snooze(home: Home, id_: str, minutes: float, as_json: bool) -> None:
    async with connect(home, "inbox") as api:
        done = await api.inbox.snooze(id_, time.time() + 60 * minutes)
    if as_json:
        emit(asdict(done))
    else:
        when = time.strftime("%H:%M", time.localtime(done.until))
        say(_("Snoozed until {when}.").format(when=when))


async def _done(home: Home, id_: str, as_json: bool) -> None:
    async with connect(home, "inbox") as api:
        done = await (api.inbox.dismiss(id_) if id_ else api.inbox.dismiss_all())
    if as_json:
        emit({"done": done})
    else:
        say(_("Done."))


async def _approve(home: Home, id_: str, yes: bool, given: Json, as_json: bool) -> int:
    """Answer, and where that begins a turn, wait for its end and print it. What changed since is asked
    about anew: here where a person is at the terminal, else in the inbox."""
    from desktop.api.reply import Answered, Reply
    from desktop.cli.output import Answers
    from desktop.cli.prompt import Lines

    answers, lines, outcome = Answers(as_json=as_json), Lines(), ""
    asks = lines.interactive and not as_json
    reply = Reply(yes, **given, front="terminal", ask=asks)
    async with connect(home, "approve", eager=True) as api:
        async for event in api.questions.answer_to_end(id_, reply):
            if isinstance(event, Answered):
                if event.faults:
                    raise _unfilled(event.faults)
                continue
            answers.show(event)
            if isinstance(event, ToolFinished):
                outcome = outcome or event.outcome  # of the call that was allowed: it comes first
            elif isinstance(event, PermissionAsked) and asks:
                await question(api, lines, event)
            elif isinstance(event, PermissionAsked) and not as_json:
                show(event.card)
                hint(_("Answer it with: nanobot-desktop approve {id}").format(id=event.question))
    return 0 if answers.ok and outcome != "parked" else 1


def _unfilled(faults: Mapping[str, str]) -> UsageError:
    said = " ".join(f"{one_line(name)}: {fault}" for name, fault in faults.items())
    return UsageError(
        _("The form can’t be sent. {faults}").format(faults=said),
        _("Fill in the form with: --field NAME=VALUE"),
    )


def _few(files: "Sequence[str]") -> str:
    """The first files as one cell."""
    return ", ".join(files[:3]) + (", …" if len(files) > 3 else "")
