"""The verbs that change settings: providers and their keys, the built-in model, single values."""

import time
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from desktop.errors import UsageError
from desktop.logs import mask
from desktop.providers import weights
from desktop.providers.base import Completion, Endpoint, ProviderError, Request
from desktop.providers.local import setup
from desktop.providers.registry import Choice, find, sign_in_needed
from desktop.text import _
from desktop.usage import Call

if TYPE_CHECKING:
    from desktop.core.core import Core

type Json = dict[str, Any]
type Send = Callable[[Json], None]


class Settings:
    """Changes what is configured, in the keychain and in config.json."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    async def set(self, arguments: Json, _send: Send) -> Json:
        """Change values by dotted path. Raises ConfigError naming the field; then nothing changed."""
        await self._core.store.update(dict(arguments["values"]))
        return {}

    async def provider_set(self, arguments: Json, _send: Send) -> Json:
        """Store a provider's key and settings and make it the one in use.

        The key goes to the keychain first: if that fails, nothing is changed. With `session_only` it
        stays in the memory of this process and nowhere else.
        """
        name = str(arguments["name"])
        spec = find(name)
        if spec is None:
            raise UsageError(
                _("There is no provider called {name}.").format(name=name),
                _("The names are listed by: nanobot-desktop provider list"),
            )
        if spec.oauth:
            raise sign_in_needed(spec)
        values: Json = {"agents.defaults.provider": spec.name}
        key = str(arguments.get("key") or "")
        if key and arguments.get("session_only"):
            self._core.keychain.remember(spec.name, key)
        elif key:
            mask(key)
            await self._core.keychain.set(spec.name, key)
            values[f"providers.{spec.name}.keyStored"] = True
        if base := arguments.get("base"):
            values[f"providers.{spec.name}.apiBase"] = str(base)
        if engine := arguments.get("engine"):
            values[f"providers.{spec.name}.engine"] = str(engine)
        values["agents.defaults.model"] = str(arguments.get("model") or self._fitting_model(spec.name))
        await self._core.store.update(values)
        if key:
            await self._core.store.scrub_key(spec.name)
        return {"provider": spec.name, "model": self._core.store.config.agents.defaults.model}

    def _fitting_model(self, name: str) -> str:
        """The configured model if it was chosen for this provider, else the provider's usual one."""
        defaults = self._core.store.config.agents.defaults
        spec = find(name)
        if defaults.provider == name and defaults.model:
            return defaults.model
        return spec.suggestion if spec else ""

    async def provider_test(self, arguments: Json, _send: Send) -> Json:
        """One real, tiny question to a provider. Raises AppError saying what is wrong."""
        models = self._core.models
        chosen = models.choice(str(arguments.get("model") or ""), str(arguments.get("name") or ""))
        target = await models.endpoint(chosen)
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

    async def local_setup(self, arguments: Json, send: Send) -> Json:
        """Bring the weights and the engine of the built-in model. Raises AppError."""

        def progress(what: str, done: int, total: int) -> None:
            send({"event": "progress", "what": what, "done": done, "total": total})

        model = str(arguments.get("model") or self._core.store.config.local.model)
        await setup(model, self._core.home.models, progress)
        if model != self._core.store.config.local.model:
            await self._core.builtin.stop()
            self._core.builtin.model = weights.find(model)
            await self._core.store.update({"local.model": model})
        if arguments.get("use"):
            await self._core.store.update(
                {"agents.defaults.provider": "builtin", "agents.defaults.model": ""}
            )
        return {"model": model}

    async def local_stop(self, _arguments: Json, _send: Send) -> Json:
        """Stop the built-in model server; it starts again with the next question."""
        was = self._core.builtin.status.state.value
        await self._core.builtin.stop()
        return {"was": was}
