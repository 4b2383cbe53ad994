"""Vendors' streams through the real model host: every shape of streams.py, by each engine that meets it."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from desktop.providers.base import (
    Completion,
    CutShort,
    Delta,
    Endpoint,
    Message,
    ProviderError,
    Request,
    Unreachable,
)
from desktop.providers.behaviour import Behaviour, WireRules
from desktop.providers.behaviour_responses import over_responses
from desktop.providers.client import HostedProvider
from desktop.providers.host_process import ModelHost
from tests.servers.scripted import ScriptedServer
from tests.soak.fuzz_streams import rounds
from tests.unit.providers.streams import SHAPES, Shape

pytestmark = pytest.mark.asyncio(loop_scope="module")

VENDORS = {
    *("OpenAI", "Azure", "Anthropic", "Gemini", "DeepSeek", "DashScope"),
    *("Ollama", "LM Studio", "vLLM", "llama-server", "LiteLLM proxy", "OpenRouter", "Responses"),
}
ENGINES = {"both": ("openai", "litellm"), "openai": ("openai",)}
CASES = [
    pytest.param(shape, engine, id=f"{shape.name} ({engine})")
    for shape in SHAPES
    for engine in ENGINES.get(shape.engine, (shape.engine,))
]


def serialise(messages: Sequence[Message], rules: WireRules, conversation: str) -> bytes:
    return json.dumps(list(messages)).encode()


async def streamed(
    host: ModelHost, server: ScriptedServer, engine: str, wire: str, place: Path
) -> tuple[str, Completion | ProviderError]:
    """What was shown, and how it ended."""
    (place / "wire").write_text(wire, "utf-8")
    server.forget()
    server.script(f"raw:{place}/wire")
    base = server.url.removesuffix("/v1") if engine == "anthropic" else server.url
    prefix = {"openai": "", "responses": "", "litellm": "openai/"}.get(engine, f"{engine}/")
    library = "openai" if engine in ("openai", "responses") else "litellm"
    behaviour = over_responses(Behaviour()) if engine == "responses" else Behaviour()
    endpoint = Endpoint(
        "acme", f"{prefix}some-model", library, base, "sk-key", title="Acme", behaviour=behaviour
    )
    request = Request(endpoint, [{"role": "user", "content": "q"}], max_tokens=50)
    shown, end = "", None
    try:
        async for item in HostedProvider(host, serialise).stream(request):
            if isinstance(item, Delta):
                shown += item.text
            else:
                end = item
    except ProviderError as error:
        return shown, error
    assert end is not None
    return shown, end


@pytest.mark.parametrize(("shape", "engine"), CASES)
async def test_a_vendors_stream(
    host: ModelHost, server: ScriptedServer, tmp_path: Path, shape: Shape, engine: str
) -> None:
    shown, end = await streamed(host, server, engine, shape.wire, tmp_path)
    assert shown == shape.text
    if shape.cut:
        told = {"broken": Unreachable, "fault": ProviderError}.get(shape.cut, CutShort)
        assert isinstance(end, told), end
        assert shape.cut in ("broken", "fault") or shape.cut in end.text
        assert end.remedy
    else:
        assert isinstance(end, Completion), end
        assert end.text == shape.text
        calls = [(one.name, json.loads(one.arguments)) for one in end.tool_calls]
        assert calls == [(name, json.loads(given)) for name, given in shape.calls]
        assert len({one.id for one in end.tool_calls}) == len(calls)
        assert end.finish == (shape.finish or ("tool_calls" if calls else "stop"))
    assert len(server.requests) == 1


async def test_streams_by_chance_are_whole_or_end_soon(host: ModelHost) -> None:
    for engine in ("openai", "litellm"):
        await host.prepare(engine)
    assert await rounds(host, Random(15), 60) == []


async def test_every_vendor_is_in_the_table_and_every_shape_names_its_source() -> None:
    assert {shape.vendor for shape in SHAPES} >= VENDORS
    assert all(shape.source for shape in SHAPES)
    assert len({shape.name for shape in SHAPES}) == len(SHAPES)
