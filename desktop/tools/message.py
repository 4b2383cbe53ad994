"""message: the agent says something in the middle of its work, or in another conversation."""

import stat
from pathlib import Path

from pydantic import Field

from desktop.files import Place
from desktop.tasks import in_thread
from desktop.tools.base import (
    Arguments,
    Claim,
    Effect,
    Saying,
    Tool,
    ToolContext,
    ToolFailure,
    ToolResult,
)

_GIST = 80


class MessageArguments(Arguments):
    """What to say, and where."""

    content: str = Field(description="The text.", min_length=1)
    channel: str = Field(default="", description="Where to: window or cli. Empty: this conversation.")
    chat_id: str = Field(default="", description="Which conversation there. Empty: this conversation.")
    media: list[str] = Field(default_factory=list, description="Paths of files to go along.")


class Message(Tool[MessageArguments]):
    """Puts a text into a conversation."""

    name: str = "message"
    description: str = (
        "Send the person a message before your work is done, or into another conversation. In your own "
        "conversation it takes the place of an answer: do not repeat it afterwards. For an ordinary answer "
        "just write it, without this tool."
    )
    brief: str = "Send a message to the person. Not for ordinary answers."
    effect: Effect = Effect.SEND
    arguments: type[MessageArguments] = MessageArguments

    def claim(self, args: MessageArguments, context: ToolContext) -> Claim:
        """Sends; to nobody else where it stays in the conversation."""
        there = _session(args, context)
        words = " ".join(args.content.split())
        gist = words if len(words) <= _GIST else f"{words[: _GIST - 1]}…"
        return Claim(
            Effect.SEND,
            gist,
            reads=tuple(context.path(name) for name in args.media),
            recipient="" if there == context.session else there,
            body=args.content,
        )

    async def run(self, args: MessageArguments, context: ToolContext) -> ToolResult:
        """Say it. Raises ToolFailure if there is no such conversation."""
        if context.say is None:
            raise ToolFailure("There is nobody to send a message to. Write it as your answer.")
        there = _session(args, context)
        media = tuple(context.real(context.path(name)) for name in args.media)
        for name, path in zip(args.media, media, strict=True):
            if not await in_thread(_is_file, path):
                raise ToolFailure(f"There is no file {name!r} to go along. Nothing was sent.")
        await context.say(Saying(there, args.content, media))
        own = there == context.session
        return ToolResult("Sent." if own else f"Sent to {there}.", spoke=own)


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(Place(path.parent).stat(path.name).st_mode)
    except OSError:
        return False


def _session(args: MessageArguments, context: ToolContext) -> str:
    """The key of the conversation that a message goes to."""
    channel, _colon, rest = context.session.partition(":")
    if not args.channel and not args.chat_id:
        return context.session
    named = (args.channel or channel).strip().lower()
    return f"{'cli' if named == 'terminal' else named}:{args.chat_id.strip() or rest}"
