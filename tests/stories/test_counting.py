"""The built-in model's own tokenizer against our count: after one answer they are at most a tenth apart."""

from pathlib import Path

import pytest

from desktop.bus.events import TurnFinished
from desktop.paths import Home
from desktop.session.model import message_tokens, text_tokens
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started
from tests.unit.providers.test_engine import MODELS

CODE = '''\
```python
def merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join spans that touch."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
```'''


@pytest.mark.soak
async def test_the_count_is_near_after_one_answer(tmp_path: Path) -> None:
    """In prose, English and Chinese: tests/soak counting."""
    if not MODELS.is_dir():
        pytest.skip(f"the built-in model is not in {MODELS}")
    guessed, real = await guess(tmp_path, CODE)
    assert guessed == pytest.approx(real, rel=0.1)


async def guess(home: Path, text: str) -> tuple[float, int]:
    """Our count of the second request with a text, and the model's own. Answers are short, and so come in
    pieces: what is counted is the question before each."""
    Program(home).configure(agents={"defaults": {"maxTokens": 16}})
    async with started(Home(home, MODELS)) as desk:
        first = await counted(desk, text)
        meter, (model, real) = desk.owner.core.memory.meter, await spent(desk)
        factor = meter.factor(model)
        guessed = factor * await counted(desk, text)
        model, real_now = await spent(desk)
    print(f"{first} for {real}; with a factor of {factor:.2f} then {guessed:.0f} for {real_now}")
    return guessed, real_now


async def counted(desk: Desk, text: str) -> int:
    """Say something; our estimate of the request, without a factor."""
    assert isinstance(await desk.ask("window:a", text), TurnFinished)
    core = desk.owner.core
    prompt = await core.context.system_prompt(small_model=True)
    session = await core.sessions.open("window:a")
    assert session.history(100_000)[-1]["role"] == "assistant"
    return text_tokens(prompt) + session.shown - message_tokens(session.history(100_000)[-1])


async def spent(desk: Desk) -> tuple[str, int]:
    """The model, and the tokens that its server counted in the first request of the last turn."""
    sql = (
        "SELECT model, input_tokens FROM usage WHERE turn = "
        "(SELECT turn FROM usage WHERE cause = 'turn' ORDER BY id DESC LIMIT 1) ORDER BY id LIMIT 1"
    )
    ((model, tokens),) = await desk.owner.core.database.read(sql)
    return str(model), int(tokens)
