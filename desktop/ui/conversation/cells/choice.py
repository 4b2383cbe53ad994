"""What a reader chose to see of one entry."""

from dataclasses import dataclass

SHOWN, MORE, LIVE = 24_000, 48_000, 200_000
"""Characters of a message that are shown: at first, more by each press of "Show more", and of an answer
that grew while it was read."""


@dataclass(slots=True)
class Shown:
    """What a reader chose for one entry."""

    unfolded: bool = False
    limit: int = SHOWN
    whole: bool = False
    """Of a call: all of its result."""
