"""File names for session keys: one key, one file, on every file system.

Keys hold colons, capitals and any script. All but a-z, 0-9, '.', '-' and '_' is percent-encoded, so
two keys never meet in one file, also where case does not count. The key in the file's metadata line
is the truth where the name can be that key's (nanobot's names were lossy), else the name is.
"""

import base64
import hashlib
import re
import urllib.parse
import uuid
from datetime import UTC, datetime

SUFFIX = ".jsonl"
UNIFIED = "unified:default"
"""nanobot's key for the one conversation of all chats of the person."""
_LONGEST = 180
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789.-_")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)")


def new_key() -> str:
    """The key of a conversation that begins in the window."""
    return f"window:{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:4]}"


def own(key: str) -> bool:
    """Whether a session is the program's own: of the heartbeat, a job or a subagent."""
    return key == "heartbeat" or key.startswith(("cron:", "subagent:"))


def file_name(key: str) -> str:
    """The name under which this key is stored."""
    data = key.encode("utf-8", "surrogatepass")
    name = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in data)
    if not name or name[0] == "." or _RESERVED.match(name):
        name = f"%{data[0]:02X}{name[1:]}" if data else "%"
    if len(name) > _LONGEST:
        return _hashed(name[: _LONGEST - 40], key)
    return name + SUFFIX


def spare_name(key: str) -> str:
    """The name to take when file_name() is held by a file that says it is another session."""
    return _hashed(file_name(key).removesuffix(SUFFIX)[: _LONGEST - 40], key)


def older_names(key: str) -> tuple[str, ...]:
    """The names that nanobot gave this key: lossy until April 2026, URL-safe base64 after."""
    lossy = re.sub(r'[<>:"/\\|?*]', "_", key).strip()
    encoded = base64.urlsafe_b64encode(key.encode("utf-8", "surrogatepass")).decode().rstrip("=")
    fit = (name for name in (lossy, encoded) if name and "\0" not in name and len(name.encode()) <= 200)
    return tuple(name + SUFFIX for name in fit)


def is_name_of(name: str, key: str) -> bool:
    """Whether a file of this name may be this key's: another key inside it is a damaged one."""
    return name in (file_name(key), spare_name(key), *older_names(key))


def key_of(name: str) -> str:
    """The key that a file name stands for, for a file without a readable metadata line."""
    stem = name.removesuffix(SUFFIX)
    if re.fullmatch(r"[A-Za-z0-9_-]*[A-Z][A-Za-z0-9_-]*", stem):
        try:
            return base64.urlsafe_b64decode(stem + "=" * (-len(stem) % 4)).decode("utf-8")
        except ValueError:
            return stem
    return urllib.parse.unquote(stem, errors="replace")


def _hashed(start: str, key: str) -> str:
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{start}~{digest[:32]}{SUFFIX}"
