"""Hears of links and addresses from the Linux kernel: rtnetlink(7), linux/rtnetlink.h, linux/if_addr.h.

The kernel also tells of a wireless scan, and of an address whose lease goes on; what was there before is
not told again.
"""

import asyncio
import logging
import socket
import struct
import sys
from collections.abc import Callable, Iterator

assert sys.platform == "linux"

_LINKS, _ADDRESSES, _ADDRESSES_6 = 0x1, 0x10, 0x100
"""RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV6_IFADDR."""
_NEW_LINK, _DEL_LINK, _NEW_ADDRESS, _DEL_ADDRESS = 16, 17, 20, 21
_HEADER = struct.Struct("=IHHII")
"""nlmsghdr: length, type, flags, sequence, port."""
_LINK = struct.Struct("=BxHiII")
"""ifinfomsg: family, type, index, flags, change."""
_ADDRESS = struct.Struct("=BBBBI")
"""ifaddrmsg: family, prefix length, flags, scope, index."""
_ATTRIBUTE = struct.Struct("=HH")
"""rtattr: length with this header, type."""
_UP, _LOOPBACK, _RUNNING = 0x1, 0x8, 0x40
_TENTATIVE, _HOST = 0x40, 254
"""IFA_F_TENTATIVE: not yet known to be free, so not yet used; RT_SCOPE_HOST: of this computer alone."""
_IFA_ADDRESS = 1
_MOST_BYTES = 1 << 16
_log = logging.getLogger(__name__)

type Message = tuple[int, bytes]
"""Its type and what follows the header."""


class Netlink:
    """Calls back, on the loop, when a link came up or an address is new."""

    def __init__(self, heard: Callable[[], object]) -> None:
        self._heard = heard
        self._socket: socket.socket | None = None
        self._running: set[int] = set()
        self._addresses: set[tuple[int, bytes]] = set()

    async def start(self) -> None:
        """Listen; a sandbox may forbid it, then nothing is heard. Never raises."""
        try:
            self._socket = _listening()
        except OSError as error:
            _log.info("the kernel tells nothing of the network here: %s", error)
        else:
            asyncio.get_running_loop().add_reader(self._socket.fileno(), self._read)

    async def stop(self) -> None:
        """Close the socket."""
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket.fileno())
            self._socket.close()
            self._socket = None

    def _read(self) -> None:
        changed = False
        while self._socket is not None:
            try:
                data = self._socket.recv(_MOST_BYTES)
            except BlockingIOError:
                break
            except OSError as error:  # ENOBUFS: so much changed that some of it was dropped
                _log.info("the kernel told more of the network than was read: %s", error)
                changed = True
                break
            for message in _messages(data):
                changed |= self._is_new(*message)
        if changed:
            self._heard()

    def _is_new(self, kind: int, body: bytes) -> bool:
        """Whether a message tells of something usable that was not there before."""
        if kind in (_NEW_LINK, _DEL_LINK) and len(body) >= _LINK.size:
            _family, _type, index, flags, _change = _LINK.unpack_from(body)
            return self._link(index, flags, gone=kind == _DEL_LINK)
        if kind in (_NEW_ADDRESS, _DEL_ADDRESS) and len(body) >= _ADDRESS.size:
            _family, _prefix, flags, scope, index = _ADDRESS.unpack_from(body)
            if scope != _HOST and not flags & _TENTATIVE:
                return self._address((index, _address(body)), gone=kind == _DEL_ADDRESS)
        return False

    def _link(self, index: int, flags: int, *, gone: bool) -> bool:
        if gone or not (flags & _UP and flags & _RUNNING) or flags & _LOOPBACK:
            self._running.discard(index)
            return False
        new = index not in self._running
        self._running.add(index)
        return new

    def _address(self, address: tuple[int, bytes], *, gone: bool) -> bool:
        if gone:
            self._addresses.discard(address)
            return False
        new = address not in self._addresses
        self._addresses.add(address)
        return new


def _listening() -> socket.socket:
    """Raises OSError."""
    one = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
    try:
        one.bind((0, _LINKS | _ADDRESSES | _ADDRESSES_6))
    except OSError:
        one.close()
        raise
    return one


def _messages(data: bytes) -> Iterator[Message]:
    while len(data) >= _HEADER.size:
        length, kind, _flags, _sequence, _port = _HEADER.unpack_from(data)
        if length < _HEADER.size:
            return
        yield kind, data[_HEADER.size : length]
        data = data[_aligned(length) :]


def _address(body: bytes) -> bytes:
    """The bytes of the address that an ifaddrmsg is about."""
    rest = body[_ADDRESS.size :]
    while len(rest) >= _ATTRIBUTE.size:
        length, kind = _ATTRIBUTE.unpack_from(rest)
        if length < _ATTRIBUTE.size:
            break
        if kind == _IFA_ADDRESS:
            return rest[_ATTRIBUTE.size : length]
        rest = rest[_aligned(length) :]
    return b""


def _aligned(length: int) -> int:
    """The length with what fills it up to four bytes."""
    return (length + 3) & ~3
