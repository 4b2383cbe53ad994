"""Turns that nobody waits for: what they bring and to whom, what they may spend, and what a kill leaves."""

import asyncio
import json
import time
from datetime import datetime
from typing import Any

from desktop.api.inbox import later
from desktop.bus.events import NoticeOpened, TurnFinished, TurnSpoke
from desktop.cron.job import Job
from desktop.cron.ledger import DUE, Run
from desktop.cron.runs import Done
from desktop.cron.schedule import At
from desktop.inbox.inbox import APPROVAL, ERROR, HEARTBEAT, REMINDER, SUBAGENT, Notice
from desktop.origin import mark_of, untrusted
from desktop.tasks import spawn
from tests.servers.scripted import ScriptedServer
from tests.unit.core.test_conversations import Desk
from tests.unit.core.test_origins import INTO

DECIDE = json.dumps([["decide", {"due": True, "task": "Look at the greenhouse."}]])


def job(**fields: Any) -> tuple[Job, Run]:
    made = Job("abcd1234", "news", At(0), "Say the news.", **fields)
    return made, Run(made.id, made.name, time.time(), 0, DUE, 0, time.time())


async def do(desk: Desk, **fields: Any) -> Done:
    return await desk.owner.core.background.unattended(*job(**fields))


async def said(desk: Desk, key: str) -> list[str]:
    messages = (await desk.api.conversations.read(key)).messages
    return [str(message["content"]) for message in messages]


async def delivered(desk: Desk) -> None:
    """Wait until nothing is on its way to a conversation."""
    while tasks := desk.owner.core.background.deliveries._tasks:
        await asyncio.wait(tasks)


async def talk(desk: Desk, key: str, text: str = "Hello") -> None:
    """Have a conversation there."""
    async for _event in desk.api.turns.ask(text, session=key):
        pass


async def test_what_a_job_found_is_in_the_inbox_and_in_its_conversation(
    desk: Desk, server: ScriptedServer
) -> None:
    await talk(desk, "window:a")
    server.script("say:Nothing burnt down.")
    with desk.owner.core.bus.subscribe() as events:
        done = await do(desk, session="window:a")
        assert (done.outcome, done.detail) == ("ok", "Nothing burnt down.")
        assert done.tokens > 0
        await delivered(desk)
        spoken = [e async for e in _so_far(events) if isinstance(e, TurnSpoke)]
    assert [(e.session, e.text) for e in spoken] == [("window:a", "Nothing burnt down.")]
    assert (await said(desk, "window:a"))[-1] == "Nothing burnt down."
    [notice] = await desk.owner.core.inbox.list()
    assert (notice.kind, notice.title, notice.session) == (REMINDER, "news", "window:a")
    assert notice.body["text"] == "Nothing burnt down."
    assert await said(desk, "cron:abcd1234") == ["Say the news.", "Nothing burnt down."]
    rows = await desk.owner.core.database.read("SELECT cause FROM usage ORDER BY id DESC LIMIT 1")
    assert rows == [("job",)]


async def _so_far(events: Any) -> Any:
    """What has been told until now."""
    try:
        while True:
            async with asyncio.timeout(0.05):
                yield await anext(events)
    except TimeoutError:
        return


async def test_nothing_to_tell_bothers_nobody(desk: Desk, server: ScriptedServer) -> None:
    await talk(desk, "window:a")
    for nothing in ("NOTHING_TO_TELL", "**NOTHING_TO_TELL**.", " `NOTHING_TO_TELL`\n"):
        server.script(f"say:{nothing}")
        assert (await do(desk, session="window:a")).outcome == "ok"
    assert await desk.owner.core.inbox.list() == []
    assert await said(desk, "window:a") == ["Hello", "Good day."]


async def test_a_word_for_nothing_beside_others_hides_nothing(desk: Desk, server: ScriptedServer) -> None:
    server.script("say:The backup FAILED: the disk is full. For the other tasks: NOTHING_TO_TELL.")
    assert (await do(desk)).outcome == "ok"
    [notice] = await desk.owner.core.inbox.list()
    assert "FAILED" in notice.body["text"]


