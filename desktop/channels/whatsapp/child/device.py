"""One linked device of an account: what WhatsApp tells it, and what it is asked to do.

The library tells of events in threads of its own. Once the connection is lost it tries by itself for a
while; then this process ends, and the program starts another.
"""

import base64
import logging
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from neonize import client as library
from neonize._binder import ProxySettings
from neonize.client import NewClient
from neonize.proto import Neonize_pb2 as events
from neonize.proto.waCompanionReg.WAWebProtobufsCompanionReg_pb2 import DeviceProps
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message as Content
from neonize.utils import log
from neonize.utils.enum import ChatPresence, ChatPresenceMedia, ClientType, Presence

from desktop.channels.whatsapp.child.made import carried, jid, kind_of, reaction, said
from desktop.channels.whatsapp.child.read import read, written
from desktop.channels.whatsapp.child.spool import Spool

type Json = Mapping[str, Any]

DATABASE = "account.db"
_FIRST_CODE_S, _CODE_S, _GRACE_S = 60.0, 20.0, 3.0
"""How long WhatsApp takes a code, and how much later the next one comes at the latest."""
_BY_NUMBER_S = _FIRST_CODE_S + 5 * _CODE_S
_AWAY_S = 20.0
"""How long the library may try to connect again by itself."""
_MOST_OURS = 2000
_NAME = "Nanobot Desktop"


class _Patient(threading.Event):
    """In the place of the event by which the library waits for its end: it would look five times a second,
    for a Ctrl+C that never comes here."""

    def wait(self, timeout: float | None = None) -> bool:
        return super().wait()


