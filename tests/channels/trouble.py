"""What is done to the chat apps of apps.py on purpose: keys taken back, servers gone or others in their
place, files and names that nobody sends; and a program that speaks with some of them."""

import asyncio
import json
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from functools import partial, singledispatch
from pathlib import Path
from typing import Any
from urllib.parse import quote

from desktop.api.channels import App as Line
from desktop.channels.channels import entry
from desktop.paths import Home
from desktop.services.timing import Timing
from tests.channels.app import App
from tests.channels.apps import QQ, DingTalk, Discord, Feishu, Mochat, Slack, Telegram, WhatsApp
from tests.channels.dingtalk_server import SECRET as DINGTALK_SECRET
from tests.channels.discord_server import TOKEN as DISCORD_TOKEN
from tests.channels.doors import Way
from tests.channels.feishu_server import SECRET as FEISHU_SECRET
from tests.channels.loopback import Upload
from tests.channels.mail import PASSWORD
from tests.channels.mochat_server import TOKEN as MOCHAT_TOKEN
from tests.channels.mochat_server import MochatServer
from tests.channels.qq_server import SECRET as QQ_SECRET
from tests.channels.real_apps import Email, Matrix
from tests.channels.slack_server import APP_TOKEN, BOT_TOKEN
from tests.channels.telegram_server import TOKEN, TelegramServer
from tests.channels.whatsapp_server import WhatsAppServer, e2e
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started

PATIENCE_S = 40.0


class Talks:
    """A program and its apps: who writes what, and what comes back."""

    def __init__(self, desk: Desk, folder: Path, apps: list[App]) -> None:
        self.desk, self.folder, self.apps = desk, folder, {app.name: app for app in apps}
        self._notes = 0

    def note(self) -> str:
        """A text that no other message has."""
        self._notes += 1
        return f"Note {self._notes} of {time.time_ns()}."

    async def write(self, app: App, by: int = 0) -> str:
        """Somebody writes; what."""
        note = self.note()
        await asyncio.to_thread(app.write, note, by)
        return note

    async def answered(self, app: App, note: str) -> None:
        """Wait until somebody has the answer."""
        await until(lambda: any(note in one for one in app.said()), f"no answer to {note} by {app.name}")

    async def ask(self, app: App, by: int = 0) -> None:
        """Write, and have the answer."""
        await self.answered(app, await self.write(app, by))

    async def line(self, app: App) -> Line:
        """What is shown of an app."""
        (found,) = [one for one in await self.desk.api.channels.all() if one.name == app.name]
        return found

    async def state(self, app: App, *wanted: str) -> str:
        """Wait until it is so far; why it is."""
        end = time.monotonic() + PATIENCE_S
        while (line := await self.line(app)).state not in wanted or (
            line.state == "degraded" and not line.detail
        ):
            assert time.monotonic() < end, f"{app.name} is {line.state}: {line.detail}"
            await asyncio.sleep(0.02)
        return line.detail

    async def on(self, app: App, **settings: object) -> None:
        """Switch an app on."""
        core = self.desk.owner.core
        await asyncio.to_thread(app.prepare, self.folder)
        for field, key in keys(app).items():
            core.keychain.remember(entry(app.name, field), key)
        values = {"allowFrom": ["*"], **app.settings(), "enabled": True, **settings}
        await core.change({f"channels.{app.name}.{name}": value for name, value in values.items()})

    async def again(self, app: App) -> None:
        """The person stores its keys anew, or links it."""
        await asyncio.to_thread(app.prepare, self.folder)
        for field, key in keys(app).items():
            self.desk.owner.core.keychain.remember(entry(app.name, field), key)
        await self.desk.owner.core.background.chats.channels.apply(app.name)

    def records(self) -> list[dict[str, Any]]:
        """What is in the conversations. A record that is just being written may be seen in part."""
        logs = (self.folder / "workspace" / "sessions").glob("*.jsonl")
        return [json.loads(line) for log in logs for line in log.read_text("utf-8").split("\n")[:-1]]

    def stored(self, text: str) -> list[dict[str, Any]]:
        """The messages of people that have these words."""
        return [
            one
            for one in self.records()
            if one.get("role") == "user" and text in str(one.get("content")) and "_hidden" not in one
        ]


