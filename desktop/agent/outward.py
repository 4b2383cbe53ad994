"""What is said in a conversation that belongs to a chat goes there, too: the seam to the chat apps, which
this room does not know."""

from collections.abc import Awaitable, Callable

type Carry = Callable[[str, str, str, tuple[str, ...], str], Awaitable[None]]


class Outward:
    """Carries what is said; nothing where no chat app is there."""

    def __init__(self) -> None:
        self.carry: Carry = _nowhere
        """A name of the message, by which it goes once; the session's key, the text, paths of files, and
        the key of the chat that it is for, where the conversation is that of several. Raises
        StorageError."""
        self.reaches: Callable[[str], bool] = lambda _session: False
        """Whether a session's chat can be written to though nothing was said in it yet."""


async def _nowhere(_name: str, _session: str, _text: str, _files: tuple[str, ...], _chat: str) -> None:
    """There is no chat."""
