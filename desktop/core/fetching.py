"""Models of this computer that are being fetched: behind the conversation, and through a bad network.

A download goes on while nobody looks. Where it breaks off it is taken up again from where it was; only when
nothing comes any more, several times running, it is given up until the person tries again. When it is
whole, the next question is answered by it.
"""

import asyncio
import itertools
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from desktop.bus.events import ModelFetching
from desktop.core.verbs import Json
from desktop.errors import explain
from desktop.providers import weights
from desktop.providers.catalogue import Model
from desktop.tasks import cancel, in_thread, spawn

if TYPE_CHECKING:
    from desktop.core.core import Core

_log = logging.getLogger(__name__)
_EVERY_S = 0.25
"""How often a download is told of."""
PAUSES_S = (1.0, 2.0, 5.0, 15.0, 30.0)
"""How long it waits before it is tried again, each time that nothing came."""
UNDER_WAY = ("fetching", "waiting")


@dataclass(slots=True)
class _Fetch:
    """One model on its way. `chosen`: it is the built-in model when it is there. `use`: and that answers,
    unless the person chose another provider since."""

    model: Model
    told: ModelFetching
    chosen: bool = False
    use: bool = False
    provider: str = ""
    order: int = 0
    """Of those that were chosen, the last one begun is meant."""
    task: asyncio.Task[None] | None = None
    shown: ModelFetching | None = None
    next: asyncio.TimerHandle | None = None


class Fetches:
    """All downloads of a running program, each a task of its own."""

    def __init__(self, core: "Core", pauses: Sequence[float] = PAUSES_S) -> None:
        self._core, self._pauses = core, pauses
        self._known: dict[str, _Fetch] = {}
        self._order = itertools.count()

    def begin(self, model: Model, *, chosen: bool, use: bool) -> None:
        """Fetch a model, or go on with it; one that is under way goes on as it is. `chosen`: it is to be
        the built-in model. `use`: that is to answer."""
        fetch = self._known.get(model.id)
        if fetch is None:
            fetch = self._known[model.id] = _Fetch(model, ModelFetching(model.id, "paused"))
        fetch.chosen, fetch.use, fetch.order = chosen, use, next(self._order)
        fetch.provider = self._core.store.config.agents.defaults.provider
        if fetch.task is None or fetch.task.done():
            self._tell(fetch, "fetching")
            fetch.task = spawn(self._run(fetch), name=f"fetch:{model.id}")

    async def pause(self, model_id: str) -> None:
        """Stop fetching; what came is kept."""
        if (fetch := self._known.get(model_id)) and fetch.task and not fetch.task.done():
            await cancel(fetch.task)
            self._tell(fetch, "paused")

    async def close(self) -> None:
        """The program ends."""
        for fetch in self._known.values():
            await cancel(fetch.task)
            if fetch.next:
                fetch.next.cancel()

    async def state(self, model: Model) -> Json:
        """How far a model is: `state` ("" where nobody began), `done` and `total` bytes, `text`,
        `remedy`."""
        if fetch := self._known.get(model.id):
            return asdict(fetch.told)
        done = await in_thread(weights.begun, model, self._core.home.models)
        told = ModelFetching(model.id, "paused" if done else "", done, model.size)
        return asdict(told)

    async def follow(self, model_id: str) -> AsyncIterator[ModelFetching]:
        """What is told of a model's download, until it is neither under way nor waiting."""
        with self._core.bus.subscribe() as events:
            fetch = self._known.get(model_id)
            if fetch is None:
                return
            yield fetch.told
            if fetch.told.state not in UNDER_WAY:
                return
            async for event in events:
                if isinstance(event, ModelFetching) and event.model == model_id:
                    yield event
                    if event.state not in UNDER_WAY:
                        return

    async def _run(self, fetch: _Fetch) -> None:
        try:
            await self._through(fetch)
            await self._use(fetch)
        except Exception as error:
            told = explain(error)
            _log.info("%s was not fetched: %s", fetch.model.id, told.text)
            self._tell(fetch, "failed", text=told.text, remedy=told.remedy)
        else:
            self._tell(fetch, "done", fetch.model.size)

    async def _through(self, fetch: _Fetch) -> None:
        """The whole file, in as many tries as it takes while something comes. Raises AppError."""
        models, empty = self._core.home.models, 0
        while True:
            before = fetch.told.done
            try:
                await weights.bring(fetch.model, models, lambda done, _total: self._progress(fetch, done))
            except weights.BrokenOff as error:
                empty = 0 if fetch.told.done > before else empty + 1
                if empty >= len(self._pauses):
                    raise
                self._tell(fetch, "waiting", text=error.text, remedy=error.remedy)
                await asyncio.sleep(self._pauses[empty])
            else:
                return

    async def _use(self, fetch: _Fetch) -> None:
        """From the next question on it answers, where that is still wanted."""
        later = any(other.chosen and other.order > fetch.order for other in self._known.values())
        values: Json = {"local.model": fetch.model.id} if fetch.chosen and not later else {}
        if fetch.use and self._core.store.config.agents.defaults.provider == fetch.provider:
            values |= {"agents.defaults.provider": "builtin", "agents.defaults.model": ""}
        if values:
            await self._core.change(values)
        else:
            await self._core.pick_local()

    def _progress(self, fetch: _Fetch, done: int) -> None:
        fetch.told = ModelFetching(fetch.model.id, "fetching", done, fetch.model.size)
        if fetch.next is None:
            self._publish(fetch)

    def _publish(self, fetch: _Fetch) -> None:
        """Tell of it now, and once more when there was more within the time that is too short for that."""
        fetch.next = None
        if fetch.told != fetch.shown:
            fetch.shown = fetch.told
            self._core.bus.publish(fetch.told)
            fetch.next = asyncio.get_running_loop().call_later(_EVERY_S, self._publish, fetch)

    def _tell(self, fetch: _Fetch, state: str, done: int = -1, *, text: str = "", remedy: str = "") -> None:
        done = fetch.told.done if done < 0 else done
        fetch.told = ModelFetching(fetch.model.id, state, done, fetch.model.size, text, remedy)
        if fetch.next:
            fetch.next.cancel()
        self._publish(fetch)
