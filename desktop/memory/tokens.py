"""How many tokens a request will cost: one function, offline, never on the loop.

For models of the tiktoken families the count is exact, from data that comes along. For all others it is the
session's own estimate times a factor that is learned from what the provider says each request had.
"""

import logging
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from desktop.files import Place
from desktop.providers.windows import data_folder
from desktop.session.model import Message, message_tokens, text_tokens

if TYPE_CHECKING:
    from tiktoken import Encoding

_FAMILIES = (
    (("gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "o1", "o3", "o4", "chatgpt-4o"), "o200k_base"),
    (("gpt-4", "gpt-3.5", "gpt-35"), "cl100k_base"),
)
_FILES = {
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
}
"""tiktoken's names for its data in a folder of its own: the SHA-1 of the address it would come from."""
_PER_MESSAGE, _PER_REQUEST = 3, 3
_KEPT = 20_000
"""Texts whose count is remembered."""
_LEAST, _MOST = 0.25, 4.0
_log = logging.getLogger(__name__)


def family(model: str) -> str:
    """The tiktoken encoding of a model; empty where it has none."""
    name = model.rpartition("/")[2].lower()
    return next((encoding for begins, encoding in _FAMILIES if name.startswith(begins)), "")


def estimate(messages: Iterable[Message], schemas: Sequence[Mapping[str, Any]] = ()) -> int:
    """About how many tokens a request has, for a model that nothing is known of yet."""
    return sum(map(message_tokens, messages)) + sum(text_tokens(str(schema)) for schema in schemas)


class Meter:
    """Counts for all models; may be used in threads."""

    def __init__(self) -> None:
        self._factors: dict[str, float] = {}
        self._counts: dict[str, dict[str, int]] = {}
        self._lock = threading.Lock()

    def factor(self, model: str) -> float:
        """Tokens of this model for each token of an estimate."""
        return self._factors.get(model, 1.0)

    def learn(self, model: str, estimated: int, real: int) -> None:
        """What was estimated at so much had so many: the next estimate will be nearer."""
        if estimated > 0 and real > 0:
            self._factors[model] = min(_MOST, max(_LEAST, real / estimated))

    def exact(
        self, model: str, messages: Iterable[Message], schemas: Sequence[Mapping[str, Any]] = ()
    ) -> int:
        """The tokens of a request to a model of a tiktoken family; 0 where it is of none, or where the data
        is not here. Blocks: call it in a thread."""
        name = family(model)
        encoding = self._encoding(name) if name else None
        if encoding is None:
            return 0
        counts = self._counts.setdefault(name, {})
        total = _PER_REQUEST
        for message in messages:
            total += _PER_MESSAGE + sum(_count(encoding, counts, text) for text in _texts(message))
        return total + sum(_count(encoding, counts, str(schema)) for schema in schemas)

    def _encoding(self, name: str) -> "Encoding | None":
        folder = data_folder()
        if folder is None or not Place(folder).exists(_FILES[name]):
            _log.info("there is no data for %s", name)  # tiktoken would go to the network for it
            return None
        import tiktoken

        with self._lock:
            before = os.environ.get("TIKTOKEN_CACHE_DIR")
            os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
            try:
                return tiktoken.get_encoding(name)
            finally:
                if before is None:
                    del os.environ["TIKTOKEN_CACHE_DIR"]
                else:
                    os.environ["TIKTOKEN_CACHE_DIR"] = before


def _count(encoding: "Encoding", counts: dict[str, int], text: str) -> int:
    known = counts.get(text)
    if known is None:
        if len(counts) >= _KEPT:
            counts.clear()
        known = counts[text] = len(encoding.encode_ordinary(text))
    return known


def _texts(message: Message) -> Iterable[str]:
    """The texts that a message is sent as."""
    yield str(message.get("role"))
    content = message.get("content")
    if isinstance(content, str):
        runtime = message.get("_runtime")
        yield f"{content}\n\n{runtime}" if isinstance(runtime, str) else content
    elif isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        yield from (text for text in parts if isinstance(text, str))
    for call in message.get("tool_calls") or ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            yield f"{function.get('name')}{function.get('arguments')}"
