"""A login by a code: what is told, what is kept where, and that a model is asked with it."""

import asyncio
import json
import os
import stat
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import keyring
import pytest
from keyring.errors import PasswordDeleteError

from desktop.api.providers import Draft, LoginCode, SignedIn
from desktop.bus.bus import Bus
from desktop.core.core import Core
from desktop.errors import AppError, UsageError
from desktop.logs import masked
from desktop.paths import Home
from desktop.providers import device
from desktop.providers.base import SignInNeeded, Unreachable
from desktop.providers.host_process import ModelHost
from desktop.tasks import cancel, spawn
from tests.inside import api_of
from tests.servers.device import COPILOT_TOKEN, GITHUB_TOKEN, REFRESH, DeviceServer
from tests.servers.scripted import ScriptedServer

NAMES = ("github_copilot", "openai_codex")


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[DeviceServer]:
    with DeviceServer() as cloud:
        for variable, value in cloud.environment.items():
            monkeypatch.setenv(variable, value)
        (tmp_path / "run").mkdir(mode=0o700)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
        yield cloud
    for name in NAMES:
        with suppress(PasswordDeleteError):
            keyring.delete_password("nanobot-desktop", name)


class House:
    def __init__(self, core: Core) -> None:
        self.core, self.api = core, api_of(core)
        self.told: list[LoginCode | SignedIn] = []

    async def sign_in(self, name: str) -> None:
        async for step in self.api.providers.login(name):
            self.told.append(step)

    async def login(self, cloud: DeviceServer, name: str) -> None:
        work = spawn(self.sign_in(name), name="login")
        while not (self.told or work.done()):
            await asyncio.sleep(0.01)
        cloud.allow()
        await work

    async def test(self, name: str, model: str = "") -> str:
        """What a tiny question is answered."""
        return (await self.api.providers.test(Draft(name, model))).answer


@pytest.fixture
async def house(tmp_path: Path, cloud: DeviceServer) -> AsyncIterator[House]:
    bus = Bus()
    core = await Core.start(Home(tmp_path / "home", tmp_path / "models"), ModelHost(bus), bus)
    yield House(core)
    await core.stop()


@pytest.mark.parametrize("name", NAMES)
async def test_a_code_is_told_and_the_tokens_are_in_the_keychain_only(
    house: House, cloud: DeviceServer, name: str, tmp_path: Path
) -> None:
    await house.login(cloud, name)
    code, end = house.told
    assert isinstance(code, LoginCode)
    assert end == SignedIn(name)
    assert code.user_code == "WXYZ-0001"
    assert code.page.startswith(cloud.url)
    kept = json.loads(keyring.get_password("nanobot-desktop", name) or "")
    assert kept["access_token"]
    assert "dev-1" not in str(code)
    token = str(kept["access_token"])
    assert masked(f"a {token}") == "a [hidden]"
    for path in (tmp_path / "home").rglob("*"):
        assert not path.is_file() or token.encode() not in path.read_bytes()
    rows = {row.name: row for row in (await house.api.providers.all()).providers}
    assert rows[name].stored
    assert await house.api.providers.logout(name) == name
    assert keyring.get_password("nanobot-desktop", name) is None
    with pytest.raises(SignInNeeded, match="needs a login"):
        await house.test(name)


@pytest.mark.expected_log("the model host went away")
@pytest.mark.soak
async def test_copilot_is_asked_with_it_and_its_file_is_private_and_goes_with_the_host(
    house: House, cloud: DeviceServer, server: ScriptedServer, tmp_path: Path
) -> None:
    await house.login(cloud, "github_copilot")
    await house.core.change({"providers.github_copilot.api_base": server.url})
    server.script("say:by the login")
    assert await house.test("github_copilot", "gpt-4.1") == "by the login"
    assert server.requests[-1].headers["authorization"] == f"Bearer {COPILOT_TOKEN}"
    assert cloud.asked[-1][1]["authorization"] == f"token {GITHUB_TOKEN}"
    [folder] = (tmp_path / "run").glob("nanobot-login-*")
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.name for path in files} == {"access-token", "api-key.json"}
    for path in (folder, *folder.rglob("*")):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
    pid = house.core.host.pid
    assert pid is not None
    os.kill(pid, 9)
    while house.core.host.pid is not None or list((tmp_path / "run").glob("nanobot-login-*")):
        await asyncio.sleep(0.02)
    server.script("say:again")
    assert await house.test("github_copilot", "gpt-4.1") == "again"
    await house.api.providers.logout("github_copilot")
    assert not list((tmp_path / "run").glob("nanobot-login-*")), "nothing is left of it"


