"""The chat apps of soaks and benchmarks: each with its server, people who write to the bot, what it said.

What a service was told of is not waiting any more; what the bot said is taken from the service, not from
the program.
"""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from tests.channels.app import PEOPLE, App, Json
from tests.channels.dingtalk_server import CLIENT as DINGTALK_CLIENT
from tests.channels.dingtalk_server import SECRET as DINGTALK_SECRET
from tests.channels.dingtalk_server import DingTalkServer
from tests.channels.discord_server import TOKEN as DISCORD_TOKEN
from tests.channels.discord_server import DiscordServer
from tests.channels.discord_world import user as discord_user
from tests.channels.feishu_server import APP_ID as FEISHU_APP
from tests.channels.feishu_server import SECRET as FEISHU_SECRET
from tests.channels.feishu_server import FeishuServer
from tests.channels.loopback import InThread
from tests.channels.mochat_server import AGENT as MOCHAT_AGENT
from tests.channels.mochat_server import TOKEN as MOCHAT_TOKEN
from tests.channels.mochat_server import MochatServer
from tests.channels.qq_server import APP_ID as QQ_APP
from tests.channels.qq_server import SECRET as QQ_SECRET
from tests.channels.qq_server import QQServer
from tests.channels.real_apps import Email, Matrix
from tests.channels.slack_server import APP_TOKEN, BOT_TOKEN, SlackServer
from tests.channels.slack_world import BOT, user
from tests.channels.telegram_server import TOKEN, TelegramServer
from tests.channels.telegram_world import person
from tests.channels.whatsapp_server import WhatsAppServer, link, reachable
from tests.channels.whatsapp_server import environment as whatsapp_environment
from tests.stories.program import Program


class Telegram(App):
    name = "telegram"

    def __init__(self, stack: ExitStack, people: int = PEOPLE) -> None:
        self.peer = stack.enter_context(InThread(TelegramServer()))
        self.people = [person(2000 + number, f"Person {number}") for number in range(people)]

    def settings(self) -> Json:
        return {"apiBase": self.peer.server.url}

    def environment(self) -> dict[str, str]:
        return {"NANOBOT_CHANNEL__TELEGRAM__TOKEN": TOKEN}

    def write(self, text: str, by: int) -> None:
        self.peer.do(lambda there: there.write(text, by=self.people[by]))

    def chat(self, by: int) -> str:
        return str(self.people[by]["id"])

    def waiting(self) -> int:
        return self.peer.do(lambda there: len(there.updates.waiting))

    def said(self) -> list[str]:
        me = self.peer.server.world.me["id"]
        found = self.peer.do(lambda there: list(there.world.messages.values()))
        mine = [message for message in found if message["from"]["id"] == me]
        return [str(message.get("text") or message.get("caption") or "") for message in mine]

    def cut(self) -> None:
        self.peer.do(lambda there: there.cut())


class Slack(App):
    name = "slack"

    def __init__(self, stack: ExitStack, people: int = PEOPLE) -> None:
        self.peer = stack.enter_context(InThread(SlackServer()))
        self.peer.server.socket.retries = 10_000  # Slack itself gives up after three
        self.people = [user(f"U00PERSON{number}", f"Person {number}") for number in range(people)]
        self.peer.server.world.users |= {one["id"]: one for one in self.people}

    def settings(self) -> Json:
        return {"apiBase": self.peer.server.base_url}

    def environment(self) -> dict[str, str]:
        return {
            "NANOBOT_CHANNEL__SLACK__BOTTOKEN": BOT_TOKEN,
            "NANOBOT_CHANNEL__SLACK__APPTOKEN": APP_TOKEN,
        }

    def write(self, text: str, by: int) -> None:
        self.peer.do(lambda there: there.write(text, by=self.people[by]))

    def chat(self, by: int) -> str:
        return str(self.peer.do(lambda there: there.direct(self.people[by]))["id"])

    def waiting(self) -> int:
        return self.peer.do(lambda there: sum(not one.acknowledged for one in there.socket.envelopes))

    def said(self) -> list[str]:
        found = self.peer.do(lambda there: list(there.world.messages.values()))
        return [str(message.get("text") or "") for message in found if message["user"] == BOT]

    def cut(self) -> None:
        self.peer.do(lambda there: there.cut())


