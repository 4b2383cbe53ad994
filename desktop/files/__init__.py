"""The one opener for files under a place that a tool can write: by handle, never by name again.

A command in the sandbox may put a link where the program looks for a file of its own, and may change it
while the program looks. So no link is followed unless its target was judged, and what was judged is
opened by a way on which no link is followed any more.
"""

from desktop.files.links import Judge, judge_links
from desktop.files.mounted import mounted
from desktop.files.names import lookalike
from desktop.files.opened import NotPlain, Opened, WriteProtected
from desktop.files.place import UNFINISHED, Entry, Place
from desktop.files.seen import Seen, seen
from desktop.files.walk import Found, walk
from desktop.files.ways import Astray, Name

__all__ = [
    "UNFINISHED",
    "Astray",
    "Entry",
    "Found",
    "Judge",
    "Name",
    "NotPlain",
    "Opened",
    "Place",
    "Seen",
    "WriteProtected",
    "judge_links",
    "lookalike",
    "mounted",
    "seen",
    "walk",
]
