"""Why a shortcut for everywhere does not work."""

from desktop.text import mark

TAKEN = mark("The shortcut {keys} is used by another program.")
NO_KEY = mark("{keys} can’t be used as a global shortcut.")
NO_WAY = mark("This desktop has no global shortcuts.")