class Discord(App):
    """Tells nothing twice: the program reads what it missed, with those whom it knows. Drops what is sent
    twice within minutes."""

    name = "discord"
    idempotent = True

    def __init__(self, stack: ExitStack, people: int = PEOPLE) -> None:
        self.peer = stack.enter_context(InThread(DiscordServer()))
        self.people = [discord_user(5_000_000 + number, f"Person {number}") for number in range(people)]

    def settings(self) -> Json:
        return {"apiBase": self.peer.server.api}

    def environment(self) -> dict[str, str]:
        return {"NANOBOT_CHANNEL__DISCORD__TOKEN": DISCORD_TOKEN}

    def write(self, text: str, by: int) -> None:
        self.peer.do(lambda there: there.write(text, by=self.people[by]))

    def chat(self, by: int) -> str:
        return str(self.peer.do(lambda there: there.direct(self.people[by]))["id"])

    def said(self) -> list[str]:
        found = self.peer.do(lambda there: list(there.world.messages.values()))
        return [str(message["content"]) for message in found if message["author"]["bot"]]

    def cut(self) -> None:
        self.peer.do(lambda there: there.cut())


class QQ(App):
    """Its gateway tells what was missed. Drops what is sent twice."""

    name = "qq"
    idempotent = True

    def __init__(self, stack: ExitStack, people: int = PEOPLE) -> None:
        self.peer = stack.enter_context(InThread(QQServer()))
        self.people = [f"{number:032X}" for number in range(0xA000, 0xA000 + people)]

    def settings(self) -> Json:
        return {"apiBase": self.peer.server.url, "appId": QQ_APP}

    def environment(self) -> dict[str, str]:
        return {"NANOBOT_CHANNEL__QQ__SECRET": QQ_SECRET}

    def write(self, text: str, by: int) -> None:
        self.peer.do(lambda there: there.write(text, by=self.people[by]))

    def chat(self, by: int) -> str:
        return self.people[by]

    def said(self) -> list[str]:
        return self.peer.do(lambda there: [str(one.get("content") or "") for one in there.said])

    def cut(self) -> None:
        self.peer.do(lambda there: there.cut())


class DingTalk(App):
    """Tells again what was not acknowledged."""

    name = "dingtalk"

    def __init__(self, stack: ExitStack, people: int = PEOPLE) -> None:
        self.peer = stack.enter_context(InThread(DingTalkServer()))
        self.people = [f"staff{number}" for number in range(people)]

    def settings(self) -> Json:
        return {"apiBase": self.peer.server.url, "clientId": DINGTALK_CLIENT}

    def environment(self) -> dict[str, str]:
        return {"NANOBOT_CHANNEL__DINGTALK__CLIENTSECRET": DINGTALK_SECRET}

    def write(self, text: str, by: int) -> None:
        self.peer.do(lambda there: there.write(text, by=self.people[by]))

    def chat(self, by: int) -> str:
        return self.people[by]

    def waiting(self) -> int:
        return self.peer.do(lambda there: len(there.waiting))

    def said(self) -> list[str]:
        return self.peer.do(lambda there: [one["text"] for one in there.said])

    def cut(self) -> None:
        self.peer.do(lambda there: there.cut())


class Feishu(App):
    """What was not acknowledged comes again. Drops what is sent twice within an hour."""

    name = "feishu"
    idempotent = True

    def __init__(self, stack: ExitStack, people: int = PEOPLE) -> None:
        self.peer = stack.enter_context(InThread(FeishuServer()))
        self.people = [f"ou_person{number}" for number in range(people)]
        self.peer.server.people |= {id_: f"Person {number}" for number, id_ in enumerate(self.people)}

    def settings(self) -> Json:
        return {"apiBase": self.peer.server.url, "appId": FEISHU_APP}

    def environment(self) -> dict[str, str]:
        return {"NANOBOT_CHANNEL__FEISHU__APPSECRET": FEISHU_SECRET}

    def write(self, text: str, by: int) -> None:
        self.peer.do(lambda there: there.write(text, by=self.people[by]))

    def chat(self, by: int) -> str:
        return self.peer.server.chat(self.people[by])

    def waiting(self) -> int:
        return self.peer.do(lambda there: len(there.waiting))

    def said(self) -> list[str]:
        return self.peer.do(lambda there: [one.text for one in there.said.values()])

    def cut(self) -> None:
        self.peer.do(lambda there: there.cut())


