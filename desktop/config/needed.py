"""Which secrets the settings need, by the names of their entries in the keychain."""

from collections.abc import Iterable

from desktop.config import mcp_health
from desktop.config.schema import Config
from desktop.config.tools import KEYED, search_entry


def skill_entry(skill: str, variable: str) -> str:
    """Under which name of the keychain a value is that a skill needs."""
    return f"skill:{skill}:{variable}"


def needed(config: Config, skills: Iterable[tuple[str, str]] = ()) -> list[str]:
    """All of them. `skills`: each with a variable that it needs."""
    entries = [name for name, provider in config.providers.items() if provider.key_stored]
    if (engine := config.tools.web.search.provider) in KEYED:
        entries.append(search_entry(engine))
    for name, server in config.tools.mcp_servers.items():
        if server.enabled:
            entries += [entry for entry, _key in mcp_health.entries(name, server)]
    return [*entries, *(skill_entry(skill, variable) for skill, variable in skills)]
