"""Mochat, from a message of somebody to the answer in its chat."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from desktop.bus.events import ServiceChanged
from desktop.channels.channels import entry
from desktop.paths import Home
from tests.channels.conftest import words_of_people
from tests.channels.loopback import BAD_GATEWAY, Fault, Json
from tests.channels.mochat_server import AGENT, ALICE, GROUP, MALLORY, PANEL, TOKEN, MochatServer
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started
from tests.unit.core.test_permits import use


@pytest.fixture
async def mochat() -> AsyncIterator[MochatServer]:
    async with MochatServer() as found:
        yield found


@asynccontextmanager
async def talking(
    folder: Path, server: ScriptedServer, mochat: MochatServer, **more: object
) -> AsyncIterator[Desk]:
    """A program that speaks with that Mochat, as Alice's."""
    Program(folder).use_server(server.url, "say:Good day.")
    async with started(Home(folder, folder / "models")) as desk:
        core = desk.owner.core
        core.keychain.remember(entry("mochat", "clawToken"), TOKEN)
        await core.staying()
        values = {"baseUrl": mochat.url, "agentUserId": AGENT, "owner": ALICE, "replyDelayMs": 0}
        values |= {"socketConnectTimeoutMs": 500, "enabled": True} | more
        await core.change({f"channels.mochat.{name}": value for name, value in values.items()})
        await running(desk)
        yield desk


async def running(desk: Desk) -> str:
    """Wait until it is up; what is said of it."""
    while True:
        (line,) = [one for one in await desk.api.channels.all() if one.name == "mochat"]
        if line.state == "running":
            return line.detail
        await anext(desk.events)


@pytest.fixture
async def desk(tmp_path: Path, server: ScriptedServer, mochat: MochatServer) -> AsyncIterator[Desk]:
    mochat.session()
    async with talking(tmp_path, server, mochat) as desk:
        yield desk


async def said(mochat: MochatServer, wanted: str | Callable[[Json], object], nth: int = 1) -> Json:
    """The nth message of the agent with these words, or as wanted."""
    look = wanted if callable(wanted) else lambda one: one["text"] == wanted
    return (await mochat.until(lambda: [one for one in mochat.said if look(one)][nth - 1 :]))[0]


async def test_the_owner_asks_and_gets_an_answer(desk: Desk, mochat: MochatServer) -> None:
    mochat.write("Hello")
    session = mochat.session().id
    assert await said(mochat, "Good day.") == {"to": session, "text": "Good day.", "reply": ""}
    assert await desk.said(f"mochat:{session}") == [("user", "Hello"), ("assistant", "Good day.")]
    assert mochat.connected
    assert not mochat.named("sessions/watch")


async def told(desk: Desk) -> str:
    """What is said of it now."""
    (line,) = [one for one in await desk.api.channels.all() if one.name == "mochat"]
    return line.detail


async def test_a_stranger_gets_a_code_in_private_and_silence_where_others_read(
    desk: Desk, mochat: MochatServer
) -> None:
    mochat.write("Hello all", by=MALLORY, panel=PANEL, mention=True)
    three = mochat.session(ALICE, MALLORY)
    mochat.write("Hello both", by=MALLORY, session=three)
    mochat.write("Let me in", by=MALLORY)
    found = await said(mochat, lambda one: one["to"] == mochat.session(MALLORY).id)
    (request,) = await desk.api.channels.requests()
    assert request.code in found["text"]
    assert len(mochat.said) == 1


async def test_what_was_there_before_is_history(
    tmp_path: Path, server: ScriptedServer, mochat: MochatServer
) -> None:
    mochat.write("Of last week", days_ago=7)
    mochat.write("In the panel", panel=PANEL, mention=True, days_ago=7)
    async with talking(tmp_path, server, mochat) as desk:
        mochat.write("Now")
        mochat.write("Now here", panel=PANEL, mention=True)
        await said(mochat, "Good day.", 2)
        assert await words_of_people(desk, f"mochat:{mochat.session().id}") == ["Now"]
        assert await words_of_people(desk, f"mochat:{PANEL}") == ["Now here"]


