"""Calls to the program in another process, by ipc."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from desktop.api.client import Call
from desktop.api.subjects import event_of, outgoing, result_of
from desktop.errors import AppError
from desktop.ipc.connection import call as send
from desktop.paths import Home
from desktop.text import _


class Remote:
    """A Transport to whoever owns a home; one connection a call."""

    def __init__(self, home: Home) -> None:
        self._home = home

    async def result(self, call: Call) -> Any:
        async with aclosing(send(self._home, call.verb, outgoing(call))) as lines:
            async for line in lines:
                if "result" in line:
                    return result_of(call, line["result"])
        raise AppError(_("The running Nanobot quit during the request."))

    async def events(self, call: Call) -> AsyncIterator[Any]:
        async with aclosing(send(self._home, call.verb, outgoing(call))) as lines:
            async for line in lines:
                if "result" in line:
                    return
                yield event_of(call, line)
