"""Calls to a sound server: what they claim, what they bring, and what becomes of them when it breaks."""

import asyncio
import os
import signal
from pathlib import Path

import psutil
import pytest

from desktop.bus.events import ServiceChanged
from desktop.config.mcp import KEYCHAIN, McpServer
from desktop.services.status import ServiceState
from desktop.tools.base import Effect, ToolFailure
from tests.unit.tools.mcp.conftest import BIN, Place, serving


async def test_a_call_asks_as_a_message_does_and_brings_text_from_outside(place: Place) -> None:
    await place.up(s=place.sound())
    claim = place.claim("mcp_s_echo", text="hello")
    assert claim.effect is Effect.SEND
    assert claim.service == "s"
    assert claim.gist == "s · echo text=hello"
    assert '"text": "hello"' in claim.body
    assert not claim.always_ask
    found = await place.call("mcp_s_echo", text="hello")
    assert (found.text, found.mark.trusted) == ("hello", False)
    assert "3" in (await place.call("mcp_s_add", a=1, b=2)).text


async def test_only_a_trusted_server_is_believed_that_a_tool_reads(place: Place) -> None:
    await place.up(s=place.sound(), t=place.sound(trusted=True))
    assert place.claim("mcp_s_wait", seconds=0).effect is Effect.SEND
    assert place.claim("mcp_t_wait", seconds=0).effect is Effect.READ
    assert place.tools["mcp_t_wait"].parallel_safe
    assert not place.tools["mcp_s_wait"].parallel_safe
    assert "deletes or overwrites" in place.claim("mcp_t_wipe").always_ask
    assert "deletes or overwrites" in place.claim("mcp_s_wipe").always_ask


async def test_pictures_are_kept_as_files_and_addresses_are_found(place: Place) -> None:
    await place.up(s=place.sound())
    found = await place.call("mcp_s_picture")
    (picture,) = found.images
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.relative_to(place.folder).parts[:2] == ("files", "mcp")
    assert picture.relative_to(place.folder).as_posix() in found.text
    assert found.addresses == {"https://example.org/a"}
    assert "audio/wav" in found.text


async def test_wrong_arguments_go_no_further_than_here(place: Place) -> None:
    await place.up(s=place.sound())
    with pytest.raises(ToolFailure, match=r"seconds.*Its parameters: seconds"):
        place.claim("mcp_s_wait", seconds="long")
    with pytest.raises(ToolFailure, match="'text' is a required property"):
        place.claim("mcp_s_echo")


async def test_an_error_of_the_server_is_a_failure_with_its_words(place: Place) -> None:
    await place.up(s=place.sound())
    with pytest.raises(ToolFailure, match="reports an error: Error executing tool fail"):
        await place.call("mcp_s_fail")


async def test_a_call_that_takes_too_long_is_given_up_and_the_server_told(place: Place) -> None:
    await place.up(s=place.sound(tool_timeout=1))
    with pytest.raises(ToolFailure, match="no answer within 1 s"):
        await place.call("mcp_s_wait", seconds=60)
    await place.until(lambda: place.noted() == ["begun", "cancelled"])


async def test_cancelling_a_call_reaches_the_server(place: Place) -> None:
    await place.up(s=place.sound())
    call = place.begin("mcp_s_wait", seconds=60)
    await place.until(lambda: place.noted() == ["begun"])
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await place.until(lambda: place.noted() == ["begun", "cancelled"])
    assert (await place.call("mcp_s_echo", text="still here")).text == "still here"


async def test_a_killed_server_fails_the_call_at_once_and_comes_back(place: Place) -> None:
    await place.up(s=place.sound(cold=True))
    pid = int((await place.call("mcp_s_pid")).text)
    call = place.begin("mcp_s_wait", seconds=60)
    await place.until(lambda: "begun" in place.noted())
    os.kill(pid, signal.SIGKILL)
    failure = await call
    assert isinstance(failure, ToolFailure)
    assert "SIGKILL" in failure.text
    assert "not known" in failure.text
    assert (await place.call("mcp_s_echo", text="back")).text == "back"  # waits until it is there again
    assert int((await place.call("mcp_s_pid")).text) != pid
    assert place.noted().count("begun") == 1, "the call was sent twice"


async def test_the_death_of_an_idle_server_is_seen_and_told(place: Place) -> None:
    await place.up(s=place.sound(cold=True))
    pid = int((await place.call("mcp_s_pid")).text)
    with place.bus.subscribe() as events:
        os.kill(pid, signal.SIGKILL)
        async with asyncio.timeout(60):
            async for event in events:
                if isinstance(event, ServiceChanged) and event.state == "degraded":
                    assert event.name == "mcp:s"
                    assert "SIGKILL" in event.detail
                    break
    await place.state("s", ServiceState.RUNNING)


async def test_what_a_server_started_ends_with_it(place: Place) -> None:
    await place.up(s=place.sound(cold=True))
    left = int((await place.call("mcp_s_breed")).text)
    assert psutil.pid_exists(left)
    await place.servers.stop()
    await place.until(lambda: not psutil.pid_exists(left))


async def test_a_server_that_will_not_end_is_made_to(place: Place) -> None:
    place.config["s"] = place.odd("stubborn")
    place.servers.wake()
    await place.until(lambda: bool(place.children()))
    await place.servers.stop()
    assert not place.children()


