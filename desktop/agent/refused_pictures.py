"""Which pictures a server takes: one that it refuses is left out alone, and not sent there again.

A picture may be whole by our own look and still be refused, and then the whole request is: every later turn
of the conversation would fail with it. So those that were never accepted are left out one by one, the
newest first, until the server answers. What came of it is known as long as the program runs.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from desktop.providers.base import BadRequest, Endpoint, Request

_MOST_TRIES = 8
_REFUSALS = (400, 413, 415, 422)


@dataclass(slots=True)
class _Known:
    """What one server is known to think of pictures, by their paths."""

    accepted: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)


class Sight:
    """What servers made of the pictures that they were sent."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str], _Known] = {}

    def known(self, endpoint: Endpoint) -> Endpoint:
        """The endpoint with the pictures that its server refused."""
        return _without(endpoint, self._of(endpoint).refused) if endpoint.rules.pictures else endpoint

    def tries(self, request: Request, error: BadRequest) -> Iterator[Request]:
        """After a refusal: the request without one picture or the other, in the end without any. None where
        pictures cannot be the reason."""
        shown = self._shown(request)
        if error.status not in _REFUSALS or not shown:
            return
        known = self._of(request.endpoint)
        new = [path for path in shown if path not in known.accepted]
        sets = [{path} for path in new[:_MOST_TRIES]] + [set(new), set(shown)]
        tried: list[set[str]] = []
        for left_out in sets:
            if left_out and left_out not in tried:
                tried.append(left_out)
                refused = known.refused | left_out
                yield replace(request, endpoint=_without(request.endpoint, refused))

    def answered(self, request: Request) -> frozenset[str]:
        """The server took this request; the pictures that were left out of it for the first time."""
        if not request.endpoint.rules.pictures:
            return frozenset()
        known = self._of(request.endpoint)
        known.accepted.update(self._shown(request))
        left_out = request.endpoint.rules.refused - known.refused
        known.refused |= left_out
        return left_out

    def _of(self, endpoint: Endpoint) -> _Known:
        return self._known.setdefault((endpoint.provider, endpoint.base_url, endpoint.model), _Known())

    def _shown(self, request: Request) -> list[str]:
        """The pictures that are shown in a request, the newest first."""
        rules = request.endpoint.rules
        if not rules.pictures:
            return []
        found: dict[str, None] = {}
        for message in reversed(request.messages):
            images = message.get("_images")
            for path in reversed(images if isinstance(images, list) else []):
                if isinstance(path, str) and path not in rules.refused:
                    found.setdefault(path)
        return list(found)


def _without(endpoint: Endpoint, refused: set[str]) -> Endpoint:
    if endpoint.rules.refused == refused:
        return endpoint
    return endpoint.ruled(replace(endpoint.rules, refused=frozenset(refused)))
