"""exec: one command line for the shell."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import Field

from desktop.config.tools import ExecTool
from desktop.tasks import in_thread
from desktop.tools.base import Arguments, Claim, Effect, Tool, ToolContext, ToolFailure, ToolResult
from desktop.tools.exec.environment import Environment, shell
from desktop.tools.exec.run import Ended, run
from desktop.tools.exec.sandbox import Sandbox, usable

MOST_SECONDS = 600
_TIMED_OUT = 124
_NETWORK = re.compile(
    r"resolv|network|connect|unreachable|getaddrinfo|\bhost\b|\bdns\b|socket", re.IGNORECASE
)
_READ_ONLY = re.compile(r"read-only file system", re.IGNORECASE)


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
        self, settings: Callable[[], ExecTool], sandbox: Sandbox, environment: Environment
    ) -> None:
        self._settings, self._sandbox, self._environment = settings, sandbox, environment

    def claim(self, args: ExecArguments, context: ToolContext) -> Claim:
        if "\0" in args.command:
            raise ToolFailure("A command cannot contain a zero byte.")
        append = self._settings().path_append
        return Claim(
            Effect.RUN,
            args.command,
            command=args.command,
            cwd=context.path(args.working_dir) if args.working_dir else context.cwd,
            environment={"PATH": f"... {append}"} if append else {},
            network=args.network,
        )

    async def run(self, args: ExecArguments, context: ToolContext) -> ToolResult:
        settings = self._settings()
        cwd = context.path(args.working_dir) if args.working_dir else context.cwd
        environment = await self._environment.make(settings.path_append)
        argv = shell(args.command, environment["PATH"])
        cwd, program = await in_thread(_where, cwd, settings)
        if program:
            environment.pop("TMPDIR", None)  # the sandbox has a /tmp of its own
            argv = await in_thread(self._wrapped, program, argv, cwd, context)
        seconds = args.timeout or settings.timeout
        try:
            ended = await run(argv, cwd=cwd, environment=environment, seconds=seconds)
        except (OSError, ValueError) as error:
            raise ToolFailure(_not_started(error)) from error
        offline = bool(program) and not context.network
        return ToolResult(
            _text(ended, seconds, bool(program), offline),
        )

    def _wrapped(self, program: str, argv: Sequence[str], cwd: Path, context: ToolContext) -> list[str]:
        return self._sandbox.wrap(
            program,
            argv,
            cwd=cwd,
            workspace=context.workspace,
            writable=context.writable,
            network=context.network,
        )


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


def _text(ended: Ended, seconds: int, sandboxed: bool, offline: bool) -> str:
    """What the model reads of it."""
    code = ended.code if ended.code >= 0 else 128 - ended.code
    lines = [ended.output.rstrip("\n") or "(no output)"]
    if ended.timed_out:
        code = _TIMED_OUT
        lines.append(f"[ended after {seconds} seconds, its timeout; up to {MOST_SECONDS} can be asked for]")
    if ended.left:
        lines.append(f"[it left processes in the background, which were ended: {ended.left}]")
    if code and offline and _NETWORK.search(ended.output):
        lines.append("[the command had no network; ask for it with network=true]")
    if code and sandboxed and _READ_ONLY.search(ended.output):
        lines.append("[in the sandbox only the workspace and granted folders can be written to]")
    return "\n".join([*lines, f"exit code {code}"])
