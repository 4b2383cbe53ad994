"""The state of a part that can be off, as everything that shows one reads it."""

import enum
import logging
import time

from desktop.bus.bus import Bus
from desktop.bus.events import ServiceChanged

_log = logging.getLogger(__name__)


class ServiceState(enum.StrEnum):
    """Where a service is in its life."""

    OFF = "off"
    STARTING = "starting"
    RUNNING = "running"
    DEGRADED = "degraded"
    NEEDS_SIGN_IN = "needs_sign_in"
    FAILED = "failed"


class Status:
    """The state of one service, published on the bus whenever it changes."""

    def __init__(self, name: str, bus: Bus | None = None) -> None:
        self.name = name
        self.state = ServiceState.OFF
        self.detail = ""
        self.last_ok: float | None = None
        """Unix time of the last proof that it works."""
        self.again_at: float | None = None
        """Unix time of the next try, where one is planned."""
        self._bus = bus

    def set(self, state: ServiceState, detail: str = "", *, again_at: float | None = None) -> None:
        """Record a state and tell the bus if anything changed."""
        if state is ServiceState.RUNNING:
            self.last_ok = time.time()
        if (state, detail, again_at) == (self.state, self.detail, self.again_at):
            return
        self.state, self.detail, self.again_at = state, detail, again_at
        _log.info("service %s: %s %s", self.name, state, detail)
        if self._bus:
            self._bus.publish(ServiceChanged(self.name, state.value, detail, again_at))
