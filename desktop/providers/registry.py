"""Which provider answers, at which address, under which name: rules over the table.

The order: the provider that the settings name; the one that the model's name starts with; one whose
keyword is in it; a local server that the person set up; the first gateway with a key; the first
provider with a key; the built-in model, where no model is named. A named model is asked of who has it, or
of nobody: whose key is missing is chosen all the same, and the call says so. A login (OAuth) is used only
where it is named.
"""

import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from desktop import __version__
from desktop.config.providers import ModelOverride
from desktop.config.schema import Config, provider_name
from desktop.errors import ConfigError
from desktop.providers.base import Endpoint, SignInNeeded
from desktop.providers.behaviour import Api, Behaviour
from desktop.providers.behaviour_responses import over_responses
from desktop.providers.behaviour_table import UNKNOWN, behaviour_of
from desktop.providers.catalogue import is_ours
from desktop.providers.registry_spec import ProviderSpec
from desktop.providers.registry_table import BUILTIN, PROVIDERS
from desktop.text import _

_LOCAL_SILENCE = 600.0
_SILENCE = 90.0
_AGENT = f"NanobotDesktop/{__version__}"
"""For servers that want to know who asks; all others are told the library's name."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Who answers and why. `model` as the person wrote it; empty where a local server decides."""

    spec: ProviderSpec
    model: str
    base_url: str
    reason: str
    """named, prefix, keyword, local, gateway, key or builtin."""


def find(name: str, config: Config | None = None) -> ProviderSpec | None:
    """The provider of this name, in any style; one the person added counts where it has an address."""
    wanted = provider_name(name)
    if wanted == BUILTIN.name:
        return BUILTIN
    spec = next((spec for spec in PROVIDERS if spec.name == wanted), None)
    if spec is None and config is not None and config.provider(wanted).api_base:
        shown = (config.provider(wanted).model_extra or {}).get("displayName")
        return replace(_spec("custom"), name=wanted, display=str(shown or name))
    return spec


def detect_by_key(key: str, base: str = "") -> ProviderSpec | None:
    """The provider that a key's start, else an address, gives away."""
    by_key = (spec for spec in PROVIDERS if spec.key_prefix and key.startswith(spec.key_prefix))
    by_base = (spec for spec in PROVIDERS if spec.base_keyword and spec.base_keyword in base)
    return next(by_key, None) or next(by_base, None)


def choose(
    config: Config, keys: Collection[str], model: str | None = None, provider: str | None = None
) -> Choice:
    """Who answers. `keys`: names of providers that a key is known for. Raises ConfigError."""
    defaults = config.agents.defaults
    model = (model if model is not None else defaults.model).strip()
    named = provider or defaults.provider
    if provider_name(named) != "auto":
        spec = find(named, config)
        if spec is None:
            raise ConfigError(
                _("There is no provider named {name}.").format(name=named),
                _("Choose one in Settings, or list the names with: nanobot-desktop provider list"),
            )
        return _choice(config, spec, model, "named")
    return _auto(config, {provider_name(name) for name in keys}, model)


def _auto(config: Config, keys: Collection[str], model: str) -> Choice:
    prefixed = _by_prefix(config, model)
    if prefixed is not None and _usable(config, prefixed, keys, explicit=True):
        return _choice(config, prefixed, model, "prefix")
    if keyed := _by_keyword(config, keys, model):
        return _choice(config, keyed, model, "keyword")
    if local := _configured_local(config, model):
        return local
    with_key = [
        spec for spec in PROVIDERS if spec.name in keys and _usable(config, spec, keys, explicit=False)
    ]
    owner = prefixed or _owner(model)
    if owner is not None or "/" in model:
        with_key = [spec for spec in with_key if spec.gateway or spec.many_vendors]
    gateway = next((spec for spec in with_key if spec.gateway), None)
    if gateway is not None:
        return _choice(config, gateway, model, "gateway")
    if with_key:
        return _choice(config, with_key[0], model, "key")
    for name in config.providers:
        spec = find(name, config)
        if spec is not None and spec.direct and config.provider(name).api_base and not spec.needs_key:
            return _choice(config, spec, model, "key")
    if owner is not None:
        return _choice(config, owner, model, "prefix" if prefixed else "keyword")
    if model:
        raise _nobody_has(model)
    return _choice(config, BUILTIN, config.local.model, "builtin")


def _owner(model: str) -> ProviderSpec | None:
    """Whose model this is by a keyword in its name, with a key or without."""
    owners = (spec for spec in PROVIDERS if spec.kind == "standard")
    return next((spec for spec in owners if _has_keyword(spec, model)), None)


