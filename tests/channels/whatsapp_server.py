"""The other end of WhatsApp's library: what its client is told and asked, with the library's own protobufs.

There is no server of WhatsApp that a test could have: the real one proves who it is by a key that is built
into the library. So the library's client is another (`whatsapp_library`), and all else is as it is.
"""

import asyncio
import base64
import contextlib
import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Self

from desktop import frames
from tests.channels.loopback import Call, Json, Loopback

LIBRARY = str(Path(__file__).parent / "whatsapp_library")
if LIBRARY not in sys.path:
    sys.path.insert(0, LIBRARY)  # before the real one: that starts Go in this process

from neonize.proto import Neonize_pb2 as protos  # noqa: E402
from neonize.proto.waCommon.WACommon_pb2 import MessageKey  # noqa: E402
from neonize.proto.waE2E import WAWebProtobufsE2E_pb2 as e2e  # noqa: E402
from neonize.utils.jid import build_jid  # noqa: E402

__all__ = ["MessageKey", "e2e", "protos"]

BOT, BOT_LID = "491700000001", "90000000000001"
ALICE, ALICE_LID = "491701234567", "10000000000007"
MALLORY, MALLORY_LID = "15550000666", "10000000000666"
GROUP = "120363000000000001@g.us"
_KEY = "bm9ib2R5IGtub3dzIHRoaXMga2V5IG9mIGEgdGVzdCE="
CODES = tuple(f"2@{number}{_KEY}{_KEY},{_KEY},{_KEY},{_KEY}" for number in range(6))
"""As long as the real ones."""


class WhatsAppServer(Loopback):
    """One account, and one linked device of it."""

    def __init__(self) -> None:
        super().__init__()
        self.linked = True
        """Whether the account has the device."""
        self.hellos: list[Json] = []
        self.said: list[Json] = []
        """What the device sent: `to`, `id`, `message` (a protobuf), `text`."""
        self.uploads: dict[str, tuple[str, bytes]] = {}
        self.typing: list[str] = []
        self.numbers: dict[str, str] = {}
        """Phone numbers by hidden IDs, as the library knows them."""
        self.phones: list[str] = []
        self.online = True
        self.offline: list[tuple[str, str]] = []
        """Events that wait until the device is there."""
        self._tcp: asyncio.Server | None = None
        self._inside: dict[asyncio.StreamWriter, Json] = {}
        self._ids = 0

    # ---- its life

    async def start(self) -> Self:
        """Listen."""
        self._tcp = await asyncio.start_server(self._enter, "127.0.0.1", self.port)
        self.port = self._tcp.sockets[0].getsockname()[1]
        return self

    async def stop(self) -> None:
        """Listen no more."""
        if self._tcp is not None:
            self._tcp.close()
        self.cut()

    def cut(self) -> None:
        """Every connection ends."""
        for writer in self._inside:
            writer.transport.abort()
        self._inside.clear()

    @property
    def connected(self) -> bool:
        """Whether the device is there."""
        return bool(self._inside)

    async def _enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            hello = await _frame(reader)
            self.hellos.append(hello)
            self._inside[writer] = hello
            self.changed()
            if hello["device"] and self.online:
                self._welcome()
            while True:
                self._answer(writer, await _frame(reader))
                self.changed()
        self._inside.pop(writer, None)
        writer.close()
        self.changed()

    def _welcome(self) -> None:
        if not self.linked:
            self.log_out()
            return
        self.tell(protos.Connected(status=True))
        waiting, self.offline = self.offline, []
        for kind, data in waiting:
            self._send({"op": "event", "kind": kind, "data": data})

    def _answer(self, writer: asyncio.StreamWriter, asked: Json) -> None:
        error, result = "", {}
        fault = self._fault(asked["what"])
        if fault is not None:
            if fault.silent:
                self.keep(Call(asked["what"], asked["given"], error="silent"))
                return
            error = fault.body.decode() or f"server returned error {fault.status}"
            if not (fault.status or fault.body):
                writer.transport.abort()
                return
        else:
            try:
                result = getattr(self, f"_on_{asked['what']}")(**asked["given"])
            except KeyError as missing:
                error = f"download failed with status code 404: {missing}"
        self.keep(Call(asked["what"], asked["given"], result=result, error=error))
        answer = {"op": "answer", "id": asked["id"], "error": error, "result": result}
        writer.write(frames.pack(answer))

    # ---- what the device asks

    def _on_send(self, to: str, message: str) -> Json:
        self._ids += 1
        content = e2e.Message.FromString(base64.b64decode(message))
        one = {"to": to, "id": f"3EB0OURS{self._ids}", "message": content, "text": words(content)}
        self.said.append(one)
        return {"id": one["id"]}

    def _on_upload(self, data: str, kind: str) -> Json:
        return {"path": self.store(base64.b64decode(data), kind)}

    def _on_download(self, path: str) -> Json:
        return {"data": base64.b64encode(self.uploads[path][1]).decode()}

    def _on_typing(self, to: str, state: str) -> Json:
        self.typing.append(to)
        return {}

    def _on_presence(self, presence: str) -> Json:
        assert presence == "UNAVAILABLE"  # else the person's phone keeps still
        return {}

    def _on_number(self, lid: str) -> Json:
        return {"jid": f"{self.numbers[lid]}@s.whatsapp.net" if lid in self.numbers else ""}

    def _on_blocklist(self) -> Json:
        return {}

    def _on_pair_phone(self, phone: str) -> Json:
        self.phones.append(phone)
        return {"code": "ABCD-1234"}

    def _on_logout(self) -> Json:
        self.linked = False
        return {}

    # ---- what happens

    def tell(self, event: Any) -> None:
        """Tell the device of something; later, where it is not there."""
        data = base64.b64encode(_filled(event).SerializeToString()).decode()
        kind = event.DESCRIPTOR.name
        if self.connected:
            self._send({"op": "event", "kind": kind, "data": data})
        else:
            self.offline.append((kind, data))

    def show_code(self, code: str) -> None:
        """A code to scan."""
        self._send({"op": "qr", "code": code})

    def scan(self) -> None:
        """The phone took the code."""
        self.linked = True
        jid = f"{BOT}:7@s.whatsapp.net"
        self._send({"op": "pair", "jid": jid, "lid": f"{BOT_LID}:7@lid", "name": "Nano"})
        self.tell(protos.PairStatus(ID=_jid(jid), Status=protos.PairStatus.SUCCESS))
        self.tell(protos.Connected(status=True))

    def log_out(self) -> None:
        """The person takes the device off the list on their phone."""
        self.linked = False
        self.tell(protos.LoggedOut(OnConnect=False, Reason=protos.LOGGED_OUT))

    def crash(self) -> None:
        """The library aborts, as Go does."""
        self._send({"op": "crash"})

    def write(
        self,
        text: str = "",
        *,
        by: str = ALICE,
        lid: str = "",
        group: str = "",
        content: Any = None,
        mine: bool = False,
        at: float = 0.0,
        id_: str = "",
        name: str = "Alice",
        chat: str = "",
    ) -> str:
        """Somebody writes; the message's id. `lid`: their hidden ID; empty `by`: nobody says whose."""
        self._ids += 1
        id_ = id_ or f"3A{self._ids:06}"
        number, hidden = f"{by}@s.whatsapp.net" if by else "", f"{lid}@lid" if lid else ""
        sender, other = (hidden, number) if lid else (number, "")
        source = protos.MessageSource(
            Chat=_jid(group or chat or sender),
            Sender=_jid(sender),
            IsFromMe=mine,
            IsGroup=bool(group),
        )
        if other:
            source.SenderAlt.CopyFrom(_jid(other))
        moment = int((at or time.time()) * 1000)
        info = protos.MessageInfo(
            MessageSource=source, ID=id_, Pushname=name, Timestamp=moment, Type="text"
        )
        message = content if content is not None else e2e.Message(conversation=text)
        self.tell(protos.Message(Info=info, Message=message, IsEdit=False))
        return id_

    def edit(self, id_: str, text: str, *, by: str = ALICE) -> None:
        """Somebody changes a message of theirs."""
        change = e2e.ProtocolMessage(
            key=MessageKey(ID=id_, remoteJID=f"{by}@s.whatsapp.net", fromMe=True),
            type=e2e.ProtocolMessage.MESSAGE_EDIT,
            editedMessage=e2e.Message(conversation=text),
        )
        self.write(by=by, content=e2e.Message(protocolMessage=change))

    def store(self, data: bytes, kind: str = "MediaDocument") -> str:
        """A file that is there; the path by which it is fetched."""
        path = f"/v/t62/{len(self.uploads)}"
        self.uploads[path] = (kind, data)
        return path

    def media(self, data: bytes, **more: Any) -> Json:
        """What a message says of a file."""
        there = {"directPath": self.store(data), "mediaKey": b"k" * 32, "fileLength": len(data)}
        return there | more

    def _send(self, frame: Json) -> None:
        for writer in self._inside:
            writer.write(frames.pack(frame))


