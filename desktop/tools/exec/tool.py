"""exec: one command line for the shell."""

import contextlib
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from pydantic import Field

from desktop import logs
from desktop.config.tools import ExecTool
from desktop.errors import AppError
from desktop.files import mounted
from desktop.tasks import in_thread, see_through
from desktop.text import _
from desktop.tools.base import Arguments, Claim, Effect, Tool, ToolContext, ToolFailure, ToolResult
from desktop.tools.exec.environment import USUAL, Environment, shell
from desktop.tools.exec.guarded import Guard, Moved, told
from desktop.tools.exec.limits import LEFT, limited, reached, scoped
from desktop.tools.exec.run import Ended, run
from desktop.tools.exec.sandbox import Sandbox, Unseen, usable
from desktop.tools.exec.view import Granted, held
from desktop.tools.exec.walls import Held
from desktop.tools.permissions.visible import one_line

type Secret = Callable[[str, str], Awaitable[str]]
"""Skill and variable: its value, "" where there is none. Raises AppError."""

MOST_SECONDS = 600
_TIMED_OUT = 124
_NETWORK = re.compile(
    r"resolv|network|connect|unreachable|getaddrinfo|\bhost\b|\bdns\b|socket", re.IGNORECASE
)
_READ_ONLY = re.compile(r"read-only file system", re.IGNORECASE)
_HIDDEN = re.compile(r"no such file or directory", re.IGNORECASE)
_UNSEEN = (
    "The working folder {folder} is hidden in the sandbox: of people's homes only the workspace and "
    "granted folders are there. Ask the person to open that folder to this conversation, or work in the "
    "workspace."
)


_KEPT = (
    "[files that programs run later, such as recipes, manifests and hooks, are read-only for this command, "
    "because text from outside is in view: change them with edit_file or write_file, which asks the person]"
)


class ExecArguments(Arguments):
    command: str = Field(min_length=1, description="The command line.")
    working_dir: str = Field(default="", description="Where it runs; without it, in the working folder.")
    timeout: int | None = Field(default=None, ge=1, le=MOST_SECONDS, description="Seconds it may take.")
    network: bool = Field(default=False, description="Whether it needs the network.")


class Exec(Tool[ExecArguments]):
    """Run a command."""

    name: str = "exec"
    description: str = (
        "Run a shell command. Its stdin is empty. With it ends all that it started: nothing stays in the "
        "background. The result ends with the exit code."
    )
    effect: Effect = Effect.RUN
    arguments = ExecArguments

    def __init__(
        self,
        settings: Callable[[], ExecTool],
        sandbox: Sandbox,
        environment: Environment,
        secret: Secret,
    ) -> None:
        """`secret`: the value of a variable that a skill needs."""
        self._settings, self._sandbox, self._environment = settings, sandbox, environment
        self._secret = secret
        self._names = Held()

    def claim(self, args: ExecArguments, context: ToolContext) -> Claim:
        if "\0" in args.command:
            raise ToolFailure("A command cannot contain a zero byte.")
        append = self._settings().path_append
        keys = keys_for(args.command, context)
        return Claim(
            Effect.RUN,
            args.command,
            command=args.command,
            cwd=context.path(args.working_dir) if args.working_dir else context.cwd,
            environment=({"PATH": f"... {append}"} if append else {}) | dict.fromkeys(keys, "•••"),
            network=args.network,
            always_ask=_given_away(keys) if keys else "",
        )

    async def run(self, args: ExecArguments, context: ToolContext) -> ToolResult:
        settings = self._settings()
        cwd = context.path(args.working_dir) if args.working_dir else context.cwd
        environment = await self._environment.make(settings.path_append)
        keys = keys_for(args.command, context)
        for name, skill in keys.items():
            environment[name] = await self._value(skill, name)
        cwd, program = await in_thread(_where, cwd, settings)
        argv = limited(shell(args.command, environment["PATH"]), settings, sandboxed=bool(program))
        seconds = args.timeout or settings.timeout
        moved: list[Moved] = []
        try:
            if program:
                environment.pop("TMPDIR", None)  # the sandbox has a /tmp of its own
                async with self._held(context.workspace), _guarded(context, moved) as kept:
                    argv = await in_thread(self._wrapped, program, argv, cwd, context, kept)
                    with mounted(await in_thread(held, argv)):
                        ended = await _run(argv, Path("/"), environment, seconds, settings)
            else:
                ended = await _run(argv, cwd, environment, seconds, settings)
        except (OSError, ValueError) as error:
            raise ToolFailure(_not_started(error)) from error
        offline = bool(program) and not context.network
        text = _text(ended, seconds, settings, bool(program), offline)
        if context.guarded and ended.code and _READ_ONLY.search(ended.output):
            text = f"{_KEPT}\n{text}"
        text = "\n".join(filter(None, (told(moved), text)))
        return ToolResult(logs.masked(text))

    async def _value(self, skill: str, name: str) -> str:
        """The value of a variable that a skill needs. Raises ToolFailure."""
        try:
            value = await self._secret(skill, name)
        except AppError as error:
            raise ToolFailure(f"The value of {name} cannot be read: {error}") from None
        if not value:
            raise ToolFailure(
                f"{name} has no value: the person can enter one in the settings, at the skill {skill}."
            )
        logs.mask(value)
        return value

    @contextlib.asynccontextmanager
    async def _held(self, workspace: Path) -> AsyncGenerator[None]:
        """While a command is in the sandbox, no protected name of the workspace is free."""
        await see_through(in_thread(self._names.take, workspace), name="names of the sandbox")
        try:
            yield
        finally:
            await see_through(in_thread(self._names.give_back), name="names of the sandbox")

    def _wrapped(
        self, program: str, argv: Sequence[str], cwd: Path, context: ToolContext, kept: Sequence[Path]
    ) -> list[str]:
        granted = Granted(context.workspace, context.writable, context.readable, context.apart)
        try:
            return self._sandbox.wrap(
                program,
                argv,
                cwd=cwd,
                granted=granted,
                network=context.network,
                kept=kept,
                alone=context.guarded,
            )
        except Unseen:
            raise ToolFailure(_UNSEEN.format(folder=cwd)) from None