async def test_what_came_while_the_program_was_away_is_answered_once(
    tmp_path: Path, server: ScriptedServer, mochat: MochatServer
) -> None:
    mochat.session()
    async with talking(tmp_path, server, mochat):
        mochat.write("One")
        mochat.write("Here", panel=PANEL, mention=True)
        await said(mochat, "Good day.", 2)
    mochat.write("Two")
    mochat.write("And here", panel=PANEL, mention=True)
    mochat.write("In a new chat", session=mochat.session(ALICE, "u_b0b"))
    async with talking(tmp_path, server, mochat) as desk:
        await said(mochat, "Good day.", 5)
        assert await words_of_people(desk, f"mochat:{mochat.session().id}") == ["One", "Two"]
        assert await words_of_people(desk, f"mochat:{PANEL}") == ["Here", "And here"]


@pytest.mark.parametrize("shapes", [("events",), ("notices",), ("events", "notices")])
async def test_each_shape_in_which_a_message_is_told_is_enough(
    desk: Desk, mochat: MochatServer, shapes: tuple[str, ...]
) -> None:
    mochat.shapes = shapes
    mochat.write("One")
    mochat.write("In the panel", panel=PANEL, mention=True)
    await said(mochat, "Good day.", 2)
    mochat.write("Two")
    await said(mochat, "Good day.", 3)
    assert await words_of_people(desk, f"mochat:{mochat.session().id}") == ["One", "Two"]


async def test_a_chat_that_is_new_is_heard_without_being_asked_for(
    desk: Desk, mochat: MochatServer
) -> None:
    mochat.write("In a new panel", panel="p0002", mention=True)
    assert (await said(mochat, "Good day."))["to"] == "p0002"
    new = mochat.session(ALICE, "u_b0b")
    mochat.write("In a new chat", session=new)
    mochat.write("Twice", session=new)
    await said(mochat, lambda one: one["to"] == new.id)
    await mochat.until(lambda: len(new.events) >= 3)
    assert "In a new chat" in (await words_of_people(desk, f"mochat:{new.id}"))[0]


async def test_only_chats_that_the_settings_name_are_heard(
    tmp_path: Path, server: ScriptedServer, mochat: MochatServer
) -> None:
    quiet = mochat.session(ALICE, "u_b0b")
    named: dict[str, object] = {"sessions": [mochat.session().id], "panels": ["p0002"]}
    mochat.panels["p0002"] = []
    async with talking(tmp_path, server, mochat, **named):
        mochat.write("Not here", session=quiet)
        mochat.write("Nor here", panel=PANEL, mention=True)
        mochat.write("Here", panel="p0002", mention=True)
        assert (await said(mochat, "Good day."))["to"] == "p0002"
        mochat.write("And here")
        assert (await said(mochat, "Good day.", 2))["to"] == mochat.session().id
        assert {one["to"] for one in mochat.said} == {"p0002", mochat.session().id}


async def test_a_mention_is_answered_at_once_as_a_reply(desk: Desk, mochat: MochatServer) -> None:
    message = mochat.write(f"<@{AGENT}> what time is it?", panel=PANEL)
    found = await said(mochat, "Good day.")
    assert (found["to"], found["reply"]) == (PANEL, message["messageId"])
    assert await words_of_people(desk, f"mochat:{PANEL}") == ["what time is it?"]
    assert mochat.named("groups/panels/send")[0]["groupId"] == GROUP