def words(content: Any) -> str:
    """What people read of a message."""
    for name in ("imageMessage", "videoMessage", "documentMessage"):
        if content.HasField(name):
            return str(getattr(content, name).caption)
    return str(content.conversation or content.extendedTextMessage.text)


def link(home: Path, jid: str = BOT, lid: str = BOT_LID) -> None:
    """A home whose program is linked to the account already."""
    folder = home / "channels" / "whatsapp"
    folder.mkdir(parents=True, mode=0o700)
    with closing(sqlite3.connect(folder / "account.db")) as database, database:
        database.execute("CREATE TABLE whatsmeow_device (jid TEXT PRIMARY KEY, lid TEXT, push_name TEXT)")
        row = (f"{jid}:7@s.whatsapp.net", f"{lid}:7@lid", "Nano")
        database.execute("INSERT INTO whatsmeow_device VALUES (?, ?, ?)", row)


def environment(port: int) -> dict[str, str]:
    """What has WhatsApp's process find the server."""
    before = os.environ.get("PYTHONPATH", "")
    here = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, (LIBRARY, here, before)))
    return {"PYTHONPATH": path, "NANOBOT_TEST_WHATSAPP": str(port)}


@contextlib.contextmanager
def reachable(port: int) -> Iterator[None]:
    """Programs of this process find the server, too."""
    before = {name: os.environ.get(name) for name in environment(port)}
    os.environ |= environment(port)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def _filled(event: Any) -> Any:
    """With all that the library always sends, empty as it may be."""
    for field in event.DESCRIPTOR.fields:
        if field.message_type and (
            field.is_required or (not field.is_repeated and event.HasField(field.name))
        ):
            inside = getattr(event, field.name)
            inside.SetInParent()
            if field.message_type.full_name.startswith("neonize."):
                _filled(inside)
        elif field.is_required and not event.HasField(field.name):
            value = field.enum_type.values[0].number if field.enum_type else field.default_value
            setattr(event, field.name, value)
    return event


def _jid(text: str) -> Any:
    user, _at, server = text.partition("@")
    user, _colon, device = user.partition(":")
    made = build_jid(user, server)
    made.Device = int(device or 0)
    return made


async def _frame(reader: asyncio.StreamReader) -> Json:
    size = int.from_bytes(await reader.readexactly(4), "big")
    found: Json = json.loads(await reader.readexactly(size))
    return found
