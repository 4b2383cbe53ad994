"""ask and chat: one question, or a conversation in the terminal."""

from contextlib import suppress
from typing import Annotated

import typer

from desktop.cli.output import Answer, complain, emit, say
from desktop.cli.prompt import Lines
from desktop.cli.reach import Verb, reach, result
from desktop.cli.run import run
from desktop.errors import AppError, UsageError
from desktop.ipc import NoOwnerError
from desktop.paths import Home
from desktop.text import _

DEFAULT_SESSION = "cli:direct"


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    session_help = _("The conversation to go on with.")
    json_help = _("Print one JSON value a line.")
    model_help = _("Another model for this run.")

    @app.command("ask", help=_("Ask one question and print the answer."))
    def ask_command(
        text: Annotated[str, typer.Argument(help=_("The question; - reads it from standard input."))],
        session: Annotated[str, typer.Option("--session", help=session_help)] = DEFAULT_SESSION,
        model: Annotated[str, typer.Option("--model", help=model_help)] = "",
        as_json: Annotated[bool, typer.Option("--json", help=json_help)] = False,
        verbose: Annotated[bool, typer.Option("--verbose", help=_("Show the log on stderr."))] = False,
    ) -> None:
        del verbose
        ask(text, session, model, as_json=as_json)

    @app.command("chat", help=_("Have a conversation in the terminal."))
    def chat_command(
        session: Annotated[str, typer.Option("--session", help=session_help)] = DEFAULT_SESSION,
        model: Annotated[str, typer.Option("--model", help=model_help)] = "",
        as_json: Annotated[bool, typer.Option("--json", help=json_help)] = False,
        verbose: Annotated[bool, typer.Option("--verbose", help=_("Show the log on stderr."))] = False,
    ) -> None:
        del verbose
        chat(session, model, as_json=as_json)


def ask(text: str, session: str, model: str, *, as_json: bool) -> None:
    """One question; the answer alone goes to stdout."""

    async def command(home: Home) -> int:
        question = await Lines().whole() if text == "-" else text
        if not question.strip():
            raise UsageError(_("There is no question."), _('Write it in quotes: nanobot-desktop ask "..."'))
        async with reach(home, "ask", eager=True) as verb:
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
                    while line is not None:
                        if line.strip():
                            await _interruptible(lines, verb, line, session, model, as_json)
                        line = await lines.next(prompt)
        return 0

    run(command, as_json=as_json)


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
