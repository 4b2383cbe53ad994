"""A person's home with a workspace in it, and calls judged there."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from desktop.agent.view import View
from desktop.config.permissions import Folder, Rule
from desktop.tools.base import Claim, Effect
from desktop.tools.permissions.policy import Decision, Situation, decide


@dataclass(frozen=True)
class Make:
    """Calls and where they come from; `me` is the person's home."""

    me: Path
    home: Path
    workspace: Path

    def situation(
        self, rules: Iterable[Rule] = (), folders: Iterable[tuple[Path, bool]] = (), **more: Any
    ) -> Situation:
        fields = {"mode": "risky", "cwd": self.workspace, "sandboxed": True, **more}
        known, outside = fields.pop("known", ()), fields.pop("outside", False)
        if known or outside:
            fields["view"] = view(*known, outside=outside)
        return Situation(
            workspace=self.workspace,
            home=self.home,
            session="me",
            rules=tuple(rules),
            folders=tuple(Folder(path=str(path), write=write) for path, write in folders),
            **fields,
        )

    def rule(self, program: str = "", *arguments: str, **more: Any) -> Rule:
        return Rule(tool="exec", program=program, arguments=arguments, **more)

    def command(self, command: str, **more: Any) -> Claim:
        return Claim(Effect.RUN, "gist", command=command, cwd=self.workspace, **more)

    def run(self, command: str, claim: dict[str, Any] | None = None, **situation: Any) -> Decision:
        return decide("exec", self.command(command, **(claim or {})), self.situation(**situation))

    def read(self, path: Path, **situation: Any) -> Decision:
        return decide("read_file", Claim(Effect.READ, "gist", reads=(path,)), self.situation(**situation))

    def write(self, path: Path, **situation: Any) -> Decision:
        return decide(
            "write_file", Claim(Effect.WRITE, "gist", writes=(path,)), self.situation(**situation)
        )


def view(*said: str, outside: bool = True) -> View:
    """A conversation in which the person said this, and perhaps a page was read."""
    page = {"role": "tool", "_outcome": "ok", "_origin": "untrusted", "_sources": ["a.page"]}
    asked = {"role": "user", "content": " ".join(said)}
    return View([asked, page] if outside else [asked])


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    me = tmp_path / "me"
    home = me / "program"
    workspace = home / "workspace"
    for folder in (
        workspace / "sessions",
        workspace / "memory",
        workspace / "skills",
        me / ".ssh",
        me / "docs",
    ):
        folder.mkdir(parents=True)
    (me / ".ssh" / "id").write_text("key")
    (home / "config.json").write_text("{}")
    (workspace / "a.txt").write_text("a")
    monkeypatch.setenv("HOME", str(me))
    monkeypatch.setenv("USERPROFILE", str(me))
    return Make(me, home, workspace)
