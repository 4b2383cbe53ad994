"""What may be spent: in a day by work that nobody waits for, in a month by everything.

Looked up in the ledger before each call of a model. What the models on this computer do is free.
"""

from collections.abc import Awaitable, Callable

from desktop.config.presence import Limits
from desktop.providers.base import DayIsSpent
from desktop.providers.registry_table import FREE
from desktop.text import _
from desktop.usage import WARNING, Call, UsageLedger, beginning, midnight, money, month


class MonthIsSpent(DayIsSpent):
    """What may be spent in a month is spent: nobody was asked."""


type Tell = Callable[[str, str, str], Awaitable[None]]
"""Tells the person, once by its id: id, title, text."""


class Budget:
    """The day's limit and the month's budget. Every method raises StorageError."""

    def __init__(self, usage: UsageLedger, tell: Tell, limits: Callable[[], Limits]) -> None:
        self._usage, self._tell_person, self._limits = usage, tell, limits
        usage.recorded = self._recorded

    async def check(self, provider: str = "") -> None:
        """Whether work that nobody waits for may ask this provider. Raises DayIsSpent, of which the person
        is told once a day, or MonthIsSpent."""
        if provider in FREE:
            return
        await self.check_month()
        if not await self._day_is_spent():
            return
        error = DayIsSpent(
            _("Background work has reached its daily budget."),
            _("It resumes tomorrow. Change the limit in Settings, under Agent."),
        )
        await self._tell_person(f"spent:{midnight():.0f}", error.text, error.remedy)
        raise error

    async def check_month(self) -> None:
        """Raises MonthIsSpent, of which the person is told once a month."""
        limit = self._limits().monthly_usd
        if limit is None or not await self._month_is_spent():
            return
        error = MonthIsSpent(
            _("This month’s budget of {usd} is used up.").format(usd=money(limit)),
            _(
                "Raise it in Settings, under Usage, or choose a model on this computer; those are not "
                "affected."
            ),
        )
        await self._tell("spent", error.text, error.remedy)
        raise error

    async def allows(self, provider: str) -> bool:
        """Whether check() would; nobody is told."""
        if provider in FREE:
            return True
        return not (await self._month_is_spent() or await self._day_is_spent())

    async def _day_is_spent(self) -> bool:
        limits = self._limits()
        spent = await self._usage.unattended(midnight(), FREE)
        return spent.usd >= limits.daily_usd or spent.unpriced >= limits.daily_tokens

    async def _month_is_spent(self) -> bool:
        limit = self._limits().monthly_usd
        return limit is not None and await self._spent_this_month() >= limit

    async def _spent_this_month(self) -> float:
        return await self._usage.paid(beginning(month()), FREE)

    async def _recorded(self, call: Call) -> None:
        """Warn as soon as a call has made it necessary."""
        limit = self._limits().monthly_usd
        if not limit or not call.cost or call.provider in FREE:
            return
        spent = await self._spent_this_month()
        if spent >= limit:
            title = _("This month’s budget of {usd} is used up.").format(usd=money(limit))
            await self._tell("spent", title, _("Raise it in Settings, under Usage."))
        elif spent >= WARNING * limit:
            title = _("{part}% of this month’s budget is used.").format(part=int(100 * spent / limit))
            told = _("{spent} of {limit}. When it is used up, only models on this computer are used.")
            await self._tell("warned", title, told.format(spent=money(spent), limit=money(limit)))

    async def _tell(self, what: str, title: str, text: str) -> None:
        await self._tell_person(f"budget:{month():%Y-%m}:{what}", title, text)
