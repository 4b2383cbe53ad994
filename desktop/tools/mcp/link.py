"""What the owner of a server needs to know of the way to it, whichever way that is."""

from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from desktop.errors import AppError
from desktop.text import _

LARGEST = 32 * 1024 * 1024
"""Bytes that one message of a server may have: a picture of 20 MB in Base64, and some."""


class Link(Protocol):
    """One connection; made anew for each."""

    lost: bool
    """Whether it broke by itself; the bell that it was made with is set then."""
    failure: AppError | None
    """Why, where that is known better here than in what the SDK raises."""

    def made_up(self, error: Any) -> bool:
        """Whether an error (mcp_types.ErrorData) that came this way is the transport's own."""

    def streams(self) -> AbstractAsyncContextManager[Any]:
        """Connect; the SDK's two streams. Leaving it ends all that was started."""


def too_large() -> AppError:
    """A message of the server is over the limit."""
    return AppError(
        _("The server sent more than {size} MB in one message and was disconnected.").format(
            size=LARGEST >> 20
        ),
        _("Ask for less at a time."),
    )
