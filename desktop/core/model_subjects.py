"""The subjects of the api that are about models and settings, and the parts of the core that each uses."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop.api.context import Context
    from desktop.api.local import Local
    from desktop.api.model_facts import ModelFacts
    from desktop.api.models import Models
    from desktop.api.providers import Providers
    from desktop.api.settings import Settings
    from desktop.api.setup import Setup
    from desktop.config.schema import Config
    from desktop.core.parts import Parts


def context(core: "Parts") -> "Context":
    """How full a conversation is."""
    from desktop.api.context import Context
    from desktop.session.model import text_tokens

    async def tools(small_model: bool) -> int:
        kit = await core.toolbox.own(small_model=small_model)
        return sum(text_tokens(str(schema)) for schema in kit.schemas)

    return Context(
        core.models, core.sessions, core.context, tools, core.memory.meter, lambda: core.store.config
    )


def local(core: "Parts") -> "Local":
    """The models of this computer."""
    from desktop.api.local import Local

    return Local(
        core.models,
        core.builtin,
        core.downloads,
        lambda: core.store.config,
        core.change,
        core.home.models,
    )


def model_facts(core: "Parts") -> "ModelFacts":
    """What is known of single models."""
    from desktop.api.model_facts import ModelFacts

    return ModelFacts(core.models, core.lessons, core.store, core.take_settings)


def models(core: "Parts") -> "Models":
    """Which model answers."""
    from desktop.api.models import Models

    return Models(
        core.models,
        core.choices,
        core.sessions,
        lambda small_model: core.toolbox.wake(small_model=small_model),
    )


def providers(core: "Parts") -> "Providers":
    """Providers, their keys and logins."""
    from desktop.api.providers import Providers
    from desktop.providers.login import Logins
    from desktop.providers.trial import Trials

    def config() -> "Config":
        return core.store.config

    return Providers(
        core.models,
        Trials(core.models, core.usage, core.lessons, config),
        Logins(core.keychain, config, core.change, core.apply, core.host.stop),
        core.store,
        core.keychain,
        core.change,
        core.apply,
    )


def settings(core: "Parts") -> "Settings":
    """What is set."""
    from desktop.api.settings import Settings

    return Settings(core.store, core.change, core.apply)


def setup(core: "Parts") -> "Setup":
    """What can answer."""
    from desktop.api.setup import Setup

    return Setup(core.models, core.keychain, core.builtin, lambda: core.store.config, core.home.models)
