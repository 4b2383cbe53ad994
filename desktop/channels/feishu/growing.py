"""Cards whose words are typed while an answer is written.

Such a card is made first and then sent by its id: https://open.feishu.cn/document/cardkit-v1/
streaming-updates-openapi-overview. It may change as often as needed, where a message may be edited some
twenty times. An app without the permission cardkit:card:write gets cards that are edited.
"""

import json
import time
from typing import Any
from urllib.parse import quote

from desktop.channels.channel import Gone, MarkupRefused, NotDelivered
from desktop.channels.feishu.cards import WORDS, card, summary
from desktop.channels.feishu.rest import Rest, data
from desktop.channels.message import Part
from desktop.text import _

type Json = dict[str, Any]

_BETWEEN = "/"
"""In our id of such a message: the id of the message, and that of its card."""
_LARGEST = 2**31
_MOST_EDITS, _MOST_EDITED = 15, 500


class Growing:
    """The cards of one app that are being written."""

    def __init__(self, rest: Rest) -> None:
        self._rest = rest
        self._allowed = True
        self._last = 0
        self._edits: dict[str, int] = {}

    async def made(self, part: Part) -> tuple[str, str]:
        """A new one: its id and the content of the message that shows it; two empty texts where the app may
        make none. Raises as Rest.call()."""
        if not self._allowed or not part.markup:
            return "", ""
        try:
            asked = {"type": "card_json", "data": card(part, grows=True)}
            id_ = str(data(await self._rest.call("POST", "/cardkit/v1/cards", asked)).get("card_id") or "")
        except NotDelivered:
            id_ = ""
        self._allowed = bool(id_)
        return id_, json.dumps({"type": "card", "data": {"card_id": id_}}) if id_ else ""

    async def found(self, message: str) -> str:
        """Our id of a message that may show such a card."""
        try:
            found = await self._rest.call("POST", "/cardkit/v1/cards/id_convert", {"message_id": message})
        except (NotDelivered, MarkupRefused, Gone):
            return message
        return named(message, str(data(found).get("card_id") or ""))

    def edit(self, message: str) -> None:
        """A message without such a card is edited, and more of it comes. Raises Gone where the edits that
        are left are kept for the end."""
        number = self._edits.pop(message, 0) + 1
        self._edits[message] = number
        if len(self._edits) > _MOST_EDITED:
            del self._edits[next(iter(self._edits))]
        if number > _MOST_EDITS:
            raise Gone(_("Feishu lets a message be edited only so often."))

    async def grow(self, id_: str, part: Part) -> None:
        """Show more words. Raises as Rest.call()."""
        path = f"{_path(id_)}/elements/{WORDS}/content"
        await self._rest.call("PUT", path, self._next({"content": part.markup or part.plain}))

    async def end(self, id_: str, part: Part) -> None:
        """Show all of it, and no more comes. Raises as Rest.call(), and Gone where that is not possible."""
        whole = {"card": {"type": "card_json", "data": card(part)}}
        config = {"config": {"streaming_mode": False, "summary": summary(part)}}
        try:
            await self._rest.call("PUT", _path(id_), self._next(whole))
            await self._rest.call(
                "PATCH", f"{_path(id_)}/settings", self._next({"settings": json.dumps(config)})
            )
        except NotDelivered as error:
            raise Gone(error.text) from error

    def _next(self, body: Json) -> Json:
        """Each change of a card has a higher number than the one before, also after a start."""
        self._last = max(self._last + 1, int(time.time() * 10) % _LARGEST)
        return body | {"sequence": self._last}


def named(message: str, card_id: str) -> str:
    """Our id of a message that shows this card, if any."""
    return f"{message}{_BETWEEN}{card_id}" if card_id else message


def is_growing(id_: str) -> bool:
    """Whether this id of ours is that of a message with a card of its own."""
    return _BETWEEN in id_


def _path(id_: str) -> str:
    return f"/cardkit/v1/cards/{quote(id_.partition(_BETWEEN)[2], safe='')}"
