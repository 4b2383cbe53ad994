"""What the bot says, as cards: they alone have Markdown and buttons, and can be edited as often as needed.

https://open.feishu.cn/document/feishu-cards/card-json-v2-structure.
"""

import json
from typing import Any

from desktop.channels.message import Button, Part

type Json = dict[str, Any]

WORDS = "words"
"""The element with the words of a card."""
_MOST_SUMMARY = 120


def card(part: Part, *, grows: bool = False) -> str:
    """A part as the content of a message of the kind interactive. Without markup nothing in it is read as a
    mark or a mention. `grows`: its words are typed as they come."""
    words: Json = {"tag": "div", "text": {"tag": "plain_text", "content": part.plain}}
    if part.markup:
        words = {"tag": "markdown", "content": part.markup, "element_id": WORDS}
    elements = [words, _row(part.buttons)] if part.buttons else [words]
    config: Json = {"update_multi": True, "streaming_mode": grows, "summary": summary(part)}
    return json.dumps(
        {"schema": "2.0", "config": config, "body": {"elements": elements}}, ensure_ascii=False
    )


def summary(part: Part) -> Json:
    """What the list of chats shows of it."""
    return {"content": " ".join(part.plain.split())[:_MOST_SUMMARY]}


def _row(buttons: tuple[Button, ...]) -> Json:
    columns = [{"tag": "column", "width": "auto", "elements": [_button(button)]} for button in buttons]
    return {"tag": "column_set", "flex_mode": "flow", "columns": columns}


def _button(button: Button) -> Json:
    return {
        "tag": "button",
        "text": {"tag": "plain_text", "content": button.text},
        "behaviors": [{"type": "callback", "value": {"data": button.data}}],
    }
