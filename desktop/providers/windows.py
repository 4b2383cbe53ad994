"""How large the window of a model is and what it costs, from the table that comes with litellm, read
without importing it."""

import importlib.util
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_TABLE = "model_prices_and_context_window_backup.json"
_SIZE = re.compile(rb'"max_input_tokens"\s*:\s*(\d+)')
_log = logging.getLogger(__name__)


_PRICES = tuple(
    re.compile(rb'"' + name + rb'"\s*:\s*([0-9.eE+-]+)')
    for name in (
        b"input_cost_per_token",
        b"output_cost_per_token",
        b"cache_read_input_token_cost",
        b"cache_creation_input_token_cost",
        b"output_cost_per_reasoning_token",
    )
)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for one token."""

    asked: float
    answered: float
    cached: float
    """Of a token of the question that the server still knew."""
    written: float
    """Of one that it was told to know the next time."""
    thought: float
    """Of one that was reasoning."""


@cache
def price_of(model: str, prefix: str) -> Price | None:
    """What the table says of this very provider's model; None where it says nothing, or nought, which is as
    much. Blocks some ms."""
    if not (model and prefix):
        return None
    names = [f"{prefix}/{model}", *([model] if prefix in _UNPREFIXED else [])]
    for name in names:
        found = [pattern.search(_entry(name)) for pattern in _PRICES]
        asked, answered, cached, written, thought = (float(match[1]) if match else 0.0 for match in found)
        if asked > 0 or answered > 0:
            return Price(asked, answered, cached or asked, written or asked, thought or answered)
    return None


_UNPREFIXED = ("openai", "anthropic")
"""Whose models stand in the table by their names alone."""


@cache
def window_of(model: str, prefix: str) -> int:
    """Tokens of question and answer of a model; 0 where the table does not know it. Blocks some ms.

    `prefix`: litellm's word for the provider ("gemini"), empty for none. The table is searched as text:
    parsing all of it would hold up everything else for longer than a frame.
    """
    for name in _names(model, prefix):
        if size := _SIZE.search(_entry(name)):
            return int(size[1])
    return 0


def _entry(name: str) -> bytes:
    """What the table says of a model, as text."""
    table = _table()
    start = table.find(f'\n    "{name}": {{'.encode())
    return table[start : table.find(b"\n    }", start)] if start >= 0 else b""


def data_folder() -> Path | None:
    """Where litellm keeps the data of tokenizers."""
    spec = importlib.util.find_spec("litellm")
    return Path(spec.origin).parent / "litellm_core_utils" / "tokenizers" if spec and spec.origin else None


def _table() -> bytes:
    folder = data_folder()
    try:
        return (folder.parent.parent / _TABLE).read_bytes() if folder else b""
    except OSError as error:
        _log.info("the table of models cannot be read: %s", error)
        return b""


def _names(model: str, prefix: str) -> Iterator[str]:
    if not model:
        return
    if prefix:
        yield f"{prefix}/{model}"
    yield model
    if "/" in model:
        yield model.rpartition("/")[2]
