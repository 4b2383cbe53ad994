"""New conversations that begin with what was said in another one."""

from collections.abc import Iterable, Mapping
from itertools import batched
from typing import Any

from desktop.session.log import Session
from desktop.session.model import Message
from desktop.session.names import new_key
from desktop.session.sessions import Sessions

_AT_ONCE = 200
"""So many messages are made ready for the disk in one go: more would be felt."""


async def begun(sessions: Sessions, messages: Iterable[Message], metadata: Mapping[str, Any]) -> Session:
    """A new conversation with these messages and values. Raises StorageError."""
    made = await sessions.open(new_key())
    for part in batched(messages, _AT_ONCE):
        await made.append_all(part)
    if metadata:
        await made.set_metadata(**metadata)
    return made
