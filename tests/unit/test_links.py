"""Links: the three that there are, and everything else, which is refused without a word of it repeated."""

import configparser
import json
import re
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.errors import UsageError
from desktop.links import LONGEST, SCHEMES, OfferServers, OfferText, OpenConversation, is_link, parse

CHAT, MCP, CONVERSATION = (
    "nanobot-desktop://chat?text=",
    "nanobot-desktop://mcp?settings=",
    "nanobot-desktop://conversation/",
)


def settings(value: object) -> str:
    return MCP + quote(json.dumps(value), safe="")


SERVERS = {"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"]}}}

GOOD = [
    (f"{CONVERSATION}cli:direct", OpenConversation("cli:direct")),
    (f"{CONVERSATION}window%3A20260101-101010-abcd", OpenConversation("window:20260101-101010-abcd")),
    (f"{CONVERSATION}a%2Fb%20c", OpenConversation("a/b c")),
    (f"{CONVERSATION}%E6%98%9F%E6%9C%9F", OpenConversation("星期")),
    (f"{CONVERSATION}星期", OpenConversation("星期")),
    ("nanobot:conversation/cli:direct", OpenConversation("cli:direct")),
    ("nanobot://conversation/cli:direct", OpenConversation("cli:direct")),
    ("Nanobot-Desktop://conversation/cli:direct", OpenConversation("cli:direct")),
    (f"{CHAT}Hello%20there", OfferText("Hello there")),
    (f"{CHAT}a+b", OfferText("a+b")),
    (f"{CHAT}1%20%3D%201%20%26%202%23", OfferText("1 = 1 & 2#")),
    (f"{CHAT}x=y", OfferText("x=y")),
    (f"{CHAT}one%0D%0Atwo%0Athree%09four", OfferText("one\ntwo\nthree\tfour")),
    (f"{CHAT}%252e%2500", OfferText("%2e%00")),
    (f"{CHAT}%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB", OfferText("👩‍💻")),
    (f"{CHAT}/new", OfferText("/new")),
    ("nanobot-desktop:chat?text=Hi", OfferText("Hi")),
    ("nanobot-desktop://chat/?text=Hi", OfferText("Hi")),
    (settings(SERVERS), OfferServers(json.dumps(SERVERS, indent=2))),
    (settings({"名": 1}), OfferServers('{\n  "名": 1\n}')),
    (f"{MCP}%7B%22a%22:1,%22a%22:2%7D", OfferServers('{\n  "a": 2\n}')),
]


@pytest.mark.parametrize(("link", "wanted"), GOOD)
def test_what_a_link_asks_for(link: str, wanted: object) -> None:
    assert is_link(link)
    assert parse(link) == wanted


UNKNOWN, INCOMPLETE = "Nanobot doesn’t know what the link asks for.", "Part of the link is missing."
ENCODED, NEVER = "The link is not encoded correctly.", "The link contains characters that no link can have."
HIDDEN, LONG = "The text of the link contains hidden characters.", "The link is too long."
NO_SERVER = "The link contains no settings of an MCP server."

