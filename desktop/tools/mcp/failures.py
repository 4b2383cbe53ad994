"""What can go wrong with a server, as one sentence and a remedy, whatever the SDK made of it.

Its task groups wrap what happened in groups of groups, and a server that ended looks like any closed
connection; the transports know more and say it first.
"""

import os
from collections.abc import Iterator

from desktop.errors import AppError, explain
from desktop.logs import masked
from desktop.text import _


class SignInNeeded(AppError):
    """The server wants the person to sign in."""

    def __init__(self) -> None:
        super().__init__(
            _("The server requires you to sign in."),
            _("Sign in under Settings, MCP servers, or with: nanobot-desktop mcp sign-in NAME"),
        )


class RightsNeeded(SignInNeeded):
    """The server wants more rights than the sign-in gave."""

    def __init__(self, rights: frozenset[str]) -> None:
        super().__init__()
        named = said(" ".join(sorted(rights)))
        self.text = (
            _("The server needs more permissions for this: {rights}.").format(rights=named)
            if named
            else _("The server needs more permissions for this than you granted.")
        )


class Misconfigured(AppError):
    """It cannot work before its settings, or this computer, change: trying again is no use."""


def told(error: BaseException, known: AppError | None = None) -> AppError:
    """The sentence for what the SDK raised; `known`: what the transport saw."""
    if known is not None:
        return known
    leaves = list(_leaves(error))
    for leaf in leaves:
        if isinstance(leaf, AppError):
            return leaf
        if isinstance(leaf, ImportError):
            return explain(leaf)
    for leaf in leaves:
        if (sentence := _sentence(leaf)) is not None:
            return sentence
    return explain(leaves[0] if leaves else error)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _sentence(error: BaseException) -> AppError | None:
    import httpx2
    from mcp import MCPError
    from pydantic import ValidationError

    if isinstance(error, httpx2.TimeoutException | TimeoutError):
        return AppError(
            _("The server did not respond in time."),
            _("Check whether it works elsewhere, or try again later."),
        )
    if isinstance(error, httpx2.TransportError):
        return unreachable(error)
    if isinstance(error, httpx2.HTTPStatusError):
        return refused(error.response.status_code)
    if isinstance(error, httpx2.InvalidURL):
        return Misconfigured(_("The server’s address is not valid."), _("Correct it."))
    if isinstance(error, MCPError):
        text = said(error.message)
        return AppError(
            _("The server returned an error: {text}").format(text=text),
            _("Its log may say more. For an older server, set its protocol to legacy."),
        )
    if isinstance(error, ValidationError):
        return AppError(
            _("The server’s response does not follow the protocol."),
            _("Check for a newer version of the server."),
        )
    return None


def unreachable(error: BaseException) -> AppError:
    """Nobody answers at the address."""
    cause: BaseException | None = error
    while cause is not None and not (isinstance(cause, OSError) and cause.errno):
        cause = cause.__cause__ or cause.__context__
    reason = os.strerror(cause.errno) if isinstance(cause, OSError) and cause.errno else said(str(error))
    return AppError(
        _("The server can’t be reached: {reason}.").format(reason=reason or type(error).__name__),
        _("Check the address and that the server is running."),
    )


def silent_for(seconds: float) -> AppError:
    """It was started, or reached, and said nothing."""
    return AppError(
        _("The server did not respond within {seconds:.0f} s.").format(seconds=seconds),
        _("Check that it is an MCP server; its log may say more."),
    )


def refused(status: int) -> AppError:
    """The address answered with an HTTP status that is a failure."""
    if status == 401:
        return SignInNeeded()
    if status == 403:
        return AppError(
            _("The server denied access (403)."), _("Check the key in its headers, or sign in again.")
        )
    if status == 404:
        return AppError(
            _("There is no MCP server at this address (404)."), _("Check the end of the address.")
        )
    return AppError(
        _("The server returned the status {status}.").format(status=status),
        _("Try again later. If it keeps happening, contact whoever runs the server."),
    )


def said(text: str) -> str:
    """What a server said, as one short line without secrets."""
    line = " ".join(masked(text).split())
    return line if len(line) <= 300 else f"{line[:300]}…"
