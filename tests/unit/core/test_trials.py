"""A provider is tried with one real question; what is wrong is told by the field that is at fault."""

import json
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path

import keyring
import pytest

from desktop.api.providers import Draft
from desktop.bus.bus import Bus
from desktop.core.core import Core
from desktop.errors import AppError, ConfigError, UsageError
from desktop.paths import Home
from desktop.providers.base import ProviderError
from tests import warm
from tests.inside import api_of
from tests.servers.scripted import ScriptedServer

KEY = "sk-trial-5e1d77"


class House:
    def __init__(self, core: Core) -> None:
        self.core, self.api = core, api_of(core)

    async def fault(self, base: str = "") -> ProviderError:
        """What is wrong where a tiny question fails."""
        return await self._fault(self.api.providers.test(Draft("custom", "m", KEY, base)))

    async def list_fault(self) -> ProviderError:
        """What is wrong where there is no list of models."""
        return await self._fault(self.api.providers.models(Draft("custom", "m", KEY)))

    async def _fault(self, call: Awaitable[object]) -> ProviderError:
        with pytest.raises(ProviderError) as raised:
            await call
        assert KEY not in str(raised.value)
        return raised.value


@pytest.fixture
async def house(tmp_path: Path, server: ScriptedServer) -> AsyncIterator[House]:
    bus = Bus()
    core = await Core.start(Home(tmp_path, tmp_path / "models"), warm.host(bus), bus)
    await core.change({"providers.custom.api_base": server.url})
    yield House(core)
    await core.stop()


@pytest.mark.parametrize(
    ("answer", "field", "said"),
    [
        ("status:401", "key", "did not accept the key"),
        ("status:403", "key", "does not allow this key"),
        ("quota", "quota", "out of quota or credit"),
        ("status:429", "quota", "Too many requests"),
        ("status:400", "model", "rejected the request"),
        ("html", "address", "a web page, not a model"),
        ("status:500", "", "had an error"),
        ("notjson", "", "stopped before"),
    ],
)
async def test_the_field_at_fault_is_named(
    house: House, server: ScriptedServer, answer: str, field: str, said: str
) -> None:
    server.script(answer)
    fault = await house.fault()
    assert (fault.field, said in fault.text) == (field, True), fault.text


async def test_an_address_that_sends_on_is_told_with_where_to(house: House, server: ScriptedServer) -> None:
    there = server.url.replace("/v1", "/welcome")
    server.script(f"moved:302:{there}")
    fault = await house.fault()
    assert fault.field == "address"
    assert there in fault.text
    for _time in range(40):
        server.script(f"moved:307:{server.url}/chat/completions")
    assert (await house.fault()).field == "address"


async def test_nobody_there(house: House) -> None:
    fault = await house.fault(base="http://127.0.0.1:9/v1")
    assert fault.field == "address"
    assert "can’t be reached at http://127.0.0.1:9/v1" in fault.text


async def test_an_unknown_model_is_told_apart_from_a_wrong_address(
    house: House, server: ScriptedServer
) -> None:
    server.script("status:404")
    fault = await house.fault()
    assert (fault.field, fault.text) == ("model", "Custom server has no model named m.")
    server.pages["/models"] = (404, "application/json", b"{}")
    server.script("status:404")
    assert (await house.fault()).field == "address"


async def test_a_proxy_is_used_and_told_when_it_is_at_fault(house: House, server: ScriptedServer) -> None:
    with ScriptedServer() as proxy:
        address = proxy.url.removesuffix("/v1")
        await house.core.change(
            {"providers.custom.proxy": address, "providers.custom.api_base": "http://model.invalid/v1"}
        )
        proxy.script("say:through the proxy")
        done = await house.api.providers.test(Draft("custom", "m"))
        assert done.answer == "through the proxy"
        assert proxy.requests[-1].path == "http://model.invalid/v1/chat/completions"
        proxy.script("status:407")
        assert (await house.fault()).field == "proxy"
    fault = await house.fault()
    assert fault.field == "proxy"
    assert address in fault.text
    with pytest.raises(ConfigError):
        await house.core.change({"providers.custom.proxy": "http://me:secret@host:1"})


