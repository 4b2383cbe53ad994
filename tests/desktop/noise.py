"""What Qt and its companions say on a stderr that must otherwise stay empty, and that means nothing."""

import re

HARMLESS = re.compile(
    r"org\.freedesktop\.portal"  # a desktop without the portal, as the tests' is
    r"|qt\.accessibility\.atspi: Could not find accessible on path"  # it went while we were looking
    r"|^$"
)


def harmless(line: str) -> bool:
    """Whether a line may be there."""
    return bool(HARMLESS.search(line.strip()))
