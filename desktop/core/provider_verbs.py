"""The verbs of the providers: which there are, their keys, and which of them is used."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic.alias_generators import to_camel

from desktop.config.providers import ModelOverride, ProviderSettings
from desktop.config.schema import provider_name
from desktop.core.trials import address, learned, notes, spec_of
from desktop.core.verbs import Json, Send, Verb
from desktop.errors import AppError, UsageError
from desktop.logs import mask
from desktop.providers.about import ABOUT
from desktop.providers.registry import Choice, behaviour_for, choose, described, find, override_of, sees
from desktop.providers.registry_spec import ProviderSpec
from desktop.providers.registry_table import BUILTIN, PROVIDERS
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core


class ProviderVerbs:
    """Keys go to the keychain, all else to config.json."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    def verbs(self) -> dict[str, Verb]:
        """Each under its name."""
        return {
            "providers": self.providers,
            "provider_set": self.provider_set,
            "provider_key": self.provider_key,
            "provider_key_show": self.provider_key_show,
            "provider_key_take": self.provider_key_take,
            "provider_forget": self.provider_forget,
            "model_facts": self.model_facts,
            "model_override": self.model_override,
            "model_forget": self.model_forget,
        }

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
        settings = self._core.store.config.provider(spec.name)
        about = ABOUT.get(spec.name) or ABOUT["custom"]
        return {
            "name": spec.name,
            "title": _(spec.display),
            "about": _(about),
            "kind": spec.kind,
            "needs_key": spec.needs_key,
            "keyed": spec.name in known,
            "stored": settings.key_stored,
            "given": spec.name in self._core.store.keys,
            "offered": "" if spec.name in known else offered(spec, os.environ),
            "plaintext": spec.name in self._core.store.plaintext_keys,
            "base": spec.base,
            "address": settings.api_base or "",
            "suggestion": spec.suggestion,
            "key_page": spec.key_page,
            "others": {
                other.key_prefix: [other.name, _(other.display)]
                for other in PROVIDERS
                if other.key_prefix and other.name != spec.name and not spec.direct
            },
        }

    async def provider_set(self, arguments: Json, _send: Send) -> Json:
        """Store a provider's key and settings and make it the one in use.

        The key goes to the keychain first: if that fails, nothing is changed. With `session_only` it
        stays in the memory of this process and nowhere else. `usual_base` forgets an address set before.
        """
        spec = spec_of(self._core, str(arguments["name"]))
        values: Json = {"agents.defaults.provider": spec.name}
        key = str(arguments.get("key") or "")
        if base := address(arguments):
            values[f"providers.{spec.name}.apiBase"] = base
        elif arguments.get("usual_base"):
            values[f"providers.{spec.name}.apiBase"] = None
        values |= await self._keep(spec, key, session_only=bool(arguments.get("session_only")))
        if engine := arguments.get("engine"):
            values[f"providers.{spec.name}.engine"] = str(engine)
        values["agents.defaults.model"] = str(arguments.get("model") or self._fitting_model(spec))
        await self._core.change(values)
        if key:
            await self._core.store.scrub_key(spec.name)
        return {"provider": spec.name, "model": self._core.store.config.agents.defaults.model}

    async def _keep(self, spec: ProviderSpec, key: str, *, session_only: bool) -> Json:
        """Put a key where it belongs; the settings that follow from it. Raises KeychainError."""
        if key and session_only:
            self._core.keychain.remember(spec.name, key)
        elif key:
            mask(key)
            await self._core.keychain.set(spec.name, key)
            return {f"providers.{spec.name}.keyStored": True}
        return {}

    async def provider_key(self, arguments: Json, _send: Send) -> Json:
        """Store a provider's key; who answers stays as it is. Raises KeychainError, then nothing changed.
        `session_only`: in the memory of this process and nowhere else."""
        spec, key = spec_of(self._core, str(arguments["name"])), str(arguments["key"]).strip()
        if not key:
            raise UsageError(_("The key is empty."))
        values = await self._keep(spec, key, session_only=bool(arguments.get("session_only")))
        await self._core.change(values)
        await self._core.store.scrub_key(spec.name)
        return {}

    async def provider_key_show(self, arguments: Json, _send: Send) -> Json:
        """The key of a provider, for the person to look at. Raises KeychainError, UsageError."""
        spec = spec_of(self._core, str(arguments["name"]))
        key = await self._core.models.key(spec.name)
        if not key:
            raise UsageError(_("There is no key of {name}.").format(name=_(spec.display)))
        return {"key": key}

    async def provider_key_take(self, arguments: Json, send: Send) -> Json:
        """Take the key that stands in an environment variable: the person was asked. Raises KeychainError,
        UsageError."""
        spec = spec_of(self._core, str(arguments["name"]))
        if not (variable := offered(spec, os.environ)):
            raise UsageError(_("No key of {name} is in the environment.").format(name=_(spec.display)))
        given = {"name": spec.name, "key": os.environ[variable]}
        return await self.provider_key(given | {"session_only": arguments.get("session_only")}, send)

    async def model_facts(self, arguments: Json, _send: Send) -> Json:
        """What is known of a provider's model (`known`), and what the person knows better (`set`), by the
        fields of ModelOverride; prices in US dollars for a million tokens. `notes` say what it takes as
        the table has it, `learned` what its server taught us, with when (Unix time)."""
        core, config = self._core, self._core.store.config
        chosen = self._named(arguments)
        told = override_of(chosen, config)
        bare = config.model_copy(
            update={"providers": config.providers | {chosen.spec.name: ProviderSettings()}}
        )
        price = await core.models.price(chosen, bare)
        return {
            "set": {name: getattr(told, name) for name in ModelOverride.model_fields},
            "known": {
                "context_window_tokens": await core.models.window(chosen, bare),
                "input_price": round(price.asked * 1e6, 4) if price else None,
                "output_price": round(price.answered * 1e6, 4) if price else None,
                "vision": sees(chosen, bare),
                "reasoning": bool(behaviour_for(chosen, bare).levels),
            },
            "notes": notes(behaviour_for(chosen, config)),
            "learned": await learned(core, described(chosen, config)),
        }

    def _named(self, arguments: Json) -> Choice:
        model, provider = str(arguments["model"]), str(arguments["name"])
        return choose(
            self._core.store.config, self._core.models.known_keys(), model=model, provider=provider
        )

    async def model_forget(self, arguments: Json, _send: Send) -> Json:
        """Forget what a model's server taught us: it is asked for all again. Raises StorageError."""
        chosen = self._named(arguments)
        await self._core.lessons.forget(described(chosen, self._core.store.config))
        return {}

    async def model_override(self, arguments: Json, _send: Send) -> Json:
        """Know something better of a model: `values` by the fields of ModelOverride, None for nothing.
        Raises ConfigError naming the field, StorageError; then nothing changed."""
        store, name, model = self._core.store, str(arguments["name"]), str(arguments["model"])
        kept = store.config.provider(name).models.get(model, ModelOverride())
        dumped = kept.model_dump(by_alias=True, exclude_none=True)
        changes = {to_camel(field): value for field, value in dict(arguments["values"]).items()}
        merged = {field: value for field, value in (dumped | changes).items() if value is not None}
        await store.take_over({("providers", name, "models", model): merged or None})
        await self._core.apply()
        return {}

    def _fitting_model(self, spec: ProviderSpec) -> str:
        """The configured model if it was chosen for this provider, else the provider's usual one."""
        defaults = self._core.store.config.agents.defaults
        return defaults.model if defaults.provider == spec.name and defaults.model else spec.suggestion

    async def provider_forget(self, arguments: Json, _send: Send) -> Json:
        """Remove a provider's key from the keychain, or from memory if it is nowhere else.

        Raises KeychainError; then it is still there.
        """
        spec = spec_of(self._core, str(arguments["name"]))
        if self._core.store.config.provider(spec.name).key_stored:
            await self._core.keychain.delete(spec.name)
            await self._core.change({f"providers.{spec.name}.keyStored": None})
        else:
            self._core.keychain.forget(spec.name)
            await self._core.apply()
        return {}


def offered(spec: ProviderSpec, environ: Mapping[str, str]) -> str:
    """The variable of the environment in which other programs keep a key of this provider; "" for none.
    A name that several share is only that provider's whose name it has."""
    for variable in spec.key_names:
        sharing = [other.name for other in PROVIDERS if variable in other.key_names]
        owns = len(sharing) == 1 or spec.name == variable.removesuffix("_API_KEY").lower()
        if owns and environ.get(variable, "").strip():
            return variable
    return ""
