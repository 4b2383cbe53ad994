"""D-Bus as tests speak it: calls with a deadline, and many calls at once, on this or another bus.

A tree is read again and again until something is in it, thousands of calls each time, and most calls and
most answers are those of the time before. What jeepney wrote or read once, it need not write or read anew.
"""

import importlib
import os
import struct
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Self

# Only Linux has it, and it has no types.
_jeepney: Any = importlib.import_module("jeepney")
_blocking: Any = importlib.import_module("jeepney.io.blocking")
_low_level: Any = importlib.import_module("jeepney.low_level")

_SERIAL = slice(8, 12)
"""Where its number is in a message."""
_REPLY_TO = b"\x05\x01u\0"
"""What is before the number of the call, in the head of an answer, at a multiple of eight."""


class BusError(Exception):
    """The other side answered with an error; its name and its words."""


@dataclass(frozen=True)
class Call:
    """A method call: where to, which method, and its arguments with their signature."""

    service: str
    path: str
    interface: str
    method: str
    signature: str | None = None
    arguments: tuple[Any, ...] = field(default=(), hash=False)  # there may be a list among them

    @staticmethod
    def reading(service: str, path: str, interface: str, name: str) -> "Call":
        """The call that reads a property."""
        return Call(service, path, "org.freedesktop.DBus.Properties", "Get", "ss", (interface, name))


class Bus:
    """A connection to a bus, for one thread."""

    def __init__(self, address: str = "", seconds: float = 10) -> None:
        self._connection = _blocking.open_dbus_connection(
            address or os.environ["DBUS_SESSION_BUS_ADDRESS"], auth_timeout=seconds
        )
        self._connection.parser = _Answers(self._connection.parser)
        self._seconds = seconds

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def call(self, service: str, path: str, method: str, signature: str = "", *arguments: Any) -> Any:
        """Call `interface.Method`; its result, unpacked if it is one value. Raises BusError."""
        interface, _, name = method.rpartition(".")
        result = self.together([Call(service, path, interface, name, signature or None, arguments)])[0]
        if isinstance(result, BusError):
            raise result
        return result

    def read(self, service: str, path: str, interface: str, name: str) -> Any:
        """Read a property."""
        result = self.together([Call.reading(service, path, interface, name)])[0]
        if isinstance(result, BusError):
            raise result
        return result

    def together(self, calls: Iterable[Call]) -> list[Any]:
        """Send all calls before the first answer is awaited. What failed is a BusError in the list."""
        serials, messages = [], []
        for call in calls:
            message, serial = bytearray(_written(call)), next(self._connection.outgoing_serial)
            message[_SERIAL] = struct.pack("<I", serial)
            serials.append(serial)
            messages.append(message)
        self._connection.sock.sendall(b"".join(messages))
        return self._answers(serials)

    def _answers(self, serials: list[int]) -> list[Any]:
        missing, answers = set(serials), dict[int, Any]()
        deadline = time.monotonic() + self._seconds
        while missing:
            try:
                left = max(0, deadline - time.monotonic())
                serial, value = self._connection.receive(timeout=left)
            except TimeoutError:
                answers |= {serial: BusError("no answer in time") for serial in missing}
                break
            if serial in missing:
                missing.discard(serial)
                answers[serial] = value
        return [answers[serial] for serial in serials]


class _Answers(_low_level.Parser):  # type: ignore[misc] # it has no types
    """Makes of what comes the number of the call that it answers, 0 if none, and the value."""

    def __init__(self, before: Any) -> None:
        super().__init__()
        self.buf = before.buf

    def get_next_message(self) -> tuple[int, Any] | None:
        if self.buf.bytes_buffered < 16:
            return None
        size = _low_level.calc_msg_size(self.buf.peek(16))
        if self.buf.bytes_buffered < size:
            return None
        message = bytearray(self.buf.read(size))
        place = message.find(_REPLY_TO)
        while place % 8 and place != -1:
            place = message.find(_REPLY_TO, place + 1)
        if place == -1:
            return 0, None
        number = slice(place + 4, place + 8)
        (serial,) = struct.unpack("<I", message[number])
        message[number] = message[_SERIAL] = bytes(4)
        value = _value(bytes(message))
        return serial, BusError(*value.args) if isinstance(value, BusError) else value


@lru_cache(50_000)
def _written(call: Call) -> bytes:
    """The message, with a number that is yet to be put in."""
    address = _jeepney.DBusAddress(call.path, call.service, call.interface)
    message = _jeepney.new_method_call(address, call.method, call.signature, call.arguments)
    written: bytes = message.serialise(serial=1)
    return written


@lru_cache(50_000)
def _value(message: bytes) -> Any:
    reply = _jeepney.Message.from_buffer(message)
    if reply.header.message_type == _jeepney.MessageType.error:
        name = reply.header.fields.get(_jeepney.HeaderFields.error_name)
        return BusError(f"{name}: {' '.join(map(str, reply.body))}")
    values = [_plain(value, kind) for value, kind in zip(reply.body, _kinds(reply), strict=True)]
    return values[0] if len(values) == 1 else tuple(values)


def _kinds(reply: Any) -> list[str]:
    """For each value whether it is a variant: only these have their signature beside them."""
    signature = reply.header.fields.get(_jeepney.HeaderFields.signature, "")
    if signature == "v":
        return ["v"]
    return [""] * len(reply.body)


def _plain(value: Any, kind: str) -> Any:
    return value[1] if kind == "v" else value
