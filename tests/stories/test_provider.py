"""Providers on the command line: a login by a code, and the models that a server has now."""

import json

import keyring

from tests.servers.device import GITHUB_TOKEN, DeviceServer
from tests.servers.scripted import ScriptedServer, Seen
from tests.stories.program import Program, read_event, texts


def test_signing_in_by_a_code_asking_and_signing_out(program: Program, server: ScriptedServer) -> None:
    with DeviceServer(interval=0.1) as cloud:
        program.environment.update(cloud.environment)
        program.configure(
            agents={"defaults": {"provider": "github_copilot", "model": "say:By the login."}},
            providers={"github_copilot": {"apiBase": server.url}},
        )
        refused = program.run("ask", "Hello")
        assert refused.returncode == 1
        assert "provider login github_copilot" in refused.stderr
        with program.started("provider", "login", "github_copilot", "--json") as login:
            code = read_event(login, "code")
            assert code["user_code"] == "WXYZ-0001"
            assert code["page"] == f"{cloud.url}/login/device"
            cloud.allow()
            rest, wrong = login.communicate(timeout=30)
        assert (login.returncode, wrong) == (0, "")
        assert json.loads(rest) == {"provider": "github_copilot"}
        assert GITHUB_TOKEN in (keyring.get_password("nanobot-desktop", "github_copilot") or "")
        assert not [path for path, content in texts(program.home) if GITHUB_TOKEN.encode() in content]
        assert program.run("ask", "Hello").stdout == "By the login.\n"
        out = program.run("provider", "logout", "github_copilot")
        assert (out.returncode, out.stdout) == (0, "You are signed out.\n")
    assert keyring.get_password("nanobot-desktop", "github_copilot") is None
    assert program.run("provider", "login", "groq").returncode == 2


def test_a_code_that_expires_is_told(program: Program) -> None:
    with DeviceServer(seconds=0.3) as cloud:
        program.environment.update(cloud.environment)
        done = program.run("provider", "login", "openai_codex")
    assert done.returncode == 1
    assert f"{cloud.url}/codex/device" in done.stdout
    assert "The code has expired." in done.stderr


def test_the_models_of_a_server(program: Program, server: ScriptedServer) -> None:
    listing = {"data": [{"id": "maker/small", "context_length": 8000}, {"id": "maker/large"}]}
    server.pages["/models"] = (200, "application/json", json.dumps(listing).encode())
    program.use_server(server.url)
    assert program.run("provider", "models", "custom").stdout == "maker/large\nmaker/small\n"
    found = program.events("provider", "models", "custom", "--find", "small")
    assert found == [{"model": "maker/small", "window": 8000}]
    server.pages["/models"] = (200, "text/html", b"<html>Sign in</html>")
    done = program.run("provider", "models", "custom")
    assert done.returncode == 1
    assert "a web page, not a model" in done.stderr


def test_what_a_server_does_not_take_is_found_out_told_and_remembered(
    program: Program, server: ScriptedServer
) -> None:
    def strict(seen: Seen) -> str:
        refused = sorted({"temperature", "stream_options", "max_tokens"} & set(seen.body))
        words = ", ".join(refused)
        return 'refuse:{"error": {"message": "Unsupported: ' + words + '"}}' if refused else "say:Ready."

    server.when("", strict)
    program.use_server(server.url, "some-model")
    done = program.run("provider", "test", "custom")
    assert done.returncode == 0, done.stderr
    first, *learned = done.stdout.splitlines()
    assert "custom answered with some-model" in first
    assert learned == [
        "It does not accept a temperature.",
        "It does not count tokens while streaming.",
        "Its name for the answer limit is max_completion_tokens.",
    ]
    asked = len(server.requests)
    assert program.run("ask", "Hello").stdout == "Ready.\n"
    assert len(server.requests) == asked + 1, "another run knows it"
    [told] = program.events("provider", "test", "custom")
    assert told["learned"] == learned


def test_a_server_without_the_api_that_was_chosen_is_told(program: Program, server: ScriptedServer) -> None:
    server.when("", lambda seen: "status:404" if seen.path.endswith("/responses") else "say:Ready.")
    program.use_server(server.url, "some-model", apiType="responses")
    done = program.run("provider", "test", "custom")
    assert done.returncode == 0, done.stderr
    assert "Its server has no Responses API, so it is called through Chat Completions." in done.stdout
    assert program.run("ask", "Hello").stdout == "Ready.\n"
    assert [seen.path for seen in server.requests] == [
        "/v1/responses",
        "/v1/chat/completions",
        "/v1/chat/completions",
    ]
