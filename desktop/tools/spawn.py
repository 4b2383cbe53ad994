"""spawn: a subagent does a task of its own while the conversation goes on."""

from pydantic import Field

from desktop.paths import temporary
from desktop.tools.base import Arguments, Claim, Effect, Tool, ToolContext, ToolFailure

_GIST = 80


class SpawnArguments(Arguments):
    """The task, and what to call it."""

    task: str = Field(
        description="The whole task, with all that is needed to do it: a subagent knows nothing of this "
        "conversation and can ask nobody.",
        min_length=1,
    )
    label: str = Field(default="", description="Two or three words that name it for the person.")


class Spawn(Tool[SpawnArguments]):
    """Has a subagent begin. What it does is judged call by call, so beginning is harmless."""

    name: str = "spawn"
    description: str = (
        "Have a subagent do a longer task of its own in the background, with tools for files, commands, "
        "search and web. Its result comes to this conversation by itself when it is done. Use it for work "
        "that stands alone, several at once for parts that do not depend on each other; do small things "
        "yourself."
    )
    effect: Effect = Effect.READ
    arguments: type[SpawnArguments] = SpawnArguments

    def claim(self, args: SpawnArguments, context: ToolContext) -> Claim:
        """Touches nothing."""
        return Claim(Effect.READ, label_of(args))

    async def run(self, args: SpawnArguments, context: ToolContext) -> str:
        """Begin it. Raises ToolFailure where too many wait already."""
        if context.spawn is None:
            if temporary(context.session):
                raise ToolFailure(
                    "This conversation is temporary: no subagent works for it. Do it yourself."
                )
            raise ToolFailure("There are no subagents here. Do it yourself.")
        waits = await context.spawn(args.task, label_of(args))
        state = "waits for a free place" if waits else "is at work"
        return (
            f"The subagent {label_of(args)!r} {state}. Its result comes to this conversation as a message. "
            "Do not wait or look for it: go on with something else, or end your answer and say what was "
            "begun."
        )


def label_of(args: SpawnArguments) -> str:
    """The name for the person: what the model gave, else the beginning of the task."""
    words = " ".join((args.label or args.task).split())
    return words if len(words) <= _GIST else f"{words[: _GIST - 1]}…"
