"""The bare peers: what the same streamed call costs without the program around it."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

_PLACE = Path("~/.cache/nanobot-desktop/bench/nanobot-0.3.5")

OPENAI = """
import asyncio, sys
from openai import AsyncOpenAI, AsyncStream

async def main():
    client = AsyncOpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)
    body = {"model": sys.argv[2], "stream": True, "max_tokens": 64,
            "stream_options": {"include_usage": True},
            "messages": [{"role": "user", "content": "hi"}]}
    stream = await client.post("/chat/completions", body=body, cast_to=object, stream=True,
                               stream_cls=AsyncStream[object])
    async for chunk in stream:
        for choice in chunk["choices"]:
            print(choice["delta"].get("content") or "", end="", flush=True)

asyncio.run(main())
"""

LITELLM = """
import asyncio, os, sys
os.environ.update(LITELLM_OFFLINE_MODE="true", LITELLM_LOCAL_MODEL_COST_MAP="True", LITELLM_LOG="ERROR")
import litellm

async def main():
    stream = await litellm.acompletion(model="openai/" + sys.argv[2], api_base=sys.argv[1], api_key="none",
                                       stream=True, max_tokens=64, num_retries=0,
                                       messages=[{"role": "user", "content": "hi"}])
    async for chunk in stream:
        print(chunk.choices[0].delta.content or "", end="", flush=True)

asyncio.run(main())
"""


def bare(engine: str, url: str, model: str) -> list[str]:
    """The command of a bare script with this engine."""
    return [sys.executable, "-c", OPENAI if engine == "openai" else LITELLM, url, model]


NANOBOT = """
import asyncio, json, sys, time
from nanobot.nanobot import Nanobot

async def turn(bot, text, key):
    async for _event in bot.stream(text, session_key=key):
        pass

async def main():
    bot = Nanobot.from_config(sys.argv[1])
    print("ready", flush=True)
    for line in sys.stdin:
        texts = json.loads(line)
        started = time.perf_counter()
        await asyncio.gather(*(turn(bot, text, "bench:" + str(n)) for n, text in enumerate(texts)))
        print(json.dumps(time.perf_counter() - started), flush=True)

asyncio.run(main())
"""
"""Reads lines of messages, each for a session of its own; answers with the seconds that all took."""


def nanobot_turns(url: str, home: Path, model: str) -> tuple[list[str], dict[str, str]] | None:
    """The command and environment of nanobot-ai 0.3.5 kept running, by its own interface for programs."""
    if nanobot(url, home) is None:
        return None
    config = home / ".nanobot" / "config.json"
    settings = json.loads(config.read_text())
    settings["agents"]["defaults"]["model"] = model
    settings["tools"] = {"ssrfWhitelist": ["127.0.0.0/8"], "web": {"fetch": {"useJinaReader": False}}}
    config.write_text(json.dumps(settings))
    python = _PLACE.expanduser() / "bin" / "python"
    return [str(python), "-c", NANOBOT, str(config)], {**os.environ, "HOME": str(home)}


def nanobot(url: str, home: Path) -> tuple[list[str], dict[str, str]] | None:
    """The command and environment of nanobot-ai 0.3.5's one-shot, installed once into the user's cache."""
    place = _PLACE.expanduser()
    program = place / "bin" / "nanobot"
    if not program.exists():
        print("installing nanobot-ai 0.3.5 beside, once...", file=sys.stderr)
        venv.create(place, with_pip=True)
        done = subprocess.run(
            [place / "bin" / "pip", "install", "-q", "nanobot-ai==0.3.5"], check=False, capture_output=True
        )
        if done.returncode:
            print(done.stderr.decode()[-500:], file=sys.stderr)
            return None
    settings = {
        "agents": {
            "defaults": {"workspace": str(home / "workspace"), "model": "say:hello", "provider": "custom"}
        },
        "providers": {"custom": {"apiBase": url, "apiKey": "none"}},
    }
    (home / ".nanobot").mkdir(parents=True, exist_ok=True)
    (home / ".nanobot" / "config.json").write_text(json.dumps(settings))
    return [str(program), "agent", "-m", "hi"], {**os.environ, "HOME": str(home)}
