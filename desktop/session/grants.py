"""What a conversation was granted: its way of asking, its folders, files that were given to it.

It stands in the conversation's metadata. Of a log that comes from elsewhere it is not taken: nobody here
has said it.
"""

from collections.abc import Mapping
from typing import Any

from desktop.session.model import Message

_GRANTS = frozenset({"mode", "mode_until", "folder", "folders", "given", "vouched"})


def granted(record: Message) -> bool:
    """Whether a record of a log grants something. Asking always grants nothing."""
    return record.get("_type") == "metadata" and without_grants(record) != record


def without_grants(record: Message) -> Message:
    """A metadata line without what it grants."""
    inner = record.get("metadata")
    if not isinstance(inner, Mapping):
        return record
    kept: dict[str, Any] = {
        name: value
        for name, value in inner.items()
        if name not in _GRANTS or (name, value) == ("mode", "ask")
    }
    return {**record, "metadata": kept}
