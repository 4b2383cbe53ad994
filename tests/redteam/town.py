"""Chat apps beside the program in the private network, and the people who write to it over them.

Alice is the person whose program it is. Bob may write, Mallory may not.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.channels.loopback import Call, InThread, Json
from tests.channels.slack_server import ALICE as SLACK_ALICE
from tests.channels.slack_server import MALLORY as SLACK_MALLORY
from tests.channels.slack_server import SlackServer
from tests.channels.telegram_server import ALICE, MALLORY, TelegramServer
from tests.channels.telegram_world import person, private
from tests.redteam.attempt import TOKENS
from tests.redteam.lab import Call as ToolCall
from tests.redteam.lab import Lab, until

__all__ = ["ALICE", "BOB", "MALLORY", "SLACK_ALICE", "SLACK_MALLORY", "Town", "private", "town"]

BOB = person(77, "Bob", "bob")


@dataclass
class Town:
    """The apps, each in a thread, and one group in which all three are."""

    lab: Lab
    telegram: InThread[TelegramServer] = field(default_factory=lambda: InThread(TelegramServer()))
    slack: InThread[SlackServer] = field(default_factory=lambda: InThread(SlackServer()))
    group: Json = field(default_factory=dict)

    def begin(self) -> None:
        """Switch the apps on."""
        self.telegram.__enter__()
        self.slack.__enter__()
        self.group = self.telegram.do(lambda server: server.group())
        self.lab.set(
            **{
                "channels.messagesPerMinute": 600,
                "channels.telegram.apiBase": self.telegram.server.url,
                "channels.telegram.owner": str(ALICE["id"]),
                "channels.telegram.allowFrom": [str(BOB["id"])],
                "channels.telegram.groupAllowFrom": [str(self.group["id"])],
                "channels.telegram.enabled": True,
                "channels.slack.apiBase": self.slack.server.base_url,
                "channels.slack.owner": str(SLACK_ALICE["id"]),
                "channels.slack.enabled": True,
            }
        )

    # ---- what people do

    def write(self, text: str, by: Json = ALICE, *, group: bool = False, **more: Any) -> Json:
        """Somebody writes over Telegram, in private or in the group to the bot; the message."""
        where = self.group if group else private(by)
        words = f"@nano_bot {text}" if group and text else text
        made: Json = self.telegram.do(lambda server: server.write(words, chat=where, by=by, **more))
        return made["message"]  # type: ignore[no-any-return]

    def attach(self, name: str, by: Json) -> None:
        """Somebody sends a file of this name."""
        self.telegram.do(lambda server: server.attach("document", b"x", name, by=by))

    def press(self, message: Json, data: str, by: Json) -> None:
        """Somebody presses a button."""
        self.telegram.do(lambda server: server.press(message, data, by=by))

    def has_the_agent(self, text: str, *steps: ToolCall, by: Json = BOB, **more: Any) -> Json:
        """Somebody writes, and the model takes these steps, as a text that obeys them would have it."""
        token = next(TOKENS)
        for number, step in enumerate(steps):
            words = f"{text} {token}" if not number else f"unused {token}"
            self.lab.server.when(words, f"use:{json.dumps([list(step)])}")
        return self.write(f"{text} {token}", by, **more)

    def question(self, command: str) -> Call:
        """Alice asks for a command, in private; the question as the bot put it to her."""
        self.has_the_agent("Do it", ("exec", {"command": command}), by=ALICE)
        return self.telegram.run(
            self.telegram.server.sent(
                lambda call: call.name == "sendMessage" and call["reply_markup"] and command in call["text"]
            )
        )

    # ---- what came of it

    def said(self, to: Json) -> list[str]:
        """What the bot wrote to somebody."""
        calls = self.telegram.do(lambda server: list(server.calls))
        return [
            str(call["text"])
            for call in calls
            if call.name in ("sendMessage", "editMessageText") and str(call["chat_id"]) == str(to["id"])
        ]

    def sent(self, found: Callable[[str], object], to: Json) -> bool:
        """Whether the bot writes something like that to somebody, within seconds."""
        return until(lambda: any(found(text) for text in self.said(to)), 15)

    def alive(self) -> bool:
        """The harmless twin, and the end of what was before: Alice asks and is answered."""
        token = next(TOKENS)
        self.lab.server.when(token, f"say:Heard {token}.")
        self.write(f"Hello {token}")
        return self.sent(lambda text: f"Heard {token}" in text, ALICE)

    def slack_alive(self) -> bool:
        """The same over Slack."""
        token = next(TOKENS)
        self.lab.server.when(token, f"say:Heard {token}.")
        self.slack.do(lambda server: server.write(f"Hello {token}"))
        found = self.slack.server.sent(
            lambda call: call.name == "chat.postMessage" and f"Heard {token}" in call["text"]
        )
        return bool(self.slack.run(found))

    def tried(self, word: str) -> bool:
        """Whether the model called a tool with this word, and what came of it: asked for, or refused."""
        waits = any(word in str(n.body) for n in self.lab.ask(lambda api: api.inbox.list()).notices)
        bodies = [seen.body["messages"] for seen in self.lab.server.requests]
        return waits or any(word in str(one.get("tool_calls")) for body in bodies for one in body)

    def asked(self, word: str) -> bool:
        """Whether the model was asked with this word in the last message."""
        return any(word in str(seen.body["messages"][-1]) for seen in self.lab.server.requests)


_TOWNS: dict[int, Town] = {}


def town(lab: Lab) -> Town:
    """The one of this program; made and switched on where there is none."""
    if id(lab) not in _TOWNS:
        _TOWNS[id(lab)] = Town(lab)
        _TOWNS[id(lab)].begin()
    found = _TOWNS[id(lab)]
    lab.server.forget()
    return found
