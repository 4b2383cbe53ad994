"""The verbs that make a model answer: providers and their keys, found servers, the built-in model."""

import time
from contextlib import aclosing
from dataclasses import asdict
from typing import TYPE_CHECKING

from pydantic import ValidationError

from desktop.config.providers import ProviderSettings
from desktop.config.schema import Config, provider_name
from desktop.core.settings import Json, Send, Verb
from desktop.errors import AppError, ConfigError, KeychainError, UsageError
from desktop.logs import mask
from desktop.providers import discover, weights
from desktop.providers.base import Completion, Endpoint, ProviderError, Request
from desktop.providers.local import installed, setup
from desktop.providers.registry import Choice, choose, endpoint, find, sign_in_needed
from desktop.providers.registry_spec import ProviderSpec
from desktop.providers.registry_table import BUILTIN, PROVIDERS
from desktop.text import _
from desktop.usage import Call

if TYPE_CHECKING:
    from desktop.core.core import Core


class Setup:
    """Finds out what can answer, and sets it up: in the keychain, in config.json, on the disk."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    def verbs(self) -> dict[str, Verb]:
        """Each under its name."""
        return {
            "readiness": self.readiness,
            "providers": self.providers,
            "provider_set": self.provider_set,
            "provider_test": self.provider_test,
            "provider_forget": self.provider_forget,
            "keychain": self.keychain,
            "servers": self.servers,
            "local_models": self.local_models,
            "local_setup": self.local_setup,
            "local_stop": self.local_stop,
        }

    async def readiness(self, _arguments: Json, _send: Send) -> Json:
        """Whether a question can be answered now, and by what; asks neither network nor keychain.

        `chosen`: the person decided who answers; else it is the built-in model for want of anything else.
        `needs` is "", "key", "address", "model" (the built-in one is not here) or "provider" (unknown).
        `builtin_installed` is None where another provider is ready, for then nobody looked.
        """
        try:
            chosen = self._core.models.choice()
        except AppError as error:
            return await self._unready("provider") | {"text": error.text}
        needs = self._missing(chosen)
        here: bool | None = None
        if chosen.spec.lean or needs:
            here = await self._builtin_here()
            needs = needs or ("" if here else "model")
        return {
            "ready": not needs,
            "needs": needs,
            "chosen": chosen.reason != "builtin",
            "provider": chosen.spec.name,
            "title": _(chosen.spec.display),
            "model": chosen.model,
            "builtin_installed": here,
        }

    async def _unready(self, needs: str) -> Json:
        here = await self._builtin_here()
        name = self._core.store.config.agents.defaults.provider
        return {
            "ready": False,
            "needs": needs,
            "provider": name,
            "title": name,
            "model": "",
            "builtin_installed": here,
        }

    def _missing(self, chosen: Choice) -> str:
        if chosen.spec.oauth or (
            chosen.spec.needs_key and chosen.spec.name not in self._core.models.known_keys()
        ):
            return "key"
        return "address" if chosen.spec.direct and not chosen.base_url else ""

    async def _builtin_here(self) -> bool:
        here = await installed(self._core.home.models)
        return here.engine is not None and self._core.builtin.model in here.models

    async def providers(self, _arguments: Json, _send: Send) -> Json:
        """Every provider of the table and those the person added, and which one is in use."""
        store = self._core.store
        known = self._core.models.known_keys()
        own = [spec for name in store.config.providers if (spec := find(name, store.config))]
        specs = {spec.name: spec for spec in (BUILTIN, *PROVIDERS, *own)}
        defaults = store.config.agents.defaults
        try:
            chosen = self._core.models.choice()
            answers = {"name": chosen.spec.name, "title": _(chosen.spec.display), "model": chosen.model}
        except AppError:
            answers = {"name": "", "title": "", "model": ""}
        return {
            "providers": [self._row(spec, known) for spec in specs.values()],
            "provider": provider_name(defaults.provider),
            "model": defaults.model,
            "answers": answers,
        }

    def _row(self, spec: ProviderSpec, known: set[str]) -> Json:
        return {
            "name": spec.name,
            "title": _(spec.display),
            "kind": spec.kind,
            "needs_key": spec.needs_key,
            "keyed": spec.name in known,
            "given": spec.name in self._core.store.keys,
            "plaintext": spec.name in self._core.store.plaintext_keys,
            "base": spec.base,
            "address": self._core.store.config.provider(spec.name).api_base or "",
            "suggestion": spec.suggestion,
            "key_page": spec.key_page,
        }

    async def provider_set(self, arguments: Json, _send: Send) -> Json:
        """Store a provider's key and settings and make it the one in use.

        The key goes to the keychain first: if that fails, nothing is changed. With `session_only` it
        stays in the memory of this process and nowhere else. `usual_base` forgets an address set before.
        """
        spec = self._spec(str(arguments["name"]))
        values: Json = {"agents.defaults.provider": spec.name}
        key = str(arguments.get("key") or "")
        if base := _address(arguments):
            values[f"providers.{spec.name}.apiBase"] = base
        elif arguments.get("usual_base"):
            values[f"providers.{spec.name}.apiBase"] = None
        if key and arguments.get("session_only"):
            self._core.keychain.remember(spec.name, key)
        elif key:
            mask(key)
            await self._core.keychain.set(spec.name, key)
            values[f"providers.{spec.name}.keyStored"] = True
        if engine := arguments.get("engine"):
            values[f"providers.{spec.name}.engine"] = str(engine)
        values["agents.defaults.model"] = str(arguments.get("model") or self._fitting_model(spec))
        await self._core.change(values)
        if key:
            await self._core.store.scrub_key(spec.name)
        return {"provider": spec.name, "model": self._core.store.config.agents.defaults.model}

    def _spec(self, name: str) -> ProviderSpec:
        spec = find(name, self._core.store.config)
        if spec is None:
            raise UsageError(
                _("There is no provider called {name}.").format(name=name),
                _("The names are listed by: nanobot-desktop provider list"),
            )
        if spec.oauth:
            raise sign_in_needed(spec)
        return spec

    def _fitting_model(self, spec: ProviderSpec) -> str:
        """The configured model if it was chosen for this provider, else the provider's usual one."""
        defaults = self._core.store.config.agents.defaults
        return defaults.model if defaults.provider == spec.name and defaults.model else spec.suggestion

    async def provider_forget(self, arguments: Json, _send: Send) -> Json:
        """Remove a provider's key from the keychain, or from memory if it is nowhere else.

        Raises KeychainError; then it is still there.
        """
        spec = self._spec(str(arguments["name"]))
        if self._core.store.config.provider(spec.name).key_stored:
            await self._core.keychain.delete(spec.name)
            await self._core.change({f"providers.{spec.name}.keyStored": None})
        else:
            self._core.keychain.forget(spec.name)
            await self._core.apply()
        return {}

    async def provider_test(self, arguments: Json, _send: Send) -> Json:
        """One real, tiny question to a provider. Raises AppError saying what is wrong.

        With `name`, also as it would be with another `key` or `base`; neither is stored.
        """
        models, config = self._core.models, self._core.store.config
        name, model = str(arguments.get("name") or ""), str(arguments.get("model") or "")
        key, base = str(arguments.get("key") or ""), _address(arguments)
        mask(key)
        if name and (base or arguments.get("usual_base")):
            config = _with_base(config, self._spec(name).name, base)
        chosen = choose(config, models.known_keys(), model=model or None, provider=name or None)
        target = endpoint(chosen, config, key or await models.key(chosen.spec.name))
        started = time.monotonic()
        answer = await self._tiny_question(chosen, target)
        return {
            "provider": chosen.spec.name,
            "model": target.model,
            "answer": answer,
            "seconds": round(time.monotonic() - started, 2),
        }

    async def _tiny_question(self, chosen: Choice, target: Endpoint) -> str:
        request = Request(
            endpoint=target,
            messages=[{"role": "user", "content": "Reply with the single word: ready"}],
            max_tokens=64,
        )
        started, outcome, completion = time.monotonic(), "ok", Completion()
        try:
            async with aclosing(self._core.models.provider(chosen).stream(request)) as stream:
                async for item in stream:
                    if isinstance(item, Completion):
                        completion = item
        except ProviderError as error:
            outcome = type(error).__name__
            raise
        finally:
            usage = completion.usage
            await self._core.usage.record(
                Call(
                    target.provider,
                    target.model,
                    cause="test",
                    outcome=outcome,
                    seconds=time.monotonic() - started,
                    input_tokens=usage.input_tokens if usage else 0,
                    output_tokens=usage.output_tokens if usage else 0,
                    cost=usage.cost if usage else None,
                )
            )
        return completion.text.strip()

    async def keychain(self, arguments: Json, _send: Send) -> Json:
        """Whether the keychain would take a key: "state" is ready, missing, locked, waiting or failed, with
        the sentence and its remedy. Looks without raising a prompt, unless `unlock` asks for it."""
        try:
            if arguments.get("unlock"):
                await self._core.keychain.unlock()
            await self._core.keychain.check()
        except KeychainError as error:
            return {"state": error.state, "text": error.text, "remedy": error.remedy}
        return {"state": "ready", "text": "", "remedy": ""}

    async def servers(self, _arguments: Json, _send: Send) -> Json:
        """Model servers that run on this machine, with their models. Takes half a second."""
        found = await discover.servers()
        return {
            "servers": [
                asdict(server) | {"title": server.name, "provider": server.provider} for server in found
            ],
            "known": list(discover.NAMES.values()),
        }

    async def local_models(self, _arguments: Json, _send: Send) -> Json:
        """The built-in models: what each is, which are here; `engine` is None where nothing can run one."""
        here = await installed(self._core.home.models)
        models = [
            {
                "id": model.id,
                "title": model.name,
                "licence": model.licence,
                "size": model.size,
                "installed": model in here.models,
                "selected": model.id == self._core.builtin.model.id,
            }
            for model in weights.CATALOGUE
        ]
        return {"models": models, "engine": here.engine, "note": self._core.builtin.model.note}

    async def local_setup(self, arguments: Json, send: Send) -> Json:
        """Bring the weights and the engine of the built-in model. Raises AppError."""

        def progress(what: str, done: int, total: int) -> None:
            send({"event": "progress", "what": what, "done": done, "total": total})

        model = str(arguments.get("model") or self._core.store.config.local.model)
        await setup(model, self._core.home.models, progress)
        values: Json = {}
        if model != self._core.store.config.local.model:
            values["local.model"] = model
        if arguments.get("use"):
            values |= {"agents.defaults.provider": "builtin", "agents.defaults.model": ""}
        if values:
            await self._core.change(values)
        return {"model": model}

    async def local_stop(self, _arguments: Json, _send: Send) -> Json:
        """Stop the built-in model server; it starts again with the next question."""
        was = self._core.builtin.status.state.value
        await self._core.builtin.stop()
        return {"was": was}


def _address(arguments: Json) -> str:
    """The address given, if any. Raises ConfigError."""
    base = str(arguments.get("base") or "").strip()
    try:
        ProviderSettings(api_base=base)
    except ValidationError:
        raise ConfigError(_("An address begins with http:// or https:// and has no spaces.")) from None
    return base


def _with_base(config: Config, name: str, base: str) -> Config:
    """The settings as they would be with another address for this provider."""
    entry = config.provider(name).model_copy(update={"api_base": base or None})
    return config.model_copy(update={"providers": {**config.providers, name: entry}})