async def test_a_file_is_found_by_a_name_that_looks_the_same(desk: Desk, server: ScriptedServer) -> None:
    folder = desk.owner.core.workspace
    names = (
        "Bild 2026-01-05 um 9.41\u202fPM.txt",
        "Cafe\u0301 \u201cA\u201d/it\u2019s.txt",
        "two.txt",
    )
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"This is {name[:3]}.")
    (folder / "Two.txt").write_text("Another.")
    for asked, told in (
        ("Bild 2026-01-05 um 9.41 PM.txt", "This is Bil."),
        ('Caf\u00e9 "A"/it\'s.txt', "This is Caf."),
        ("two.txt", "This is two."),
        ("TWO.txt", "does not exist"),
    ):
        server.script(f"use:{json.dumps([['read_file', {'path': asked}]])}", "say:NOTHING_TO_TELL")
        await do(desk)
        answer = str(server.requests[-1].body["messages"][-1]["content"])
        assert told in answer
        assert ("looks like it" in answer) == (asked != "two.txt" and told != "does not exist"), answer
    edit = {"path": 'CAF\u00c9 "a"/It\'s.txt', "old_text": "is", "new_text": "was", "replace_all": True}
    server.script(f"use:{json.dumps([['edit_file', edit]])}", "say:NOTHING_TO_TELL")
    await do(desk)
    assert (folder / names[1]).read_text() == "Thwas was Caf."


async def test_a_conversation_that_is_busy_gets_it_afterwards(desk: Desk, server: ScriptedServer) -> None:
    held = server.hold("long story")
    server.when("long story", "say:The end.")
    server.when("Say the news", "say:Rain.")
    story = spawn(talk(desk, "window:a", "Tell a long story"), name="test:story")
    while not server.requests:
        await asyncio.sleep(0)
    assert (await do(desk, session="window:a")).outcome == "ok"
    assert len(await desk.owner.core.inbox.list()) == 1
    held.set()
    await story
    await delivered(desk)
    assert await said(desk, "window:a") == ["Tell a long story", "The end.", "Rain."]


async def test_a_job_that_fails_says_why(desk: Desk, server: ScriptedServer) -> None:
    server.script("status:401")
    done = await do(desk)
    assert done.outcome == "failed"
    assert "key" in done.detail.lower()
    assert await desk.owner.core.inbox.list() == []


async def test_a_question_of_a_job_is_parked_and_the_job_ends(desk: Desk, server: ScriptedServer) -> None:
    server.script(f"use:{json.dumps([['exec', {'command': 'touch made.txt'}]])}", "say:It waits for you.")
    assert (await do(desk)).outcome == "ok"
    kinds = sorted(notice.kind for notice in await desk.owner.core.inbox.list())
    assert kinds == [APPROVAL, REMINDER]
    server.script("say:Again.")
    assert (await do(desk)).detail == "Again."


async def test_a_job_that_asks_the_same_each_time_asks_once(desk: Desk, server: ScriptedServer) -> None:
    touch = f"use:{json.dumps([['exec', {'command': 'touch made.txt'}]])}"
    other = f"use:{json.dumps([['exec', {'command': 'touch other.txt'}]])}"
    for calls in (touch, touch, other, touch):
        server.script(calls, "say:NOTHING_TO_TELL")
        assert (await do(desk)).outcome == "ok"
    waiting = await desk.owner.core.inbox.list(kind=APPROVAL)
    assert sorted(notice.title for notice in waiting) == ["exec: touch made.txt", "exec: touch other.txt"]
    assert await desk.owner.core.inbox.settle(waiting[0].id, "no")
    server.script(other, touch, "say:NOTHING_TO_TELL")
    await do(desk)
    assert len(await desk.owner.core.inbox.list(kind=APPROVAL)) == 2, "what was answered may be asked again"


async def test_what_a_subagent_of_a_job_found_is_what_is_told(desk: Desk, server: ScriptedServer) -> None:
    server.when("Task A", "say:Found it.")
    server.when("Found it.", "say:It was under the bed.")
    server.when("comes to this conversation", "say:Begun.")
    server.script(f"use:{json.dumps([['spawn', {'task': 'Task A', 'label': 'A'}]])}")
    done = await do(desk)
    assert done.detail == "It was under the bed."
    causes = await desk.owner.core.database.read("SELECT DISTINCT cause FROM usage")
    assert causes == [("job",)]


