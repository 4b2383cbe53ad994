"""Encryption, as far as it needs doing: keys are offered and shared, and what can’t be read yet waits."""

import time
from dataclasses import dataclass
from typing import Any

from nio import EncryptionError

from desktop.channels.matrix.client import Client
from desktop.errors import AppError
from desktop.services.service import SignInNeeded

_WAITS_S = 12.0
"""How long the key of a message may come after it."""
_MOST = 200


@dataclass(frozen=True, slots=True)
class Sealed:
    """A message whose key is not there."""

    room: str
    event: Any
    since: float


class Keys:
    """Those of one device."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._sealed: dict[str, Sealed] = {}
        """By the ids of the messages."""

    @property
    def waiting(self) -> bool:
        """Whether the key of a message may still come."""
        return bool(self._sealed)

    async def tend(self) -> None:
        """What is to be done after each look at what is new. Raises SignInNeeded."""
        client = self._client
        if client.olm is None:
            return
        try:
            if client.should_upload_keys:
                await client.keys_upload()
            if client.should_query_keys:
                await client.keys_query()
            if client.should_claim_keys:
                await client.keys_claim(client.get_users_for_key_claiming())
            await client.send_to_device_messages()
        except SignInNeeded:
            raise
        except AppError:
            return  # it is all still to be done, and is tried with the next look

    async def share(self, room: Any) -> None:
        """Have everybody in a room able to read what is sent next. Raises AppError."""
        client = self._client
        if not room.members_synced:
            await client.joined_members(room.room_id)
        if client.should_query_keys:
            await client.keys_query()
        if not client.olm.should_share_group_session(room.room_id):
            return
        client.not_shared = None
        try:
            await client.share_group_session(room.room_id, ignore_unverified_devices=True)
        finally:
            client.sharing_session.pop(room.room_id, None)  # nio leaves it behind when a call fails
        if client.not_shared:
            client.invalidate_outbound_session(room.room_id)
            raise client.not_shared

    def proved(self, event: Any) -> bool:
        """Whether a message that was encrypted came from a device of who is said to have sent it. nio looks
        only where the device was verified."""
        devices = self._client.device_store.active_user_devices(event.sender)
        return any(device.curve25519 == event.sender_key for device in devices)

    def put_by(self, room: str, event: Any) -> None:
        """Its key is not there yet."""
        if len(self._sealed) < _MOST:
            self._sealed.setdefault(event.event_id, Sealed(room, event, time.monotonic()))

    def opened(self) -> list[tuple[str, Any]]:
        """The messages whose key came meanwhile, with their rooms."""
        found = []
        for sealed in tuple(self._sealed.values()):
            if event := self.open(sealed.room, sealed.event):
                del self._sealed[sealed.event.event_id]
                found.append((sealed.room, event))
        return found

    def given_up(self) -> list[Sealed]:
        """Those whose key did not come in time; they are forgotten."""
        late = time.monotonic() - _WAITS_S
        found = [sealed for sealed in self._sealed.values() if sealed.since < late]
        for sealed in found:
            del self._sealed[sealed.event.event_id]
        return found

    def open(self, room: str, event: Any) -> Any:
        """A message decrypted; None where its key is not there."""
        if self._client.olm is None:
            return None
        event.room_id = room
        try:
            return self._client.decrypt_event(event)
        except EncryptionError:
            return None
