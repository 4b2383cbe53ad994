"""Models of this computer that are being fetched: behind the conversation, and through a bad network.

A download goes on while nobody looks. Where it breaks off it is taken up again from where it was; only when
nothing comes any more, several times running, it is given up until the person tries again. When it is
whole, the next question is answered by it.
"""

import asyncio
import itertools
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.bus.bus import Bus
from desktop.bus.events import ModelFetching
from desktop.config.schema import Config
from desktop.errors import explain
from desktop.providers import weights
from desktop.providers.catalogue import Model
from desktop.tasks import cancel, in_thread, spawn

_log = logging.getLogger(__name__)
_EVERY_S = 0.25
"""How often a download is told of."""
PAUSES_S = (1.0, 2.0, 5.0, 15.0, 30.0)
"""How long it waits before it is tried again, each time that nothing came."""
UNDER_WAY = ("fetching", "waiting")


@dataclass(slots=True)
class _Download:
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


class Downloads:
    """All downloads of a running program, each a task of its own."""

    def __init__(
        self,
        models: Path,
        bus: Bus,
        config: Callable[[], Config],
        change: Callable[[Mapping[str, Any]], Awaitable[None]],
        arrived: Callable[[], Awaitable[None]],
        pauses: Sequence[float] = PAUSES_S,
    ) -> None:
        """`models`: the folder that they come into. `change` sets settings by name; `arrived` is called
        where a model has come that no setting names."""
        self._models, self._bus, self._config = models, bus, config
        self._change, self._arrived, self._pauses = change, arrived, pauses
        self._known: dict[str, _Download] = {}
        self._order = itertools.count()

    def begin(self, model: Model, *, chosen: bool, use: bool) -> None:
        """Fetch a model, or go on with it; one that is under way goes on as it is. `chosen`: it is to be
        the built-in model. `use`: that is to answer."""
        download = self._known.get(model.id)
        if download is None:
            download = self._known[model.id] = _Download(model, ModelFetching(model.id, "paused"))
        download.chosen, download.use, download.order = chosen, use, next(self._order)
        download.provider = self._config().agents.defaults.provider
        if download.task is None or download.task.done():
            self._tell(download, "fetching")
            download.task = spawn(self._run(download), name=f"fetch:{model.id}")

    async def pause(self, model_id: str) -> None:
        """Stop fetching; what came is kept."""
        if (download := self._known.get(model_id)) and download.task and not download.task.done():
            await cancel(download.task)
            self._tell(download, "paused")

    async def close(self) -> None:
        """The program ends."""
        for download in self._known.values():
            await cancel(download.task)
            if download.next:
                download.next.cancel()

    async def state(self, model: Model) -> ModelFetching:
        """How far a model is; its state is "" where nobody began."""
        if download := self._known.get(model.id):
            return download.told
        done = await in_thread(weights.begun, model, self._models)
        return ModelFetching(model.id, "paused" if done else "", done, model.size)

    async def follow(self, model_id: str) -> AsyncGenerator[ModelFetching]:
        """What is told of a model's download, until it is neither under way nor waiting."""
        with self._bus.subscribe() as events:
            download = self._known.get(model_id)
            if download is None:
                return
            yield download.told
            if download.told.state not in UNDER_WAY:
                return
            async for event in events:
                if isinstance(event, ModelFetching) and event.model == model_id:
                    yield event
                    if event.state not in UNDER_WAY:
                        return

    async def _run(self, download: _Download) -> None:
        try:
            await self._through(download)
            await self._use(download)
        except Exception as error:
            told = explain(error)
            _log.info("%s was not fetched: %s", download.model.id, told.text)
            self._tell(download, "failed", text=told.text, remedy=told.remedy)
        else:
            self._tell(download, "done", download.model.size)

    async def _through(self, download: _Download) -> None:
        """The whole file, in as many tries as it takes while something comes. Raises AppError."""
        empty = 0
        while True:
            before = download.told.done
            try:
                await weights.bring(
                    download.model, self._models, lambda done, _total: self._progress(download, done)
                )
            except weights.BrokenOff as error:
                empty = 0 if download.told.done > before else empty + 1
                if empty >= len(self._pauses):
                    raise
                self._tell(download, "waiting", text=error.text, remedy=error.remedy)
                await asyncio.sleep(self._pauses[empty])
            else:
                return

    async def _use(self, download: _Download) -> None:
        """From the next question on it answers, where that is still wanted."""
        later = any(other.chosen and other.order > download.order for other in self._known.values())
        values: dict[str, Any] = {"local.model": download.model.id} if download.chosen and not later else {}
        if download.use and self._config().agents.defaults.provider == download.provider:
            values |= {"agents.defaults.provider": "builtin", "agents.defaults.model": ""}
        if values:
            await self._change(values)
        else:
            await self._arrived()

    def _progress(self, download: _Download, done: int) -> None:
        download.told = ModelFetching(download.model.id, "fetching", done, download.model.size)
        if download.next is None:
            self._publish(download)

    def _publish(self, download: _Download) -> None:
        """Tell of it now, and once more when there was more within the time that is too short for that."""
        download.next = None
        if download.told != download.shown:
            download.shown = download.told
            self._bus.publish(download.told)
            download.next = asyncio.get_running_loop().call_later(_EVERY_S, self._publish, download)

    def _tell(
        self, download: _Download, state: str, done: int = -1, *, text: str = "", remedy: str = ""
    ) -> None:
        done = download.told.done if done < 0 else done
        download.told = ModelFetching(download.model.id, state, done, download.model.size, text, remedy)
        if download.next:
            download.next.cancel()
        self._publish(download)