async def test_jobs_take_no_place_of_the_persons_turns(desk: Desk, server: ScriptedServer) -> None:
    held = server.hold("Say the news")
    server.when("Say the news", "say:Rain.")
    unattended = desk.owner.core.background.unattended
    made = [job() for _ in range(6)]
    runs = [
        spawn(unattended(Job(f"{n:08}", "news", At(0), "Say the news."), run), name=f"test:{n}")
        for n, (_job, run) in enumerate(made)
    ]
    while len(server.requests) < 4:
        await asyncio.sleep(0.01)
    await talk(desk, "window:a")
    assert len(server.requests) == 5  # four jobs are at it, two wait
    held.set()
    assert [(await run).outcome for run in runs] == ["ok"] * 6


async def test_paused_it_waits(desk: Desk, server: ScriptedServer) -> None:
    background = desk.owner.core.background
    await desk.api.settings.change({"presence.paused": True})
    run = spawn(do(desk), name="test:run")
    await talk(desk, "window:a")
    assert not run.done()
    assert background.heartbeat.status.state == "off"
    await desk.api.settings.change({"presence.paused": False})
    assert (await run).outcome == "ok"


# ---- what may be spent


async def test_when_the_day_is_spent_no_model_is_asked_and_it_is_said_once(
    desk: Desk, server: ScriptedServer
) -> None:
    core = desk.owner.core
    await desk.api.settings.change({"limits.daily_tokens": 0})
    for _time in range(2):
        done = await do(desk)
        assert done.outcome == "skipped"
        assert "daily budget" in done.detail
    (core.workspace / "HEARTBEAT.md").write_text("- Look at the greenhouse", "utf-8")
    core.background.heartbeat._due()
    assert core.background.heartbeat._task
    await core.background.heartbeat._task
    assert server.requests == []
    assert core.background.heartbeat.status.state == "degraded"
    assert [notice.kind for notice in await core.inbox.list()] == [ERROR]
    await talk(desk, "window:a")
    assert len(server.requests) == 1


async def test_the_limit_stops_a_job_in_the_middle(desk: Desk, server: ScriptedServer) -> None:
    await desk.api.settings.change({"limits.daily_tokens": 1})
    server.script(f"use:{json.dumps([['list_dir', {'path': '.'}]])}", "say:Never said.")
    done = await do(desk)
    assert done.outcome == "failed"
    assert "daily budget" in done.detail
    assert len(server.requests) == 1


# ---- the heartbeat


async def test_what_the_heartbeat_found_goes_to_the_last_conversation(
    desk: Desk, server: ScriptedServer
) -> None:
    core = desk.owner.core
    await talk(desk, "window:old")
    await talk(desk, "window:new")
    (core.workspace / "HEARTBEAT.md").write_text("- Look at the greenhouse", "utf-8")
    server.when("look after a list", f"use:{DECIDE}")
    answers = ["say:It is 36 degrees in there.", "say:NOTHING_TO_TELL"]
    server.when("Look at the greenhouse.", lambda _seen: answers.pop(0))
    beat = await core.background.heartbeat.now()
    assert beat.task == "Look at the greenhouse."
    await delivered(desk)
    assert (await said(desk, "window:new"))[-1] == "It is 36 degrees in there."
    [notice] = await core.inbox.list()
    assert (notice.kind, notice.session) == (HEARTBEAT, "window:new")
    await core.background.heartbeat.now()
    assert len(await core.inbox.list()) == 1


# ---- after a kill


async def test_what_was_on_its_way_arrives_once(desk: Desk, server: ScriptedServer) -> None:
    core = desk.owner.core
    await talk(desk, "window:a")
    for id_, key in (("run:1", "window:a"), ("run:2", "window:gone")):
        row = (id_, key, f"News {id_}.", "cron:abcd1234", "untrusted", '["a.page"]')
        await core.database.write(INTO, row)
    await core.background.deliveries.recover()
    await delivered(desk)
    row = (
        "run:1",
        "window:a",
        "News run:1.",
        "cron:abcd1234",
        "untrusted",
        "[]",
    )
    await core.database.write(INTO, row)
    await core.background.deliveries.recover()
    await delivered(desk)
    assert await said(desk, "window:a") == ["Hello", "Good day.", "News run:1."]
    [*_others, told] = await (await core.sessions.open("window:a")).everything()
    assert mark_of(told) == untrusted("a.page"), "it stays what it was where it was found"
    assert await core.database.read("SELECT * FROM deliveries") == []


