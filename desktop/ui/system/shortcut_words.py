"""Why a shortcut for everywhere does not work."""

from desktop.text import mark

TAKEN = mark("Another program has the shortcut {keys}.")
NO_KEY = mark("{keys} cannot be a shortcut for everywhere.")
NO_WAY = mark("This desktop has no shortcuts for programs.")
