"""ask and chat: one question, or a conversation in the terminal."""

from contextlib import suppress

import click

from desktop.cli import options
from desktop.cli.output import Answer, complain, emit, say
from desktop.cli.prompt import Lines
from desktop.cli.reach import Verb, reach, result
from desktop.cli.run import run
from desktop.errors import AppError, UsageError
from desktop.ipc import NoOwnerError
from desktop.paths import Home
from desktop.text import _

DEFAULT_SESSION = "cli:direct"


def register(app: click.Group) -> None:
    """Add the commands to the command line."""
    session = click.option("--session", default=DEFAULT_SESSION, help=_("The conversation to go on with."))
    model = click.option("--model", default="", help=_("Another model for this run."))

    @options.verb(app, "ask", _("Ask one question and print the answer; - reads it from standard input."))
    @click.argument("text")
    @session
    @model
    def ask_command(text: str, session: str, model: str, *, as_json: bool) -> None:
        ask(text, session, model, as_json=as_json)

    @options.verb(app, "chat", _("Have a conversation in the terminal."))
    @session
    @model
    def chat_command(session: str, model: str, *, as_json: bool) -> None:
        chat(session, model, as_json=as_json)


def ask(text: str, session: str, model: str, *, as_json: bool) -> None:
    """One question; the answer alone goes to stdout."""

    async def command(home: Home) -> int:
        question = await Lines().whole() if text == "-" else text
        if not question.strip():
            raise UsageError(_("There is no question."), _('Write it in quotes: nanobot-desktop ask "..."'))
        async with reach(home, "ask", eager=True) as verb:
            await _tell_problems(verb, as_json=as_json)
            return 0 if await _answer(verb, question, session, model, as_json=as_json) else 1

    run(command, as_json=as_json)


def chat(session: str, model: str, *, as_json: bool) -> None:
    """A conversation: a line in, an answer out, until the input ends.

    Where another Nanobot owned the home and has gone, the conversation takes over and asks again.
    """

    async def command(home: Home) -> int:
        lines = Lines()
        prompt = "> " if lines.interactive and not as_json else ""
        if lines.interactive and not as_json:
            say(_("Ctrl+C stops an answer, Ctrl+D leaves."))
        line = await lines.next(prompt)
        while line is not None:
            with suppress(NoOwnerError):
                async with reach(home, "chat", eager=True) as verb:
                    await _tell_problems(verb, as_json=as_json)
                    while line is not None:
                        if line.strip():
                            await _interruptible(lines, verb, line, session, model, as_json)
                        line = await lines.next(prompt)
        return 0

    run(command, as_json=as_json)


async def _tell_problems(verb: Verb, *, as_json: bool) -> None:
    """Say what is wrong with the settings before they are used all the same."""
    for problem in (await result(verb, "problems"))["problems"]:
        if as_json:
            emit({"event": "settings_problem", "error": problem["text"], "remedy": problem["remedy"]})
        complain(AppError(problem["text"], problem["remedy"]))


async def _interruptible(
    lines: Lines, verb: Verb, text: str, session: str, model: str, as_json: bool
) -> None:
    """One answer of a conversation: neither Ctrl+C nor a failure ends more than it."""
    try:
        await lines.interruptible(
            _answer(verb, text, session, model, as_json=as_json),
            lambda: result(verb, "stop", session=session),
        )
    except AppError as error:
        if as_json:
            emit({"event": "failed", "error": error.text, "remedy": error.remedy})
        complain(error)


async def _answer(verb: Verb, text: str, session: str, model: str, *, as_json: bool) -> bool:
    printer = Answer(as_json=as_json)
    arguments = {"text": text, "session": session, "model": model, "front": "terminal"}
    async for line in verb("ask", arguments):
        if "event" in line:
            printer.show(line)
    return printer.ok
