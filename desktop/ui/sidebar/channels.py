"""The chat app of a conversation, by its key."""

from desktop.config.channels.section import NAMES, Channels
from desktop.text import _, mark

ALL, HERE = "", "here"
"""Instead of an app's name: all conversations, and those of no app."""
UNIFIED = "unified"
"""The conversation of several apps."""
SIGNS = {
    "telegram": "send",
    "slack": "hash",
    "discord": "headphones",
    "matrix": "brackets",
    "email": "mail",
    "qq": "bird",
    "dingtalk": "bell-ring",
    "feishu": "feather",
    "whatsapp": "phone",
    "mochat": "cat",
    UNIFIED: "message-square",
}
"""By name: the icon."""
_TITLES = {ALL: mark("All conversations"), HERE: mark("This computer"), UNIFIED: mark("Chat apps")}


def channel_of(key: str) -> str:
    """Its app, UNIFIED for that of several, empty for one of the window."""
    name = key.partition(":")[0]
    return name if name in (*NAMES, UNIFIED) else ""


def belongs(key: str, to: str) -> bool:
    """Whether a conversation is one of ALL, of HERE or of an app."""
    name = channel_of(key)
    if to in (ALL, HERE):
        return to == ALL or not name
    return name in (to, UNIFIED)


def title(name: str) -> str:
    """What people call it."""
    return _(_TITLES[name] if name in _TITLES else str(Channels.model_fields[name].title))