async def test_what_is_written_in_one_pause_is_answered_once_and_a_mention_ends_it(
    tmp_path: Path, server: ScriptedServer, mochat: MochatServer
) -> None:
    async with talking(tmp_path, server, mochat, replyDelayMs=86_400_000, allowFrom=["u_b0b"]) as desk:
        mochat.people["u_b0b"] = "Bob"
        mochat.write("Where do we meet?", by="u_b0b", panel=PANEL)
        mochat.write("Buy my coins", by=MALLORY, panel=PANEL)
        mochat.write("At the station?", panel=PANEL)
        last = mochat.write("What do you think?", panel=PANEL, mention=True)
        assert (await said(mochat, "Good day."))["reply"] == last["messageId"]
        (words,) = await words_of_people(desk, f"mochat:{PANEL}")
        assert words == "> Bob: Where do we meet?\n> Alice: At the station?\n\nWhat do you think?"
        (record, *_rest) = (await desk.api.conversations.read(f"mochat:{PANEL}")).messages
        assert "untrusted" in str(record["_origin"])


async def test_a_pause_ends_by_itself_and_each_message_begins_it_anew(
    tmp_path: Path, server: ScriptedServer, mochat: MochatServer
) -> None:
    async with talking(tmp_path, server, mochat, replyDelayMs=1500) as desk:
        mochat.write("First", panel=PANEL)
        mochat.write("Second", panel=PANEL)
        await said(mochat, "Good day.")
        assert await words_of_people(desk, f"mochat:{PANEL}") == ["First\nSecond"]


async def test_a_pause_is_none_where_the_settings_say_so(
    tmp_path: Path, server: ScriptedServer, mochat: MochatServer
) -> None:
    now: dict[str, object] = {"replyDelayMode": "off", "replyDelayMs": 86_400_000}
    async with talking(tmp_path, server, mochat, **now):
        mochat.write("Hello", panel=PANEL)
        await said(mochat, "Good day.")


async def test_what_waits_for_the_end_of_a_pause_survives_the_program(
    tmp_path: Path, server: ScriptedServer, mochat: MochatServer
) -> None:
    async with talking(tmp_path, server, mochat, replyDelayMs=86_400_000) as desk:
        mochat.write("Hello", panel=PANEL)
        mochat.write("Anybody?", panel=PANEL)
        mochat.write("In private")
        await said(mochat, "Good day.")
        assert await words_of_people(desk, f"mochat:{PANEL}") == []
    async with talking(tmp_path, server, mochat, replyDelayMs=100) as desk:
        await said(mochat, "Good day.", 2)
        assert await words_of_people(desk, f"mochat:{PANEL}") == ["Hello\nAnybody?"]
        mochat.write("One more", panel=PANEL)
        await said(mochat, "Good day.", 3)
        assert await words_of_people(desk, f"mochat:{PANEL}") == ["Hello\nAnybody?", "One more"]


async def test_a_message_can_be_changed_and_deleted_in_the_pause(
    tmp_path: Path, server: ScriptedServer, mochat: MochatServer
) -> None:
    async with talking(tmp_path, server, mochat, replyDelayMs=86_400_000) as desk:
        first, second = mochat.write("Helo", panel=PANEL), mochat.write("Forget it", panel=PANEL)
        mochat.change(PANEL, first, content="Hello")
        mochat.change(PANEL, second)
        mochat.write("Well?", panel=PANEL, mention=True)
        await said(mochat, "Good day.")
        assert await words_of_people(desk, f"mochat:{PANEL}") == ["Hello\nWell?"]


async def test_a_panel_can_want_mentions(
    tmp_path: Path, server: ScriptedServer, mochat: MochatServer
) -> None:
    rules: dict[str, object] = {"mention.requireInGroups": True, "groups": {"p0002": "always"}}
    mochat.panels["p0002"] = []
    async with talking(tmp_path, server, mochat, **rules) as desk:
        mochat.write("Not for you", panel=PANEL)
        mochat.write("For you", panel=PANEL, mention=True)
        mochat.write("For all", panel="p0002")
        await said(mochat, "Good day.", 2)
        assert await words_of_people(desk, f"mochat:{PANEL}") == ["For you"]
        assert await words_of_people(desk, "mochat:p0002") == ["For all"]