async def test_the_models_of_a_server_with_what_it_says_of_them(
    house: House, server: ScriptedServer
) -> None:
    models = [
        {
            "id": "b/sees",
            "context_length": 4096,
            "pricing": {"prompt": "0.000001", "completion": "0.000002"},
            "architecture": {"input_modalities": ["text", "image"]},
            "supported_parameters": ["tools"],
        },
        {"id": "A"},
        {"id": ""},
        "odd",
    ]
    server.pages["/models"] = (200, "application/json", json.dumps({"data": models}).encode())
    found = await house.api.providers.models(Draft("custom", key=KEY))
    assert found == (("A", *[None] * 5), ("b/sees", 4096, 1e-6, 2e-6, True, True))
    assert (found[1].name, found[1].window, found[1].sees) == ("b/sees", 4096, True)
    assert server.looks[-1].headers["authorization"] == f"Bearer {KEY}"


async def test_twenty_thousand_models(house: House, server: ScriptedServer) -> None:
    listing = {"data": [{"id": f"maker/model-{number:05}"} for number in range(20_000)]}
    server.pages["/models"] = (200, "application/json", json.dumps(listing).encode())
    found = await house.api.providers.models(Draft("custom"))
    assert len(found) == 20_000
    assert found[-1].name == "maker/model-19999"


@pytest.mark.parametrize(
    ("page", "field"),
    [
        ((401, "application/json", b"{}"), "key"),
        ((200, "text/html", b"<html>Sign in</html>"), "address"),
        ((200, "application/json", b"[1, 2"), "address"),
        ((200, "application/json", b'{"data": "none"}'), "address"),
        ((200, "application/json", b'[{"a": 1}]'), "address"),
    ],
)
async def test_what_is_no_list_of_models(
    house: House, server: ScriptedServer, page: tuple[int, str, bytes], field: str
) -> None:
    server.pages["/models"] = page
    assert (await house.list_fault()).field == field


async def test_who_gives_no_list_says_so(house: House) -> None:
    address = {"providers.azure_openai.api_base": "http://127.0.0.1:9"}
    await house.core.change(address)
    with pytest.raises(AppError, match="doesn’t list"):
        await house.api.providers.models(Draft("azure_openai", key=KEY))


async def test_a_key_is_stored_shown_and_removed(house: House, tmp_path: Path) -> None:
    before = house.core.store.config.agents.defaults
    await house.api.providers.store_key("groq", f" {KEY} ")
    assert keyring.get_password("nanobot-desktop", "groq") == KEY
    assert house.core.store.config.agents.defaults == before, "who answers stays as it is"
    assert await house.api.providers.key("groq") == KEY
    assert KEY not in (tmp_path / "config.json").read_text()
    await house.api.providers.forget_key("groq")
    assert keyring.get_password("nanobot-desktop", "groq") is None
    with pytest.raises(UsageError):
        await house.api.providers.key("groq")
    with pytest.raises(UsageError):
        await house.api.providers.store_key("groq", " ")


async def test_a_key_of_the_environment_is_offered_and_not_taken(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai-alone")
    rows = {row.name: row for row in (await house.api.providers.all()).providers}
    assert (rows["groq"].offered, rows["groq"].keyed) == ("GROQ_API_KEY", False)
    assert rows["openai"].offered == "OPENAI_API_KEY"
    assert rows["siliconflow"].offered == "", "OpenAI's key is not for another company"
    assert KEY not in str(rows)
    await house.api.providers.take_key("groq", session_only=True)
    assert await house.core.models.key("groq") == KEY
    assert keyring.get_password("nanobot-desktop", "groq") is None
    rows = {row.name: row for row in (await house.api.providers.all()).providers}
    assert (rows["groq"].offered, rows["groq"].keyed) == ("", True)
    with pytest.raises(UsageError):
        await house.api.providers.take_key("mistral")


async def test_a_temperature_that_was_set_and_is_not_taken_is_said(
    house: House, server: ScriptedServer
) -> None:
    server.script("say:a", "say:b", "say:c")
    assert (await house.api.providers.test(Draft("custom", "gpt-5"))).learned == ()
    await house.core.change({"agents.defaults.temperature": 0.7})
    [said] = (await house.api.providers.test(Draft("custom", "gpt-5"))).learned
    assert said == "It doesn’t accept a temperature, so the one in Settings is not sent."
    assert "temperature" not in server.requests[-1].body
    assert (await house.api.providers.test(Draft("custom", "gpt-4.1"))).learned == ()
    assert server.requests[-1].body["temperature"] == 0.7