async def test_a_run_is_known_to_have_begun_by_its_message(desk: Desk) -> None:
    unattended = desk.owner.core.background.unattended
    made, run = job()
    assert not await unattended.begun(made, run)
    await unattended(made, run)
    assert await unattended.begun(made, run)


async def test_a_reminder_stands_in_its_conversation_once(desk: Desk) -> None:
    unattended = desk.owner.core.background.unattended
    await talk(desk, "window:a")
    made, run = job(plain=True, session="window:a")
    for _time in range(2):  # the second time after a kill
        await unattended.remind(made, run)
        await delivered(desk)
    assert await said(desk, "window:a") == ["Hello", "Good day.", "⏰ Say the news."]


# ---- what is done on the screen


async def acted(desk: Desk, notice: str, action: str, text: str = "") -> None:
    await desk.owner.core.background.buttons._acted(notice, action, text)


async def test_buttons_of_a_notice_do_what_they_say(desk: Desk, server: ScriptedServer) -> None:
    core = desk.owner.core
    await talk(desk, "window:a")
    for id_ in ("1", "2", "3", "4"):
        await core.inbox.add(Notice(id_, REMINDER, "window:a", "t", f"Tea {id_}", {"text": "Drink"}))
    await acted(desk, "1", "done")
    await acted(desk, "2", "snooze")
    server.script("say:Enjoy it.")
    with core.bus.subscribe() as events:
        await acted(desk, "3", "reply", "I am at it")
        while not isinstance(await anext(events), TurnFinished):
            continue
        await acted(desk, "4", "open")
        opened = [e async for e in _so_far(events) if isinstance(e, NoticeOpened)]
    assert [(e.notice, e.session, e.reply) for e in opened] == [("4", "window:a", False)]
    assert (await said(desk, "window:a"))[-2:] == ["I am at it", "Enjoy it."]
    assert "Drink" in str(server.requests[-1].body["messages"][-1])
    left = {n.id: (n.state, n.answer) for n in await core.inbox.list(all_=True)}
    assert left == {
        "1": ("done", "done"),
        "2": ("open", ""),
        "3": ("done", "replied"),
        "4": ("done", "seen"),
    }
    snoozed = await core.inbox.get("2")
    assert snoozed
    assert 500 < snoozed.due - time.time() < 700


async def test_a_question_is_answered_on_the_screen(desk: Desk, server: ScriptedServer) -> None:
    server.script(f"use:{json.dumps([['exec', {'command': 'touch made.txt'}]])}", "say:It waits.")
    await do(desk)
    [question] = [n for n in await desk.owner.core.inbox.list() if n.kind == APPROVAL]
    server.script("say:Made.")
    with desk.owner.core.bus.subscribe() as events:
        await acted(desk, question.id, "approve")
        while not isinstance(await anext(events), TurnFinished):
            continue
    assert (desk.owner.core.workspace / "made.txt").exists()


async def test_a_result_of_a_subagent_is_worth_a_notice(desk: Desk, server: ScriptedServer) -> None:
    server.when("comes to this conversation", "say:Begun.")
    server.when("Task A", "say:Found it.")
    server.when("Found it.", "say:It was under the bed.")
    server.script(f"use:{json.dumps([['spawn', {'task': 'Task A', 'label': 'A'}]])}")
    await talk(desk, "window:a", "Look for it")
    await desk.owner.core.loop.at_rest("window:a")
    [notice] = await desk.owner.core.inbox.list()
    assert (notice.kind, notice.title, notice.session) == (SUBAGENT, "A", "window:a")
    assert notice.body["text"] == "It was under the bed."


def test_tomorrow_is_in_the_morning() -> None:
    evening = datetime(2026, 11, 28, 22, 30).astimezone().timestamp()
    assert datetime.fromtimestamp(later("tomorrow", evening)) == datetime(2026, 11, 29, 9)
    assert later("1h", 0.0) == 3600