def keys_for(command: str, context: ToolContext) -> dict[str, str]:
    """The variables that a command is to have of those that the turn's skills need, each with its skill: it
    names the variable, or runs what lies in the skill's folder."""
    found = {}
    for name, skill in context.keys.items():
        if name in USUAL:
            continue
        folder = rf"(?<![\w.-]){re.escape(skill)}/"
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)|skills/{re.escape(skill)}/|{folder}", command):
            found[name] = skill
    return found


def _given_away(keys: Mapping[str, str]) -> str:
    named = ", ".join(f"{name} ({skill})" for name, skill in sorted(keys.items()))
    return _("The command receives the value of {names}.").format(names=one_line(named))


@contextlib.asynccontextmanager
async def _guarded(context: ToolContext, moved: list[Moved]) -> AsyncGenerator[tuple[Path, ...]]:
    """While a command is at work that nobody was asked about, though marked text is in view: what is
    read-only for it. What it leaves that runs later is `moved` away."""
    guard = await in_thread(Guard, context.workspace) if context.guarded else None
    try:
        yield guard.kept if guard else ()
    finally:
        if guard:
            moved += await see_through(in_thread(guard.settle), name="files that run later")


def _where(cwd: Path, settings: ExecTool) -> tuple[Path, str]:
    """The folder itself and the program of the sandbox. Raises ToolFailure."""
    try:
        place = cwd.resolve()
    except (OSError, RuntimeError):
        place = cwd
    if not place.is_dir():
        raise ToolFailure(f"The working folder {str(cwd)!r} does not exist or is no folder.")
    return place, usable(settings)


def _not_started(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno == 7:  # E2BIG
        return "The command is too long for the system. Write it to a file with write_file and run that."
    return f"The command could not be started: {error}."


async def _run(
    argv: Sequence[str], cwd: Path, environment: dict[str, str], seconds: int, settings: ExecTool
) -> Ended:
    argv, needed = await in_thread(scoped, argv, settings)
    return await run(argv, cwd=cwd, environment={**environment, **needed}, seconds=seconds)


def _text(ended: Ended, seconds: int, settings: ExecTool, sandboxed: bool, offline: bool) -> str:
    """What the model reads of it."""
    code = ended.code if ended.code >= 0 else 128 - ended.code
    lines = [ended.output.rstrip("\n") or "(no output)"]
    if ended.timed_out:
        code = _TIMED_OUT
        lines.append(f"[ended after {seconds} seconds, its timeout; up to {MOST_SECONDS} can be asked for]")
    if ended.left:
        lines.append(LEFT.format(count=ended.left))
    if code and offline and _NETWORK.search(ended.output):
        lines.append("[the command had no network; ask for it with network=true]")
    if code and sandboxed and _READ_ONLY.search(ended.output):
        lines.append("[in the sandbox only the workspace and granted folders can be written to]")
    if code and sandboxed and _HIDDEN.search(ended.output):
        lines.append(
            "[in the sandbox people's homes are hidden but for granted folders, and the workspace is there "
            "where the command works in it or names its path]"
        )
    if code and not ended.timed_out and (limit := reached(code, ended.output, settings)):
        lines.append(limit)
    return "\n".join([*lines, f"exit code {code}"])
