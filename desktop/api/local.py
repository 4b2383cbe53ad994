"""The models that run on this computer: which there are, fetching one, taking a file, using it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.bus.events import ModelFetching
from desktop.errors import AppError
from desktop.providers import catalogue, engine, former, machine, weights
from desktop.providers.catalogue import Model
from desktop.providers.local import better_words, chosen, offered
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.config.schema import Config
    from desktop.providers.chooser import ModelChooser
    from desktop.providers.downloads import Downloads
    from desktop.providers.local import BuiltinServer


@dataclass(frozen=True, slots=True)
class LocalModel:
    """One model: what it is and does, whether it is here, and how far its download is."""

    id: str
    title: str
    licence: str
    size: int
    """Bytes."""
    does: str
    """What it is good for; of a file of the person's own, its path."""
    installed: bool
    selected: bool
    """It is the built-in model."""
    fetching: ModelFetching
    own: bool = False
    """A file of the person's own."""
    better: bool = False
    """It would be better than the one in use."""
    why: str = ""
    """It cannot be run here."""


@dataclass(frozen=True, slots=True)
class LocalModels:
    """All of them; `fault` and `remedy` where nothing can run a model."""

    models: tuple[LocalModel, ...]
    engine: str | None
    fault: str = ""
    remedy: str = ""
    note: str = ""
    """What the person should know about the model in use."""


@dataclass(frozen=True, slots=True)
class BetterModel:
    """A model that would be better than the one in use; `size` in bytes."""

    id: str
    title: str
    size: int
    does: str
    words: str
    """All of it in a sentence."""


@dataclass(frozen=True, slots=True)
class Suits:
    """Why this model is the one to begin with."""

    text: str


@dataclass(frozen=True, slots=True)
class Fetched:
    """How far a model is, in bytes; `total` 0 where nobody knows."""

    what: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Installed:
    """A model is here and can be used."""

    model: str
    title: str


