"""ask and chat: one question, or a conversation in the terminal."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

from desktop.api.client import Api
from desktop.bus.events import PageWanted, PermissionAsked
from desktop.cli import options
from desktop.cli.asked import question
from desktop.cli.browser import show_page
from desktop.cli.output import Answers, complain, emit, hint, say
from desktop.cli.prompt import Lines
from desktop.cli.reach import connect, quits_along
from desktop.cli.run import run
from desktop.errors import AppError, UsageError
from desktop.ipc.connection import NoOwnerError
from desktop.paths import Home
from desktop.text import _

DEFAULT_SESSION = "cli:direct"


def register(app: click.Group) -> None:
    """Add the commands to the command line."""
    session = click.option("--session", default=DEFAULT_SESSION, help=_("Conversation to continue."))
    model = click.option("--model", default="", help=_("Use another model for this run."))
    approve = click.option(
        "--approve",
        type=click.Choice(["ask", "never", "all"]),
        default="ask",
        help=_("Permission questions: ask (in the terminal), never (they wait in the inbox), all (allow)."),
    )
    given = click.option(
        "--file", "files", multiple=True, type=click.Path(exists=True), help=_("File to attach.")
    )

    @options.verb(
        app,
        "ask",
        _("Ask one question and print the answer. Use - to read the question from standard input."),
    )
    @click.argument("text")
    @session
    @model
    @approve
    @given
    def ask_command(
        text: str, session: str, model: str, approve: str, files: tuple[str, ...], *, as_json: bool
    ) -> None:
        ask(text, Asking(session, model, approve, files), as_json=as_json)

    @options.verb(app, "agent", _("Same as ask; without a message, same as chat. For nanobot scripts."))
    @click.option("-m", "--message", default="", help=_("The question."))
    @click.option("-s", "--session", default=DEFAULT_SESSION, show_default=True)
    @model
    @approve
    def agent_command(message: str, session: str, model: str, approve: str, *, as_json: bool) -> None:
        how = Asking(session, model, approve)
        ask(message, how, as_json=as_json) if message else chat(how, as_json=as_json)

    @options.verb(app, "chat", _("Chat in the terminal."))
    @session
    @model
    @approve
    def chat_command(session: str, model: str, approve: str, *, as_json: bool) -> None:
        chat(Asking(session, model, approve), as_json=as_json)


@dataclass(frozen=True, slots=True)
class Asking:
    """How questions of one run are asked."""

    session: str = DEFAULT_SESSION
    model: str = ""
    approve: str = "ask"
    files: tuple[str, ...] = ()

    def who_approves(self, lines: Lines) -> str:
        """ask, never or all: without a terminal nobody is there to be asked."""
        return "never" if self.approve == "ask" and not lines.interactive else self.approve


def ask(text: str, how: Asking, *, as_json: bool) -> None:
    """One question; the answer alone goes to stdout."""

    async def command(home: Home) -> int:
        lines = Lines()
        question = await lines.whole() if text == "-" else text
        if not question.strip():
            raise UsageError(
                _("No question was given."), _('Write it in quotes: nanobot-desktop ask "..."')
            )
        async with connect(home, "ask", eager=True) as api:
            await _open(api, how.session, as_json=as_json)
            answers = Answers(as_json=as_json)
            await _answer(api, question, how, lines, answers)
            return 0 if answers.ok else 1

    run(command, as_json=as_json)


def chat(how: Asking, *, as_json: bool) -> None:
    """A conversation: a line in, an answer out, until the input ends.

    Where another Nanobot owned the home and has gone, the conversation takes over and asks again.
    """

    async def command(home: Home) -> int:
        conversation = _Conversation(how, as_json=as_json)
        while not conversation.over:
            with suppress(NoOwnerError):
                async with connect(home, "chat", eager=True) as api:
                    await conversation.go_on(api, home)
        return 0

    run(command, as_json=as_json)


class _Conversation:
    """What stays the same while the way to the core may change."""

    def __init__(self, how: Asking, *, as_json: bool) -> None:
        self.over = False
        self._how, self._as_json = how, as_json
        self._lines = Lines()
        self._answers = Answers(as_json=as_json)
        self._asked: str | None = None
        """The line that has no answer yet."""
        self._prompt = "> " if self._lines.interactive and not as_json else ""
        if self._prompt:
            say(_("Ctrl+C stops an answer, Ctrl+D quits."))

    async def go_on(self, api: Api, home: Home) -> None:
        """Ask and answer until the input ends. Raises NoOwnerError if there is nobody to ask any more."""
        unanswered = await _open(api, self._how.session, as_json=self._as_json)
        if unanswered and self._prompt:
            hint(_("This message has no answer yet: {text}").format(text=unanswered))
        while True:
            if self._asked is None:
                async with quits_along(home):
                    self._asked = await self._lines.next(self._prompt)
            if self._asked is None:
                self.over = True
                return
            if self._asked.strip():
                await self._one(api, self._asked)
            self._asked = None

    async def _one(self, api: Api, text: str) -> None:
        """One answer: neither Ctrl+C nor a failure ends more than it."""
        try:
            await self._lines.interruptible(
                _answer(api, text, self._how, self._lines, self._answers),
                lambda: api.turns.stop(self._how.session),
                lambda: self._answers.over,
            )
        except AppError as error:
            if self._as_json:
                emit({"event": "failed", "error": error.text, "remedy": error.remedy})
            complain(error)
        if self._prompt:
            say()


async def _open(api: Api, session: str, *, as_json: bool) -> str:
    """Say what is wrong with the settings, which are used all the same. Returns what has no answer yet."""
    opening = await api.program.opening(session)
    for problem in opening.problems:
        if as_json:
            emit({"event": "settings_problem", "error": problem.text, "remedy": problem.remedy})
        complain(AppError(problem.text, problem.remedy))
    return opening.unanswered


async def _answer(api: Api, text: str, how: Asking, lines: Lines, answers: Answers) -> None:
    answers.begin()
    approve, files = how.who_approves(lines), [str(Path(name).absolute()) for name in how.files]
    events = api.turns.ask(text, session=how.session, model=how.model, approve=approve, files=files)
    async for event in events:
        answers.show(event)
        if isinstance(event, PermissionAsked) and approve == "ask":
            await question(api, lines, event)
        elif isinstance(event, PageWanted) and event.front == "terminal" and not answers.as_json:
            await show_page(event.url)
