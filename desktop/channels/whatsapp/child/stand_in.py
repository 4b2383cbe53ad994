"""In the place of python-magic, which wants a system library that most computers lack.

The library imports it to guess types of files that it is not told; it is told all of them here.
"""

import sys
from types import ModuleType


def without_magic() -> None:
    """Have it found under that name. To be called before the library is imported."""
    module = ModuleType("magic", "Not the real one.")
    module.from_buffer = module.from_file = _refuse  # type: ignore[attr-defined]
    sys.modules["magic"] = module


def _refuse(*_given: object, **_more: object) -> str:
    raise RuntimeError("the type of a file has to be given")
