"""What a real server asks the person in the middle of a call, and what it gets for an answer."""

import asyncio
import json
import sys
from dataclasses import replace
from typing import Any

import pytest

from desktop.agent.arguments import arguments_of
from desktop.config.mcp import McpServer
from desktop.services.status import ServiceState
from desktop.tasks import cancel, spawn
from desktop.tools.base import ToolFailure, ToolResult
from desktop.tools.form import Form, Kind, Purpose, Reply
from tests.unit.tools.mcp.conftest import PEERS, Place


class Person:
    """Who is asked: remembers what, and answers as told, in time or later."""

    def __init__(self, *replies: Reply) -> None:
        self.replies, self.asked = list(replies), list[Form]()
        self.notes: list[str] = []
        self.thinks = asyncio.Event()
        self.thinks.set()
        self.left = False

    async def ask(self, form: Form) -> Reply:
        self.asked.append(form)
        try:
            await self.thinks.wait()
        except asyncio.CancelledError:
            self.left = True
            raise
        return self.replies.pop(0) if self.replies else Reply("cancel")


def form(**properties: Any) -> dict[str, Any]:
    needed = [name for name, schema in properties.items() if schema.pop("needed", False)]
    schema = {"type": "object", "properties": properties, "required": needed}
    return {"message": "Please fill this in", "requestedSchema": schema}


async def up(place: Place, *more: str, **settings: Any) -> None:
    args = (str(PEERS / "asking.py"), *more)
    await place.up(a=McpServer(command=sys.executable, args=args, **settings))


async def ask(place: Place, person: Person | None, params: dict[str, Any], **more: Any) -> Any:
    """The server's word on what it got, and all that the model is told."""
    tool = place.tools["mcp_a_ask"]
    args = arguments_of(tool, json.dumps({"params": params, **more}))
    made = await tool.run(args, replace(place.context(), asker=person))
    assert isinstance(made, ToolResult)
    return json.loads(made.text.partition("\n[")[0])


async def test_a_form_is_put_to_the_person_and_what_they_filled_in_goes_back(place: Place) -> None:
    await up(place)
    person = Person(Reply("accept", {"name": "Ada", "seats": 2}))
    params = form(
        name={"type": "string", "title": "Your name", "needed": True},
        seats={"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
        meal={"type": "string", "enum": ["v", "m"], "enumNames": ["Vegetables", "Meat"]},
        days={"type": "array", "items": {"anyOf": [{"const": "mo", "title": "Monday"}]}, "minItems": 1},
        news={"type": "boolean", "default": True},
    )
    assert await ask(place, person, params) == {"action": "accept", "content": {"name": "Ada", "seats": 2}}
    [asked] = person.asked
    assert (asked.service, asked.message) == ("a", "Please fill this in")
    assert [(f.name, f.kind, f.title, f.required, f.default) for f in asked.fields] == [
        ("name", Kind.TEXT, "Your name", True, None),
        ("seats", Kind.WHOLE, "seats", False, 1),
        ("meal", Kind.ONE, "meal", False, None),
        ("days", Kind.MANY, "days", False, None),
        ("news", Kind.SWITCH, "news", False, True),
    ]
    assert asked.fields[2].choices == (("v", "Vegetables"), ("m", "Meat"))


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_no_and_no_answer_are_told_apart(place: Place, action: Any) -> None:
    await up(place)
    assert await ask(place, Person(Reply(action)), form(a={"type": "string"})) == {"action": action}
    assert await ask(place, None, form(a={"type": "string"})) == {"action": "cancel"}


@pytest.mark.parametrize(
    "params",
    [
        form(password={"type": "string"}),
        form(x={"type": "string", "title": "Your API key"}),
        form(x={"type": "string", "description": "The token from your account page"}),
        form(x={"type": "string", "format": "password"}),
        form(pin={"type": "integer"}),
        form(answer={"type": "string"}) | {"message": "Enter your password to go on"},
        form(deep={"type": "object", "needed": True}),
        form(**{f"f{n}": {"type": "string"} for n in range(60)}),
        {"mode": "url", "message": "Look", "url": "javascript:alert(1)", "elicitationId": "1"},
        {"mode": "url", "message": "Look", "url": "https://you@evil.example/", "elicitationId": "1"},
    ],
)
async def test_secrets_and_what_no_form_can_hold_are_declined_unasked(place: Place, params: Any) -> None:
    await up(place)
    person = Person(Reply("accept", {"password": "x"}))
    assert await ask(place, person, params) == {"action": "decline"}
    assert not person.asked
    assert "declined" in person.notes[0]


async def test_odd_defaults_and_fields_cost_only_themselves(place: Place) -> None:
    await up(place)
    person = Person(Reply("accept", {}))
    params = form(
        a={"type": "integer", "default": "many"},
        b={"type": "boolean", "default": "yes"},
        c={"type": "string", "enum": ["x"], "default": "y"},
        d={"type": "object", "properties": {}},
        e={"type": ["string", "null"], "default": "kept"},
    )
    await ask(place, person, params)
    [asked] = person.asked
    assert [(one.name, one.default) for one in asked.fields] == [
        ("a", None),
        ("b", None),
        ("c", None),
        ("e", "kept"),
    ]


async def test_a_page_is_opened_only_by_a_yes(place: Place) -> None:
    await up(place)
    person = Person(Reply("accept"), Reply("decline"))
    params = {"mode": "url", "message": "Pay there", "url": "https://pay.example/1", "elicitationId": "1"}
    assert await ask(place, person, params, times=2) == [{"action": "accept"}, {"action": "decline"}]
    assert person.asked[0].purpose is Purpose.PAGE
    assert person.asked[0].address == "https://pay.example/1"


async def test_the_clock_of_a_call_stands_still_while_the_person_thinks(place: Place) -> None:
    await up(place, tool_timeout=1)
    person = Person(Reply("accept", {}))
    person.thinks.clear()
    asyncio.get_running_loop().call_later(1.5, person.thinks.set)
    assert await ask(place, person, form(a={"type": "string"})) == {"action": "accept", "content": {}}


async def test_a_call_that_is_stopped_takes_its_question_back(place: Place) -> None:
    await up(place)
    person = Person()
    person.thinks.clear()
    call = spawn(ask(place, person, form(a={"type": "string"})), name="call")
    await place.until(lambda: bool(person.asked))
    await cancel(call)
    assert person.left


async def test_a_server_that_dies_takes_its_question_back(place: Place) -> None:
    await up(place)
    person = Person()
    person.thinks.clear()

    async def failing() -> str:
        with pytest.raises(ToolFailure) as failed:
            await ask(place, person, form(a={"type": "string"}))
        return str(failed.value)

    call = spawn(failing(), name="call")
    await place.until(lambda: bool(person.asked))
    for child in place.children():
        child.kill()
    assert "exited with code" in await call or "lost" in await call
    assert person.left


async def test_a_server_that_keeps_asking_is_cut_off(place: Place) -> None:
    await up(place)
    person = Person(*[Reply("accept", {}) for _ in range(30)])
    got = await ask(place, person, form(a={"type": "string"}), times=15)
    assert [one["action"] for one in got] == ["accept"] * 10 + ["decline"] * 5
    assert len(person.asked) == 10
    assert "kept asking" in person.notes[-1]


async def test_outside_of_a_call_nobody_is_asked(place: Place) -> None:
    await up(place, "--unasked")
    await place.until(lambda: "only asked while a call is made" in place.servers.log("a"))
    assert place.server("a").status.state is ServiceState.RUNNING
