"""Keys live in the keychain: after a day of use they are in no file, archive, log, argument or child."""

import io
import json
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, read_event, texts
from tests.stories.test_acting import use
from tests.stories.test_mcp import SOUND

KEY, TOKEN, OLD = "sk-canary-3f7a91c2d4", "tok-canary-88e1b0", "sk-canary-old-5c1d"

pytestmark = pytest.mark.skipif(
    "DBUS_SESSION_BUS_ADDRESS" not in os.environ,
    reason="needs an unlocked Secret Service: bash tests/desktop-session.sh -- pytest ...",
)


def _whole(path: Path, content: bytes) -> Iterator[tuple[str, bytes]]:
    """A file, and what is in it where it is an archive."""
    yield str(path), content
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                yield f"{path}!{name}", archive.read(name)


def _with_secrets(folder: Path) -> list[str]:
    secrets = (KEY.encode(), TOKEN.encode(), OLD.encode())
    return [
        name
        for path, content in texts(folder)
        for name, data in _whole(path, content)
        if any(secret in data for secret in secrets)
    ]


def _old_home(folder: Path) -> Path:
    folder.mkdir()
    config = {
        "providers": {"deepseek": {"apiKey": OLD}},
        "agents": {"defaults": {"model": "deepseek-chat"}},
    }
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def test_after_a_day_of_use_no_secret_is_anywhere(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    old = _old_home(tmp_path / "old")
    out = tmp_path / "out"
    out.mkdir()
    done = program.run("onboard", given=f"custom\n{server.url}\n{KEY}\nsay:Hello.\nAda\n")
    assert done.returncode == 0, done.stderr
    added = program.run("mcp", "add", "s", "--env", "TOKEN", sys.executable, SOUND, given=f"{TOKEN}\n")
    assert added.returncode == 0, added.stderr
    assert program.run("import", str(old), "--scrub").returncode == 0
    program.run("provider", "set", "custom", "--no-key", "--base", server.url, "--model", "say:Hello.")

    server.script(
        use(("exec", {"command": "env; cat /proc/self/cmdline"}), ("mcp_s_echo", {"text": "hi"})),
        "say:Seen.",
        "status:401",
    )
    said = program.run("ask", "Show the environment", "--approve", "all", "--verbose")
    assert "Seen." in said.stdout
    assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}", "the key was in use"
    wrong = program.run("ask", "And now?", "--verbose")
    program.run("provider", "set", "custom", "--no-key", "--model", "slow:0.05")
    with program.started("ask", "--json", "--verbose", "hello") as ask:
        read_event(ask, "text_delta")
        family = [psutil.Process(ask.pid), *psutil.Process(ask.pid).children(recursive=True)]
        told = [" ".join(process.cmdline()) + str(process.environ()) for process in family]
        assert len(family) >= 2
        assert not [line for line in told if KEY in line or OLD in line]
        ask.kill()

    for kind in ("markdown", "html", "json"):
        program.run("sessions", "export", "cli:direct", "--format", kind, "--output", str(out / kind))
    assert program.run("backup", str(out / "all.zip")).returncode == 0
    assert program.run("diagnostics", str(out / "help.zip")).returncode == 0
    doctor = program.run("doctor", "--verbose")
    assert {path.name for path in out.iterdir()} >= {"all.zip", "help.zip", "markdown", "html", "json"}
    assert _with_secrets(program.home) == []
    assert _with_secrets(out) == []
    assert _with_secrets(old) == [], "scrubbed, as was wanted"
    for words in (said, wrong, doctor, done, added):
        assert not any(secret in words.stdout + words.stderr for secret in (KEY, TOKEN, OLD))
