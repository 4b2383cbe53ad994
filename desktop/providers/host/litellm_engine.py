"""The engine for every other provider: litellm, kept offline, quiet and out of our retries.

It is told by its environment what not to do before it is imported; its own retries, its guard against
repeated chunks (which ends an honest answer that says a word a hundred times) and its logging are off.
"""

import json
import logging
import os
import warnings
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

from desktop.net import way_out
from desktop.providers import device
from desktop.providers.host.call import CONNECT_SECONDS, Call, Chunk, Failure
from desktop.providers.host.lending import folder, lend
from desktop.providers.host.wire import PROXY, Wire

_ENVIRONMENT = {
    "LITELLM_OFFLINE_MODE": "true",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOG": "ERROR",
    "LITELLM_MODE": "PRODUCTION",
    "DISABLE_AIOHTTP_TRANSPORT": "True",
    "REPEATED_STREAMING_CHUNK_LIMIT": "1000000000",
}
_LOGINS = {
    device.COPILOT: ("GITHUB_COPILOT_TOKEN_DIR", "github_copilot/"),
    device.CODEX: ("CHATGPT_TOKEN_DIR", "chatgpt/"),
}
"""By provider: the variable that says where litellm finds its login, and how its models begin."""
_LENT = tuple(prefix for _variable, prefix in _LOGINS.values())


class LitellmEngine:
    """Calls through litellm.acompletion. Model names arrive with litellm's prefix."""

    def __init__(self) -> None:
        self._logins = Path()

    def prepare(self) -> None:
        os.environ.update(_ENVIRONMENT)
        self._logins = folder()
        for name, (variable, _prefix) in _LOGINS.items():
            os.environ[variable] = str(self._logins / name)
        warnings.filterwarnings("ignore", "Pydantic serializer warnings")  # of its own translations
        import httpx
        import litellm
        from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

        litellm.suppress_debug_info = True
        litellm.turn_off_message_logging = True
        litellm.drop_params = True
        litellm.num_retries = 0
        litellm.aclient_session = way_out.client(httpx, transport=Wire(httpx), follow_redirects=True)
        AsyncHTTPHandler.create_client = _client_of  # type: ignore[method-assign,assignment]
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logger = logging.getLogger(name)
            logger.handlers.clear()
            logger.propagate = False
            logger.addHandler(logging.NullHandler())
        _rehearse()

    async def chunks(self, call: Call) -> AsyncGenerator[Chunk]:
        PROXY.set(call.proxy)
        for name, (_variable, prefix) in _LOGINS.items():
            if call.model.startswith(prefix):
                lend(self._logins / name, device.files(name, call.api_key))
                call = replace(call, api_key="")
        if call.model.startswith(_LOGINS[device.CODEX][1]):
            os.environ["CHATGPT_API_BASE"] = call.base_url  # the only way to tell it; empty is its own
        stream = await _complete(call, json.loads(call.body))
        try:
            async for chunk in stream:
                yield chunk.model_dump()
        finally:
            await stream.aclose()


def _client_of(handler: Any, timeout: Any, event_hooks: Any, *_: Any, **__: Any) -> Any:
    """The client of one of litellm's handlers, for the vendors that it asks without the openai SDK."""
    import httpx

    return way_out.client(
        httpx,
        transport=Wire(httpx),
        timeout=CONNECT_SECONDS if timeout is None else timeout,
        event_hooks=event_hooks,
        follow_redirects=handler.follow_redirects,
    )


def _rehearse() -> None:
    """Answer a call without a server: half a second of imports that would hold up all calls later."""
    import litellm

    question = [{"role": "user", "content": "-"}]
    for _chunk in litellm.completion(model="openai/-", messages=question, mock_response="-", stream=True):
        pass


async def _complete(call: Call, body: dict[str, Any]) -> Any:
    import httpx
    import litellm

    stream: Any = await litellm.acompletion(
        **{**body, "model": call.model},
        api_base=call.base_url or None,
        api_key=None if call.model.startswith(_LENT) else call.api_key or "-",
        extra_headers=dict(call.headers) or None,
        timeout=httpx.Timeout(call.idle_seconds, connect=CONNECT_SECONDS),
        num_retries=0,
        max_retries=0,
    )
    if stream is None:  # what litellm returns for 422 when it may drop parameters
        raise Failure("bad_request", status=422)
    return stream