class Device:
    """Of the account in a folder; or one that is to be linked, by a picture or by a phone number."""

    def __init__(self, opening: Json, send: Callable[[Json], object]) -> None:
        """`opening`: folder, proxy, links (to an account: none is there yet), phone."""
        self._send, self._links, self._phone = send, opening["links"], opening["phone"]
        self._proxy = opening["proxy"]
        os.chdir(opening["folder"])  # the library takes a name, not a path
        Path(DATABASE).touch(mode=0o600)
        self._spool, self._told_left = Spool(Path("waiting")), False
        self._codes = 0
        self._ours: dict[str, None] = {}
        self._sending = threading.Lock()
        self._timer: threading.Timer | None = None
        logging.getLogger().setLevel(logging.CRITICAL)
        log.setLevel(logging.CRITICAL)
        props = DeviceProps(os=_NAME, platformType=DeviceProps.DESKTOP)
        self._client = NewClient(DATABASE, uuid="nanobot", props=props)
        self._listen()

    def run(self) -> None:
        """Until it is over; the program is told why."""
        proxy = ProxySettings(proxy_address=self._proxy) if self._proxy else None
        library.ThreadEvent = _Patient
        try:
            self._client.connect(proxy)
        except Exception as error:  # whatever it is, there is no connection
            self._down("unreachable", str(error))
        else:
            self._down("lost")

    def _listen(self) -> None:
        client = self._client
        client.qr(self._code)
        told: dict[Any, Callable[[Any], None]] = {
            events.PairStatus: self._paired,
            events.Connected: lambda _event: self._connected(),
            events.Disconnected: lambda _event: self._away(),
            events.LoggedOut: lambda _event: self._end("logged_out"),
            events.StreamReplaced: lambda _event: self._end("replaced"),
            events.TemporaryBan: lambda event: self._end("banned", str(event.Expire)),
            events.ClientOutdated: lambda _event: self._end("outdated"),
            events.ConnectFailure: lambda event: self._end("refused", event.Message),
            events.Message: self._message,
        }
        for kind, act in told.items():
            client.event(kind)(lambda _client, event, act=act: act(event))

    # ---- how it is linked

    def _code(self, _client: NewClient, code: bytes) -> None:
        """A code to be shown. The library prints those that nobody takes."""
        if not self._links:
            self._end("logged_out")
        seconds = _CODE_S if self._codes else _FIRST_CODE_S
        self._codes += 1
        self._expect(seconds + _GRACE_S, lambda: self._end("expired"))
        if not self._phone:
            self._send({"op": "qr", "code": code.decode(), "seconds": seconds})
        elif self._codes == 1:
            threading.Thread(target=self._by_number, name="pair", daemon=True).start()

    def _by_number(self) -> None:
        try:
            code = self._client.PairPhone(self._phone, True, client_type=ClientType.CHROME)
        except Exception as error:
            self._end("number", str(error))
        self._send({"op": "code", "code": code, "seconds": _BY_NUMBER_S})

    def _paired(self, event: events.PairStatus) -> None:
        if event.Status == events.PairStatus.ERROR:
            self._end("pairing", event.Error)
        self._expect(_BY_NUMBER_S, lambda: self._end("lost"))
        self._send({"op": "paired"})

    def _connected(self) -> None:
        self._expect(0)
        with suppress(Exception):  # others see the account's name only once it was told so
            self._client.send_presence(Presence.UNAVAILABLE)  # or the phone would not ring any more
        me = self._client.get_me()
        self._send(
            {"op": "connected", "me": written(me.JID), "other": written(me.LID), "name": me.PushName}
        )
        if not (self._told_left or self._links):
            self._told_left = True
            for key, message in self._spool.left():
                self._send({"op": "message", "key": key, "kept": True, "message": message})

    def _away(self) -> None:
        self._send({"op": "away"})
        self._expect(_AWAY_S, lambda: self._end("lost"))

    # ---- what comes

    def _message(self, event: events.Message) -> None:
        try:
            message = read(event)
        except Exception as error:  # people write what is in it
            self._send({"op": "odd", "detail": f"{type(error).__name__}: {error}"})
            return
        if message is None or (message["mine"] and self._is_ours(message["id"])):
            return
        if message["sender"].endswith("@lid") and not message["other"]:
            with suppress(Exception):  # nobody told it yet
                message["other"] = written(self._client.get_pn_from_lid(jid(message["sender"])))
        key = ""
        with suppress(OSError):  # a full disk: the program holds it until there is room
            key = self._spool.put(message)
        self._send({"op": "message", "key": key, "kept": False, "message": message})

    def stored(self, key: str) -> None:
        """The program has a message."""
        if key:
            self._spool.drop(key)

    # ---- what is asked of it

    def call(self, what: str, given: Json) -> Json:
        """Do it; what came of it. Raises what the library does, OSError."""
        calls: dict[str, Callable[..., Json]] = {
            "send": self._post,
            "react": self._react,
            "typing": self._typing,
            "fetch": self._fetch,
            "check": self._check,
            "logout": self._logout,
        }
        return calls[what](**given)

    def _post(self, chat: str, text: str, file: str, quote: dict[str, Any] | None) -> Json:
        if file:
            path = Path(file)
            data = path.read_bytes()
            there = self._client.upload(data, kind_of(path)[1])
            message = carried(path, data, there, text, quote)
        else:
            message = said(text, quote)
        return {"id": self._sent(chat, message)}

    def _react(self, chat: str, message: str, sender: str, emoji: str) -> Json:
        self._sent(chat, reaction(chat, message, sender, emoji))
        return {}

    def _sent(self, chat: str, message: Content) -> str:
        with self._sending:
            id_ = str(self._client.send_message(jid(chat), message).ID)
            self._ours[id_] = None
            if len(self._ours) > _MOST_OURS:
                del self._ours[next(iter(self._ours))]
        return id_

    def _is_ours(self, id_: str) -> bool:
        """Whether a message of the account was sent here; the id of one on its way is known at its end."""
        with self._sending:
            return id_ in self._ours

    def _typing(self, chat: str) -> Json:
        kinds = ChatPresence.CHAT_PRESENCE_COMPOSING, ChatPresenceMedia.CHAT_PRESENCE_MEDIA_TEXT
        self._client.send_chat_presence(jid(chat), *kinds)
        return {}

    def _fetch(self, ref: str, to: str) -> Json:
        """Into a file of the account's folder: the program takes it from there."""
        content = Content.FromString(base64.b64decode(ref))
        self._client.download_any(content, to)
        return {}

    def _check(self) -> Json:
        """A question that only the service can answer."""
        self._client.get_blocklist()
        return {}

    def _logout(self) -> Json:
        self._client.logout()
        return {}

    # ---- its end

    def _expect(self, seconds: float, otherwise: Callable[[], object] = lambda: None) -> None:
        """Something is to come within this time; 0: nothing is."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if seconds:
            self._timer = threading.Timer(seconds, otherwise)
            self._timer.daemon = True
            self._timer.start()

    def _down(self, why: str, detail: str = "") -> None:
        self._send({"op": "down", "why": why, "detail": detail[:1000]})

    def _end(self, why: str, detail: str = "") -> None:
        """Tell, and go: from any thread, also one of the library's."""
        self._down(why, detail)
        os._exit(0)
