"""How large the window of a model is, from the table that comes with litellm, read without importing it."""

import importlib.util
import logging
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_TABLE = "model_prices_and_context_window_backup.json"
_SIZE = re.compile(rb'"max_input_tokens"\s*:\s*(\d+)')
_log = logging.getLogger(__name__)


@cache
def window_of(model: str, prefix: str) -> int:
    """Tokens of question and answer of a model; 0 where the table does not know it. Blocks some ms.

    `prefix`: litellm's word for the provider ("gemini"), empty for none. The table is searched as text:
    parsing all of it would hold up everything else for longer than a frame.
    """
    table = _table()
    for name in _names(model, prefix):
        start = table.find(f'\n    "{name}": {{'.encode())
        entry = table[start : table.find(b"\n    }", start)] if start >= 0 else b""
        if size := _SIZE.search(entry):
            return int(size[1])
    return 0


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