@asynccontextmanager
async def talking(
    folder: Path,
    server: ScriptedServer,
    apps: list[App],
    ways: dict[str, Way] | None = None,
    model: str = "echo",
) -> AsyncIterator[Talks]:
    """A program that speaks with these apps, and tries again soon what failed."""
    Program(folder).use_server(server.url, model)
    async with started(Home(folder, folder / "models")) as desk:
        core = desk.owner.core
        await core.staying()
        core.background.services._timing = Timing(least=0.05, most=0.2, start=3.0)
        await core.change({"channels.messagesPerMinute": 600})
        talks = Talks(desk, folder, apps)
        for app in apps:
            way = (ways or {}).get(app.name)
            await talks.on(app, **(way.settings if way else {}))
        for app in apps:
            await talks.state(app, "running")
        yield talks


async def until(holds: Callable[[], object], otherwise: str) -> None:
    """Wait for something of which nobody tells. `holds` may block."""
    end = time.monotonic() + PATIENCE_S
    while not await asyncio.to_thread(holds):
        assert time.monotonic() < end, otherwise
        await asyncio.sleep(0.05)


# ---- keys


@singledispatch
def keys(app: App) -> dict[str, str]:
    """The keys that count now, by their fields."""
    raise NotImplementedError(app.name)


@keys.register
def _(_app: Telegram) -> dict[str, str]:
    return {"token": TOKEN}


@keys.register
def _(_app: Slack) -> dict[str, str]:
    return {"botToken": BOT_TOKEN, "appToken": APP_TOKEN}


@keys.register
def _(_app: Discord) -> dict[str, str]:
    return {"token": DISCORD_TOKEN}


@keys.register
def _(app: Matrix) -> dict[str, str]:
    return {"accessToken": app.token}


@keys.register
def _(_app: Email) -> dict[str, str]:
    return {"imapPassword": PASSWORD}


@keys.register
def _(_app: QQ) -> dict[str, str]:
    return {"secret": QQ_SECRET}


@keys.register
def _(_app: DingTalk) -> dict[str, str]:
    return {"clientSecret": DINGTALK_SECRET}


@keys.register
def _(_app: Feishu) -> dict[str, str]:
    return {"appSecret": FEISHU_SECRET}


@keys.register
def _(_app: Mochat) -> dict[str, str]:
    return {"clawToken": MOCHAT_TOKEN}


@keys.register
def _(_app: WhatsApp) -> dict[str, str]:
    return {}


@singledispatch
def revoke(app: App) -> None:
    """Its key is worth nothing any more, while it is in use."""
    raise NotImplementedError(app.name)


@revoke.register(Telegram)
@revoke.register(Discord)
@revoke.register(QQ)
@revoke.register(DingTalk)
@revoke.register(Feishu)
@revoke.register(Mochat)
def _(app: Telegram | Discord | QQ | DingTalk | Feishu | Mochat) -> None:
    app.peer.do(lambda there: there.revoke())


@revoke.register
def _(app: WhatsApp) -> None:
    app.peer.do(lambda there: there.log_out())


@revoke.register
def _(app: Slack) -> None:
    app.peer.do(lambda there: there.revoke(APP_TOKEN))


@revoke.register
def _(app: Matrix) -> None:
    app.server.log_out("bot")


@revoke.register
def _(app: Email) -> None:
    app.server.password_of("bot", password="another")
    app.server.kick("bot")


@singledispatch
def renew(app: App) -> None:
    """Its key counts again; of Matrix it is another one."""
    raise NotImplementedError(app.name)


@renew.register
def _(app: Telegram) -> None:
    app.peer.server.token = TOKEN


@renew.register
def _(app: Discord) -> None:
    app.peer.server.token = DISCORD_TOKEN


@renew.register
def _(app: QQ) -> None:
    app.peer.server.secret = QQ_SECRET


@renew.register
def _(app: DingTalk) -> None:
    app.peer.server.secret = DINGTALK_SECRET


@renew.register
def _(app: Feishu) -> None:
    app.peer.server.secret = FEISHU_SECRET


