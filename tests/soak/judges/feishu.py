"""Feishu's own client as a bot that says what it heard: python feishu.py URL APPID SECRET.

See ../vendors.py.
"""

import json
import sys
from typing import Any

import lark_oapi as lark  # type: ignore[import-not-found]
from lark_oapi.api.im.v1 import (  # type: ignore[import-not-found]
    CreateMessageReactionRequest,
    CreateMessageReactionRequestBody,
    Emoji,
    ReplyMessageRequest,
    ReplyMessageRequestBody,
)
from lark_oapi.event.callback.model.p2_card_action_trigger import (  # type: ignore[import-not-found]
    P2CardActionTriggerResponse,
)

URL, APP_ID, SECRET = sys.argv[1:]


class Bot:
    """Answers with what it heard."""

    def __init__(self) -> None:
        self.api = lark.Client.builder().app_id(APP_ID).app_secret(SECRET).domain(URL).build()

    def heard(self, event: Any) -> None:
        """Somebody wrote."""
        message = event.event.message
        words = f"Heard {json.loads(message.content)['text'][:40]}"
        emoji = CreateMessageReactionRequestBody.builder().reaction_type(
            Emoji.builder().emoji_type("THUMBSUP").build()
        )
        request = CreateMessageReactionRequest.builder().message_id(message.message_id)
        self.api.im.v1.message_reaction.create(request.request_body(emoji.build()).build())
        body = ReplyMessageRequestBody.builder().msg_type("interactive").content(json.dumps(_card(words)))
        reply = ReplyMessageRequest.builder().message_id(message.message_id)
        self.api.im.v1.message.reply(reply.request_body(body.build()).build())

    def pressed(self, event: Any) -> Any:
        """Somebody pressed the button."""
        told = event.event.action.value["data"]
        return P2CardActionTriggerResponse({"toast": {"type": "info", "content": f"Pressed {told}"}})


def _card(words: str) -> dict[str, Any]:
    value = {"type": "callback", "value": {"data": "yes"}}
    row = {"tag": "button", "text": {"tag": "plain_text", "content": "Yes"}, "behaviors": [value]}
    column = {"tag": "column", "elements": [row]}
    elements = [{"tag": "markdown", "content": words}, {"tag": "column_set", "columns": [column]}]
    return {"schema": "2.0", "body": {"elements": elements}}


def main() -> None:
    """Until it is ended."""
    bot = Bot()
    handler = (
        lark.EventDispatcherHandler.builder("", "")
        .register_p2_im_message_receive_v1(bot.heard)
        .register_p2_card_action_trigger(bot.pressed)
        .build()
    )
    lark.ws.Client(APP_ID, SECRET, event_handler=handler, domain=URL).start()


main()
