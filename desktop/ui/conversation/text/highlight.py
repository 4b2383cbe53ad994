"""The colours of code, by Pygments, found a few tokens at a time: long code takes longer than a frame.

The rules of a language take a tenth of a second to make ready, and are made so in a thread.
"""

from collections import OrderedDict
from collections.abc import Iterator
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QThreadPool, Signal

if TYPE_CHECKING:
    from pygments.lexer import Lexer

type Span = tuple[int, int, str]
"""Where, how long, and which of the names below."""

LIGHT: Final = {
    "keyword": "#9a2c7c",
    "string": "#2f6f3a",
    "number": "#9a4a00",
    "comment": "#6b7375",
    "name": "#1f5fa8",
    "type": "#0b6e75",
}
DARK: Final = {
    "keyword": "#e08fc8",
    "string": "#93cf9d",
    "number": "#e5ad73",
    "comment": "#8b9496",
    "name": "#86b8f0",
    "type": "#6fd0d6",
}
LIMIT: Final = 60_000
"""Longer code stays without colours."""
_KEPT: Final = 200
_INSIDE: Final = {"html": ("javascript", "css"), "php": ("html", "javascript", "css")}
"""Languages that another one reads as well."""
_STEP: Final = 40
_KINDS: Final = (
    ("Token.Comment", "comment"),
    ("Token.Keyword.Type", "type"),
    ("Token.Keyword", "keyword"),
    ("Token.Operator.Word", "keyword"),
    ("Token.Literal.String", "string"),
    ("Token.Literal.Number", "number"),
    ("Token.Name.Class", "type"),
    ("Token.Name.Function", "name"),
    ("Token.Name.Decorator", "name"),
    ("Token.Name.Tag", "name"),
    ("Token.Name.Attribute", "type"),
    ("Token.Name.Builtin", "type"),
    ("Token.Name.Exception", "type"),
    ("Token.Generic.Deleted", "keyword"),
    ("Token.Generic.Inserted", "string"),
    ("Token.Generic.Heading", "name"),
)

_found: OrderedDict[tuple[str, str], list[Span]] = OrderedDict()


def known(text: str, language: str) -> list[Span] | None:
    """The colours of this code if they have been found before, or are none."""
    if not language or len(text) > LIMIT:
        return []
    return _found.get((text, language))


def find(text: str, language: str, into: list[Span]) -> Iterator[None]:
    """Find them, in steps."""
    lexer = _lexer(language)
    if lexer is None:
        return
    for count, (at, token, value) in enumerate(lexer.get_tokens_unprocessed(text)):
        if kind := _kind(token):
            into.append((at, len(value), kind))
        if count % _STEP == _STEP - 1:
            yield


def remember(text: str, language: str, spans: list[Span]) -> None:
    """Keep the colours of code that is finished, for the next time it comes into sight."""
    _found[text, language] = spans
    while len(_found) > _KEPT:
        _found.popitem(last=False)


class Lexers(QObject):
    """Which languages can be read at once, and the others made ready."""

    arrived = Signal(str)
    """A language that was asked for is ready, or turned out to be none."""

    def __init__(self) -> None:
        super().__init__()
        self._ready = {""}
        self._coming: set[str] = set()
        self.arrived.connect(self._ready.add)

    def ready(self, language: str) -> bool:
        """Whether `find` takes no time for this one; if not, `arrived` tells when."""
        if language in self._ready:
            return True
        if language not in self._coming:
            self._coming.add(language)
            QThreadPool.globalInstance().start(partial(self._load, language))
        return False

    def _load(self, language: str) -> None:
        for name in (language, *_INSIDE.get(language, ())):
            _lexer(name)
        try:
            self.arrived.emit(language)
        except RuntimeError:  # the program has ended
            return


@cache
def lexers() -> Lexers:
    """The only ones; to be called in the thread of the window."""
    return Lexers()


@lru_cache(64)
def _lexer(language: str) -> "Lexer | None":
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language)
    except ClassNotFound:
        return None


@lru_cache(400)
def _kind(token: object) -> str:
    name = str(token)
    return next((kind for prefix, kind in _KINDS if name.startswith(prefix)), "")