@renew.register
def _(app: Mochat) -> None:
    app.peer.server.token = app.peer.server.socket_token = MOCHAT_TOKEN


@renew.register
def _(app: WhatsApp) -> None:
    app.peer.server.linked = True


@renew.register
def _(app: Slack) -> None:
    app.peer.server.revoked.clear()


@renew.register
def _(app: Matrix) -> None:
    del app.tokens["bot"]
    app.token = app._token("bot")


@renew.register
def _(app: Email) -> None:
    app.server.password_of("bot", password=PASSWORD)


# ---- what people send


def rename(app: App, name: str) -> None:
    """The second of the people has this name from now on."""
    if isinstance(app, Telegram):
        app.people[1]["first_name"] = name
    elif isinstance(app, Discord):
        app.people[1]["global_name"] = name
    elif isinstance(app, Slack):
        app.people[1]["profile"] |= {"display_name": name, "real_name": name}
    elif isinstance(app, Feishu | Mochat):
        app.peer.server.people[app.people[1]] = name
    elif isinstance(app, WhatsApp):
        app.names[1] = name.replace("\ud83d", "")  # which it can't carry
    elif isinstance(app, Matrix):
        path = f"profile/{quote(app.server.user_id('person1'))}/displayname"
        app._ask("person1", path, {"displayname": name}, method="PUT")


def say(app: Matrix, content: dict[str, object]) -> None:
    """The second of the people says it, whatever it is; servers refuse some."""
    place = f"rooms/{quote(app.chat(1))}/send/m.room.message/{next(app.numbers)}"
    with suppress(urllib.error.HTTPError):
        app._ask("person1", place, content, method="PUT")


@singledispatch
def give(app: App, text: str, files: list[tuple[str, bytes]], by: int = 0) -> None:
    """Somebody sends files in one message, or as near to that as the app has it."""
    raise NotImplementedError(app.name)


@give.register
def _(app: Telegram, text: str, files: list[tuple[str, bytes]], by: int = 0) -> None:
    for number, (name, data) in enumerate(files):
        more = {"media_group_id": "album"} if len(files) > 1 else {}
        caption = {} if number else {"caption": text}
        with_it: dict[str, Any] = {**more, **caption, "by": app.people[by]}
        app.peer.do(partial(_attach, name=name, data=data, with_it=with_it))


def _attach(there: TelegramServer, name: str, data: bytes, with_it: dict[str, Any]) -> None:
    there.attach("document", data, name, **with_it)


@give.register
def _(app: Slack, text: str, files: list[tuple[str, bytes]], by: int = 0) -> None:
    uploads = tuple(Upload(name, "application/octet-stream", data) for name, data in files)
    app.peer.do(lambda there: there.write(text, by=app.people[by], files=uploads))


@give.register
def _(app: Discord, text: str, files: list[tuple[str, bytes]], by: int = 0) -> None:
    uploads = tuple(Upload(name, "application/octet-stream", data) for name, data in files)
    app.peer.do(lambda there: there.write(text, by=app.people[by], files=uploads))


@give.register
def _(app: QQ, text: str, files: list[tuple[str, bytes]], by: int = 0) -> None:
    uploads = tuple(Upload(name, "file", data) for name, data in files)
    app.peer.do(lambda there: there.write(text, by=app.people[by], files=uploads))


@give.register
def _(app: DingTalk, text: str, files: list[tuple[str, bytes]], by: int = 0) -> None:
    """A message with words holds pictures alone; a file is a message without."""
    uploads = tuple(Upload(name, "file", data) for name, data in files)
    app.peer.do(lambda there: there.write(text, by=app.people[by], files=uploads))


@give.register
def _(app: Matrix, text: str, files: list[tuple[str, bytes]], by: int = 0) -> None:
    """Each is a message of its own there."""
    for number, (name, data) in enumerate(files):
        request = urllib.request.Request(f"{app.server.url}/_matrix/media/v3/upload", data, method="POST")
        request.add_header("Authorization", f"Bearer {app._token(f'person{by}')}")
        request.add_header("Content-Type", "application/octet-stream")
        with urllib.request.urlopen(request) as answer:
            uri = json.load(answer)["content_uri"]
        body = {"body": text if not number else name, "filename": name, "url": uri}
        content = {"msgtype": "m.file", "info": {"size": len(data)}, **body}
        place = f"rooms/{quote(app.chat(by))}/send/m.room.message/{next(app.numbers)}"
        app._ask(f"person{by}", place, content, method="PUT")


