"""More chat apps beside the program in the private network: QQ, Feishu, DingTalk and Mochat.

In each, the first person is the one whose program it is, the second may write, the third may not.
"""

import json
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

from tests.channels import dingtalk_server, feishu_server, mochat_server, qq_server
from tests.channels.app import App
from tests.channels.apps import QQ, DingTalk, Feishu, Mochat
from tests.channels.loopback import Json
from tests.redteam.attempt import TOKENS
from tests.redteam.lab import Lab, until

OWNER, GUEST, STRANGER = 0, 1, 2
KINDS: tuple[type[QQ | DingTalk | Feishu | Mochat], ...] = (QQ, DingTalk, Feishu, Mochat)


@singledispatch
def in_group(chat: App, text: str, by: int, **_more: Any) -> None:
    """Somebody mentions the bot in a group."""
    raise NotImplementedError(chat.name)


@in_group.register
def _(chat: QQ, text: str, by: int, **more: Any) -> None:
    chat.peer.do(lambda there: there.write(text, by=chat.people[by], group=qq_server.GROUP, **more))


@in_group.register
def _(chat: DingTalk, text: str, by: int, **more: Any) -> None:
    group = dingtalk_server.GROUP
    chat.peer.do(lambda there: there.write(text, by=chat.people[by], group=group, **more))


@in_group.register
def _(chat: Feishu, text: str, by: int, **more: Any) -> None:
    me: Json = {"key": "@_user_1", "id": {"open_id": feishu_server.ME}, "name": "Nano"}
    told: Json = {"mentions": [me]} | more
    group = feishu_server.GROUP
    chat.peer.do(lambda there: there.write(f"@_user_1 {text}", by=chat.people[by], group=group, **told))


@in_group.register
def _(chat: Mochat, text: str, by: int, **more: Any) -> None:
    told: Json = {"mention": True} | more
    chat.peer.do(lambda there: there.write(text, by=chat.people[by], panel=mochat_server.PANEL, **told))


@dataclass
class Apps:
    """The four, each in a thread."""

    lab: Lab
    stack: ExitStack = field(default_factory=ExitStack)
    chats: dict[str, App] = field(default_factory=dict)

    def begin(self) -> None:
        """Switch them on, and wait until they are up."""
        settings: Json = {"channels.messagesPerMinute": 600}
        for kind in KINDS:
            chat = self.chats[kind.name] = kind(self.stack, 3)
            told = {"owner": chat.people[OWNER], "allowFrom": [chat.people[GUEST]], "enabled": True}
            named = {**chat.settings(), **told}
            settings |= {f"channels.{chat.name}.{name}": value for name, value in named.items()}
        settings["channels.mochat.replyDelayMs"] = 86_400_000
        self.lab.set(**settings)
        assert until(lambda: self.chats.keys() <= self._running(), 30)

    def of[C: App](self, kind: type[C]) -> C:
        """One of them."""
        found = self.chats[kind.name]
        assert isinstance(found, kind)
        return found

    def _running(self) -> set[str]:
        return {one.name for one in self.lab.ask(lambda api: api.channels.all()) if one.state == "running"}

    def obeys(self, text: str, token: str) -> None:
        """The model runs a command where the last message has this text, as one that obeys it would."""
        self.lab.server.when(text, f'use:[["exec", {{"command": "touch {token}"}}]]')

    def said(self, chat: App, words: str) -> bool:
        """Whether the bot says something with these words, to anybody, within seconds."""
        return until(lambda: any(words in text for text in chat.said()), 20)

    def alive(self, chat: App) -> bool:
        """The harmless twin, and the end of what was before: the person asks and is answered."""
        token = next(TOKENS)
        self.lab.server.when(token, f"say:Heard {token}.")
        chat.write(f"Hello {token}", OWNER)
        return self.said(chat, f"Heard {token}")

    def asked(self, words: str) -> bool:
        """Whether the model was asked with these words."""
        bodies = [
            json.dumps(seen.body["messages"], ensure_ascii=False) for seen in self.lab.server.requests
        ]
        return any(words in body for body in bodies)


_APPS: dict[int, Apps] = {}


def apps(lab: Lab) -> Apps:
    """Those of this program; made and switched on where there are none."""
    if id(lab) not in _APPS:
        _APPS[id(lab)] = Apps(lab)
        _APPS[id(lab)].begin()
    lab.server.forget()
    return _APPS[id(lab)]