def _nobody_has(model: str) -> ConfigError:
    first, slash, _rest = model.partition("/")
    if slash:
        text = _("The model {model} is selected, but there is no provider named {name}.")
        remedy = _("Choose another model, or add a provider with that name and its address in Settings.")
        return ConfigError(text.format(model=model, name=first), remedy)
    return ConfigError(
        _("The model {model} is selected, but none of your providers has it.").format(model=model),
        _("Set up a provider that has it, or choose another model in Settings."),
    )


def endpoint(choice: Choice, config: Config, key: str | None) -> Endpoint:
    """The chosen model, ready to be called. Raises SignInNeeded, ConfigError."""
    spec = choice.spec
    if spec.needs_key and not key:
        raise sign_in_needed(spec)
    if spec.direct and not choice.base_url and (engine_of(spec, config) == "openai" or spec.prefix):
        raise ConfigError(
            _("The provider {name} has no address.").format(name=_(spec.display)),
            _("Set providers.{name}.apiBase to the base URL of its API.").format(name=spec.name),
        )
    return replace(described(choice, config), api_key=key or "")


def described(choice: Choice, config: Config) -> Endpoint:
    """The chosen model, without a key."""
    spec, settings = choice.spec, config.provider(choice.spec.name)
    engine, behaviour = engine_of(spec, config), behaviour_for(choice, config)
    otherwise = _otherwise(choice, config, behaviour.api)
    return Endpoint(
        provider=spec.name,
        title=_(spec.display),
        model=wire_name(spec, choice.model, engine),
        engine=engine,
        base_url=_engine_base(spec, choice.base_url, engine),
        headers={**({"User-Agent": _AGENT} if spec.session_header else {}), **settings.extra_headers},
        extra=settings.extra_body,
        query=settings.extra_query,
        session_header=spec.session_header,
        proxy=settings.proxy or "",
        behaviour=behaviour,
        otherwise=otherwise,
        entry=_digest((behaviour, otherwise), choice, config),
        tools=override_of(choice, config).tools is not False,
        idle_seconds=settings.idle_timeout_s or (_LOCAL_SILENCE if spec.local else _SILENCE),
    )


def sees(choice: Choice, config: Config) -> bool:
    """Whether pictures are shown to this model."""
    return behaviour_for(choice, config).rules.pictures


def behaviour_for(choice: Choice, config: Config) -> Behaviour:
    """How the chosen model behaves: by the table, and by what the person knows better of it."""
    return _behaviour(choice, config, api_of(choice, config))


def api_of(choice: Choice, config: Config) -> Api:
    """Over which API the model is asked first: the settings' word, else that of the provider's row."""
    wanted = config.provider(choice.spec.name).api_type
    if not _has_both(choice.spec, config):
        return "chat_completions"
    if wanted != "auto":
        return wanted
    pattern = choice.spec.responses
    return "responses" if pattern and re.search(pattern, choice.model.lower()) else "chat_completions"


def _has_both(spec: ProviderSpec, config: Config) -> bool:
    return engine_of(spec, config) == "openai" and not spec.small_model


def _otherwise(choice: Choice, config: Config, api: Api) -> Behaviour | None:
    """How it behaves over the other API. From Responses the way back is always open; to Responses a server
    may send us where the settings leave it open."""
    if api == "responses":
        return _behaviour(choice, config, "chat_completions")
    free = config.provider(choice.spec.name).api_type == "auto"
    return _behaviour(choice, config, "responses") if free and _has_both(choice.spec, config) else None


def _behaviour(choice: Choice, config: Config, api: Api) -> Behaviour:
    spec, told = choice.spec, override_of(choice, config)
    found = behaviour_of(spec.name, spec.kind, choice.model, api)
    if engine_of(spec, config) == "litellm":
        found = replace(found, max_tokens="max_tokens")  # it has the vendor's own names
    rules = replace(found.rules, author=f"{spec.name}/{choice.model}")
    if rules.text_only or told.vision is not None:
        pictures = bool(told.vision)
        rules = replace(rules, pictures=pictures, text_only=rules.text_only and not pictures)
    if told.reasoning is False:
        found = replace(found, levels=())
    elif told.reasoning and not found.levels:
        found = replace(found, switch=found.switch or UNKNOWN.switch, levels=UNKNOWN.levels)
    found = replace(found, rules=rules)
    return over_responses(found) if api == "responses" else found


def _digest(behaviours: object, choice: Choice, config: Config) -> str:
    settings = config.provider(choice.spec.name)
    told = settings.model_dump_json(exclude={"key_stored", "models"})
    parts = (repr(behaviours), told, override_of(choice, config).model_dump_json())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def override_of(choice: Choice, config: Config) -> ModelOverride:
    """What the person knows better of this model; empty for nothing."""
    known = config.provider(choice.spec.name).models
    names = (choice.model, _without_own_prefix(choice.spec, choice.model))
    return next((known[name] for name in names if name in known), ModelOverride())


