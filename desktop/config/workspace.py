"""Where the agent's own files are."""

from pathlib import Path

from desktop.config.schema import Config
from desktop.paths import Home


def workspace_of(home: Home, config: Config) -> Path:
    """The folder of the agent's files: the configured one, else the one in the home."""
    configured = config.agents.defaults.workspace
    return Path(configured).expanduser().absolute() if configured else home.workspace
