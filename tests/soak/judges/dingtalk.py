"""DingTalk's own client as a robot that says what it heard: python dingtalk.py URL CLIENT SECRET.

See ../vendors.py. It reads where DingTalk is when it is imported, and ends by being killed alone.
"""

import os
import sys
from typing import Any

URL, CLIENT, SECRET = sys.argv[1:]
os.environ["DINGTALK_OPENAPI_ENDPOINT"] = URL

import dingtalk_stream  # type: ignore[import-not-found] # noqa: E402
from dingtalk_stream import AckMessage, ChatbotMessage  # noqa: E402


class Robot(dingtalk_stream.ChatbotHandler):  # type: ignore[misc]
    """Answers with what it heard."""

    async def process(self, callback: Any) -> tuple[int, str]:
        """Somebody wrote."""
        message = ChatbotMessage.from_dict(callback.data)
        words = f"Heard {message.text.content.strip()}"
        if message.conversation_type == "2":
            self.reply_markdown(words, f"**{words}** in a group", message)
        elif self.dingtalk_client.get_access_token():
            self.reply_text(f"{words} of {message.sender_nick}", message)
        return AckMessage.STATUS_OK, "OK"


def main() -> None:
    """Until it is ended."""
    client = dingtalk_stream.DingTalkStreamClient(dingtalk_stream.Credential(CLIENT, SECRET))
    client.register_callback_handler(ChatbotMessage.TOPIC, Robot())
    client.start_forever()


main()
