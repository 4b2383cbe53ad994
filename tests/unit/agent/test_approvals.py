"""Questions to the person: asked, answered once for what was shown, parked, answered later."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from desktop.agent.approvals import Answer
from desktop.agent.turn import Inbound, ParkedAnswer
from desktop.bus.events import PermissionAsked, PermissionSettled, TurnFinished
from desktop.config.schema import Config
from desktop.marks import Marks
from desktop.origin import AGENT
from desktop.tools.files.kept import Kept
from desktop.tools.files.write import WriteFile
from tests.unit.agent.scripted import Agent, ScriptedModel, answer, calls
from tests.unit.agent.tools import Look, Page, Put, Run, Send


@pytest.fixture(autouse=True)
def tools(agent: Agent) -> dict[str, Any]:
    made: dict[str, Any] = {tool.name: tool for tool in (Look(), Put(), Run(), Send(), Page())}
    agent.bench.tools.update(made)
    return made


def result(model: ScriptedModel) -> str:
    return str([m["content"] for m in model.requests[-1].messages if m["role"] == "tool"][-1])


async def begun(agent: Agent, model: ScriptedModel, command: str = "ls", **options: Any) -> str:
    model.scripts = [calls(("run", {"word": command})), answer("ok")]
    return await agent.loop.submit(Inbound("s", "q", **options))


async def test_a_command_waits_for_a_yes(agent: Agent, model: ScriptedModel, tools: dict[str, Any]) -> None:
    turn = await begun(agent, model, "ls -la")
    asked = await agent.asked()
    assert "ls -la" in asked.card["command"]
    assert not tools["run"].done
    (notice,) = await agent.inbox.list()
    assert (notice.id, notice.session, notice.kind) == (asked.question, "s", "approval")
    assert agent.approvals.answer(asked.question, Answer(yes=True))
    assert isinstance(await agent.end_of(turn), TurnFinished)
    assert tools["run"].done == ["ls -la"]
    assert not await agent.inbox.list()
    (entry,) = await agent.audit.latest()
    assert (entry.tool, entry.verdict, entry.reason, entry.outcome) == ("run", "allowed", "person", "ok")
    assert PermissionSettled("s", turn, "c0", asked.question, "yes") in agent.seen
    assert not agent.approvals.answer(asked.question, Answer(yes=True)), "a yes is good once"


async def test_a_no_and_its_reason_reach_the_model(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any]
) -> None:
    turn = await begun(agent, model)
    agent.approvals.answer((await agent.asked()).question, Answer(yes=False, reason="use the other folder"))
    await agent.end_of(turn)
    assert "use the other folder" in result(model)
    assert not tools["run"].done
    assert (await agent.audit.latest())[0].outcome == "denied"


async def test_what_nobody_answers_is_parked_and_the_turn_goes_on(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any]
) -> None:
    for options in ({"approve": "never"}, {}):
        agent.bench.permit(patience_minutes=0)
        turn = await begun(agent, model, **options)
        assert isinstance(await agent.end_of(turn), TurnFinished)
        assert "not answered yet" in result(model)
    assert len(await agent.inbox.list()) == 2
    assert not tools["run"].done


async def test_a_late_yes_begins_a_turn_that_carries_the_call_out(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any]
) -> None:
    await agent.end_of(await begun(agent, model, "make all", approve="never"))
    (notice,) = await agent.inbox.list()
    late = ParkedAnswer(notice.id, "run", notice.body["arguments"], notice.body["digest"])
    model.scripts = [answer("It is made.")]
    turn = await agent.loop.submit(Inbound("s", "You may.", note=True, late=late))
    end = await agent.end_of(turn)
    assert isinstance(end, TurnFinished)
    assert end.text == "It is made."
    assert tools["run"].done == ["make all"]
    roles = [m["role"] for m in (await agent.records("s"))[-4:]]
    assert roles == ["user", "assistant", "tool", "assistant"]


async def test_a_late_yes_is_for_what_was_shown_only(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any]
) -> None:
    script = agent.workspace / "do.sh"
    script.write_text("echo harmless")
    await agent.end_of(await begun(agent, model, "sh do.sh", approve="never"))
    (notice,) = await agent.inbox.list()
    script.write_text("echo something else")
    late = ParkedAnswer(notice.id, "run", notice.body["arguments"], notice.body["digest"])
    turn = await agent.loop.submit(Inbound("s", "You may.", late=late, approve="never"))
    await agent.end_of(turn)
    assert not tools["run"].done
    assert len(await agent.inbox.list()) == 2


async def test_a_script_that_changes_while_the_card_is_open_is_asked_for_again(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any]
) -> None:
    script = agent.workspace / "do.sh"
    script.write_text("echo harmless")
    turn = await begun(agent, model, "sh do.sh")
    first = await agent.asked()
    script.write_text("echo something else")
    agent.approvals.answer(first.question, Answer(yes=True))
    second = await agent.asked(2)
    assert not tools["run"].done
    agent.approvals.answer(second.question, Answer(yes=True))
    await agent.end_of(turn)
    assert tools["run"].done == ["sh do.sh"]


async def test_yes_to_all_of_a_run_leaves_the_fences(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any]
) -> None:
    await agent.end_of(await begun(agent, model, "ls", approve="all"))
    assert tools["run"].done == ["ls"]
    await agent.end_of(await begun(agent, model, "mkfs.ext4 /dev/sda", approve="all"))
    assert tools["run"].done == ["ls"]
    assert not [event for event in agent.seen if isinstance(event, PermissionAsked)]


async def test_stopping_withdraws_the_question(agent: Agent, model: ScriptedModel) -> None:
    turn = await begun(agent, model)
    asked = await agent.asked()
    await agent.loop.stop("s")
    end = await agent.end_of(turn)
    assert isinstance(end, TurnFinished)
    assert end.stopped
    notice = await agent.inbox.get(asked.question)
    assert notice
    assert (notice.state, notice.answer) == ("done", "withdrawn")


async def test_a_turn_that_waits_for_the_person_lets_others_work(
    agent: Agent, model: ScriptedModel
) -> None:
    model.scripts = [calls(("run", {"word": "a"})), calls(("run", {"word": "b"})), answer("three")]
    waiting = [await agent.loop.submit(Inbound(key, "q")) for key in ("one", "two")]
    questions = [(await agent.asked(number)).question for number in (1, 2)]
    third = await agent.loop.submit(Inbound("three", "q"))
    end = await agent.end_of(third)
    assert isinstance(end, TurnFinished)
    for question in questions:
        agent.approvals.answer(question, Answer(yes=True))
    for turn in waiting:
        assert isinstance(await agent.end_of(turn), TurnFinished)


async def test_text_from_outside_re_arms_asking(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any], tmp_path: Path
) -> None:
    agent.bench.permit(rules=[{"tool": "send"}])
    model.scripts = [calls(("send", {"word": "hi"})), answer("ok")]
    await agent.end_of(await agent.loop.submit(Inbound("s", "q")))
    assert tools["send"].done == ["hi"], "the rule allows it"
    page: tuple[str, dict[str, Any] | str] = ("page", {"word": "http://news.example/"})
    model.scripts = [calls(page), calls(("send", {"word": "again"})), answer("ok")]
    turn = await agent.loop.submit(Inbound("s", "read http://news.example/ for me"))
    asked = await agent.asked()
    assert (asked.card["outside"], asked.card["sources"]) == (True, ["a.page"])
    agent.approvals.answer(asked.question, Answer(yes=False))
    await agent.end_of(turn)
    assert tools["send"].done == ["hi"]


async def test_a_conversation_stays_marked(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any]
) -> None:
    """The page came in one turn; what would leave is wanted in the next."""
    model.scripts = [calls(("page", {"word": "x"})), answer("It says so.")]
    await agent.end_of(await agent.loop.submit(Inbound("s", "read it")))
    agent.bench.permit(rules=[{"tool": "send"}])
    model.scripts = [calls(("send", {"word": "hi"})), answer("ok")]
    turn = await agent.loop.submit(Inbound("s", "and now?"))
    agent.approvals.answer((await agent.asked()).question, Answer(yes=False))
    await agent.end_of(turn)
    model.scripts = [calls(("send", {"word": "hi"})), answer("ok")]
    await agent.end_of(await agent.loop.submit(Inbound("clean", "q")))
    assert tools["send"].done == ["hi"], "another conversation is not"


async def test_what_stays_in_the_sandbox_asks_nothing_more(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any]
) -> None:
    agent.bench.permit(rules=[{"tool": "run", "program": "ls"}])
    model.scripts = [calls(("page", {"word": "x"})), calls(("run", {"word": "ls"})), answer("ok")]
    await agent.end_of(await agent.loop.submit(Inbound("s", "read it")))
    assert tools["run"].done == ["ls"]


async def test_an_autonomous_conversation_ends_by_itself(agent: Agent, model: ScriptedModel) -> None:
    session = await agent.sessions.open("s")
    await session.set_metadata(mode="autonomous", mode_until=4e9)
    await agent.end_of(await begun(agent, model, "ls"))
    assert not await agent.inbox.list(all_=True)
    await session.set_metadata(mode="autonomous", mode_until=1.0)
    turn = await begun(agent, model, "ls")
    agent.approvals.answer((await agent.asked()).question, Answer(yes=True))
    await agent.end_of(turn)


async def test_all_calls_of_a_round_are_asked_for_at_once(agent: Agent, model: ScriptedModel) -> None:
    far = [(("look", {"word": word})) for word in "ab"]
    agent.bench.tools["look"] = Far()
    model.scripts = [calls(*far), answer("ok")]
    turn = await agent.loop.submit(Inbound("s", "q"))
    async with asyncio.timeout(60):
        questions = [(await agent.asked(number)).question for number in (1, 2)]
    for question in questions:
        agent.approvals.answer(question, Answer(yes=True))
    assert isinstance(await agent.end_of(turn), TurnFinished)


# ---- a standing answer is void where others than the person changed what it covers


async def allowed_for_good(agent: Agent, model: ScriptedModel) -> Path:
    """A rule for a script, as the person gives it on the card; the script."""
    script = agent.workspace / "run.sh"
    script.write_text("echo harmless")
    turn = await begun(agent, model, "bash run.sh")
    asked = await agent.asked()
    notice = await agent.inbox.get(asked.question)
    assert notice
    assert notice.body["rule"]
    agent.bench.permit(rules=[notice.body["rule"]])
    agent.approvals.answer(asked.question, Answer(yes=True))
    await agent.end_of(turn)
    await agent.end_of(await begun(agent, model, "bash run.sh"))
    assert len(await agent.inbox.list(all_=True)) == 1, "the second time nobody is asked"
    return script


async def asked_again(agent: Agent, model: ScriptedModel) -> str:
    """Why the person is asked about the script; empty where they are not."""
    await agent.end_of(await begun(agent, model, "bash run.sh", approve="never"))
    return " ".join(notice.body["card"]["why"] for notice in await agent.inbox.list())


async def test_a_rule_is_void_where_a_tool_changed_the_script(agent: Agent, model: ScriptedModel) -> None:
    script = await allowed_for_good(agent, model)
    agent.bench.tools["write_file"] = WriteFile(Kept(agent.workspace.parent / "undo"))
    model.scripts = [
        calls(("write_file", {"path": str(script), "content": "echo evil"})),
        answer("ok"),
    ]
    await agent.end_of(await agent.loop.submit(Inbound("s", "q")))
    assert script.read_text() == "echo evil"
    assert "run.sh changed since you allowed this, and not by you" in await asked_again(agent, model)


async def test_a_rule_holds_where_the_person_changed_the_script(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any]
) -> None:
    script = await allowed_for_good(agent, model)
    await settle(agent)
    script.write_text("echo mine")
    assert await asked_again(agent, model) == ""
    assert tools["run"].done == ["bash run.sh"] * 3


async def settle(agent: Agent) -> None:
    """What ran so far ran an hour ago."""
    await agent.database.write("UPDATE commands SET began = began - 3600, ended = ended - 3600")


async def test_a_rule_is_void_where_a_command_may_have_changed_the_script(
    agent: Agent, model: ScriptedModel
) -> None:
    script = await allowed_for_good(agent, model)
    await settle(agent)
    marks = Marks(agent.database)
    command = await marks.begin_command("other", [agent.workspace], AGENT)
    script.write_text("echo evil")
    await marks.end_command(command)
    assert "run.sh changed since you allowed this" in await asked_again(agent, model)


class Far(Look):
    """Reads outside the workspace."""

    def claim(self, args: Any, context: Any) -> Any:
        from desktop.tools.base import Claim, Effect

        return Claim(Effect.READ, args.word, reads=(Path("/usr/share") / args.word,))


class Watched(Run):
    """Notes whether a command is kept from leaving what runs later."""

    def __init__(self) -> None:
        super().__init__()
        self.guarded: list[bool] = []

    async def run(self, args: Any, context: Any) -> Any:
        self.guarded.append(context.guarded)
        return await super().run(args, context)


async def test_a_command_is_guarded_where_marked_text_is_in_view_and_nobody_is_asked(
    agent: Agent, model: ScriptedModel
) -> None:
    agent.bench.tools["run"] = tool = Watched()
    agent.bench.permit(rules=[{"tool": "run", "program": "ls"}])
    model.scripts = [calls(("run", {"word": "ls"})), answer("ok")]
    await agent.end_of(await agent.loop.submit(Inbound("clean", "q")))
    model.scripts = [calls(("page", {"word": "x"})), calls(("run", {"word": "ls"})), answer("ok")]
    await agent.end_of(await agent.loop.submit(Inbound("s", "read it")))
    await agent.end_of(await begun(agent, model, "touch x", approve="all"))
    turn = await begun(agent, model, "touch y")
    agent.approvals.answer((await agent.asked()).question, Answer(yes=True))
    await agent.end_of(turn)
    assert tool.guarded == [False, True, True, False]


@pytest.mark.parametrize("command", ["ls", "mkfs.ext4 -n x"])
async def test_yes_to_all_of_a_run_does_not_let_marked_text_out_of_the_sandbox(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any], command: str
) -> None:
    exec_ = agent.bench.config.tools.model_dump(by_alias=True)["exec"] | {"sandbox": "off"}
    agent.bench.config = Config.model_validate({"tools": {"exec": exec_}})
    model.scripts = [calls(("page", {"word": "x"})), answer("ok")]
    await agent.end_of(await agent.loop.submit(Inbound("s", "read it")))
    agent.bench.permit(patience_minutes=0)
    await agent.end_of(await begun(agent, model, command, approve="all"))
    assert not tools["run"].done
