"""Telegram's HTML, read as strictly as the Bot API reads it, with the same complaints."""

import re
from dataclasses import dataclass

_KINDS = {
    **dict.fromkeys(("b", "strong"), "bold"),
    **dict.fromkeys(("i", "em"), "italic"),
    **dict.fromkeys(("u", "ins"), "underline"),
    **dict.fromkeys(("s", "strike", "del"), "strikethrough"),
    **dict.fromkeys(("span", "tg-spoiler"), "spoiler"),
    "a": "text_link",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
    "tg-emoji": "custom_emoji",
}
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
_ENTITY = re.compile(r"&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|(lt|gt|amp|quot));?")
_SPACE = " \t\n\r\0\v"


class Unparsable(ValueError):
    """What the Bot API says after "can't parse entities: "."""


@dataclass(frozen=True)
class Entity:
    """A part of a text that looks different; counted in UTF-16 as Telegram does."""

    kind: str
    offset: int
    length: int
    argument: str = ""
    """The address of a link, the language of a code block."""


@dataclass
class _Open:
    tag: str
    argument: str
    start: int


def units(text: str) -> int:
    """How long a text is for Telegram."""
    return len(text.encode("utf-16-le")) // 2


def parse(html: str) -> tuple[str, list[Entity]]:
    """The text and what is marked in it. Raises Unparsable."""
    return _Reader(html).read()


class _Reader:
    def __init__(self, html: str) -> None:
        self._html = html
        self._at = 0
        self._text: list[str] = []
        self._open: list[_Open] = []
        self._entities: list[Entity] = []

    def read(self) -> tuple[str, list[Entity]]:
        while self._at < len(self._html):
            if self._html[self._at] == "<":
                self._tag()
            else:
                self._character()
        if self._open:
            raise Unparsable(f'Can\'t find end tag corresponding to start tag "{self._open[-1].tag}"')
        found = sorted(self._entities, key=lambda one: (one.offset, -one.length))
        return "".join(self._text), found

    def _bytes(self, at: int) -> int:
        return len(self._html[:at].encode())

    def _length(self) -> int:
        return units("".join(self._text))

    def _character(self) -> None:
        matched = _ENTITY.match(self._html, self._at)
        if matched is None:
            self._text.append(self._html[self._at])
            self._at += 1
            return
        hexadecimal, decimal, name = matched.groups()
        code = int(hexadecimal, 16) if hexadecimal else int(decimal or 0)
        self._text.append(_NAMED[name] if name else chr(code) if 0 < code < 0x110000 else matched[0])
        self._at = matched.end()

    def _until(self, stops: str) -> str:
        start = self._at
        while self._at < len(self._html) and self._html[self._at] not in stops:
            self._at += 1
        return self._html[start : self._at]

    def _spaces(self) -> None:
        while self._at < len(self._html) and self._html[self._at] in _SPACE:
            self._at += 1

    def _next(self) -> str:
        return self._html[self._at : self._at + 1]

    def _tag(self) -> None:
        begin = self._at
        self._at += 1
        if self._next() == "/":
            self._at += 1
            self._end(begin)
            return
        tag = self._until(_SPACE + ">").lower()
        if not self._next():
            raise Unparsable(f"Unclosed start tag at byte offset {self._bytes(begin)}")
        if tag not in _KINDS:
            raise Unparsable(f'Unsupported start tag "{tag}" at byte offset {self._bytes(begin)}')
        given = self._attributes(tag, begin)
        argument = given.get(
            {"a": "href", "code": "class", "span": "class", "tg-emoji": "emoji-id"}.get(tag, ""), ""
        )
        if tag == "span" and argument != "tg-spoiler":
            raise Unparsable(f'Tag "span" must have class "tg-spoiler" at byte offset {self._bytes(begin)}')
        self._open.append(_Open(tag, argument, self._length()))

    def _attributes(self, tag: str, begin: int) -> dict[str, str]:
        found: dict[str, str] = {}
        while True:
            self._spaces()
            if self._next() == ">":
                self._at += 1
                return found
            place = self._bytes(self._at)
            name = self._until(_SPACE + "=>/\"'")
            if not self._next():
                raise Unparsable(f'Unclosed start tag "{tag}" at byte offset {self._bytes(begin)}')
            if not name:
                raise Unparsable(f'Empty attribute name in the tag "{tag}" at byte offset {place}')
            self._spaces()
            found[name.lower()] = self._value(tag, begin) if self._next() == "=" else ""

    def _value(self, tag: str, begin: int) -> str:
        self._at += 1
        self._spaces()
        quote = self._next()
        if quote in ("'", '"'):
            self._at += 1
            value = self._until(quote)
            self._at += 1
        else:
            value = self._until(_SPACE + ">")
        if not self._next():
            raise Unparsable(f'Unclosed start tag "{tag}" at byte offset {self._bytes(begin)}')
        return _ENTITY.sub(lambda one: _NAMED.get(one[3] or "", one[0]), value)

    def _end(self, begin: int) -> None:
        if not self._open:
            raise Unparsable(f"Unexpected end tag at byte offset {self._bytes(begin)}")
        tag = self._until(_SPACE + ">").lower()
        self._spaces()
        if self._next() != ">":
            raise Unparsable(f"Unclosed end tag at byte offset {self._bytes(begin)}")
        self._at += 1
        opened = self._open.pop()
        if tag and tag != opened.tag:
            raise Unparsable(
                f"Unmatched end tag at byte offset {self._bytes(begin)}, "
                f'expected "</{opened.tag}>", found "</{tag}>"'
            )
        length = self._length() - opened.start
        if length:
            self._add(opened, length)

    def _add(self, opened: _Open, length: int) -> None:
        """A code block in another that says its language is one of them."""
        kind, argument = _KINDS[opened.tag], opened.argument
        if kind == "code":
            language = argument.removeprefix("language-") if argument.startswith("language-") else ""
            argument = language if self._open and self._open[-1].tag == "pre" else ""
        elif kind == "pre" and self._entities:
            inner = self._entities[-1]
            if (inner.kind, inner.offset, inner.length) == ("code", opened.start, length):
                self._entities.pop()
                argument = inner.argument
        self._entities.append(Entity(kind, opened.start, length, argument))
