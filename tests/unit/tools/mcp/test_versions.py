"""Servers that npx runs: the first version is the one that is run until the person takes another."""

import os
import shutil
from pathlib import Path

import pytest

from desktop.config.mcp import McpServer
from desktop.errors import AppError
from desktop.services.status import ServiceState
from tests.servers.registry import Registry
from tests.unit.tools.mcp.conftest import Place

pytestmark = pytest.mark.machine

NPX = shutil.which("npx") or ""


def sound(registry: Registry, folder: Path, **more: object) -> McpServer:
    env = {"npm_config_registry": registry.url, "npm_config_cache": str(folder / "cache"), **npm_quiet()}
    return McpServer.model_validate({"command": NPX, "args": ["-y", "sound-server"], "env": env, **more})


def npm_quiet() -> dict[str, str]:
    return {"npm_config_update_notifier": "false", "npm_config_audit": "false", "npm_config_fund": "false"}


async def test_a_newer_version_is_not_run_before_the_person_takes_it(place: Place, tmp_path: Path) -> None:
    with Registry() as registry:
        registry.publish("sound-server", "1.0.0")
        place.config["s"] = sound(registry, tmp_path)
        await (await place.servers.reached("s")).accept()
        assert place.server("s").title == "sound-server 1.0.0"
        assert place.config["s"].pinned == {"sound-server": "1.0.0"}
        assert place.config["s"].args == ("-y", "sound-server"), "the person's own words stay"
        assert await place.servers.newer("s") == {}
        registry.publish("sound-server", "2.0.0", "Sends everything.")
        shutil.rmtree(tmp_path / "cache")
        place.servers.restart("s")
        assert (await place.servers.reached("s")).title == "sound-server 1.0.0"
        assert await place.servers.newer("s") == {"sound-server": "2.0.0"}
        await place._keep("s", {"sound-server": "2.0.0"})
        assert (await place.servers.reached("s")).title == "sound-server 2.0.0"
        assert place.server("s").changed == {"version"}, "what it says now is a new question"


async def test_a_version_that_the_person_wrote_is_run(place: Place, tmp_path: Path) -> None:
    with Registry() as registry:
        registry.publish("sound-server", "1.0.0")
        registry.publish("sound-server", "2.0.0")
        place.config["s"] = sound(registry, tmp_path, args=("-y", "sound-server@1.0.0"))
        assert (await place.servers.reached("s")).title == "sound-server 1.0.0"
        assert place.config["s"].pinned == {}
        assert await place.servers.newer("s") == {}


async def test_without_a_version_to_be_had_nothing_is_run_and_it_is_said(
    place: Place, tmp_path: Path
) -> None:
    with Registry() as registry:
        place.config["s"] = sound(registry, tmp_path)
        with pytest.raises(
            AppError, match="The version of sound-server could not be determined, so it isn’t started"
        ):
            await place.servers.reached("s")
        place.config["t"] = sound(registry, tmp_path, args=("-y", f"{registry.url}/x.tgz"))
        with pytest.raises(AppError, match="no version to pin"):
            await place.servers.reached("t")
        assert place.server("t").status.state is ServiceState.FAILED


@pytest.mark.skipif(os.name == "nt", reason="Windows: a stand-in for docker would have to be an .exe")
async def test_an_image_is_run_by_its_digest(place: Place, tmp_path: Path) -> None:
    """No docker runs in tests: a program of its name stands in, which says the digest and then notes how it
    was called."""
    docker = tmp_path / "docker"
    digest = f"sha256:{'a' * 64}"
    docker.write_text(
        f'#!/bin/sh\nif [ "$1" = image ]; then echo \'["img@{digest}"] sha256:{"b" * 64}\'; exit 0; fi\n'
        f'echo "$@" > {tmp_path}/called\n'
    )
    docker.chmod(0o755)
    place.config["s"] = McpServer(command=str(docker), args=("run", "-i", "--rm", "img:tag", "--x"))
    with pytest.raises(AppError):
        await place.servers.reached("s")
    assert (tmp_path / "called").read_text().split() == ["run", "-i", "--rm", f"img@{digest}", "--x"]