class Local:
    """Acts on the models of this computer."""

    def __init__(
        self,
        chooser: "ModelChooser",
        builtin: "BuiltinServer",
        downloads: "Downloads",
        config: "Callable[[], Config]",
        change: Callable[[Mapping[str, Any]], Awaitable[None]],
        folder: Path,
    ) -> None:
        """`folder`: where the models are."""
        self._chooser, self._builtin, self._downloads = chooser, builtin, downloads
        self._config, self._change, self._folder = config, change, folder

    async def models(self) -> LocalModels:
        """Those of the catalogue, then the person's own."""
        here = await in_thread(machine.look, self._folder)
        better = await in_thread(offered, self._builtin.model, self._folder)
        fault = await in_thread(engine.fault)
        lines = []
        for model in catalogue.CATALOGUE:
            why = await in_thread(catalogue.misfit, model, here, engine.knows)
            lines.append(await self._line(model, why=why, better=model == better))
        lines += [await self._own_line(path) for path in self._config().local.files]
        return LocalModels(
            tuple(lines),
            None if fault else await in_thread(engine.available),
            fault.text if fault else "",
            fault.remedy if fault else "",
            self._builtin.model.note,
        )

    async def _line(
        self, model: Model, *, why: str = "", better: bool = False, path: str = ""
    ) -> LocalModel:
        try:
            installed = await weights.verified(model, self._folder) is not None
        except AppError:
            installed = False
        return LocalModel(
            model.id,
            model.name,
            model.licence,
            model.size,
            path or _(model.does),
            installed,
            model.id == self._builtin.model.id,
            await self._downloads.state(model),
            bool(path),
            better,
            why,
        )

    async def _own_line(self, path: str) -> LocalModel:
        """A file of the person's own; what is wrong with it now is its `why`."""
        try:
            model, _head = await in_thread(weights.own, Path(path))
        except AppError as error:
            return await self._line(catalogue.of_person(path), why=error.text, path=path)
        here = await in_thread(machine.look, self._folder)
        why = await in_thread(catalogue.misfit, model, here, engine.knows)
        return await self._line(model, why=why, path=path)

    async def better(self) -> BetterModel | None:
        """A model that would be better than the one in use; None where another provider answers."""
        if self._chooser.answering({}) != "builtin":
            return None
        model = await in_thread(offered, self._builtin.model, self._folder)
        if model is None:
            return None
        return BetterModel(model.id, model.name, model.size, _(model.does), better_words(model))

    async def setup(
        self, model: str = "", *, use: bool = False
    ) -> AsyncIterator[Suits | Fetched | Installed]:
        """Bring a model, else the one that suits, and answer with it where `use` says so; who closes this
        before the end stops it. Raises AppError."""
        await in_thread(former.remove, self._folder)
        wanted = await in_thread(chosen, model or self._config().local.model, self._folder)
        if wanted.own:
            yield await self.add(wanted.id, use=use)
            return
        if fault := await in_thread(engine.fault):
            raise fault
        if not model:
            yield Suits(await in_thread(_suits, wanted, self._folder))
        self._downloads.begin(wanted, chosen=bool(model), use=use)
        whole = False
        try:
            async with aclosing(self._downloads.follow(wanted.id)) as steps:
                async for told in steps:
                    yield Fetched(wanted.name, told.done, told.total)
                    if told.state == "failed":
                        raise AppError(told.text, told.remedy)
                    whole = told.state == "done"
        finally:
            if not whole:
                await self._downloads.pause(wanted.id)
        yield Installed(wanted.id, wanted.name)

    async def fetch(self, model: str) -> None:
        """Fetch a model behind the conversation, and answer with it when it is there; waits for nothing.
        Raises AppError."""
        wanted = catalogue.find(model)
        if fault := await in_thread(engine.fault):
            raise fault
        await in_thread(former.remove, self._folder)
        self._downloads.begin(wanted, chosen=True, use=True)

    async def follow(self, model: str) -> AsyncIterator[ModelFetching]:
        """Tell how far the fetching of a model is until that ends; who goes away leaves it going."""
        async with aclosing(self._downloads.follow(model)) as steps:
            async for told in steps:
                yield told

    async def pause(self, model: str) -> None:
        """Stop fetching a model; what came is kept."""
        await self._downloads.pause(model)

    async def add(self, path: str, *, use: bool = False) -> Installed:
        """Take a model file of the person's own into the list, and answer with it where `use` says so. It
        stays where it is. Raises UsageError where it cannot be run."""
        model, _head = await in_thread(weights.own, Path(path).expanduser().absolute())
        here = await in_thread(machine.look, self._folder)
        if why := await in_thread(catalogue.misfit, model, here, engine.knows):
            raise AppError(why, _("Choose another model."))
        files = self._config().local.files
        values: dict[str, Any] = {} if model.id in files else {"local.files": [*files, model.id]}
        await self._change(values | (_used(model.id) if use else {}))
        return Installed(model.id, model.name)

    async def forget(self, model: str) -> None:
        """Take a file of the person's own from the list; the file itself stays."""
        local = self._config().local
        values: dict[str, Any] = {"local.files": [one for one in local.files if one != model]}
        if local.model == model:
            values["local.model"] = ""
        await self._change(values)

    async def use(self, model: str) -> None:
        """Answer with a model that is here. Raises UsageError."""
        found = await in_thread(chosen, model, self._folder)
        await self._change(_used(found.id))

    async def stop(self) -> str:
        """Stop the built-in model server, which starts again with the next question; the state that it was
        in."""
        was = self._builtin.status.state.value
        await self._builtin.stop()
        return was

    async def stay_awake(self, stay: bool) -> None:
        """Keep the model in memory: the person has the window open."""
        self._builtin.keep(stay)


def _suits(model: Model, models: Path) -> str:
    """Why this is the model to begin with. Blocks."""
    free = machine.look(models).free
    return _("{free:.1f} GB of memory is free, so {name} is used ({size:.1f} GB).").format(
        free=free / 1e9, name=model.name, size=model.size / 1e9
    )


def _used(model: str) -> dict[str, Any]:
    """The settings by which a model of this computer answers."""
    return {"local.model": model, "agents.defaults.provider": "builtin", "agents.defaults.model": ""}
