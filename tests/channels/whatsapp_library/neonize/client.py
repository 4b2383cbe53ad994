"""The part of the library that speaks with WhatsApp: here it speaks with the server of a test.

It keeps a device as the real one does, tells of events in threads of its own, and knows nothing of the
program.
"""

import base64
import json
import os
import queue
import socket
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Any

from desktop import frames
from neonize.exc import (
    DownloadError,
    LogoutError,
    NeonizeError,
    PairPhoneError,
    SendMessageError,
    UploadError,
)
from neonize.proto import Neonize_pb2 as protos
from neonize.utils.jid import build_jid

type Json = dict[str, Any]
SERVER = "NANOBOT_TEST_WHATSAPP"
_TABLE = "CREATE TABLE IF NOT EXISTS whatsmeow_device (jid TEXT PRIMARY KEY, lid TEXT, push_name TEXT)"


class NewClient:
    """As the real one, so far as the program uses it."""

    def __init__(self, name: str, *, uuid: str, props: object) -> None:
        self.name = name
        self._handlers: dict[str, Callable[[Any, Any], None]] = {}
        self._answers: dict[int, queue.SimpleQueue[Json]] = {}
        self._number, self._lock = 0, threading.Lock()
        self._socket: socket.socket
        self._device: tuple[str, str, str] | None = None

    # ---- what is heard

    def qr(self, take: Callable[[Any, bytes], None]) -> None:
        self._handlers["qr"] = take

    def event(self, kind: Any) -> Callable[[Callable[[Any, Any], None]], None]:
        def keep(take: Callable[[Any, Any], None]) -> None:
            self._handlers[kind.DESCRIPTOR.name] = take

        return keep

    def connect(self, proxy: Any = None) -> None:
        with closing(sqlite3.connect(self.name)) as database:
            database.execute(_TABLE)
            self._device = database.execute("SELECT * FROM whatsmeow_device").fetchone()
        try:
            self._socket = socket.create_connection(("127.0.0.1", int(os.environ[SERVER])), 5)
            self._socket.settimeout(None)
            stream = self._socket.makefile("rb")
            address = proxy.proxy_address if proxy else ""
            self._write({"op": "hello", "device": self._device, "proxy": address, "pid": os.getpid()})
            events: queue.SimpleQueue[Json] = queue.SimpleQueue()
            threading.Thread(target=self._tell, args=(events,), daemon=True).start()
            while payload := frames.read(stream):
                frame = json.loads(payload)
                (self._answers[frame["id"]] if frame["op"] == "answer" else events).put(frame)
        except (OSError, ValueError) as error:
            raise NeonizeError(f"failed to dial whatsapp web websocket: {error}") from error

    def _tell(self, events: "queue.SimpleQueue[Json]") -> None:
        while True:
            frame = events.get()
            if frame["op"] == "qr":
                self._handlers["qr"](self, frame["code"].encode())
                continue
            if frame["op"] == "pair":
                self._device = (frame["jid"], frame["lid"], frame["name"])
                with closing(sqlite3.connect(self.name)) as database, database:
                    database.execute("INSERT INTO whatsmeow_device VALUES (?, ?, ?)", self._device)
                continue
            if frame["op"] == "crash":
                os.abort()
            event = getattr(protos, frame["kind"]).FromString(base64.b64decode(frame["data"]))
            if take := self._handlers.get(frame["kind"]):
                take(self, event)

    # ---- what is asked

    def get_me(self) -> Any:
        jid, lid, name = self._device or ("", "", "")
        return protos.Device(JID=_jid(jid), LID=_jid(lid), PushName=name)

    def PairPhone(self, phone: str, _notify: bool, **_more: object) -> str:
        return str(self._ask("pair_phone", PairPhoneError, phone=phone)["code"])

    def send_message(self, to: Any, message: Any) -> Any:
        data = base64.b64encode(message.SerializeToString()).decode()
        done = self._ask("send", SendMessageError, to=f"{to.User}@{to.Server}", message=data)
        return protos.SendResponse(ID=done["id"], Timestamp=0)

    def upload(self, data: bytes, kind: Any) -> Any:
        done = self._ask("upload", UploadError, data=base64.b64encode(data).decode(), kind=kind.name)
        return protos.UploadResponse(
            url="", DirectPath=done["path"], MediaKey=b"k" * 32, FileSHA256=b"s" * 32, FileLength=len(data)
        )

    def download_any(self, message: Any, path: str) -> None:
        ((_field, media),) = message.ListFields()
        done = self._ask("download", DownloadError, path=media.directPath)
        with open(path, "wb") as file:
            file.write(base64.b64decode(done["data"]))

    def send_chat_presence(self, to: Any, state: Any, _media: Any) -> None:
        self._ask("typing", NeonizeError, to=f"{to.User}@{to.Server}", state=state.name)

    def send_presence(self, presence: Any) -> None:
        self._ask("presence", NeonizeError, presence=presence.name)

    def get_pn_from_lid(self, jid: Any) -> Any:
        return _jid(self._ask("number", NeonizeError, lid=jid.User)["jid"])

    def get_blocklist(self) -> None:
        self._ask("blocklist", NeonizeError)

    def logout(self) -> None:
        self._ask("logout", LogoutError)

    def _ask(self, what: str, error: type[Exception], **given: object) -> Json:
        with self._lock:
            self._number += 1
            number = self._number
        self._answers[number] = queue.SimpleQueue()
        self._write({"op": "ask", "what": what, "id": number, "given": given})
        answer = self._answers[number].get()
        del self._answers[number]
        if answer["error"]:
            raise error(answer["error"])
        return dict(answer["result"])

    def _write(self, frame: Json) -> None:
        with self._lock:
            self._socket.sendall(frames.pack(frame))


def _jid(text: str) -> Any:
    user, _at, server = text.partition("@")
    return build_jid(user.partition(":")[0], server) if user else protos.JID()
