"""Somebody on Matrix, with matrix-nio as their app: writes to rooms and sees what others write there."""

import asyncio
import io
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

from nio import AsyncClient, AsyncClientConfig, LoginResponse, RoomSendResponse, UploadResponse
from nio.crypto.attachments import decrypt_attachment
from nio.store import SqliteStore

from tests.channels.loopback import Json
from tests.channels.synapse import PASSWORD, Synapse

_PATIENCE_S = 40.0
_ENCRYPTED = {"type": "m.room.encryption", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}


class Person:
    """One app of somebody. `seen` has what came, the oldest first: room, event. The names of agents begin
    with nano."""

    def __init__(self, client: AsyncClient) -> None:
        self.client = client
        self.seen: list[tuple[str, Any]] = []
        self.typing: set[str] = set()
        """Who writes just now, in the last room of which something was told."""
        self.read: set[str] = set()
        """The messages that the agent has read."""

    @classmethod
    async def of(cls, synapse: Synapse, name: str, store: Path | None = None) -> Self:
        """`store`: where their keys are; None for an app without encryption."""
        config = AsyncClientConfig(
            encryption_enabled=store is not None, store=SqliteStore, max_limit_exceeded=3
        )
        client = AsyncClient(synapse.url, synapse.user_id(name), store_path=str(store or ""), config=config)
        assert isinstance(await client.login(PASSWORD), LoginResponse)
        person = cls(client)
        await person.look(0)
        return person

    @property
    def id(self) -> str:
        return str(self.client.user_id)

    async def close(self) -> None:
        await self.client.close()
        if self.client.store:
            self.client.store.database.close()

    # ---- rooms

    async def invite(self, *users: str, encrypted: bool = False) -> str:
        """A new room to which these are invited."""
        state = [_ENCRYPTED] if encrypted else []
        made = await self.client.room_create(
            invite=users,
            is_direct=len(users) == 1,
            initial_state=state,
            name="Friends" if users[1:] else None,
        )
        return str(made.room_id)

    async def joined(self, room: str, user: str) -> None:
        """Wait until somebody has come in."""
        await self.until(lambda: self._came(room, user))

    async def direct(self, user: str, *, encrypted: bool = False) -> str:
        """A room with one other, who has come in."""
        room = await self.invite(user, encrypted=encrypted)
        await self.joined(room, user)
        return room

    def _came(self, room: str, user: str) -> bool:
        return any(
            one == room
            and event.source.get("state_key") == user
            and event.source["content"]["membership"] == "join"
            for one, event in self.seen
            if event.source["type"] == "m.room.member"
        )

    # ---- what they do

    async def say(self, room: str, text: str, **more: object) -> str:
        """Write a message; its ID."""
        return await self.send(room, {"msgtype": "m.text", "body": text} | more)

    async def send(self, room: str, content: Json) -> str:
        sent = await self.client.room_send(room, "m.room.message", content, ignore_unverified_devices=True)
        assert isinstance(sent, RoomSendResponse), sent
        return str(sent.event_id)

    async def rewrite(self, room: str, message: str, text: str) -> str:
        """Edit a message, or try it with somebody else's; the ID of the edit."""
        new: Json = {"msgtype": "m.text", "body": text}
        relation = {"rel_type": "m.replace", "event_id": message}
        return await self.say(room, f"* {text}", **{"m.new_content": new, "m.relates_to": relation})

    async def attach(self, room: str, data: bytes, name: str, kind: str, *, encrypt: bool = False) -> None:
        """Send a file."""
        sent, keys = await self.client.upload(
            io.BytesIO(data), kind, name, encrypt=encrypt, filesize=len(data)
        )
        assert isinstance(sent, UploadResponse), sent
        content: Json = {"msgtype": "m.image", "body": name, "info": {"size": len(data), "mimetype": kind}}
        uri = sent.content_uri
        await self.send(room, content | ({"file": {**keys, "url": uri}} if keys else {"url": uri}))

    async def fetch(self, content: Json) -> bytes:
        """What is in the file of a message."""
        sealed = content.get("file")
        found = await self.client.download(content["url"] if sealed is None else sealed["url"])
        if sealed is None:
            return bytes(found.body)
        keys = (sealed["key"]["k"], sealed["hashes"]["sha256"], sealed["iv"])
        return bytes(decrypt_attachment(found.body, *keys))

    # ---- what they see

    async def look(self, timeout: int = 1000) -> None:
        """Fetch what is new."""
        client = self.client
        found = await client.sync(timeout=timeout, sync_filter={"room": {"timeline": {"limit": 500}}})
        if client.olm:
            if client.should_upload_keys:
                await client.keys_upload()
            if client.should_query_keys:
                await client.keys_query()
            await client.send_to_device_messages()
        for room, info in found.rooms.join.items():
            self.seen += [(room, event) for event in (*info.state, *info.timeline.events)]
            for event in info.ephemeral:
                self.typing = set(getattr(event, "users", self.typing))
                receipts = getattr(event, "receipts", ())
                self.read |= {one.event_id for one in receipts if one.user_id.startswith("@nano")}

    async def until[T](self, found: Callable[[], T]) -> T:
        """Look until there is something."""
        async with asyncio.timeout(_PATIENCE_S):
            while not (what := found()):
                await self.look()
        return what

    def events(self, room: str, kind: str = "m.room.message") -> list[Json]:
        """What the agent sent to a room, decrypted."""
        return [
            event.source
            for one, event in self.seen
            if one == room and event.sender.startswith("@nano") and event.source["type"] == kind
        ]

    def texts(self, room: str) -> list[str]:
        """The messages of the agent in a room, as they are now."""
        shown: dict[str, str] = {}
        for event in self.events(room):
            content, relation = event["content"], event["content"].get("m.relates_to") or {}
            if relation.get("rel_type") == "m.replace":
                shown[relation["event_id"]] = content["m.new_content"]["body"]
            else:
                shown[event["event_id"]] = content["body"]
        return list(shown.values())

    async def hears(self, room: str, *texts: str) -> None:
        """Wait until the messages of the agent in a room are these."""
        try:
            await self.until(lambda: self.texts(room) == list(texts))
        except TimeoutError:
            raise AssertionError(f"{self.texts(room)} instead of {texts}") from None


@asynccontextmanager
async def somebody(synapse: Synapse, name: str, store: Path | None = None) -> AsyncIterator[Person]:
    """A person for as long as it takes."""
    person = await Person.of(synapse, name, store)
    try:
        yield person
    finally:
        await person.close()
