"""Keeps one service up: starts it, waits until it is lost, stops it, and waits before the next try.

One task does all of it, so that start(), check() and stop() never overlap; each runs in a task of its own
and has a limit, so that one that hangs holds up nobody. What is told from outside (on, off, try again, the
machine woke up) is a flag and a bell.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol

from desktop.errors import AppError, explain
from desktop.services.service import Service, SignInNeeded, only_the_person_helps
from desktop.services.status import ServiceState
from desktop.services.timing import Allowance, Timing
from desktop.tasks import spawn
from desktop.text import _

_EXACT_S = 0.5
_log = logging.getLogger(__name__)


class Timer(Protocol):
    """What call_later() returns."""

    def cancel(self) -> None:
        """Do not call."""


class Clock(Protocol):
    """What an event loop has of a clock."""

    def time(self) -> float:
        """Seconds, from some moment on."""

    def call_later(self, delay: float, callback: Callable[[], object], /) -> Timer:
        """Call it in so many seconds, unless the timer is cancelled."""


class Keeper:
    """One service, and the task that keeps it up while it is on."""

    def __init__(self, service: Service, timing: Timing, clock: Clock, *, on: bool) -> None:
        self.service = service
        self._name, self._status = service.status.name, service.status
        self._timing, self._clock = timing, clock
        self._on, self._leaving, self._told, self._nudged = on, False, False, False
        self._lost: BaseException | None = None
        self._failures = 0
        self._tries, self._checks = (Allowance(timing.hurried, timing.window) for _ in range(2))
        self._hung: set[asyncio.Task[BaseException | None]] = set()
        self._bell = asyncio.Event()
        service.lost = self._was_lost
        self._task = spawn(self._live(), name=f"service:{self._name}")

    def switch(self, *, on: bool) -> None:
        """Bring it up, or take it down; waits for nothing."""
        self._told |= on and not self._on
        self._on = on
        self._bell.set()

    def retry(self) -> None:
        """Try again now: the person wants it, or something that was in the way is mended."""
        self._told = True
        self._bell.set()

    def nudge(self) -> None:
        """The machine woke up or has another network: try now what waits, check what is up."""
        self._nudged = True
        self._bell.set()

    async def leave(self) -> None:
        """Take it down for good; in the time that its start and stop have to end, at most."""
        self._on, self._leaving = False, True
        self._bell.set()
        await asyncio.wait({self._task})

    def _was_lost(self, error: BaseException) -> None:
        if self._lost is None:
            self._lost = error
            self._bell.set()

    # The rest runs in the keeper's own task.

    async def _live(self) -> None:
        while not self._leaving:
            if self._hung:
                await self._hang()
            elif not self._on:
                self._status.set(ServiceState.OFF)
                await self._until(lambda: self._on or self._leaving)
            else:
                problem = await self._once()
                if problem is not None:
                    await self._rest(problem)
        self._status.set(ServiceState.OFF, _hanging().text if self._hung else "")

    async def _hang(self) -> None:
        """Something hangs that was cancelled: no start beside it, which could do everything twice."""
        on, hanging = self._on, _hanging()
        if on:
            self._status.set(ServiceState.FAILED, str(hanging))
        else:
            self._status.set(ServiceState.OFF, hanging.text)
        await self._until(lambda: self._leaving or self._on != on or not self._hung)
        if not self._hung:
            await self._stop()  # a start that hung may have brought it up in the end

    async def _once(self) -> BaseException | None:
        """One life, from start to stop; why it ended, or None where it was switched off."""
        self._told = self._nudged = False
        self._lost = None
        self._status.set(ServiceState.STARTING)
        problem = await self._run("start", self.service.start, self._timing.start)
        if problem is None:
            problem = await self._serve()
        await self._stop()
        return problem

    async def _stop(self) -> None:
        problem = await self._run("stop", self.service.stop, self._timing.stop, through=True)
        if problem is not None:
            _log.warning("service %s: stop() failed: %s", self._name, explain(problem))

    async def _serve(self) -> BaseException | None:
        """Until it is lost or switched off."""
        if self._status.state is ServiceState.STARTING:
            self._status.set(ServiceState.RUNNING)
        began = self._clock.time()
        while self._on and self._lost is None:
            await self._until(lambda: self._down() or self._nudged)
            if self._nudged and not self._down():
                await self._check()
        if self._clock.time() - began >= self._timing.steady:
            self._failures = 0
        return self._lost

    def _down(self) -> bool:
        return not self._on or self._lost is not None

    async def _check(self) -> None:
        now = self._clock.time()
        moment = self._checks.next(now)
        if moment > now:
            await self._until(self._down, moment - now)
        self._nudged = False
        if self._down():
            return
        self._checks.take(moment)
        problem = await self._run("check", self.service.check, self._timing.check)
        if problem is not None and not self._down():
            self._lost, self._nudged = problem, True  # what the new network cut off is back at once
        elif problem is None:
            self._status.last_ok = time.time()

    async def _rest(self, problem: BaseException) -> None:
        """Wait for the next try, or for the person where only they can help."""
        if self._hung or not self._on:
            return
        error = explain(problem)
        if not isinstance(problem, AppError | OSError):
            _log.error("service %s failed", self._name, exc_info=problem)
        if only_the_person_helps(problem):
            signed_out = isinstance(problem, SignInNeeded)
            self._status.set(ServiceState.NEEDS_SIGN_IN if signed_out else ServiceState.FAILED, str(error))
            await self._until(lambda: not self._on or self._told)
        else:
            self._failures += 1
            await self._wait(str(error), self._clock.time() + self._timing.delay(self._failures))
        if self._told or not self._on:
            self._failures = 0

    async def _wait(self, detail: str, due: float) -> None:
        """Until the moment `due`; sooner where the machine wakes up meanwhile, as often as that may be."""
        hurried = False
        while self._on and not self._told:
            if self._nudged and not hurried:
                sooner = self._tries.next(self._clock.time())
                if hurried := sooner < due:
                    due = sooner
                    self._tries.take(due)
            self._nudged = False
            left = due - self._clock.time()
            if left <= 0:
                return
            again_at = time.time() + left
            if abs(again_at - (self._status.again_at or 0.0)) > _EXACT_S:
                self._status.set(ServiceState.DEGRADED, detail, again_at=again_at)
            await self._until(lambda: not self._on or self._told or self._nudged, left)

    async def _run(
        self, what: str, work: Callable[[], Awaitable[None]], seconds: float, *, through: bool = False
    ) -> BaseException | None:
        """Run it, `seconds` at most; what it raised. Unless it is seen `through`, switching off ends it."""
        task = spawn(_outcome(work), name=f"service:{what}:{self._name}")
        task.add_done_callback(lambda _task: self._bell.set())
        in_time = await self._until(lambda: task.done() or not (through or self._on), seconds)
        if task.done():
            return _result(task)
        task.cancel()
        if not await self._until(task.done, self._timing.end):
            self._hung.add(task)
            task.add_done_callback(self._hung.discard)
            _log.warning("service %s hangs in %s()", self._name, what)
        return _interrupted() if in_time else _silent(seconds)

    async def _until(self, done: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait until it is so, at most `seconds`; whether it is."""
        expired = False

        def expire() -> None:
            nonlocal expired
            expired = True
            self._bell.set()

        timer = None if seconds is None else self._clock.call_later(max(0.0, seconds), expire)
        try:
            while not (expired or done()):
                self._bell.clear()
                await self._bell.wait()
        finally:
            if timer is not None:
                timer.cancel()
        return done()


def _silent(seconds: float) -> AppError:
    text = _("No answer within {seconds:.0f} s.").format(seconds=seconds)
    return AppError(text, _("Check the internet connection."))


def _interrupted() -> AppError:
    return AppError(_("It was interrupted."))


def _hanging() -> AppError:
    return AppError(_("It isn’t responding."), _("If this lasts, restart Nanobot."))


async def _outcome(work: Callable[[], Awaitable[None]]) -> BaseException | None:
    try:
        await work()
    except Exception as error:  # whatever it is, it is this service's alone
        return error
    return None


def _result(task: asyncio.Task[BaseException | None]) -> BaseException | None:
    with suppress(asyncio.CancelledError):
        return task.result()
    return _interrupted()