async def test_a_changed_tool_is_no_tool_before_it_is_accepted(place: Place) -> None:
    await place.up(s=place.sound())
    assert not place.claim("mcp_s_echo", text="x").always_ask
    await place.call("mcp_s_change")
    await place.until(lambda: place.server("s").changed == {"echo", "added"})
    with pytest.raises(ToolFailure, match="changed this tool meanwhile"):
        await place.call("mcp_s_echo", text="the definition that was agreed to")
    with pytest.raises(ToolFailure, match="changed or removed"):
        place.claim("mcp_s_echo", text="likewise")
    await place.up()
    assert {"mcp_s_echo", "mcp_s_added"}.isdisjoint(await place.servers.tools())
    assert "mcp_s_change" in await place.servers.tools()
    await place.server("s").accept({"echo": place.server("s").tools["echo"].digest, "added": "as it was"})
    await place.up()
    await place.call("mcp_s_echo", text="x")
    assert "mcp_s_added" not in await place.servers.tools()
    await place.server("s").accept()
    await place.up()
    assert "mcp_s_added" in await place.servers.tools()


async def test_a_server_of_before_2026_tells_of_changes_too(place: Place) -> None:
    await place.up(s=place.sound(protocol="legacy"))
    await place.call("mcp_s_change")
    await place.until(lambda: place.server("s").changed == {"echo", "added"})


async def test_a_server_gets_no_more_of_the_environment_than_it_needs(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    monkeypatch.setenv("MY_TOKEN", "referred-to")
    place.keychain.entries["mcp:s:env:API_KEY"] = "from-the-keychain"
    env = {"PLAIN": "value", "TOKEN": "${MY_TOKEN}", "API_KEY": KEYCHAIN}
    await place.up(s=place.sound(env=env))
    seen = (await place.call("mcp_s_environment")).text.splitlines()
    assert {"PLAIN=value", "TOKEN=referred-to", "API_KEY=from-the-keychain"} <= set(seen)
    assert f"HOME={Path.home()}" in seen
    assert not [
        line for line in seen if line.startswith(("OPENAI", "MY_TOKEN", "NANOBOT", "DBUS", "PYTEST"))
    ]


async def test_what_it_prints_is_kept_for_the_person_alone(place: Place) -> None:
    await place.up(s=place.sound())
    assert "sound: here I am" in place.servers.log("s")
    assert (place.folder / "logs" / "s.log").stat().st_mode & 0o777 == 0o600


async def test_switched_off_tools_are_not_there(place: Place) -> None:
    tools = await place.up(
        a=place.sound(enabled_tools=("echo", "mcp_a_add")),
        b=place.sound(disabled_tools=("wipe", "mcp_b_crash")),
    )
    assert sorted(name for name in tools if name.startswith("mcp_a_")) == ["mcp_a_add", "mcp_a_echo"]
    assert not {"mcp_b_wipe", "mcp_b_crash"} & set(tools)
    assert "mcp_b_echo" in tools


async def test_settings_are_obeyed_while_it_runs(place: Place) -> None:
    await place.up(s=place.sound())
    pid = (await place.call("mcp_s_pid")).text
    place.config["s"] = place.config["s"].model_copy(update={"trusted": True, "disabled_tools": ("echo",)})
    await place.servers.apply()
    tools = await place.up()
    assert "mcp_s_echo" not in tools
    assert place.claim("mcp_s_wait", seconds=0).effect is Effect.READ
    assert (await place.call("mcp_s_pid")).text == pid, "it was started anew for nothing"
    place.config["s"] = place.config["s"].model_copy(update={"env": {"A": "b"}})
    await place.servers.apply()
    await place.state("s", ServiceState.RUNNING)
    await place.up()
    assert "A=b" in (await place.call("mcp_s_environment")).text
    place.config.clear()
    await place.servers.apply()
    assert await place.up() == {}
    await place.until(lambda: not place.children())


@pytest.mark.machine
async def test_the_servers_that_people_use_answer(place: Place) -> None:
    repository = Path(__file__).parents[4]
    await place.up(
        time=McpServer(command=str(BIN / "mcp-server-time")),
        git=McpServer(command=str(BIN / "mcp-server-git"), args=("--repository", str(repository))),
    )
    assert "Europe/Berlin" in (await place.call("mcp_time_get_current_time", timezone="Europe/Berlin")).text
    assert (
        "commit"
        in (await place.call("mcp_git_git_log", repo_path=str(repository), max_count=1)).text.lower()
    )


@pytest.mark.parametrize(("kind", "end"), [("--http", "/mcp"), ("--sse", "/sse")])
@pytest.mark.parametrize("protocol", ["auto", "legacy"])
async def test_a_server_at_an_address(place: Place, kind: str, end: str, protocol: str) -> None:
    async with serving("sound.py", kind, "PORT", "--notes", str(place.notes)) as root:
        server = McpServer(url=root + end, protocol=protocol)  # type: ignore[arg-type]
        await place.up(s=server)
        assert (await place.call("mcp_s_echo", text="far")).text == "far"
        assert len((await place.call("mcp_s_large", characters=900_000)).text) == 900_000
        call = place.begin("mcp_s_wait", seconds=60)
        await place.until(lambda: "begun" in place.noted())
        call.cancel()
        await place.until(lambda: "cancelled" in place.noted())
        with pytest.raises(ToolFailure, match="not known"):
            await place.call("mcp_s_crash")
        with pytest.raises(ToolFailure, match="can’t be reached: Connection refused"):
            await place.call("mcp_s_echo", text="nobody")
        await place.state("s", ServiceState.DEGRADED)
    port = int(root.rpartition(":")[2])
    async with serving("sound.py", kind, "PORT", "--notes", str(place.notes), port=port):
        assert (await place.call("mcp_s_echo", text="again")).text == "again"
