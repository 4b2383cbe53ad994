"""Gets the release file: one GET without anything of this computer, the person or the program in it."""

from typing import TYPE_CHECKING
from urllib.parse import urljoin

from desktop.net import way_out
from desktop.updates.release import HUGE, MOST_BYTES, Refused
from desktop.updates.source import is_safe

if TYPE_CHECKING:
    import httpx

_SECONDS, _REDIRECTS = 20.0, 5
_HEADERS = {
    "User-Agent": "NanobotDesktop",
    "Accept": "application/json",
    "Accept-Encoding": "identity",  # what is packed could be any size
}


class Unreachable(Exception):
    """The file did not come: no network, no server, no such file."""


async def fetch(address: str) -> bytes:
    """The bytes of the file. Raises Unreachable, Refused where there are too many, WrongVariable."""
    import httpx

    try:
        async with way_out.client(httpx, timeout=_SECONDS, headers=_HEADERS) as client:
            for _hop in range(_REDIRECTS + 1):
                async with client.stream("GET", address) as response:
                    if not response.is_redirect:
                        return await _body(response)
                    address = urljoin(address, response.headers.get("location", ""))
                if not is_safe(address):
                    raise Unreachable("redirected to an address that is not safe")
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        raise Unreachable(f"{type(error).__name__}: {error}") from error
    raise Unreachable("redirected too often")


async def _body(response: "httpx.Response") -> bytes:
    if response.status_code != 200:
        raise Unreachable(f"status {response.status_code}")
    body = bytearray()
    async for chunk in response.aiter_raw(8192):
        body += chunk
        if len(body) > MOST_BYTES:
            raise Refused(HUGE)
    return bytes(body)
