"""Keeps the child that reads pages: started at the first fetch, ended when idle, replaced when it hangs."""

import asyncio
import json
import os
import subprocess
import sys
from typing import Any

from desktop.net.client import Page
from desktop.paths import self_command
from desktop.tasks import end_child, spawn
from desktop.tools.base import ToolFailure
from desktop.tools.web.pages import HIDDEN_ARGUMENT

_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT", "TEMP", "TMP")
_PAGE_SECONDS = 20.0
_IDLE_SECONDS = 120.0
_LINE = 64 * 1024 * 1024


class Reader:
    """Pages in, text out, one at a time."""

    def __init__(self, *, page_seconds: float = _PAGE_SECONDS, idle_seconds: float = _IDLE_SECONDS) -> None:
        self._page_seconds, self._idle_seconds = page_seconds, idle_seconds
        self._child: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self._idle: asyncio.TimerHandle | None = None

    async def prepare(self) -> None:
        """Start the child, so that it is ready when the page has come."""
        async with self._turn:
            await self._started()

    async def read(self, page: Page, mode: str, most: int) -> dict[str, Any]:
        """{"text", "title", "links", "length"} of a page, `most` characters of it. Raises ToolFailure."""
        body = page.body
        request = {"content_type": page.content_type, "address": page.address, "mode": mode, "most": most}
        request |= {"size": len(body)}
        async with self._turn:
            child = await self._started()
            assert child.stdin
            assert child.stdout
            done = False
            try:
                child.stdin.write(json.dumps(request).encode() + b"\n" + body)
                async with asyncio.timeout(self._page_seconds):
                    await child.stdin.drain()
                    line = await child.stdout.readline()
                answer: dict[str, Any] = json.loads(line)
                done = True
            except TimeoutError:
                raise ToolFailure("The page could not be read in time: it is too large or odd.") from None
            except (OSError, ValueError):
                raise ToolFailure("The page could not be read: it is too large or odd.") from None
            finally:
                if done:
                    self._rest()
                else:
                    await self._end()
        if refusal := answer.get("refusal"):
            raise ToolFailure(str(refusal))
        return answer

    async def stop(self) -> None:
        """End the child."""
        async with self._turn:
            await self._end()

    async def _started(self) -> asyncio.subprocess.Process:
        self._wake()
        if self._child is None or self._child.returncode is not None:
            apart: dict[str, Any] = {"start_new_session": True}
            if sys.platform == "win32":
                apart = {"creationflags": subprocess.CREATE_NO_WINDOW}
            self._child = await asyncio.create_subprocess_exec(
                *self_command(HIDDEN_ARGUMENT),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
                limit=_LINE,
                **apart,
            )
            self._rest()
        return self._child

    def _rest(self) -> None:
        """From now on it is idle."""
        self._wake()
        loop = asyncio.get_running_loop()
        self._idle = loop.call_later(self._idle_seconds, lambda: spawn(self.stop(), name="reader:stop"))

    def _wake(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    async def _end(self) -> None:
        self._wake()
        child, self._child = self._child, None
        if child is not None:
            end_child(child)
            await child.wait()