async def test_without_a_connection_messages_are_asked_for_until_there_is_one(
    tmp_path: Path, server: ScriptedServer, mochat: MochatServer
) -> None:
    mochat.session()
    mochat.listening = False
    quick: dict[str, object] = {"refreshIntervalMs": 1000, "socketReconnectDelayMs": 100}
    async with talking(tmp_path, server, mochat, **quick) as desk:
        assert "asked for" in await running(desk)
        mochat.write("Hello")
        await said(mochat, "Good day.")
        mochat.write("In the panel", panel=PANEL, mention=True)
        await said(mochat, "Good day.", 2)
        new = mochat.session(ALICE, "u_b0b")
        mochat.write("In a new chat", session=new)
        await said(mochat, lambda one: one["to"] == new.id)
        mochat.listening = True
        await mochat.until(lambda: mochat.connected)
        while await told(desk):
            await anext(desk.events)
        asked = len(mochat.named("sessions/watch"))
        mochat.write("By the connection")
        await said(mochat, "Good day.", 4)
        assert len(mochat.named("sessions/watch")) == asked
        words = await words_of_people(desk, f"mochat:{mochat.session().id}")
        assert words == ["Hello", "By the connection"]


async def test_the_connection_is_tried_as_often_as_the_settings_say(
    tmp_path: Path, server: ScriptedServer, mochat: MochatServer
) -> None:
    mochat.session()
    mochat.fail("socket", Fault(404), None)
    few: dict[str, object] = {"socketReconnectDelayMs": 100, "maxRetryAttempts": 2}
    async with talking(tmp_path, server, mochat, **few):
        tried = [await mochat.refused(lambda call: call.name == "socket", nth=n) for n in (1, 2, 3)]
        mochat.write("Hello")
        await said(mochat, "Good day.")
        assert len(tried) == len([call for call in mochat.calls if call.name == "socket"])


@pytest.mark.parametrize("form", ["default", "msgpack"])
async def test_a_server_that_wants_the_other_form_is_told_and_its_messages_asked_for(
    tmp_path: Path, server: ScriptedServer, form: str
) -> None:
    async with MochatServer() as mochat:
        mochat.form = form
        await mochat.stop()
        await mochat.start()
        mochat.session()
        async with talking(tmp_path, server, mochat, socketDisableMsgpack=form == "msgpack") as desk:
            assert "Socket in JSON" in await running(desk)
            assert (await desk.api.channels.test("mochat")).field == "socketDisableMsgpack"
            mochat.write("Hello")
            await said(mochat, "Good day.")
            await desk.owner.core.change({"channels.mochat.socketDisableMsgpack": form == "default"})
            await mochat.until(lambda: mochat.connected)
            mochat.write("Again")
            await said(mochat, "Good day.", 2)
            assert not await running(desk)


async def test_a_connection_that_ends_comes_back_with_what_was_missed(
    desk: Desk, mochat: MochatServer
) -> None:
    mochat.write("Hello all", panel=PANEL, mention=True)
    await said(mochat, "Good day.")
    for number in range(2):
        mochat.close()
        await mochat.until(lambda: not mochat.connected)
        mochat.write(f"Note {number}")
        mochat.write(f"Note {number} for all", panel=PANEL, mention=True)
        await said(mochat, "Good day.", 2 * number + 3)
    words = await words_of_people(desk, f"mochat:{PANEL}")
    assert words == ["Hello all", "Note 0 for all", "Note 1 for all"]


async def test_a_connection_that_is_dead_is_noticed_when_the_computer_wakes(
    desk: Desk, mochat: MochatServer
) -> None:
    await mochat.until(lambda: mochat.named("subscribePanels"))
    mochat.freeze()
    mochat.write("Hello")
    desk.owner.core.background.services.again()
    await said(mochat, "Good day.")


