"""The built-in model's own tokenizer against our count, in prose; code is a story of every run."""

import asyncio
import tempfile
from pathlib import Path

from tests.stories.test_counting import CODE, guess

ENGLISH = """\
The garden behind the house had been left alone for years, and when we opened the gate at last we found \
apple trees, a small pond and a bench that somebody must have built with great care. Anna wants to keep \
the trees, replace the fence before winter, and grow tomatoes near the southern wall."""
CHINESE = """\
屋子后面的花园已经荒废了很多年，我们终于打开大门的时候，发现里面有苹果树、一个小池塘，还有一张不知道是谁\
用心做的长椅。安娜想把这些树留下来，在冬天之前把篱笆换掉，并且在南墙边种西红柿。"""


def run() -> list[str]:
    """What is more than a tenth apart."""
    wrong = []
    for name, text in (("English", ENGLISH), ("Chinese", CHINESE), ("code", CODE)):
        with tempfile.TemporaryDirectory() as folder:
            guessed, real = asyncio.run(guess(Path(folder), text))
        print(f"{name}: {guessed:.0f} for {real}", flush=True)
        if abs(guessed - real) > 0.1 * real:
            wrong.append(f"{name}: {guessed:.0f} for {real}")
    return wrong
