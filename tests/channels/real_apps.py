"""The chat apps with real servers: a mail server, a homeserver."""

import json
import urllib.request
from contextlib import ExitStack
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from itertools import count
from urllib.parse import quote

from tests.channels.app import PEOPLE, App, Json
from tests.channels.mail import PASSWORD, MailServer
from tests.channels.synapse import PASSWORD as SYNAPSE_PASSWORD
from tests.channels.synapse import Synapse


class Email(App):
    """One person writes by mail: each note is a thread of its own, or each of the people is one."""

    name = "email"

    def __init__(self, stack: ExitStack, _people: int = PEOPLE) -> None:
        self.server = stack.enter_context(MailServer("bot", "alice"))
        self.count = 0
        self.threads = False
        """Whether each of the people is a thread."""
        self.roots: dict[int, str] = {}

    def settings(self) -> Json:
        return {
            "consentGranted": True,
            "imapHost": "127.0.0.1",
            "imapPort": self.server.imaps,
            "imapUsername": self.server.address("bot"),
            "smtpHost": "127.0.0.1",
            "smtpPort": self.server.submission,
            "trustedAuthservIds": ["mx.nano.test"],
        }

    def environment(self) -> dict[str, str]:
        return {
            "NANOBOT_CHANNEL__EMAIL__IMAPPASSWORD": PASSWORD,
            "SSL_CERT_FILE": str(self.server.certificate),
        }

    def write(self, text: str, by: int) -> None:
        self.count += 1
        made, sender = EmailMessage(), self.server.address("alice")
        made["Authentication-Results"] = f"mx.nano.test; spf=pass smtp.mailfrom={sender}"
        made["From"], made["To"], made["Subject"] = sender, self.server.address("bot"), f"Letter {by}"
        made["Message-ID"] = f"<soak.{self.count}@nano.test>"
        if self.threads and (root := self.roots.setdefault(by, made["Message-ID"])) != made["Message-ID"]:
            made["In-Reply-To"] = made["References"] = root
        made.set_content(text)
        self.server.deliver(made, "bot", sender)

    def chat(self, by: int) -> str:
        return self.server.address("alice")

    def waiting(self) -> int:
        return sum("S" not in flags for flags in self.server.flags("bot"))

    def said(self) -> list[str]:
        with self.server.log_in("alice") as client:
            client.select_folder("INBOX", readonly=True)
            numbers = client.search()
            bodies = client.fetch(numbers, ["BODY.PEEK[]"]) if numbers else {}
        parser = BytesParser(EmailMessage, policy=default)
        mails = [parser.parsebytes(one[b"BODY[]"]) for one in bodies.values()]
        parts = [mail.get_body(("plain",)) for mail in mails]
        return [str(part.get_content()).partition("\n>")[0] for part in parts if part is not None]

    def cut(self) -> None:
        self.server.kick("bot")


class Matrix(App):
    """A real homeserver. Each of the people has a room with the bot, which is not encrypted."""

    name = "matrix"
    idempotent = True

    def __init__(self, stack: ExitStack, people: int = PEOPLE) -> None:
        self.server = stack.enter_context(Synapse())
        for name in ("bot", *(f"person{number}" for number in range(people))):
            self.server.register(name)
        self.tokens: dict[str, str] = {}
        self.token = self._token("bot")
        self.rooms: dict[int, str] = {}
        self.numbers = count()

    def settings(self) -> Json:
        return {"homeserver": self.server.url, "userId": self.server.user_id("bot")}

    def environment(self) -> dict[str, str]:
        return {"NANOBOT_CHANNEL__MATRIX__ACCESSTOKEN": self.token}

    def write(self, text: str, by: int) -> None:
        room = quote(self.chat(by))
        self._ask(
            f"person{by}",
            f"rooms/{room}/send/m.room.message/{next(self.numbers)}",
            {"msgtype": "m.text", "body": text},
            method="PUT",
        )

    def chat(self, by: int) -> str:
        if by not in self.rooms:
            invited = {"invite": [self.server.user_id("bot")], "is_direct": True}
            self.rooms[by] = str(self._ask(f"person{by}", "createRoom", invited)["room_id"])
        return self.rooms[by]

    def said(self) -> list[str]:
        """In their last words: an answer that was edited is as it is now."""
        found: list[str] = []
        for by, room in self.rooms.items():
            shown: dict[str, str] = {}
            path = f"rooms/{quote(room)}/messages?dir=f&limit=1000&from="
            start = ""
            while page := self._ask(f"person{by}", path + start):
                for event in page["chunk"]:
                    if event["type"] != "m.room.message" or event["sender"] != self.server.user_id("bot"):
                        continue
                    content = event["content"]
                    edited = content.get("m.relates_to", {})
                    new = content.get("m.new_content", content)
                    shown[edited.get("event_id") if "m.new_content" in content else event["event_id"]] = (
                        new.get("body", "")
                    )
                start = page.get("end", "")
                if not start:
                    break
            found += shown.values()
        return found

    def cut(self) -> None:
        """A homeserver that is too busy for a while."""
        self.server.freeze()
        self.server.thaw()

    def _token(self, name: str) -> str:
        if name not in self.tokens:
            user = {"type": "m.id.user", "user": name}
            body = {"type": "m.login.password", "identifier": user, "password": SYNAPSE_PASSWORD}
            self.tokens[name] = str(self._ask("", "login", body)["access_token"])
        return self.tokens[name]

    def _ask(self, name: str, path: str, body: Json | None = None, method: str = "") -> Json:
        request = urllib.request.Request(
            f"{self.server.url}/_matrix/client/v3/{path}", method=method or ("POST" if body else "GET")
        )
        if name:
            request.add_header("Authorization", f"Bearer {self._token(name)}")
        with urllib.request.urlopen(request, json.dumps(body).encode() if body else None) as answer:
            found: Json = json.load(answer)
        return found