async def test_a_token_that_is_not_known_is_named_and_not_tried_again(
    desk: Desk, mochat: MochatServer
) -> None:
    tried = await desk.api.channels.test("mochat")
    assert (tried.ok, tried.name) == (True, AGENT)
    assert any(ALICE in note for note in tried.notes)
    mochat.revoke()
    assert (await desk.api.channels.test("mochat")).field == "clawToken"
    async for event in desk.events:
        if isinstance(event, ServiceChanged) and event.state == "needs_sign_in":
            assert "Copy the token" in event.detail
            break


async def test_a_token_that_the_connection_alone_refuses_is_not_known(
    desk: Desk, mochat: MochatServer
) -> None:
    mochat.socket_token = "claw_another"
    assert (await desk.api.channels.test("mochat")).field == "clawToken"
    mochat.close()
    async for event in desk.events:
        if isinstance(event, ServiceChanged) and event.state == "needs_sign_in":
            break


async def test_what_is_missing_in_the_settings_is_named(
    tmp_path: Path, server: ScriptedServer, mochat: MochatServer
) -> None:
    async with talking(tmp_path, server, mochat) as desk:
        await desk.owner.core.change({"channels.mochat.sessions": [], "channels.mochat.panels": [" "]})
        tried = await desk.api.channels.test("mochat")
        assert "no chats" in tried.notes[-1]
        await desk.owner.core.change({"channels.mochat.agentUserId": ""})
        assert (await desk.api.channels.test("mochat")).field == "agentUserId"


async def test_what_mochat_does_not_take_now_goes_later_and_once(desk: Desk, mochat: MochatServer) -> None:
    mochat.fail("sessions/send", BAD_GATEWAY)
    mochat.write("Hello")
    await said(mochat, "Good day.")
    mochat.fail("sessions/send", Fault(429, b'{"code": 429}', {"Retry-After": "0"}), 5)
    mochat.write("Again")
    await said(mochat, "Good day.", 2)
    assert len(mochat.said) == 2


async def test_what_mochat_rejects_is_in_the_inbox_with_the_reason(
    desk: Desk, mochat: MochatServer
) -> None:
    await desk.api.channels.send("mochat", "session_gone", "Time for tea")
    while not (found := (await desk.api.inbox.list()).notices):
        await anext(desk.events)
    assert "no session_gone" in str(found[0].body)


async def test_a_question_of_a_panel_is_answered_in_the_private_chat(
    desk: Desk, mochat: MochatServer, server: ScriptedServer, tmp_path: Path
) -> None:
    server.script(use("exec", command="touch made"), "say:Done.")
    mochat.write("make it", panel=PANEL, mention=True)
    question = await said(mochat, lambda one: "touch made" in one["text"])
    assert question["to"] == mochat.session().id
    yes = question["text"].partition("“")[2].partition("”")[0]
    mochat.write(yes, by=MALLORY, panel=PANEL, mention=True)
    mochat.write(yes)
    assert (await said(mochat, "Done."))["to"] == PANEL
    assert list(tmp_path.rglob("made"))


async def test_the_chat_of_several_is_no_private_one(
    tmp_path: Path, server: ScriptedServer, mochat: MochatServer
) -> None:
    three = mochat.session(ALICE, MALLORY)
    mochat.session()
    async with talking(tmp_path, server, mochat) as desk:
        await desk.owner.core.change({"agents.defaults.unifiedSession": True})
        mochat.write("Between us")
        await said(mochat, "Good day.")
        message = mochat.write("Between all of us", session=three)
        found = await said(mochat, lambda one: one["to"] == three.id)
        assert found["reply"] == message["messageId"]
        assert await words_of_people(desk, "unified:default") == ["Between us"]
        assert await words_of_people(desk, f"mochat:{three.id}") == ["Between all of us"]