@give.register
def _(app: Email, text: str, files: list[tuple[str, bytes]], by: int = 0) -> None:
    app.count += 1
    made, sender = EmailMessage(), app.server.address("alice")
    made["Authentication-Results"] = f"mx.nano.test; spf=pass smtp.mailfrom={sender}"
    made["From"], made["To"], made["Subject"] = sender, app.server.address("bot"), f"Files {by}"
    made["Message-ID"] = f"<soak.{app.count}@nano.test>"
    made.set_content(text)
    for name, data in files:
        made.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    app.server.deliver(made, "bot", sender)


@give.register
def _(app: Feishu, text: str, files: list[tuple[str, bytes]], by: int = 0) -> None:
    """Each is a message of its own there, and the text is another."""
    uploads = tuple(Upload(name, "file", data) for name, data in files)
    app.peer.do(lambda there: there.write(text, by=app.people[by], files=uploads))


@give.register
def _(app: Mochat, text: str, files: list[tuple[str, bytes]], by: int = 0) -> None:
    def write(there: MochatServer) -> None:
        told = []
        for number, (name, data) in enumerate(files):
            key = f"{len(there.files)}-{number}"
            there.files[key] = data
            told.append({"url": f"{there.url}/files/{key}", "name": name, "size": len(data)})
        there.write(text, by=app.people[by], meta={"attachments": told})

    app.peer.do(write)


@give.register
def _(app: WhatsApp, text: str, files: list[tuple[str, bytes]], by: int = 0) -> None:
    """Each is a message of its own there."""
    for number, (name, data) in enumerate(files):
        caption = {} if number else {"caption": text.replace("\ud83d", "")}
        made = partial(_document, name=name, data=data, caption=caption, by=app.people[by])
        app.peer.do(made)


def _document(there: WhatsAppServer, name: str, data: bytes, caption: dict[str, str], by: str) -> None:
    about = there.media(data, fileName=name, mimetype="application/octet-stream", **caption)
    there.write(by=by, content=e2e.Message(documentMessage=e2e.DocumentMessage(**about)))


def received_files(app: App) -> dict[str, int]:
    """The files that people got from the bot, by name, with their sizes."""
    if isinstance(app, Telegram | Slack | Discord):
        calls = app.peer.do(lambda there: list(there.calls))
        return {one.name: len(one.data) for call in calls if not call.error for one in call.files.values()}
    if isinstance(app, Email):
        with app.server.log_in("alice") as client:
            client.select_folder("INBOX", readonly=True)
            numbers = client.search()
            bodies = client.fetch(numbers, ["BODY.PEEK[]"]) if numbers else {}
        mails = [
            BytesParser(EmailMessage, policy=default).parsebytes(one[b"BODY[]"]) for one in bodies.values()
        ]
        parts = [part for mail in mails for part in mail.iter_attachments()]
        return {str(part.get_filename()): len(part.get_payload(decode=True) or b"") for part in parts}
    if isinstance(app, WhatsApp):
        sent = app.peer.do(lambda there: [one["message"] for one in there.said])
        documents = [one.documentMessage for one in sent if one.HasField("documentMessage")]
        return {one.fileName: one.fileLength for one in documents}
    if isinstance(app, QQ | DingTalk | Feishu):
        uploads = app.peer.do(lambda there: list(there.uploads.values()))
        return {one.name: len(one.data) for one in uploads}
    assert isinstance(app, Matrix)
    found = {}
    for by, room in app.rooms.items():
        page = app._ask(f"person{by}", f"rooms/{quote(room)}/messages?dir=b&limit=100")
        for event in page["chunk"]:
            content = event["content"]
            if event["sender"] == app.server.user_id("bot") and "url" in content:
                found[content["filename"]] = content["info"]["size"]
    return found
