"""Proxies and certificates of the environment, asked through the real model host with both engines."""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager

import pytest

from desktop.providers.base import (
    Completion,
    Endpoint,
    Message,
    Request,
    Unreachable,
    WrongWay,
)
from desktop.providers.behaviour import WireRules
from desktop.providers.client import HostedProvider
from desktop.providers.host_process import ModelHost
from tests.servers.proxies import proxy_to
from tests.servers.scripted import ScriptedServer

AWAY = "http://model.example/v1"
WAYS = [("openai", "say:hi"), ("litellm", "openai/say:hi"), ("litellm", "anthropic/claude-x")]


def serialise(messages: Sequence[Message], rules: WireRules, conversation: str) -> bytes:
    return json.dumps(list(messages)).encode()


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@asynccontextmanager
async def started() -> AsyncIterator[ModelHost]:
    host = ModelHost()
    await host.start()
    try:
        yield host
    finally:
        await host.stop()


async def ask(host: ModelHost, server: ScriptedServer, engine: str, model: str, url: str) -> str:
    server.forget()
    server.script("anthropic" if "claude" in model else "say:hi")
    base = url.removesuffix("/v1") if "claude" in model else url
    endpoint = Endpoint("acme", model, engine, base, "sk-secret-key", title="Acme")
    request = Request(endpoint, [{"role": "user", "content": "q"}], max_tokens=10)
    *_, last = [item async for item in HostedProvider(host, serialise).stream(request)]
    assert isinstance(last, Completion)
    return last.text


async def test_what_is_wrong_in_the_environment_is_named_and_this_machine_is_reached(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "gopher://me:hunter2@proxy.example:1")
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/certificates.pem")
    async with started() as host:
        for engine, model in WAYS:
            assert await ask(host, server, engine, model, server.url) in ("hi", "Looking.")
            for url in (AWAY, AWAY.replace("http", "https")):
                with pytest.raises(WrongWay) as caught:
                    await ask(host, server, engine, model, url)
                assert caught.value.text.startswith("ALL_PROXY is set to a kind of proxy")
                assert "hunter2" not in str(caught.value)
                assert caught.value.remedy


@pytest.mark.parametrize("scheme", ["socks5", "http"])
async def test_both_engines_go_through_the_proxy_of_the_environment(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    async with proxy_to(int(server.url.split(":")[2].split("/")[0])) as proxy:
        monkeypatch.setenv("ALL_PROXY", f"{scheme}://127.0.0.1:{proxy.port}")
        async with started() as host:
            for engine, model in WAYS:
                assert await ask(host, server, engine, model, AWAY) in ("hi", "Looking.")
            assert proxy.asked == [({"socks5": "socks"}.get(scheme, scheme), "model.example")] * 3
            for engine, model in WAYS:
                assert await ask(host, server, engine, model, server.url) in ("hi", "Looking.")
            assert len(proxy.asked) == 3


async def test_a_proxy_that_does_not_run_is_named_with_its_variable(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    async with started() as host:
        for engine, model in WAYS[:2]:
            with pytest.raises(Unreachable) as caught:
                await ask(host, server, engine, model, AWAY)
            assert caught.value.text == (
                "The proxy socks5://127.0.0.1:9, set by ALL_PROXY, can’t reach Acme."
            )
