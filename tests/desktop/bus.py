"""D-Bus as tests speak it: calls with a deadline, and many calls at once, on this or another bus."""

import importlib
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

# Only Linux has it, and it has no types.
_jeepney: Any = importlib.import_module("jeepney")
_blocking: Any = importlib.import_module("jeepney.io.blocking")


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
    arguments: tuple[Any, ...] = ()

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
        serials = []
        for call in calls:
            address = _jeepney.DBusAddress(call.path, call.service, call.interface)
            message = _jeepney.new_method_call(address, call.method, call.signature, call.arguments)
            serial = next(self._connection.outgoing_serial)
            self._connection.send(message, serial=serial)
            serials.append(serial)
        return self._answers(serials)

    def _answers(self, serials: list[int]) -> list[Any]:
        missing, answers = set(serials), dict[int, Any]()
        deadline = time.monotonic() + self._seconds
        fields = _jeepney.HeaderFields
        while missing:
            try:
                reply = self._connection.receive(timeout=max(0, deadline - time.monotonic()))
            except TimeoutError:
                answers |= {serial: BusError("no answer in time") for serial in missing}
                break
            serial = reply.header.fields.get(fields.reply_serial)
            if serial in missing:
                missing.discard(serial)
                answers[serial] = _value(reply)
        return [answers[serial] for serial in serials]


def _value(reply: Any) -> Any:
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
