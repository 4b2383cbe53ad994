"""A key given to onboard: in the keychain, in the request, and nowhere else."""

import json
import os
from pathlib import Path

import psutil
import pytest

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, read_event, texts

KEY = "sk-story-7c1f0a9b3d5e"

pytestmark = pytest.mark.skipif(
    "DBUS_SESSION_BUS_ADDRESS" not in os.environ,
    reason="needs an unlocked Secret Service: bash tests/desktop-session.sh -- pytest ...",
)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "home")


def onboard(program: Program, server: ScriptedServer, key: str, model: str = "say:At your service.") -> str:
    given = f"custom\n{server.url}\n{key}\n{model}\nAda\n"
    done = program.run("onboard", given=given)
    return f"{done.returncode} {done.stdout}{done.stderr}"


def in_the_keychain(name: str) -> str | None:
    import keyring

    return keyring.get_password("nanobot-desktop", name)


def test_the_key_is_in_the_keychain_and_nowhere_else(program: Program, server: ScriptedServer) -> None:
    said = onboard(program, server, KEY)
    assert said.startswith("0 ")
    assert "answered with say:At your service." in said
    assert in_the_keychain("custom") == KEY
    assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"

    program.run("provider", "set", "custom", "--no-key", "--model", "slow:0.05")
    with program.started("ask", "--json", "--verbose", "hello") as ask:
        read_event(ask, "text_delta")
        family = [psutil.Process(ask.pid), *psutil.Process(ask.pid).children(recursive=True)]
        assert len(family) >= 2, "the program and its model host"
        for process in family:
            assert KEY not in " ".join(process.cmdline())
            assert KEY not in str(process.environ())
        _out, err = ask.communicate(timeout=30)
    assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in said + err
    found = [path for path, content in texts(program.home) if KEY.encode() in content]
    assert not found
    assert (program.home / "logs" / "nanobot.log").exists()
    assert program.run("doctor").returncode == 0


@pytest.mark.soak
def test_a_wrong_key_is_said_and_the_right_one_mends_it(program: Program, server: ScriptedServer) -> None:
    said = onboard(program, server, "sk-story-wrong", model="status:401")
    assert said.startswith("1 ")
    assert "did not accept the key" in said
    assert "sk-story-wrong" not in said
    assert onboard(program, server, KEY).startswith("0 ")
    assert in_the_keychain("custom") == KEY


def test_a_key_given_for_one_run_is_used_and_not_stored(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:ok")
    program.environment["NANOBOT_PROVIDERS__CUSTOM__API_KEY"] = "sk-story-once"
    assert program.run("ask", "hi").stdout == "ok\n"
    assert server.requests[-1].headers["authorization"] == "Bearer sk-story-once"
    del program.environment["NANOBOT_PROVIDERS__CUSTOM__API_KEY"]
    program.run("ask", "hi")
    assert "sk-story-once" not in server.requests[-1].headers.get("authorization", "")
    assert not [path for path, content in texts(program.home) if b"sk-story-once" in content]


@pytest.mark.soak
def test_a_key_in_an_old_settings_file_moves_to_the_keychain(
    program: Program, server: ScriptedServer
) -> None:
    program.configure(
        agents={"defaults": {"provider": "custom", "model": "say:ok"}},
        providers={"custom": {"apiBase": server.url, "apiKey": "sk-story-plain"}},
    )
    doctor = program.run("doctor")
    assert doctor.returncode == 1
    assert "plain text" in doctor.stdout
    program.run("ask", "hi")
    assert "sk-story-plain" not in server.requests[-1].headers.get("authorization", "")
    assert program.run("provider", "set", "custom", given=f"{KEY}\n").returncode == 0
    assert "sk-story-plain" not in (program.home / "config.json").read_text()
    assert program.run("doctor").returncode == 0
    assert program.run("ask", "hi").stdout == "ok\n"
    assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"


def test_a_client_registered_by_hand_has_its_secret_in_the_keychain_alone(program: Program) -> None:
    secret = "cl1ent-s3cret-of-a-test"
    more = ("--url", "http://127.0.0.1:9/mcp", "--client-id", "nano", "--client-secret")
    program.run("mcp", "add", "hand", *more, given=f"{secret}\n")
    settings = json.loads((program.home / "config.json").read_text("utf-8"))["tools"]["mcpServers"]["hand"]
    assert (settings["clientId"], settings["clientSecret"]) == ("nano", "${keychain}")
    assert not [path for path, content in texts(program.home) if secret.encode() in content]
    kept = in_the_keychain("mcp:hand:client:secret")
    assert kept == secret
    [listed] = program.events("mcp", "list")
    assert (listed["client_id"], listed["client_secret"]) == ("nano", True)
    assert program.run("mcp", "set", "hand", "--client-id", "").returncode == 0
    settings = json.loads((program.home / "config.json").read_text("utf-8"))["tools"]["mcpServers"]["hand"]
    assert "clientSecret" not in settings
    assert in_the_keychain("mcp:hand:client:secret") is None
