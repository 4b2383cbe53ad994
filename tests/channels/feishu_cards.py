"""CardKit of Feishu's on this machine: cards that are made, sent by their id, and typed while they grow.

https://open.feishu.cn/document/cardkit-v1/feishu-card-resource-overview.
"""

import json
from dataclasses import dataclass

from aiohttp import web

from tests.channels.loopback import Call, Json, Refused

NO_SCOPE, OLD_NUMBER, CLOSED, NO_CARD = 99991672, 300317, 300309, 300301


@dataclass
class Card:
    """One, as it is now."""

    content: Json
    message: str = ""
    """The one message that may show it."""
    number: int = 0
    grown: int = 0


class Cards:
    """The cards of one app."""

    def __init__(self) -> None:
        self.all: dict[str, Card] = {}
        self.allowed = True
        self.routes = (
            ("POST", "/cardkit/v1/cards", self._make),
            ("POST", "/cardkit/v1/cards/id_convert", self._convert),
            ("PUT", "/cardkit/v1/cards/{id}", self._replace),
            ("PATCH", "/cardkit/v1/cards/{id}/settings", self._set),
            ("PUT", "/cardkit/v1/cards/{id}/elements/{element}/content", self._grow),
        )

    def sent(self, id_: str, message: str) -> Json:
        """A message shows a card: what it shows."""
        card = self.all[id_]
        assert not card.message, "a card is sent once"
        card.message = message
        return card.content

    def _make(self, _request: web.Request, call: Call) -> Json:
        if not self.allowed:
            raise _no(NO_SCOPE)
        assert call["type"] == "card_json"
        id_ = str(7_000_000_000_000_000_000 + len(self.all))
        self.all[id_] = Card(json.loads(call["data"]))
        return {"data": {"card_id": id_}}

    def _convert(self, _request: web.Request, call: Call) -> Json:
        found = [id_ for id_, card in self.all.items() if card.message == call["message_id"]]
        if not found:
            raise _no(NO_CARD)
        return {"data": {"card_id": found[0]}}

    def _changed(self, request: web.Request, call: Call) -> Card:
        card = self.all.get(request.match_info["id"])
        if card is None:
            raise _no(NO_CARD)
        if call["sequence"] <= card.number or call["sequence"] >= 2**31:
            raise _no(OLD_NUMBER)
        card.number = call["sequence"]
        return card

    def _grow(self, request: web.Request, call: Call) -> Json:
        card = self._changed(request, call)
        if not card.content["config"]["streaming_mode"]:
            raise _no(CLOSED)
        (element,) = [
            one
            for one in card.content["body"]["elements"]
            if one.get("element_id") == request.match_info["element"]
        ]
        element["content"] = call["content"]
        card.grown += 1
        return {"data": {}}

    def _replace(self, request: web.Request, call: Call) -> Json:
        card = self._changed(request, call)
        mode = card.content["config"]["streaming_mode"]
        card.content.clear()
        card.content |= json.loads(call["card"]["data"])
        card.content["config"]["streaming_mode"] = mode  # the settings alone end it
        return {"data": {}}

    def _set(self, request: web.Request, call: Call) -> Json:
        self._changed(request, call).content["config"] |= json.loads(call["settings"])["config"]
        return {"data": {}}


def _no(code: int) -> Refused:
    return Refused(400, {"code": code, "msg": f"no {code}"})