def listing(choice: Choice) -> tuple[str, str]:
    """How and where this provider's models are asked for; "" where they cannot be."""
    spec = choice.spec
    base = choice.base_url or spec.listing_base
    return (spec.listing, base) if base and not spec.small_model else ("", "")


def engine_of(spec: ProviderSpec, config: Config) -> str:
    """openai or litellm: the settings' word, else the table's."""
    forced = config.provider(spec.name).engine
    return spec.engine if forced == "auto" else forced


def wire_name(spec: ProviderSpec, model: str, engine: str) -> str:
    """The model's name as the engine wants it: bare for the OpenAI wire, prefixed for litellm."""
    bare = _without_own_prefix(spec, model)
    if spec.strip_prefix:
        bare = bare.rpartition("/")[2]
    if engine != "litellm":
        return bare
    if not spec.prefix:  # custom/bedrock/x names another of litellm's wires, plain x is OpenAI's
        return bare if bare != model else f"openai/{bare}"
    if bare != model or model in spec.whole_names or not model.startswith(spec.skip):
        return f"{spec.prefix}/{bare}"
    return model


def _without_own_prefix(spec: ProviderSpec, model: str) -> str:
    first, slash, rest = model.partition("/")
    names = {spec.name, *(start.rstrip("/") for start in spec.skip if start != "openrouter/")}
    if not slash or not rest or provider_name(first) not in {provider_name(name) for name in names}:
        return model
    if model in spec.whole_names or (spec.vendor_names and "/" not in rest):
        return model
    return rest


def _by_prefix(config: Config, model: str) -> ProviderSpec | None:
    first, slash, _rest = model.partition("/")
    return find(first, config) if slash and first else None


def _by_keyword(config: Config, keys: Collection[str], model: str) -> ProviderSpec | None:
    usable = (spec for spec in PROVIDERS if not spec.oauth and _usable(config, spec, keys, explicit=False))
    return next((spec for spec in usable if _has_keyword(spec, model)), None)


def _has_keyword(spec: ProviderSpec, model: str) -> bool:
    text = model.lower()
    spaced = text.replace("-", "_")
    return any(word in text or word.replace("-", "_") in spaced for word in spec.keywords)


def _usable(config: Config, spec: ProviderSpec, keys: Collection[str], *, explicit: bool) -> bool:
    """Whether a call could work: a key where one is needed, an address where there is no default."""
    address = config.provider(spec.name).api_base
    if spec.kind == "builtin":
        return True
    if spec.oauth:
        return explicit
    if spec.local:
        return bool(address or (explicit and spec.base))
    if spec.direct:
        return bool(address)
    return spec.name in keys


def _configured_local(config: Config, model: str) -> Choice | None:
    """The found server that the person chose, else a local provider with an address of theirs."""
    if server := config.local.server:
        found = detect_by_key("", server)
        spec = found if found is not None and found.local else _spec("vllm")
        return Choice(spec, model, _with_path(spec, server), "local")
    bases = [
        (spec, base) for spec in PROVIDERS if spec.local and (base := config.provider(spec.name).api_base)
    ]
    preferred = (spec for spec, base in bases if spec.base_keyword and spec.base_keyword in base)
    chosen = next(preferred, None) or next((spec for spec, _base in bases), None)
    return _choice(config, chosen, model, "local") if chosen is not None else None


def _choice(config: Config, spec: ProviderSpec, model: str, reason: str) -> Choice:
    base = config.provider(spec.name).api_base or spec.base
    if spec.kind == "builtin":
        bare = model.removeprefix(f"{spec.name}/")
        model = bare if reason == "prefix" or is_ours(bare) else config.local.model
    return Choice(spec, model or spec.suggestion, _with_path(spec, base), reason)


def _with_path(spec: ProviderSpec, base: str) -> str:
    """nanobot's settings name local servers without the path of their OpenAI wire."""
    base = base.rstrip("/")
    if spec.kind == "local" and base and not urlsplit(base).path:
        return f"{base}/v1"
    return base


def _engine_base(spec: ProviderSpec, base: str, engine: str) -> str:
    """litellm speaks Ollama's own wire, which has no /v1."""
    return base.removesuffix("/v1") if engine == "litellm" and spec.name == "ollama" else base


def _spec(name: str) -> ProviderSpec:
    return next(spec for spec in PROVIDERS if spec.name == name)


def sign_in_needed(spec: ProviderSpec) -> SignInNeeded:
    if spec.oauth:
        return SignInNeeded(
            _("{name} needs a login.").format(name=_(spec.display)),
            _("Sign in in Settings, or with: nanobot-desktop provider login {name}").format(name=spec.name),
        )
    remedy = _("Add one in Settings, or with: nanobot-desktop provider set {name}").format(name=spec.name)
    if spec.key_page:
        remedy += "\n" + _("Get a key at {page}").format(page=spec.key_page)
    return SignInNeeded(_("{name} needs a key.").format(name=_(spec.display)), remedy)