async def test_a_private_chat_that_somebody_joins_is_none_any_more(
    tmp_path: Path, server: ScriptedServer, mochat: MochatServer
) -> None:
    session = mochat.session()
    async with talking(tmp_path, server, mochat) as desk:
        await desk.owner.core.change({"agents.defaults.unifiedSession": True})
        mochat.write("Between us")
        await said(mochat, "Good day.")
        listed = len(mochat.named("sessions/list"))
        mochat.join(session, MALLORY)
        await mochat.until(lambda: len(mochat.named("sessions/list")) > listed)
        mochat.write("Between all of us", session=session)
        await said(mochat, "Good day.", 2)
        assert await words_of_people(desk, "unified:default") == ["Between us"]
        assert await words_of_people(desk, f"mochat:{session.id}") == ["Between all of us"]


async def test_a_server_that_wants_pauses_is_asked_again(
    tmp_path: Path, server: ScriptedServer, mochat: MochatServer
) -> None:
    mochat.session()
    mochat.listening = False
    mochat.fail("sessions/watch", Fault(429, b'{"code": 429}', {"Retry-After": "0"}), 6)
    mochat.fail("groups/panels/messages", Fault(403, b'{"code": 403, "message": "not in it"}'))
    async with talking(tmp_path, server, mochat, refreshIntervalMs=1000):
        mochat.write("Hello")
        await said(mochat, "Good day.")
        mochat.write("Hello all", panel=PANEL, mention=True)
        await said(mochat, "Good day.", 2)


async def test_files_come_from_the_server_and_public_ones_alone(desk: Desk, mochat: MochatServer) -> None:
    mochat.files["table.csv"] = b"a,b\n"
    async with MochatServer() as other:
        other.files["secret.txt"] = b"inside"
        mine = {"url": f"{mochat.url}/files/table.csv", "name": "table.csv", "size": 4}
        mochat.write("look", meta={"attachments": [mine, f"{other.url}/files/secret.txt"]})
        await said(mochat, "Good day.")
        (message,) = [
            one
            for one in (await desk.api.conversations.read(f"mochat:{mochat.session().id}")).messages
            if one["role"] == "user"
        ]
        assert [Path(path).read_bytes() for path in message["_files"]] == [b"a,b\n"]
        assert "secret.txt" in message["content"].partition("could not be received")[2]
        assert not other.calls


async def test_a_file_that_cannot_go_is_told_of(
    desk: Desk, mochat: MochatServer, server: ScriptedServer, tmp_path: Path
) -> None:
    table = tmp_path / "workspace" / "table.csv"
    table.write_bytes(b"a,b\n")
    server.script(use("message", content="Here.", media=[str(table)]), "say:.")
    mochat.write("make a table")
    found = await said(mochat, lambda one: "Here." in one["text"])
    assert "table.csv" in found["text"]
    assert "stays on this computer" in found["text"]


@pytest.mark.expected_log("an event of a chat app could not be understood|a packet that could not be read")
async def test_odd_events_hold_up_nothing(desk: Desk, mochat: MochatServer) -> None:
    odd: list[object] = [
        {},
        [],
        None,
        {"sessionId": mochat.session().id, "events": [7, {"type": "message.add", "payload": []}]},
        {"sessionId": mochat.session().id, "cursor": "9", "events": {"a": 1}},
        {"sessionId": PANEL, "events": [{"type": "message.add", "payload": {"author": 7, "meta": 7}}]},
    ]
    for one in odd:
        for name in ("claw.session.events", "claw.panel.events", "notify:chat.inbox.append"):
            mochat.tell(name, one)
        mochat.tell("notify:chat.message.add", one)
    mochat.tell("notify:chat.message.update", {"groupId": GROUP, "converseId": PANEL, "content": {}})
    mochat.tell("notify:chat.message.recall", {"groupId": GROUP, "converseId": PANEL})
    mochat.tell("notify:somebody.else", {"a": 1})
    mochat.write({"text": "Hello"}, messageId="")
    await said(mochat, "Good day.")
    assert await words_of_people(desk, f"mochat:{mochat.session().id}") == ["Hello"]
