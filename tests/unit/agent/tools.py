"""Small real tools for the agent's tests: they do something that can be seen, slow or fast, safe or not."""

import asyncio

from desktop.origin import untrusted
from desktop.tools.base import Arguments, Claim, Effect, Tool, ToolContext, ToolFailure, ToolResult


class WordArguments(Arguments):
    """One word."""

    word: str


class Look(Tool[WordArguments]):
    """Reads: answers with its word. Waits for `held` where it is set."""

    name: str = "look"
    description: str = "Looks."
    effect: Effect = Effect.READ
    parallel_safe: bool = True
    arguments: type[WordArguments] = WordArguments

    def __init__(self) -> None:
        self.held: asyncio.Event | None = None
        self.begun = asyncio.Event()
        self.running = self.most = 0
        self.done: list[str] = []

    def claim(self, args: WordArguments, context: ToolContext) -> Claim:
        return Claim(Effect.READ, args.word, reads=(context.workspace / "thing",))

    async def run(self, args: WordArguments, context: ToolContext) -> str | ToolResult:
        self.running += 1
        self.most = max(self.most, self.running)
        self.begun.set()
        try:
            if self.held:
                await self.held.wait()
        finally:
            self.running -= 1
        self.done.append(args.word)
        if args.word == "broken":
            raise ToolFailure("It is broken. Try another.")
        if args.word == "bug":
            raise KeyError("inside")
        return f"saw {args.word}" + (" and more" * 400 if "long" in args.word else "")


class Put(Look):
    """Writes a file in the workspace, or wherever its word says."""

    name: str = "put"
    effect: Effect = Effect.WRITE
    parallel_safe: bool = False

    def claim(self, args: WordArguments, context: ToolContext) -> Claim:
        return Claim(Effect.WRITE, args.word, writes=(context.path(args.word),), body=args.word)

    async def run(self, args: WordArguments, context: ToolContext) -> str | ToolResult:
        await super().run(args, context)
        context.path(args.word).write_text("put")
        return f"wrote {args.word}"


class Run(Look):
    """Runs a command, or says that it did."""

    name: str = "run"
    effect: Effect = Effect.RUN
    parallel_safe: bool = False

    def claim(self, args: WordArguments, context: ToolContext) -> Claim:
        return Claim(Effect.RUN, args.word, command=args.word, cwd=context.cwd)


class Page(Look):
    """Brings text from outside, with an address in it."""

    name: str = "page"

    def claim(self, args: WordArguments, context: ToolContext) -> Claim:
        return Claim(Effect.READ, args.word, address=args.word)

    async def run(self, args: WordArguments, context: ToolContext) -> str | ToolResult:
        await super().run(args, context)
        seen = frozenset({"https://example.org/next"})
        return ToolResult(f"the page {args.word}", mark=untrusted("a.page"), addresses=seen)


class Send(Look):
    """Writes to somebody else."""

    name: str = "send"
    effect: Effect = Effect.SEND
    parallel_safe: bool = False

    def claim(self, args: WordArguments, context: ToolContext) -> Claim:
        return Claim(Effect.SEND, args.word, recipient="window:other")
