"""Keeps numpy away from PyInstaller's helpers under Wine 8, whose C library has no complex numbers: whoever
imports it is ended. It is packed all the same, as it is found without being imported."""

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec


class _Away(MetaPathFinder):
    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        if name.partition(".")[0] == "numpy":
            raise ImportError(name)
        return None


if any("isolated" in word for word in sys.orig_argv):
    sys.meta_path.insert(0, _Away())
