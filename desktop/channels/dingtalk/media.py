"""Files that come with messages: from DingTalk's own servers, and from others that the settings name."""

from http import HTTPStatus
from urllib.parse import urljoin, urlsplit

import aiohttp

from desktop.channels.dingtalk.rest import Rest, unreachable
from desktop.channels.newfile import PIECE, NewFile, NotFetched
from desktop.config.channels.dingtalk import Dingtalk as Settings
from desktop.text import _

_FILE = aiohttp.ClientTimeout(total=1800, sock_read=60)
_MOST_HOPS = 5


async def fetch(rest: Rest, settings: Settings, ref: str, file: NewFile) -> None:
    """Write a file: `ref` is an address, or the code of a robot and that of a file. Raises as
    Channel.fetch()."""
    robot, blank, code = ref.partition(" ")
    if not blank:
        _allow(rest, settings, ref)
        await _write(rest, settings, ref, file)
        return
    body = {"downloadCode": code, "robotCode": robot or rest.client}
    url = str((await rest.call("/v1.0/robot/messageFiles/download", body)).get("downloadUrl") or "")
    if not (rest.own(url) or url.startswith("https://")):
        raise _not_had()
    await _write(rest, settings, url, file)


async def _write(rest: Rest, settings: Settings, url: str, file: NewFile) -> None:
    try:
        for _hop in range(_MOST_HOPS):
            async with rest.session.get(
                url, proxy=rest.proxy, timeout=_FILE, allow_redirects=False
            ) as answer:
                if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    raise unreachable()
                if answer.status == HTTPStatus.OK:
                    await file.write(answer.content.iter_chunked(PIECE))
                    return
                if not (next_ := answer.headers.get("Location")):
                    raise _not_had()
            url = urljoin(url, next_)
            _allow(rest, settings, url)
    except ValueError as error:  # it is no address
        raise _not_had() from error
    except (aiohttp.ClientError, TimeoutError) as error:
        raise unreachable() from error
    raise _not_had()


def _allow(rest: Rest, settings: Settings, url: str) -> None:
    """Raises NotFetched for a server that is neither DingTalk's nor named."""
    if rest.own(url):
        return
    parts = urlsplit(url)
    named = {one.lower() for one in settings.remote_media_redirect_allowed_hosts}
    allowed = settings.allow_remote_media_redirects and (parts.hostname or "").lower() in named
    if not (allowed and parts.scheme == "https"):
        raise NotFetched(_("The file is on a server that is not DingTalk’s."))


def _not_had() -> NotFetched:
    return NotFetched(_("The file could not be received."))
