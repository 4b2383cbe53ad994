"""A home to import into: real settings, sessions and files, and a keychain in memory."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from desktop.config.keychain import Keychain
from desktop.config.store import ConfigStore
from desktop.files import Seen
from desktop.merge.here import Here
from desktop.merge.importer.importing import Importing, Items
from desktop.merge.items import WRITING, Item
from desktop.origin import Mark
from desktop.pace import Advanced
from desktop.paths import Home
from desktop.session.listing import describe_all
from desktop.session.sessions import Sessions
from tests.unit.config.test_keychain import Vault


class Bed:
    """One home of this program."""

    def __init__(self, root: Path) -> None:
        self.root, self.workspace = root, root / "workspace"
        self.workspace.mkdir(parents=True)
        self.store = ConfigStore(root / "config.json", os.environ)
        self.sessions = Sessions(self.workspace / "sessions")
        self.vault = Vault()
        self.keychain = Keychain(backend=lambda: self.vault, limit=None)
        self.events: list[Items | Advanced] = []
        self.marks: dict[str, Mark] = {}
        """Whose words the bytes of files are, by their paths in the workspace."""

    def importing(self, old: Path) -> Importing:
        """An import of the home at a path."""

        async def take(values: Mapping[tuple[str, ...], Any]) -> None:
            await self.store.take_over(values)

        here = Here(
            Home(self.root, self.root / "models"),
            self.workspace,
            self.sessions,
            self.keychain,
            take,
            lambda: self.store.config,
            self.keep,
            lambda: "Europe/Berlin",
        )
        return Importing(old, here, self.events.append)

    async def keep(self, files: Iterable[Seen], mark: Mark) -> None:
        """Note whose words the bytes of files are."""
        self.marks |= {str(seen.path.relative_to(self.workspace)): mark for seen in files}

    async def plan(self, old: Path) -> list[Item]:
        """What would become of what is there."""
        return (await self.importing(old).plan())[1]

    async def run(self, old: Path, *, scrub: bool = False) -> list[Item]:
        """What became of it."""
        self.store.load()
        return (await self.importing(old).run(scrub=scrub))[1]

    async def nothing_new(self, old: Path) -> None:
        """Importing once more finds nothing to do."""
        again = await self.run(old)
        assert [item for item in again if item.action in (*WRITING, "failed")] == []

    async def said(self, key: str) -> list[str]:
        """What was said in a conversation."""
        messages = await (await self.sessions.open(key)).everything()
        return [message["content"] for message in messages]

    def known(self) -> set[str]:
        """The keys of the stored conversations."""
        return {info.key for info in describe_all(self.sessions.folder)}


def named(items: list[Item], name: str) -> Item:
    """The item of this name."""
    (found,) = [item for item in items if item.name == name]
    return found
