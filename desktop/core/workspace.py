"""Where the agent's own files are; apart from core.py because verbs that only read need no more."""

from pathlib import Path

from desktop.config.schema import Config
from desktop.files import judge_links
from desktop.paths import Home
from desktop.tools.permissions.links import judge_of


def workspace_of(home: Home, config: Config) -> Path:
    """The folder of the agent's files: the configured one, else the one in the home."""
    configured = config.agents.defaults.workspace
    return Path(configured).expanduser().absolute() if configured else home.workspace


def judged_workspace(home: Home, config: Config) -> Path:
    """The same, and from now on links in it are judged by these settings."""
    workspace = workspace_of(home, config)
    judge_links(workspace, judge_of(home.root, workspace, lambda: config.permissions.folders))
    return workspace
