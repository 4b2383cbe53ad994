"""The engine's packages come whole or not at all.

Node and npm are scripts here; packaging/run.sh uses the real ones.
"""

import asyncio
import json
import os
from pathlib import Path

import pytest

from desktop.errors import AppError
from desktop.paths import resource
from desktop.providers import engine
from desktop.tasks import spawn

NPM = """#!/bin/sh
echo "$PWD $*" >>"{notes}"
env >>"{notes}"
mkdir -p node_modules/node-llama-cpp node_modules/@node-llama-cpp
for name in linux-x64 linux-arm64 mac-arm64-metal win-x64; do mkdir node_modules/@node-llama-cpp/$name; done
{then}
"""


class Machine:
    """A PATH with a Node and an npm of our own, and a models folder."""

    def __init__(self, folder: Path) -> None:
        self.models, self.notes, self._programs = folder / "models", folder / "notes", folder / "bin"
        self._programs.mkdir()
        self.program("node", "#!/bin/sh\necho v22.1.0\n")
        self.npm("exit 0")

    def program(self, name: str, text: str) -> None:
        (self._programs / name).write_text(text)
        (self._programs / name).chmod(0o755)

    def npm(self, then: str) -> None:
        self.program("npm", NPM.format(notes=self.notes, then=then))

    @property
    def engines(self) -> list[Path]:
        return list((self.models / "engine").iterdir())


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("SOME_API_KEY", "sk-not-for-children")
    return machine


async def test_they_are_installed_once_from_the_lock_without_scripts(machine: Machine) -> None:
    target = await engine.install(machine.models)
    assert target == engine.packages(machine.models)
    assert machine.engines == [target]
    assert (target / "package-lock.json").is_file()
    told = machine.notes.read_text()
    assert " ci --ignore-scripts " in told
    assert "sk-not-for-children" not in told
    await engine.install(machine.models)
    assert machine.notes.read_text() == told


async def test_only_this_machines_build_is_kept(machine: Machine) -> None:
    target = await engine.install(machine.models)
    assert target
    (build,) = (target / "node_modules/@node-llama-cpp").iterdir()
    assert build.name.split("-")[1] in ("x64", "arm64")


@pytest.mark.expected_log("npm ci: exit code 3: no network")
async def test_a_failure_leaves_nothing_and_is_told(machine: Machine) -> None:
    machine.npm("echo no network; exit 3")
    with pytest.raises(AppError, match="could not be installed") as failure:
        await engine.install(machine.models)
    assert "try again" in failure.value.remedy
    assert machine.engines == []


async def test_cancelling_leaves_nothing(machine: Machine, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "arrived")
    machine.npm(f"echo here >{tmp_path / 'arrived'}; exec sleep 60")
    task = spawn(engine.install(machine.models), name="install")
    await asyncio.to_thread((tmp_path / "arrived").read_text)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert machine.engines == []


async def test_a_llama_server_needs_none(machine: Machine) -> None:
    machine.program("llama-server", "#!/bin/sh\n")
    assert await engine.install(machine.models) is None
    assert not machine.notes.exists()


def test_every_package_is_pinned_by_checksum() -> None:
    lock = json.loads(resource("engine", "package-lock.json").read_text())
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert packages["node_modules/node-llama-cpp"]["version"] == "3.21.1"
    for name, entry in packages.items():
        assert entry["integrity"].startswith("sha512-"), name
        assert "resolved" not in entry, name