async def test_openai_is_asked_with_it_too(
    house: House, cloud: DeviceServer, server: ScriptedServer, tmp_path: Path
) -> None:
    await house.login(cloud, "openai_codex")
    await house.core.change({"providers.openai_codex.api_base": server.url})
    server.script("say:by the login")
    assert await house.test("openai_codex", "gpt-5.1-codex") == "by the login"
    seen = server.requests[-1]
    kept = json.loads(await house.core.models.key("openai_codex"))
    assert seen.path == "/v1/responses"
    assert seen.headers["authorization"] == f"Bearer {kept['access_token']}"
    assert seen.headers["chatgpt-account-id"] == "acc-1"
    for path in (tmp_path / "run").rglob("*"):
        assert not path.is_file() or REFRESH.encode() not in path.read_bytes()


async def test_a_login_at_openai_is_renewed_once_where_it_ends(house: House, cloud: DeviceServer) -> None:
    cloud.ends = time.time() + 10
    await house.login(cloud, "openai_codex")
    first = await house.core.models.key("openai_codex")
    cloud.ends = time.time() + 3600
    chosen = house.core.models.choice("gpt-5.1-codex", "openai_codex")
    ends = await asyncio.gather(*(house.core.models.endpoint(chosen) for _time in range(3)))
    assert len({end.api_key for end in ends}) == 1
    assert ends[0].api_key != first
    assert keyring.get_password("nanobot-desktop", "openai_codex") == ends[0].api_key
    refreshed = [given for path, given in cloud.asked if given.get("grant_type") == "refresh_token"]
    assert [given["refresh_token"] for given in refreshed] == [REFRESH]
    lent = json.loads(device.files("openai_codex", ends[0].api_key)["auth.json"])
    assert set(lent) == {"access_token", "expires_at", "account_id"}, "what renews it is not lent"
    assert lent["account_id"] == "acc-1"


async def test_a_login_that_cannot_be_renewed_is_told(house: House, cloud: DeviceServer) -> None:
    stored = {"access_token": "old-access", "refresh_token": "used-up", "expires_at": time.time() - 1}
    house.core.keychain.remember("openai_codex", json.dumps(stored))
    with pytest.raises(SignInNeeded, match="The login has expired"):
        await house.test("openai_codex", "m")


@pytest.mark.parametrize("name", NAMES)
async def test_a_code_that_nobody_enters_expires(house: House, cloud: DeviceServer, name: str) -> None:
    cloud.seconds = 0.3
    with pytest.raises(device.CodeExpired, match="has expired"):
        await house.sign_in(name)
    assert keyring.get_password("nanobot-desktop", name) is None


@pytest.mark.parametrize(
    ("error", "raised"), [("expired_token", device.CodeExpired), ("access_denied", device.Refused)]
)
async def test_what_github_says_instead_of_a_token(
    house: House, cloud: DeviceServer, error: str, raised: type[AppError]
) -> None:
    cloud.error = error
    with pytest.raises(raised):
        await house.sign_in("github_copilot")


async def test_no_code_nobody_there_and_called_off(
    house: House, cloud: DeviceServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = spawn(house.sign_in("github_copilot"), name="login")
    while len(cloud.asked) < 3:
        await asyncio.sleep(0.01)
    await cancel(work)
    count = len(cloud.asked)
    cloud.broken = b"<html>"
    with pytest.raises(device.Refused, match="returned no sign-in code"):
        await house.sign_in("openai_codex")
    assert len(cloud.asked) == count + 1, "nobody waits any more"
    monkeypatch.setenv("NANOBOT_DESKTOP_GITHUB_LOGIN", "http://127.0.0.1:9")
    with pytest.raises(Unreachable):
        await house.sign_in("github_copilot")
    with pytest.raises(UsageError):
        await house.sign_in("groq")