class Mochat(App):
    """Tells nothing twice: the program reads what it missed."""

    name = "mochat"

    def __init__(self, stack: ExitStack, people: int = PEOPLE) -> None:
        self.peer = stack.enter_context(InThread(MochatServer()))
        self.people = [f"u_person{number}" for number in range(people)]
        there = self.peer.server
        there.people |= {id_: f"Person {number}" for number, id_ in enumerate(self.people)}
        for one in self.people:
            there.session(one)

    def settings(self) -> Json:
        return {
            "baseUrl": self.peer.server.url,
            "agentUserId": MOCHAT_AGENT,
            "socketConnectTimeoutMs": 2000,
        }

    def environment(self) -> dict[str, str]:
        return {"NANOBOT_CHANNEL__MOCHAT__CLAWTOKEN": MOCHAT_TOKEN}

    def write(self, text: str, by: int) -> None:
        self.peer.do(lambda there: there.write(text, by=self.people[by]))

    def chat(self, by: int) -> str:
        return self.peer.server.session(self.people[by]).id

    def said(self) -> list[str]:
        return self.peer.do(lambda there: [one["text"] for one in there.said])

    def cut(self) -> None:
        self.peer.do(lambda there: there.cut())


class WhatsApp(App):
    """The other end of its library: see whatsapp_server. It tells each message once; the process keeps what
    the program has not stored."""

    name = "whatsapp"

    def __init__(self, stack: ExitStack, people: int = PEOPLE) -> None:
        self.peer = stack.enter_context(InThread(WhatsAppServer()))
        stack.enter_context(reachable(self.peer.server.port))
        self.people = [f"49170{number:07}" for number in range(people)]
        self.names = [f"Person {number}" for number in range(people)]

    def settings(self) -> Json:
        return {}

    def environment(self) -> dict[str, str]:
        return whatsapp_environment(self.peer.server.port)

    def prepare(self, home: Path) -> None:
        if not (home / "channels" / "whatsapp").exists():
            link(home)

    def write(self, text: str, by: int) -> None:
        self.peer.do(lambda there: there.write(text, by=self.people[by], name=self.names[by]))

    def chat(self, by: int) -> str:
        return f"{self.people[by]}@s.whatsapp.net"

    def said(self) -> list[str]:
        return self.peer.do(lambda there: [one["text"] for one in there.said])

    def cut(self) -> None:
        self.peer.do(lambda there: there.cut())


APPS: dict[str, Callable[[ExitStack, int], App]] = {
    one.name: one
    for one in (Telegram, Slack, Discord, Matrix, Email, QQ, DingTalk, Feishu, Mochat, WhatsApp)
}


def apps(stack: ExitStack, people: int = PEOPLE) -> list[App]:
    """All that can be had here, and whose service tells again what was not heard: mail needs root, as its
    servers do, and WhatsApp tells once."""
    without = {WhatsApp.name} if os.getuid() == 0 else {WhatsApp.name, Email.name}
    return [make(stack, people) for name, make in APPS.items() if name not in without]


def let_in(program: Program, there: Sequence[App], **more: Json) -> None:
    """Switch these apps on; everybody may write, as often as they like. `more`: settings by app."""
    config = program.home / "config.json"
    settings: Json = json.loads(config.read_text("utf-8"))
    settings["channels"] = {"messagesPerMinute": 600, "dailyMessages": 100_000}
    for app in there:
        program.environment |= app.environment()
        app.prepare(program.home)
        told = {"enabled": True, "allowFrom": ["*"], **app.settings(), **more.get(app.name, {})}
        settings["channels"][app.name] = told
    config.write_text(json.dumps(settings), "utf-8")
