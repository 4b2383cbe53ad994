"""Links that open something here, as the desktop hands them over.

    nanobot-desktop://conversation/KEY      a conversation
    nanobot-desktop://chat?text=TEXT        a text in the quick chat, which is not sent
    nanobot-desktop://mcp?settings=JSON     the settings of MCP servers, which are not added

Anybody can write one, a page on the web above all. So it is read strictly and nothing in it is mended; it
can only have something shown, and what is shown hides nothing.
"""

import json
import re
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from desktop.errors import UsageError
from desktop.text import _
from desktop.tools.permissions.visible import legible

SCHEMES = ("nanobot-desktop", "nanobot")
LONGEST = 32_000
"""Characters of a link; Windows takes no longer command line."""
_LONGEST_KEY, _LONGEST_TEXT = 500, 20_000
_FORM = re.compile(r"[^:]+:(?://)?(?P<action>[a-z]+)(?P<path>/[^?]*)?(?:\?(?P<query>.*))?")
_NEVER = re.compile(r"""[\x00-\x20\x7f"#<>\\^`{|}]""")
"""Neither the syntax of addresses (RFC 3986) nor these links have a place for them, unless encoded."""
_NO_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class OpenConversation:
    """Show a conversation."""

    key: str


@dataclass(frozen=True, slots=True)
class OfferText:
    """Show a text in the quick chat."""

    text: str


@dataclass(frozen=True, slots=True)
class OfferServers:
    """Show settings of MCP servers, as JSON."""

    settings: str


type Link = OpenConversation | OfferText | OfferServers


def is_link(argument: str) -> bool:
    """Whether this is meant to be one."""
    return argument.partition(":")[0].lower() in SCHEMES and ":" in argument


def parse(link: str) -> Link:
    """What a link asks for. Raises UsageError, which names nothing of the link."""
    if len(link) > LONGEST:
        raise _wrong(_("The link is too long."))
    if _NEVER.search(link) or _hides(link):
        raise _wrong(_("The link contains characters that no link can have."))
    found = _FORM.fullmatch(link)
    if found is None or not is_link(link):
        raise _unknown()
    path, query = found["path"] or "", found["query"]
    if found["action"] == "conversation":
        if query is not None or "/" in path[1:]:
            raise _unknown()
        return OpenConversation(_single_line(_decoded(path[1:]), _LONGEST_KEY))
    if path not in ("", "/"):
        raise _unknown()
    if found["action"] == "chat":
        return OfferText(_text(_parameter(query, "text"), _LONGEST_TEXT))
    if found["action"] == "mcp":
        return OfferServers(_settings(_parameter(query, "settings")))
    raise _unknown()


def _parameter(query: str | None, name: str) -> str:
    """The one parameter that there may be."""
    given, equals, value = (query or "").partition("=")
    if not given or (given == name and not value):
        raise _incomplete()
    if given != name or not equals or "&" in value:
        raise _unknown()
    return _decoded(value)


def _decoded(part: str) -> str:
    """What percent signs stand for, once and in UTF-8."""
    if _NO_ESCAPE.search(part):
        raise _not_encoded()
    try:
        return unquote_to_bytes(part).decode("utf-8")
    except UnicodeError:
        raise _not_encoded() from None


def _text(text: str, most: int) -> str:
    plain = text.replace("\r\n", "\n")
    if not plain.strip():
        raise _incomplete()
    if len(plain) > most:
        raise _wrong(_("The link is too long."))
    if _hides(plain):
        raise _wrong(_("The text of the link contains hidden characters."))
    return plain


def _single_line(text: str, most: int) -> str:
    if "\n" in text or "\t" in text:
        raise _wrong(_("The text of the link contains hidden characters."))
    return _text(text, most)


def _settings(text: str) -> str:
    """The JSON set out line by line, with every sign as itself: what stands twice or as an escape in the
    link is seen as it counts."""
    try:
        value = json.loads(_text(text, LONGEST))
    except (ValueError, RecursionError):
        raise _no_settings() from None
    if not isinstance(value, dict):
        raise _no_settings()
    return _text(json.dumps(value, ensure_ascii=False, indent=2), 2 * LONGEST)


def _hides(text: str) -> bool:
    return "⟨U+" in legible(text)


def _wrong(text: str) -> UsageError:
    return UsageError(
        text, _("Nothing was opened. Links that work are listed in: nanobot-desktop help command-line")
    )


def _unknown() -> UsageError:
    return _wrong(_("Nanobot doesn’t know what the link asks for."))


def _incomplete() -> UsageError:
    return _wrong(_("Part of the link is missing."))


def _not_encoded() -> UsageError:
    return _wrong(_("The link is not encoded correctly."))


def _no_settings() -> UsageError:
    return _wrong(_("The link contains no settings of an MCP server."))
