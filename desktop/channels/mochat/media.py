"""Files that come with messages, by addresses that somebody wrote: through the guarded way out."""

from collections.abc import AsyncIterator
from http import HTTPStatus

from desktop.channels.mochat.rest import Rest, unreachable
from desktop.channels.newfile import PIECE, NewFile, NotFetched
from desktop.net.client import Client, FetchError, Refused
from desktop.text import _


async def fetch(client: Client, rest: Rest, url: str, file: NewFile) -> None:
    """Write a file. The server that the settings name may be anywhere, all others are public ones. Raises
    as Channel.fetch()."""
    try:
        page = await client.fetch(url, configured=rest.own(url))
    except Refused as error:
        raise NotFetched(_("The file’s address is not on the public internet.")) from error
    except FetchError as error:
        raise unreachable() from error
    if page.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise unreachable()
    if page.status != HTTPStatus.OK:
        raise NotFetched(_("The file could not be received."))
    if page.cut:
        raise NotFetched(_("The file is too large."))
    await file.write(_pieces(page.body))


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), PIECE):
        yield body[start : start + PIECE]
