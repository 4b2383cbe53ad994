"""What a call is judged by, and the judgement."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from desktop.config.permissions import Folder, Rule
from desktop.origin import TRUSTED, Mark
from desktop.tools.permissions.places import inside, resolve


class Verdict(StrEnum):
    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class InView(Protocol):
    """The messages that are sent to the model."""

    @property
    def mark(self) -> Mark:
        """The least trusted origin among them."""

    def free(self, address: str) -> bool:
        """Whether fetching an address tells nobody what was not to be told."""

    def said(self, query: str) -> bool:
        """Whether each word of a query is the person's or the job's."""


class _Nothing:
    """Nothing but what is trusted."""

    mark = TRUSTED

    def free(self, _address: str) -> bool:
        return True

    def said(self, _query: str) -> bool:
        return True


NOTHING: InView = _Nothing()


@dataclass(frozen=True, slots=True)
class Situation:
    """Where a call comes from, and what the person said about such calls."""

    mode: str
    """ask, risky or autonomous."""
    workspace: Path
    cwd: Path
    home: Path
    """The program's own home: closed to the agent. The workspace may lie inside it."""
    session: str
    rules: tuple[Rule, ...] = ()
    folders: tuple[Folder, ...] = ()
    """Folders that were granted, for all conversations or for this one."""
    restrict: bool = True
    """Whether reads outside of the workspace are asked about."""
    view: InView = NOTHING
    """What the model has in view."""
    sandboxed: bool = False
    """Whether commands run in a sandbox here."""
    altered: frozenset[str] = frozenset()
    """Real paths of files that a standing answer covers and that not the person changed since."""

    @property
    def marked(self) -> bool:
        """Whether untrusted or unknown text is in view."""
        return not self.view.mark.trusted

    @property
    def free(self) -> bool:
        """Whether the mode answers every question. Marked text takes that away."""
        return self.mode == "autonomous" and not self.marked


@dataclass(frozen=True, slots=True)
class Decision:
    verdict: Verdict
    reason: str
    """A word for programs: mode, rule, folder, own, fence, guard, outside, risky, outside_places, memory,
    unresolved, always, changed."""
    text: str
    """Why, for the person."""
    hint: str = ""
    """For the model when it is denied: what it may do instead."""
    network: bool = False
    """Whether the network is granted to the command."""
    writable: tuple[Path, ...] = ()
    """Folders outside the workspace that the command may write to."""
    rule: Rule | None = None
    """The standing answer that it rests on."""
    apart: bool = False
    """The command works in a folder of its own and names nothing of the workspace: it does not see that."""
    readable: tuple[Path, ...] = ()
    """Folders outside the workspace that the command may read."""


def granted(situation: Situation) -> list[tuple[Path, bool]]:
    """The folders besides the workspace that are open, resolved, and whether they may be written."""
    found = []
    for folder in situation.folders:
        path, sure = resolve(expanded(folder.path))
        if sure and path.is_absolute():
            found.append((path, folder.write))
    cwd, sure = resolve(situation.cwd)
    if sure and not inside(cwd, resolve(situation.workspace)[0]):
        found.append((cwd, True))
    return found


def expanded(path: str) -> Path:
    """A folder of the settings, where `~` is the home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)
