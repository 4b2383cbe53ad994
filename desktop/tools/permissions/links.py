"""Where links of the workspace may lead: into the workspace itself, and into folders that were granted.

The program opens files of the workspace on its own account, outside of any sandbox and without a question.
So what a tool may not read or write without one, a link must not give away either.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from desktop.config.permissions import Folder
from desktop.config.schema import Config
from desktop.config.workspace import workspace_of
from desktop.files import Judge, judge_links
from desktop.paths import Home
from desktop.tools.permissions.places import fences, inside, resolve
from desktop.tools.permissions.situation import expanded


def judge_of(home: Path, workspace: Path, folders: Callable[[], Iterable[Folder]]) -> Judge:
    """The judge for one workspace. `folders`: those that are granted for all conversations, as they are
    now."""

    def judge(real: Path, writing: bool) -> bool:
        if fences(home, workspace).why(real, writing):
            return False
        if inside(real, resolve(workspace)[0]):
            return True
        for folder in folders():
            root, sure = resolve(expanded(folder.path))
            if sure and root.is_absolute() and inside(real, root) and (folder.write or not writing):
                return True
        return False

    return judge


def judged_workspace(home: Home, config: Config) -> Path:
    """The folder of the agent's files; from now on links in it are judged by these settings."""
    workspace = workspace_of(home, config)
    judge_links(workspace, judge_of(home.root, workspace, lambda: config.permissions.folders))
    return workspace
