"""The verbs of the models that run on this computer: which there are, fetching one, taking a file, using
it."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.core.verbs import Json, Send, Verb
from desktop.errors import AppError
from desktop.providers import catalogue, engine, former, machine, weights
from desktop.providers.catalogue import Model
from desktop.providers.local import better_words, chosen, offered
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core


class LocalVerbs:
    """What front ends may ask of these models, and do with them."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    def verbs(self) -> dict[str, Verb]:
        """Each under its name."""
        return {
            "local_models": self.models,
            "local_offer": self.offer,
            "local_setup": self.setup,
            "local_fetch": self.fetch,
            "local_follow": self.follow,
            "local_pause": self.pause,
            "local_add": self.add,
            "local_forget": self.forget,
            "local_use": self.use,
            "local_stop": self.stop,
            "window_open": self.window_open,
        }

    async def models(self, _arguments: Json, _send: Send) -> Json:
        """The models of this computer: what each is and does, whether it is here, how far its download is,
        `why` it cannot be run here, and the one that is `better` than the one in use. `fault` and `remedy`
        where nothing can run a model."""
        core = self._core
        here = await in_thread(machine.look, core.home.models)
        better = await in_thread(offered, core.builtin.model, core.home.models)
        fault = await in_thread(engine.fault)
        rows = []
        for model in catalogue.CATALOGUE:
            why = await in_thread(catalogue.misfit, model, here, engine.knows)
            rows.append(await self._row(model) | {"why": why, "better": model == better, "own": False})
        rows += [await self._own_row(path) for path in core.store.config.local.files]
        return {
            "models": rows,
            "engine": None if fault else await in_thread(engine.available),
            "fault": fault.text if fault else "",
            "remedy": fault.remedy if fault else "",
            "note": core.builtin.model.note,
        }

    async def _row(self, model: Model) -> Json:
        core = self._core
        try:
            installed = await weights.verified(model, core.home.models) is not None
        except AppError:
            installed = False
        return {
            "id": model.id,
            "title": model.name,
            "licence": model.licence,
            "size": model.size,
            "does": _(model.does),
            "installed": installed,
            "selected": model.id == core.builtin.model.id,
            "fetching": asdict(await core.downloads.state(model)),
        }

    async def _own_row(self, path: str) -> Json:
        """A file of the person's own; what is wrong with it now is its `why`."""
        row = {"own": True, "better": False, "why": ""}
        try:
            model, _head = await in_thread(weights.own, Path(path))
        except AppError as error:
            model = catalogue.of_person(path)
            return await self._row(model) | row | {"why": str(error.text), "does": path}
        here = await in_thread(machine.look, self._core.home.models)
        why = await in_thread(catalogue.misfit, model, here, engine.knows)
        return await self._row(model) | row | {"why": why, "does": path}

    async def offer(self, _arguments: Json, _send: Send) -> Json:
        """The model that would be better than the one in use; `id` is "" where there is none."""
        core = self._core
        if core.models.answering({}) != "builtin":
            return {"id": ""}
        model = await in_thread(offered, core.builtin.model, core.home.models)
        return {"id": ""} if model is None else await self._row(model) | {"words": better_words(model)}

    async def setup(self, arguments: Json, send: Send) -> Json:
        """Bring a model and tell how far it is; who goes away before the end stops it. Raises AppError."""
        core = self._core
        name = str(arguments.get("model") or core.store.config.local.model)
        await in_thread(former.remove, core.home.models)
        model = await in_thread(chosen, name, core.home.models)
        if model.own:
            return await self.add({"path": model.id, "use": arguments.get("use")}, send)
        if fault := await in_thread(engine.fault):
            raise fault
        if not arguments.get("model"):
            send({"event": "suits", "text": await in_thread(_suits, model, core.home.models)})
        core.downloads.begin(model, chosen=bool(arguments.get("model")), use=bool(arguments.get("use")))
        whole = False
        try:
            async for told in core.downloads.follow(model.id):
                send({"event": "progress", "what": model.name, "done": told.done, "total": told.total})
                if told.state == "failed":
                    raise AppError(told.text, told.remedy)
                whole = told.state == "done"
        finally:
            if not whole:
                await core.downloads.pause(model.id)
        return {"model": model.id}

    async def fetch(self, arguments: Json, _send: Send) -> Json:
        """Fetch a model behind the conversation, and answer with it when it is there; waits for nothing.
        Raises AppError."""
        model = catalogue.find(str(arguments["model"]))
        if fault := await in_thread(engine.fault):
            raise fault
        await in_thread(former.remove, self._core.home.models)
        self._core.downloads.begin(model, chosen=True, use=True)
        return {}

    async def follow(self, arguments: Json, send: Send) -> Json:
        """Tell how far the fetching of a model is until that ends; who goes away leaves it going. Gives its
        last `state`, with `text` and `remedy`."""
        last: Json = {}
        async for told in self._core.downloads.follow(str(arguments["model"])):
            last = asdict(told)
            send({"event": "progress", **last})
        return last

    async def pause(self, arguments: Json, _send: Send) -> Json:
        """Stop fetching a model; what came is kept."""
        await self._core.downloads.pause(str(arguments["model"]))
        return {}

    async def add(self, arguments: Json, _send: Send) -> Json:
        """Take a model file of the person's own into the list, and answer with it where `use` says so. It
        stays where it is. Raises UsageError where it cannot be run."""
        core = self._core
        path = Path(str(arguments["path"])).expanduser().absolute()
        model, _head = await in_thread(weights.own, path)
        here = await in_thread(machine.look, core.home.models)
        if why := await in_thread(catalogue.misfit, model, here, engine.knows):
            raise AppError(why, _("Choose another model."))
        files = core.store.config.local.files
        values: Json = {} if model.id in files else {"local.files": [*files, model.id]}
        await core.change(values | (_used(model.id) if arguments.get("use") else {}))
        return {"model": model.id, "title": model.name}

    async def forget(self, arguments: Json, _send: Send) -> Json:
        """Take a file of the person's own from the list; the file itself stays."""
        core, path = self._core, str(arguments["model"])
        values: Json = {"local.files": [one for one in core.store.config.local.files if one != path]}
        if core.store.config.local.model == path:
            values["local.model"] = ""
        await core.change(values)
        return {}

    async def use(self, arguments: Json, _send: Send) -> Json:
        """Answer with a model that is here. Raises UsageError."""
        model = await in_thread(chosen, str(arguments["model"]), self._core.home.models)
        await self._core.change(_used(model.id))
        return {"model": model.id}

    async def stop(self, _arguments: Json, _send: Send) -> Json:
        """Stop the built-in model server; it starts again with the next question."""
        was = self._core.builtin.status.state.value
        await self._core.builtin.stop()
        return {"was": was}

    async def window_open(self, arguments: Json, _send: Send) -> Json:
        """Whether the person has the window open: as long as they have, the model stays awake."""
        self._core.builtin.keep(bool(arguments["open"]))
        return {}


def _suits(model: Model, models: Path) -> str:
    """Why this is the model to begin with. Blocks."""
    free = machine.look(models).free
    return _("{free:.1f} GB of memory are free, so {name} is used ({size:.1f} GB).").format(
        free=free / 1e9, name=model.name, size=model.size / 1e9
    )


def _used(model: str) -> Json:
    """The settings by which a model of this computer answers."""
    return {"local.model": model, "agents.defaults.provider": "builtin", "agents.defaults.model": ""}
