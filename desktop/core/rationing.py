"""What work that nobody waits for may spend in a day: looked up in the ledger before each call."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace

from desktop.agent.turn import Ready
from desktop.config.presence import Limits
from desktop.inbox.inbox import ERROR, Inbox, Notice
from desktop.providers.base import Completion, DayIsSpent, Delta, Provider, Request
from desktop.providers.registry_table import BUILTIN, PROVIDERS
from desktop.text import _
from desktop.usage import UsageLedger, midnight

_FREE = frozenset({BUILTIN.name, *(spec.name for spec in PROVIDERS if spec.local)})


class Ration:
    """The day's ration."""

    def __init__(self, usage: UsageLedger, inbox: Inbox, limits: Callable[[], Limits]) -> None:
        self._usage, self._inbox, self._limits = usage, inbox, limits

    async def check(self) -> None:
        """Raises DayIsSpent, of which the person is told once a day; StorageError."""
        limits, since = self._limits(), midnight()
        spent = await self._usage.unattended(since, _FREE)
        if spent.usd < limits.daily_usd and spent.unpriced < limits.daily_tokens:
            return
        error = DayIsSpent(
            _("Work in the background has spent what it may in a day."),
            _("It goes on tomorrow. The limit is in the settings, under Agent."),
        )
        title, body = error.text, {"text": error.remedy}
        await self._inbox.add(Notice(f"spent:{since:.0f}", ERROR, "", "", title, body))
        raise error

    def of(self, ready: Ready) -> Ready:
        """The same model, asked only within the ration; one on this computer is free."""
        if ready.endpoint.provider in _FREE:
            return ready
        return replace(ready, provider=_Rationed(ready.provider, self))


class _Rationed:
    def __init__(self, inner: Provider, ration: Ration) -> None:
        self._inner, self._ration = inner, ration

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion]:
        """As the model answers. Raises DayIsSpent."""
        await self._ration.check()
        async with aclosing(self._inner.stream(request)) as stream:
            async for item in stream:
                yield item
