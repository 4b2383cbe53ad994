"""Pictures that a server refuses: one is left out alone, is named, and costs one request, once."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from desktop.agent.turn import Inbound
from desktop.bus.events import TurnFailed, TurnFinished, TurnStarted
from desktop.providers.base import BadRequest, Completion, Delta, Request
from desktop.providers.behaviour import WireRules
from desktop.providers.normalise import WireCache
from tests.unit.agent.scripted import Agent, ScriptedModel
from tests.unit.providers.samples import PNG


class Picky(ScriptedModel):
    """A model that refuses requests with one of these pictures in them."""

    def __init__(self) -> None:
        super().__init__()
        self.rules = WireRules(pictures=True)
        self.hated: set[str] = set()
        self.sent: list[str] = []

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion]:
        wire = WireCache().json(request.messages, request.endpoint.rules, "").decode()
        self.sent.append(wire)
        shown: set[str] = {
            Path(path).name
            for message in request.messages
            for path in message.get("_images") or ()
            if path not in request.endpoint.rules.refused
        }
        if shown & self.hated:
            raise BadRequest("The server rejected the request (400).", "", status=400)
        async for item in super().stream(request):
            yield item


@pytest.fixture
def model() -> Picky:
    return Picky()


async def turn_with(agent: Agent, folder: Path, *names: str) -> Any:
    paths = []
    for name in names:
        (folder / name).write_bytes(PNG)
        paths.append(str(folder / name))
    inbound = Inbound("s", "What is this?", files=tuple(paths), pictures=tuple(paths))
    return await agent.end_of(await agent.loop.submit(inbound))


def notes(agent: Agent) -> list[str]:
    return [event.note for event in agent.seen if isinstance(event, TurnStarted) and event.note]


async def test_one_refused_picture_is_left_out_alone_and_once(
    agent: Agent, model: Picky, tmp_path: Path
) -> None:
    model.hated = {"bad.png"}
    assert isinstance(await turn_with(agent, tmp_path, "first.png"), TurnFinished)
    assert len(model.sent) == 1
    assert isinstance(await turn_with(agent, tmp_path, "one.png", "bad.png", "two.png"), TurnFinished)
    assert len(model.sent) == 4  # all, without two.png, without bad.png
    assert model.sent[-1].count("image_url") // 2 == 3
    assert "this model can't see" not in model.sent[-1]
    assert "image bad.png: left out" in model.sent[-1]
    assert notes(agent) == [
        "Left out because acme does not accept this image: bad.png. Everything else was sent."
    ]
    for _later in range(3):
        await turn_with(agent, tmp_path)
    assert len(model.sent) == 7
    assert model.sent[-1].count("image_url") // 2 == 3


async def test_several_refused_pictures_are_left_out_together(
    agent: Agent, model: Picky, tmp_path: Path
) -> None:
    model.hated = {"a.png", "b.png"}
    assert isinstance(await turn_with(agent, tmp_path, "kept.png"), TurnFinished)
    assert isinstance(await turn_with(agent, tmp_path, "a.png", "b.png"), TurnFinished)
    assert model.sent[-1].count("image_url") // 2 == 1
    assert "a.png, b.png" in notes(agent)[-1]


async def test_a_refusal_that_has_another_reason_leaves_no_picture_out(
    agent: Agent, model: Picky, tmp_path: Path
) -> None:
    model.scripts = [[BadRequest("Refused (400).", "", status=400)]] * 2
    assert isinstance(await turn_with(agent, tmp_path, "a.png"), TurnFailed)
    assert notes(agent) == []
    await turn_with(agent, tmp_path)
    assert isinstance(await turn_with(agent, tmp_path), TurnFinished)
    assert model.sent[-1].count("image_url") // 2 == 1


async def test_a_broken_file_is_told_and_the_others_are_sent(
    agent: Agent, model: Picky, tmp_path: Path
) -> None:
    (tmp_path / "broken.png").write_bytes(PNG[:-20])
    (tmp_path / "whole.png").write_bytes(PNG)
    paths = (str(tmp_path / "broken.png"), str(tmp_path / "whole.png"))
    turn = await agent.loop.submit(Inbound("s", "q", files=paths, pictures=paths))
    assert isinstance(await agent.end_of(turn), TurnFinished)
    assert len(model.sent) == 1
    assert model.sent[0].count("image_url") // 2 == 1
    assert notes(agent) == ["Left out because the file is damaged: broken.png. Everything else was sent."]