HOSTILE = [
    # no link of ours
    *((link, UNKNOWN) for link in ("", "nanobot-desktop", "http://example.org", "file:///etc/passwd")),
    *(
        (link, UNKNOWN)
        for link in ("nanobot-desktopx://chat?text=a", "javascript:alert(1)", "-nanobot:chat")
    ),
    # actions that there are not, or not so
    *(
        (f"nanobot-desktop:{rest}", UNKNOWN)
        for rest in (
            "",
            "//",
            "///",
            "/chat?text=a",
            "///chat?text=a",
            "//Chat?text=a",
            "//quit",
            "//ask?text=a",
            "//exec?command=id",
            "//settings",
            "//--hidden",
            "//../../etc/passwd",
            "//chat:80?text=a",
            "//me@chat?text=a",
            "//chat.example.org?text=a",
            "//chat/send?text=a",
            "//chat//?text=a",
            "//%63hat?text=a",
            "//mcp/add?settings=%7B%7D",
        )
    ),
    # parts that there are not, twice or beside others
    (f"{CHAT}a&send=1", UNKNOWN),
    (f"{CHAT}a&text=b", UNKNOWN),
    (f"{CHAT}a&", UNKNOWN),
    ("nanobot-desktop://chat?send=1&text=a", UNKNOWN),
    ("nanobot-desktop://chat?TEXT=a", UNKNOWN),
    ("nanobot-desktop://chat?%74ext=a", UNKNOWN),
    ("nanobot-desktop://chat?text;=a", UNKNOWN),
    (f"{MCP}%7B%7D&trusted=true", UNKNOWN),
    (f"{CONVERSATION}cli:direct?text=a", UNKNOWN),
    (f"{CONVERSATION}cli:direct?", UNKNOWN),
    (f"{CONVERSATION}cli/direct", UNKNOWN),
    (f"{CONVERSATION}cli:direct/", UNKNOWN),
    (f"{CONVERSATION}../../etc/passwd", UNKNOWN),
    # parts that are missing
    *((f"nanobot-desktop://chat{rest}", INCOMPLETE) for rest in ("", "?", "?text", "?text=", "/?text=")),
    (f"{CHAT}%20%0A%09", INCOMPLETE),
    ("nanobot-desktop://mcp", INCOMPLETE),
    (MCP, INCOMPLETE),
    (CONVERSATION, INCOMPLETE),
    ("nanobot-desktop://conversation", INCOMPLETE),
    (f"{CONVERSATION}%20", INCOMPLETE),
    # wrong escapes
    *((f"{CHAT}{wrong}", ENCODED) for wrong in ("%", "%4", "%zz", "100%", "%%41", "%u0041", "%-1", "%+1")),
    *((f"{CHAT}{wrong}", ENCODED) for wrong in ("%FF", "%C0%AF", "%ED%A0%80", "%F5%80%80%80", "%E6%98")),
    (f"{CONVERSATION}%C0%AE%C0%AE%C0%AF", ENCODED),
    (f"{CONVERSATION}%", ENCODED),
    # signs that no link has
    *((f"{CHAT}a{sign}b", NEVER) for sign in ' \n\r\t\0\x1b\x7f"#<>\\^`{|}'),
    *(
        (f"{CHAT}a{sign}b", NEVER)
        for sign in "\x85\x9b\u200b\u202e\u2028\ufeff\ud800\udcff\U000e0041\u3164"
    ),
    (f"\n{CHAT}a", NEVER),
    (f"{CHAT}a\n", NEVER),
    (f"{CHAT}a --quit", NEVER),
    # signs that hide in what is shown
    *(
        (f"{CHAT}a{quote(sign)}b", HIDDEN)
        for sign in "\0\x1b\r\x7f\x9b\u200b\u202e\u2066\u2028\u00ad\ufeff\u3164\ue000\U000e0041\U000e0100"
    ),
    (f"{CHAT}%1B%5D52%3Bc%3Baa%07", HIDDEN),
    (f"{CONVERSATION}cli%00", HIDDEN),
    (f"{CONVERSATION}a%0Ab", HIDDEN),
    (f"{CONVERSATION}a%09b", HIDDEN),
    (settings({"mcpServers": {"x": {"command": "ls\u202e"}}}), HIDDEN),
    (settings({"mcpServers": {"x": {"command": "ls", "args": ["\U000e0041"]}}}), HIDDEN),
    (settings({"mcpServers": {"x": {"command": "ls\0"}}}), ""),
    # no settings
    *((MCP + quote(text), NO_SERVER) for text in ("x", "[]", "1", "null", '"a"', "{", "{'a':1}", "{}{}")),
    (f"{MCP}eyJhIjoxfQ==", NO_SERVER),
    (MCP + quote("[" * 10_000, safe="["), NO_SERVER),
    # too long
    (CHAT + "a" * LONGEST, LONG),
    (CHAT + "a" * 20_001, LONG),
    (CHAT + "%" * (LONGEST + 1), LONG),
    (CONVERSATION + "a" * 501, LONG),
    ("x" * 10_000_000, LONG),
]


@pytest.mark.parametrize(("link", "told"), HOSTILE, ids=lambda value: ascii(value)[:60])
def test_all_else_is_refused_in_a_sentence_of_our_own(link: str, told: str) -> None:
    if not told:  # an escape of JSON that is shown as one hides nothing
        assert "\\u0000" in parse(link).settings  # type: ignore[union-attr]
        return
    with pytest.raises(UsageError) as refused:
        parse(link)
    assert refused.value.text == told
    assert refused.value.remedy.startswith("Nothing was opened.")


def test_what_is_no_link_is_left_to_the_command_line() -> None:
    assert not any(map(is_link, ("", "ask", "nanobot", "nanobot-desktop", "--hidden", "http://a", "C:\\x")))
    assert all(map(is_link, ("nanobot:", "nanobot-desktop:", "NANOBOT-DESKTOP://CHAT", "nanobot:\0")))


@given(st.text())
def test_any_text_comes_whole_or_not_at_all(text: str) -> None:
    try:
        link = CHAT + quote(text, safe="")
    except UnicodeEncodeError:  # half a letter cannot be in one
        return
    try:
        found = parse(link)
    except UsageError:
        return
    assert found == OfferText(text.replace("\r\n", "\n"))


@given(st.text(), st.sampled_from(["", CHAT, MCP, CONVERSATION, "nanobot-desktop:", "nanobot://"]))
def test_nothing_but_a_sentence_comes_of_anything(rest: str, begin: str) -> None:
    with suppress(UsageError):
        parse(begin + rest)


def test_the_desktop_is_told_of_the_links_that_there_are() -> None:
    share = Path(__file__).parents[2] / "packaging" / "linux" / "share"
    entry = configparser.ConfigParser(interpolation=None)
    entry.read(share / "applications" / "io.github.nanobot_desktop.desktop", "utf-8")
    types = [f"x-scheme-handler/{scheme}" for scheme in SCHEMES]
    assert entry["Desktop Entry"]["Exec"] == "nanobot-desktop %u", "one link is one argument"
    assert entry["Desktop Entry"]["MimeType"].split(";") == [*types, ""]
    about = (share / "metainfo" / "io.github.nanobot_desktop.metainfo.xml").read_text("utf-8")
    assert re.findall("<mediatype>(.*)</mediatype>", about) == types
